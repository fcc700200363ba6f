# Everything runs in .venv, which the first target that you make sets up, in a minute or two, from a Python alone.

ENVIRONMENT ?= environments/llama3-8b-trn1.yaml
# Further words for pytest, such as ARGUMENTS="-k lustre".
ARGUMENTS ?=
SHELL := /bin/sh
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup rehearse lock check test bench

help: ## show this list
	@sed -n 's/^\([a-z]*\):[a-z ]*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F'|' '{printf "%-16s %s\n", $$1, $$2}'

# A python3.x on the PATH may be a shim that fails, so each is run before it is chosen; of a virtual environment the
# Python that made it is taken, since .venv itself may have to be made anew.
setup: ## set up what is missing, and nothing if nothing is
	@for candidate in python3.13 python3.12 python3.11 python3; do \
		python=$$($$candidate -c 'import sys; ok = (3, 11) <= sys.version_info < (3, 14); print(sys._base_executable if ok else "")' 2>/dev/null) || continue; \
		if [ -n "$$python" ]; then exec "$$python" toolchain/setup.py; fi; \
	done; \
	echo "trnstack needs Python 3.11, 3.12 or 3.13: install one of them so that python3 or python3.13 starts it" >&2; \
	exit 2

rehearse: setup ## deploy, update and destroy ENVIRONMENT against an embedded AWS, with the real CDK CLI
	@$(BIN)/trnstack rehearse $(ENVIRONMENT)

lock: setup ## pin what ENVIRONMENT uses, from the offline tables
	@$(BIN)/trnstack lock --offline $(ENVIRONMENT)

check: setup ## lint, format, types, import contracts, and every test that starts no other process
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -m "not cli" $(ARGUMENTS)

test: setup ## all tests
	$(BIN)/python -m pytest -q $(ARGUMENTS)

bench: setup ## the benchmarks
	$(BIN)/python -m bench
