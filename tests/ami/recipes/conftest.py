"""A machine to run the recipes' scripts on: a root folder, and a PATH of commands that only pretend.

What runs is the text of the documents' steps, exports included. The scripts see the real shell and text tools, and
nothing else of this computer: a command that is neither faked nor listed does not exist.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from ami.recipes import RecipeValues, components, recipe

KERNEL = "6.12.94-123.180.amzn2023.x86_64"
CONTAINER = "public.ecr.aws/neuron/jax-training-neuronx:0.10.0-neuronx-py313-sdk2.32.0-ubuntu24.04@sha256:" + "a" * 64
REFERENCE = "public.ecr.aws/neuron/jax-training-neuronx@sha256:" + "a" * 64
VALUES = RecipeValues(sdk="2.32.0", driver="2.30.2.0", tools="2.32.28.0", kernel="6.12", containers=(CONTAINER,))

_REAL = (
    "awk",
    "bash",
    "cat",
    "chmod",
    "cp",
    "grep",
    "head",
    "install",
    "mkdir",
    "mktemp",
    "rm",
    "sed",
    "sha256sum",
    "tar",
)
#: Every fake writes down how it was called.
_CALL = """printf '%s' "${0##*/}" >>"$STATE/calls"; printf ' %s' "$@" >>"$STATE/calls"; echo >>"$STATE/calls"\n"""
#: A package is a file with the package's name and its version as text; where that says no release, it is 1.
_FAKES = {
    "rpm": """
case "$*" in
  "--query --queryformat %{VERSION} "*)
    if [[ ! -f $STATE/packages/$4 ]]; then echo "package $4 is not installed"; exit 1; fi
    cat "$STATE/packages/$4" ;;
  "--query --quiet "*)
    for file in "$STATE"/packages/*; do
      name=${file##*/}
      [[ $3 != "$name" && $3 != "$name-$(cat "$file")-1.noarch" ]] || exit 0
    done
    exit 1 ;;
  "--erase --nodeps "*)
    for package in "${@:3}"; do
      for file in "$STATE"/packages/*; do
        name=${file##*/}
        [[ $package != "$name" && $package != "$name-$(cat "$file")-1.noarch" ]] || rm "$file"
      done
    done ;;
esac
""",
    "dnf": """
case "$*" in
  "versionlock list --quiet") cat "$STATE/held" ;;
  "versionlock add "*)
    for name in "${@:3}"; do
      for file in "$STATE"/packages/$name; do
        version=$(cat "$file")
        if [[ $version != *-* ]]; then version+=-1; fi
        echo "${file##*/}-0:$version.*" >>"$STATE/held"
      done
    done ;;
  "versionlock delete "*) exit 1 ;;
  "remove -y --noautoremove "*) rm -f "$STATE/packages/$4" ;;
  "install -y --enablerepo=neuron "*)
    for spec in "${@:4}"; do
      file=$STATE/packages/${spec%-*} version=${spec##*-}
      # Like the real driver's package: one that is there can't be replaced by another.
      if [[ $spec == aws-neuronx-dkms-* && -f $file && $(cat "$file") != "$version" ]]; then exit 1; fi
      printf '%s' "$version" >"$file"
    done ;;
esac
""",
    "uname": 'cat "$STATE/kernel"',
    "modinfo": 'cat "$STATE/modules/$5" || exit 1',
    "lsmod": 'cat "$STATE/loaded"',
    "modprobe": '[[ -f $STATE/modules/$1 ]] || exit 1; mkdir -p "$ROOT/sys/module/$1"; '
    'cp "$STATE/modules/$1" "$ROOT/sys/module/$1/version"',
    "systemctl": """
case "$1" in
  mask) printf '%s\\n' "${@:2}" >>"$STATE/masked" ;;
  is-enabled) if grep -qx "$2" "$STATE/masked"; then echo masked; else echo disabled; fi; exit 1 ;;
esac
""",
    "curl": 'while [[ $1 != --output ]]; do shift; done; cp "$STATE/downloads/${3##*/}" "$2"',
    "gpg": 'cat "$STATE/fingerprints"',
    "ctr": """
