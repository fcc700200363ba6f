"""Where ``trnstack plan --against`` gets the older plan from: another file, or a revision of git."""

import dataclasses
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
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
    if os.path.exists(old):  # noqa: PTH110 - a name that no file can have is none; Path raises an error for it
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
    # Without their ends, since the lock's name begins alike.
    stem, named = (text.removesuffix(PurePosixPath(text).suffix) for text in (file, name))
    texts = {key: getattr(finding, key).replace(stem, named) for key in ("file", "message", "hint")}
    return dataclasses.replace(finding, **texts)


def _checked_out(name: str, revision: str, path: str, folder: Path) -> Path:
    """Writes a file of a revision and its lock to a folder; returns the file."""
    from ami.lock import path_for  # noqa: PLC0415

    git = shutil.which("git")
    if git is None:
        _stop(f"{name}: git is not installed, so no revision can be read", "name an environment file instead")
    _asked(git, ["rev-parse", "--git-dir"], lambda said: _no_repository(name, said))
    _asked(
        git,
        ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"],
        lambda said: (_with(f"{name}: git knows no revision '{revision}'", said), "git log --oneline lists them"),
    )
    missing = f"{name}: there is no file {path!r} in {revision}"
    hint = "the path starts at the top of the repository; ./ in front of it makes it start here"
    content = _asked(git, _blob(revision, path), lambda said: (_with(missing, said), hint))
    file = folder / PurePosixPath(path).name
    lock = str(PurePosixPath(path).with_name(path_for(file).name))
    lock = f"./{lock}" if path.startswith("./") else lock
    unlocked = f"{name}: there is no lock {lock} in {revision}, so its plan is not known"
    hint_of_lock = "name a later revision, in which the lock was committed"
    pins = _asked(git, _blob(revision, lock), lambda said: (_with(unlocked, said), hint_of_lock))
    file.write_bytes(content)
    path_for(file).write_bytes(pins)
    return file


def _blob(revision: str, path: str) -> list[str]:
    """Returns what asks git for a file's content; of a folder it has none, where ``git show`` would list it."""
    return ["cat-file", "blob", f"{revision}:{path}"]


def _no_repository(name: str, said: str) -> tuple[str, str]:
    if not said or "not a git repository" in said:
        return f"{name}: this folder is in no git repository", "name an environment file"
    return f"{name}: git reads no repository here: {said}", "do as git says, or name an environment file"


def _with(message: str, said: str) -> str:
    return f"{message}; git: {said}" if said else message


def _asked(git: str, arguments: list[str], refusal: Callable[[str], tuple[str, str]]) -> bytes:
    """Returns what git writes; ends the command with a sentence where it refuses.

    Args:
        git: The program.
        arguments: Its arguments.
        refusal: Gives the sentence and the hint from git's own words.
    """
    settings = {**os.environ, "LC_ALL": "C"}  # so that its words are known
    try:
        done = subprocess.run(  # noqa: S603 - git itself; a revision that begins with a hyphen is none to rev-parse
            [git, *arguments], capture_output=True, check=True, timeout=_PATIENCE_SECONDS, env=settings
        )
    except subprocess.CalledProcessError as error:
        said = " ".join(error.stderr.decode(errors="replace").split())
        _stop(*refusal(said.removeprefix("fatal: ")))
    except subprocess.TimeoutExpired:
        _stop(*refusal(f"it has not answered for {_PATIENCE_SECONDS} seconds"))
    return done.stdout


def _stop(message: str, hint: str) -> NoReturn:
    output.tell(f"{message}\n  hint: {hint}")
    raise typer.Exit(output.FINDINGS)
