"""Where ``trnstack plan --against`` gets the older plan from: another file, or a revision of git."""

import dataclasses
import shutil
import subprocess
import tempfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NoReturn

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.findings import Finding
    from trnstack.plan import Plan

#: git answers from the disk; a minute means that something waits for a person.
_PATIENCE_SECONDS = 60
#: What a new lock would mend, which a revision does not get any more.
_OF_THE_LOCK = frozenset({"IMG001", "IMG002", "IMG003"})


def older_plan(old: str) -> "Plan":
    """Returns the plan of an environment file, or of ``REV:path`` in git; ends the command where there is none.

    The lock is the one beside the file, of the same revision.
    """
    if Path(old).exists():
        return _plan(Path(old), old)
    revision, separator, path = old.partition(":")
    if not separator:
        _stop(
            f"{old}: no such file",
            "name an environment file, or a revision of git and a path: HEAD~1:environments/x.yaml",
        )
    with tempfile.TemporaryDirectory() as folder:
        return _plan(_checked_out(old, revision, path, Path(folder)), old)


def _plan(file: Path, name: str) -> "Plan":
    from trnstack.environment import plan_file  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.findings import InvalidEnvironmentError  # noqa: PLC0415

    try:
        return plan_file(file)
    except InvalidEnvironmentError as error:
        output.stop([_named(finding, str(file), name) for finding in error.findings])


def _named(finding: "Finding", file: str, name: str) -> "Finding":
    """Returns the finding with the name that the person gave in place of a temporary file's."""
    if file != name and finding.code in _OF_THE_LOCK:
        finding = dataclasses.replace(finding, hint="name a revision whose lock answers its file")
    stem = file.rpartition(".")[0]
    texts = {key: getattr(finding, key).replace(stem, name.rpartition(".")[0]) for key in ("file", "message", "hint")}
    return dataclasses.replace(finding, **texts)


def _checked_out(name: str, revision: str, path: str, folder: Path) -> Path:
    """Writes a file of a revision and its lock to a folder; returns the file."""
    from ami.lock import path_for  # noqa: PLC0415

    git = shutil.which("git")
    if git is None:
        _stop(f"{name}: git is not installed, so no revision can be read", "name an environment file instead")
    _ask(git, ["rev-parse", "--git-dir"], f"{name}: this folder is in no git repository", "name an environment file")
    _ask(
        git,
        ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"],
        f"{name}: git knows no revision '{revision}'",
        "git log --oneline lists them",
    )
    file = folder / PurePosixPath(path).name
    content = _ask(
        git,
        ["show", "--end-of-options", f"{revision}:{path}"],
        f"{name}: there is no {path} in {revision}",
        "the path starts at the top of the repository; ./ in front of it makes it start here",
    )
    file.write_bytes(content)
    lock = str(PurePosixPath(path).with_name(path_for(file).name))
    lock = f"./{lock}" if path.startswith("./") else lock
    path_for(file).write_bytes(
        _ask(
            git,
            ["show", "--end-of-options", f"{revision}:{lock}"],
            f"{name}: there is no lock {lock} in {revision}, so its plan is not known",
            "name a later revision, in which the lock was committed",
        )
    )
    return file


def _ask(git: str, arguments: list[str], message: str, hint: str) -> bytes:
    """Returns what git writes; ends the command with a sentence where it refuses."""
    try:
        done = subprocess.run(  # noqa: S603 - git itself, with what a person named after the end of its options
            [git, *arguments], capture_output=True, check=True, timeout=_PATIENCE_SECONDS
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        _stop(message, hint)
    return done.stdout


def _stop(message: str, hint: str) -> NoReturn:
    output.tell(f"{message}\n  hint: {hint}")
    raise typer.Exit(output.FINDINGS)
