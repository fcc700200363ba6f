"""Where an older environment comes from: a file, or a revision of git with the lock of the same revision."""

import dataclasses
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from ami.lock import path_for
from trnstack.environment import Checked, check_file
from trnstack.findings import Finding

#: git answers from the disk; a minute means that something waits for a person.
_PATIENCE_SECONDS = 60
#: What a new lock would mend, which a revision does not get any more.
_OF_THE_LOCK = frozenset({"IMG001", "IMG002", "IMG003"})


class RevisionError(Exception):
    """There is no such file, or git does not have it.

    Attributes:
        message: What is not there, in lower case without a full stop.
        hint: What to name instead.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}\n  hint: {hint}")
        self.message = message
        self.hint = hint


def checked(name: str) -> Checked:
    """Returns an environment and its lock, read and checked.

    Args:
        name: An environment file, or ``REV:path`` in git. The path starts at the top of the repository, or with ``./``
            in the present folder; the lock is the one beside the file, of the same revision.

    Raises:
        RevisionError: There is no such file or revision, or the revision has no lock for it.
    """
    with _file(name) as file:
        found = check_file(file)
    return dataclasses.replace(found, findings=tuple(_named(each, str(file), name) for each in found.findings))


@contextmanager
def _file(name: str) -> Iterator[str | Path]:
    """Gives the file, for a revision in a temporary folder."""
    revision, separator, path = name.partition(":")
    if os.path.exists(name):  # noqa: PTH110 - Path.exists raises for a name that is too long for a file
        yield name
    elif not separator:
        raise RevisionError(
            f"{name}: no such file",
            "name an environment file, or a revision of git and a path: HEAD~1:environments/x.yaml",
        )
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield _checked_out(name, revision, path, Path(folder))


def _named(finding: Finding, file: str, name: str) -> Finding:
    """Returns the finding with the name that the person gave in place of a temporary file's."""
    if file == name:
        return finding
    if finding.code in _OF_THE_LOCK:
        finding = dataclasses.replace(finding, hint="name a revision whose lock answers its file")
    stem = file.rpartition(".")[0]
    texts = {key: getattr(finding, key).replace(stem, name.rpartition(".")[0]) for key in ("file", "message", "hint")}
    return dataclasses.replace(finding, **texts)


def _checked_out(name: str, revision: str, path: str, folder: Path) -> Path:
    """Writes a file of a revision and its lock to a folder; returns the file."""
    git = shutil.which("git")
    if git is None:
        raise RevisionError(
            f"{name}: git is not installed, so no revision can be read", "name an environment file instead"
        )
    _ask(git, ["rev-parse", "--git-dir"], f"{name}: this folder is in no git repository", "name an environment file")
    _ask(
        git,
        ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"],
        f"{name}: git knows no revision '{revision}'",
        "git log --oneline lists them",
    )
    content = _ask(
        git,
        ["cat-file", "blob", f"{revision}:{path}"],
        f"{name}: there is no file {path or 'without a name'} in {revision}",
        "the path starts at the top of the repository; ./ in front of it makes it start here",
    )
    file = folder / PurePosixPath(path).name
    lock = str(PurePosixPath(path).with_name(path_for(file).name))
    lock = f"./{lock}" if path.startswith("./") else lock
    pins = _ask(
        git,
        ["cat-file", "blob", f"{revision}:{lock}"],
        f"{name}: there is no lock {lock} in {revision}, so its plan is not known",
        "name a later revision, in which the lock was committed",
    )
    file.write_bytes(content)
    path_for(file).write_bytes(pins)
    return file


def _ask(git: str, arguments: list[str], message: str, hint: str) -> bytes:
    """Returns what git writes.

    Raises:
        RevisionError: git refuses.
    """
    try:
        done = subprocess.run(  # noqa: S603 - git itself, with what a person named after the end of its options
            [git, *arguments], capture_output=True, check=True, timeout=_PATIENCE_SECONDS
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise RevisionError(message, hint) from error
    return done.stdout