case "$*" in
  *"images pull "*)
    if [[ -f $STATE/registry-down ]]; then echo "pull failed" >&2; exit 1; fi
    echo "${@: -1}" >>"$STATE/ready" ;;
  *"images label "*) echo "$5 $6" >>"$STATE/labels" ;;
  *"images check --quiet") cat "$STATE/ready" ;;
  *"images list "*) grep -F "${5#name==}" "$STATE/labels" || true ;;
esac
""",
    "aws": 'if [[ -f $STATE/no-credentials ]]; then exit 1; fi; echo "secret-of-$1"',
    "imds": "echo ami-0123456789abcdef0",
    "sleep": "",
    "sync": "",
}


@dataclass(slots=True)
class Machine:
    """The machine.

    Attributes:
        root: What the scripts take for ``/``.
        state: What the pretended commands know.
        values: The lock's pins.
    """

    root: Path
    state: Path
    commands: Path
    values: RecipeValues = field(default=VALUES)

    def packages(self, **versions: str) -> None:
        """Installs packages; in their names, ``_`` stands for ``-``."""
        for name, version in versions.items():
            self.write(self.state / "packages" / name.replace("_", "-"), version)

    def write(self, path: Path, text: str) -> Path:
        """Writes a file and the folders above it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def command(self, path: Path, body: str) -> None:
        """Makes a command that writes down how it was called and runs a script."""
        self.write(path, f"#!{shutil.which('bash')}\n{_CALL}{body}\n").chmod(0o755)

    @property
    def calls(self) -> list[str]:
        """How the pretended commands were called."""
        path = self.state / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def installed(self) -> dict[str, str]:
        """The versions of the packages that are there."""
        return {path.name: path.read_text() for path in (self.state / "packages").iterdir()}

    def run(self, component: str, phase: str, step: str | None = None) -> subprocess.CompletedProcess[str]:
        """Runs a step of a component's document."""
        (document,) = [made.document for made in components(recipe("neuron"), self.values) if made.name == component]
        steps = {part["name"]: part["steps"] for part in yaml.load(document, Loader=yaml.CSafeLoader)["phases"]}[phase]
        (commands,) = [each["inputs"]["commands"] for each in steps if each["name"] == (step or phase)]
        script = self.write(self.state / "input.sh", "\n".join(commands))
        settings = {"PATH": str(self.commands), "ROOT": str(self.root), "STATE": str(self.state)}
        return subprocess.run(
            [shutil.which("bash") or "bash", str(script)],
            env=settings,
            cwd=self.state,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A build instance as the parent leaves it: its own driver, its own and newer EFA, nothing held but the kernel."""
    made = Machine(tmp_path / "root", tmp_path / "state", tmp_path / "bin")
    for name, body in _FAKES.items():
        made.command(made.commands / name, body)
    for name in _REAL:
        (made.commands / name).symlink_to(shutil.which(name) or name)
    made.write(made.commands / "python3", f'#!/bin/sh\nexec {os.path.realpath(sys.executable)} "$@"\n').chmod(0o755)
    made.write(made.state / "kernel", KERNEL)
    made.write(made.state / "held", "")
    made.write(made.state / "masked", "")
    made.write(made.state / "ready", "")
    made.write(made.state / "labels", "")
    (made.root / "lib/modules" / KERNEL / "build").mkdir(parents=True)
    for folder in ("etc/yum.repos.d", "etc/cloud/cloud.cfg.d", "opt/amazon"):
        (made.root / folder).mkdir(parents=True)
    made.packages(
        **{"kernel6.12": KERNEL.removesuffix(".x86_64")},
        aws_neuronx_dkms="2.29.0.0",
        aws_neuronx_tools="2.31.15.0",
        efa="3.1.0",
        rdma_core="62.0",
        dkms="3.1.5",
        efa_nv_peermem="1.2.3",
    )
    return made


@pytest.fixture
def failure(machine: Machine) -> Callable[..., str]:
    """Runs a step that has to fail, and returns what it says: one line."""

    def fails(*step: str) -> str:
        done = machine.run(*step)
        assert done.returncode == 1, done
        (line,) = done.stderr.splitlines()
        return line

    return fails


@pytest.fixture
def success(machine: Machine) -> Callable[..., str]:
    """Runs a step that has to succeed, and returns what it prints."""

    def succeeds(*step: str) -> str:
        done = machine.run(*step)
        assert done.returncode == 0, done
        return done.stdout

    return succeeds
