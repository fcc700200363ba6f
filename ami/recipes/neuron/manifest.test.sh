#!/usr/bin/env bash
# Checks that the image boots the kernel for which its modules were built.
set -euo pipefail

python3 - "${ROOT:-}/etc/trnstack/image.json" "$(uname -r)" <<'PYTHON'
import json
import sys

path, running = sys.argv[1:]
with open(path, encoding="utf-8") as stream:
    built = json.load(stream)["kernel"]
if built != running:
    sys.exit(f"manifest: the image was built on kernel {built} and boots {running}")
PYTHON
