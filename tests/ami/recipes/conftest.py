"""A machine to run the recipes' scripts on: a root folder, and a PATH of commands that only pretend.

What runs is the text of the documents' steps, exports included. The scripts see the real shell and text tools, and
nothing else of this computer: a command that is neither faked nor listed does not exist.
"""

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from ami.recipes import RecipeValues, components, recipe

KERNEL = "6.12.94-123.180.amzn2023.x86_64"
CONTAINER = "public.ecr.aws/neuron/jax-training-neuronx:0.10.0-neuronx-py313-sdk2.32.0-ubuntu24.04@sha256:" + "a" * 64
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
    "mv",
    "rm",
    "sed",
    "sha256sum",
    "tar",
    "touch",
)
#: Every fake writes down how it was called, in one piece, since two may run at once.
_CALL = """printf -v line ' %s' "$@"; printf '%s%s\\n' "${0##*/}" "$line" >>"$STATE/calls"\n"""
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
        line="${file##*/}-0:$version.*"
        # Like the real one, which says so of a package that is held already.
        grep -Fxq "$line" "$STATE/held" || echo "$line" >>"$STATE/held"
      done
    done ;;
  "versionlock delete "*)
    held=$(cat "$STATE/held")
    for name in "${@:3}"; do held=$(grep -v "^$name-[0-9]*:" <<<"$held" || true); done
    [[ $held != "$(cat "$STATE/held")" ]] || exit 1
    printf '%s\\n' "$held" >"$STATE/held" ;;
  "remove -y --noautoremove "*) rm "$STATE/packages/$4" ;;
  "install -y --enablerepo=neuron "*)
    if [[ -f $STATE/repository-down ]]; then exit 1; fi
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
  enable) grep -Fxq "$2" "$STATE/enabled" || echo "$2" >>"$STATE/enabled" ;;
  is-enabled)
    if grep -qx "$2" "$STATE/enabled"; then echo enabled; exit 0; fi
    if grep -qx "$2" "$STATE/masked"; then echo masked; else echo disabled; fi; exit 1 ;;
esac
""",
    "curl": 'while [[ $1 != --output ]]; do shift; done; cp "$STATE/downloads/${3##*/}" "$2"',
    # The one that an image's containers pass through; it serves until it is told to stop, and has to start empty.
    "containerd": """
if [[ -f $STATE/containerd-broken || -e $4 ]]; then touch "$STATE/containerd-broken"; exit 1; fi
trap 'rm "$STATE/serving"; exit 0' TERM
echo "$*" >"$STATE/serving"
for ((turn = 0; turn < 1500; turn++)); do "$SLEEP" 0.02; done
""",
    "ctr": """
case "$*" in
  "--address "*" version")
    for ((tries = 0; tries < 100; tries++)); do
      if [[ -s $STATE/serving ]]; then exit 0; fi
      if [[ -f $STATE/containerd-broken ]]; then exit 1; fi
      "$SLEEP" 0.02
    done
    exit 1 ;;
  "--address "*" content fetch "*)
    if [[ -f $STATE/registry-down ]]; then echo "pull failed" >&2; exit 1; fi
    echo "${@: -1}" >>"$STATE/fetched" ;;
  "--address "*" images export "*)
    grep -Fxq "${@: -1}" "$STATE/fetched" || exit 1
    file=${@: -1}
    cp "$STATE/archives/${file##*:}.tar" "${@: -2:1}"
    if [[ -f $STATE/export-fails ]]; then exit 1; fi ;;
  "--namespace k8s.io images list --quiet") cat "$STATE/ready" ;;
  "--namespace k8s.io images import "*)
    if [[ -f $STATE/import-fails ]] && grep -Fxq "${5##*/}" "$STATE/import-fails"; then echo "bad" >&2; exit 1; fi
    echo "much progress"
    echo "$(tar -xOf "$5" index.json | sed 's/.*"io.containerd.image.name": "\\([^"]*\\)".*/\\1/')" >>"$STATE/ready" ;;
  "--namespace k8s.io images label "*)
    grep -Fxq "$5" "$STATE/ready" || exit 1
    echo "$5 $6" >>"$STATE/labels" ;;
  *) exit 2 ;;
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
        return self.bash(self.write(self.state / "input.sh", "\n".join(commands)))

    def bash(self, script: Path) -> subprocess.CompletedProcess[str]:
        """Runs a script that is on the machine."""
        settings = {"PATH": str(self.commands), "ROOT": str(self.root), "STATE": str(self.state)}
        return subprocess.run(
            [shutil.which("bash") or "bash", str(script)],
            env={**settings, "SLEEP": shutil.which("sleep") or "sleep"},
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
    for known in ("enabled", "fetched", "ready", "labels"):
        made.write(made.state / known, "")
    (made.root / "lib/modules" / KERNEL / "build").mkdir(parents=True)
    for folder in ("etc/yum.repos.d", "etc/cloud/cloud.cfg.d", "etc/systemd/system", "opt/amazon"):
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


@pytest.fixture
def pack() -> Callable[[Path, Mapping[str, bytes | None]], None]:
    """Writes an archive of files as ``ctr images export`` does, sorted by their names; None leaves a file out."""

    def packs(path: Path, files: Mapping[str, bytes | None]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(path, "w") as tar:
            for name, content in sorted(files.items()):
                if content is not None:
                    info = tarfile.TarInfo(name)
                    info.size = len(content)
                    tar.addfile(info, io.BytesIO(content))

    return packs


@pytest.fixture
def archive(pack: Callable[[Path, Mapping[str, bytes | None]], None]) -> Callable[..., str]:
    """Writes a container's archive into a folder, under its digest and with its name, and returns the digest.

    With platforms, the digest is that of their index, and the archive has what is for amd64; None is something else
    that an index may list, such as an attestation.

    Source: containerd at v2.2.7, core/images/archive/exporter.go.
    """

    def archives(folder: Path, repository: str, *, platforms: Sequence[str | None] = ()) -> str:
        files: dict[str, bytes | None] = {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}'}

        def blob(content: bytes, *, kept: bool = True) -> str:
            digest = hashlib.sha256(content).hexdigest()
            files[f"blobs/sha256/{digest}"] = content if kept else None
            return f"sha256:{digest}"

        def manifest(architecture: str | None) -> str:
            kept = architecture == "amd64"
            config = blob(json.dumps({"os": "linux", "architecture": architecture}).encode(), kept=kept)
            layer = blob(f"{repository} for {architecture}, ".encode() * 1000, kept=kept)
            content = {"config": {"digest": config}, "layers": [{"digest": layer}]}
            return blob(json.dumps(content).encode(), kept=kept)

        if platforms:
            children = [
                {"digest": manifest(each)} | ({"platform": {"os": "linux", "architecture": each}} if each else {})
                for each in platforms
            ]
            top = blob(json.dumps({"manifests": children}).encode())
        else:
            top = manifest("amd64")
        annotations = {"io.containerd.image.name": f"{repository}@{top}"}
        files["index.json"] = json.dumps({"manifests": [{"digest": top, "annotations": annotations}]}).encode()
        digest = top.removeprefix("sha256:")
        pack(folder / f"{digest}.tar", files)
        return digest

    return archives
