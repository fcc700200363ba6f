"""Where an older environment comes from: a file, or a revision of git with the lock of the same revision."""

import dataclasses
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
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


def is_file(name: str) -> bool:
    """Says whether a name is that of something here, which goes before a revision of git that is named so."""
    return os.path.exists(name)  # noqa: PTH110 - Path.exists raises for a name that is too long for a file


@contextmanager
def _file(name: str) -> Iterator[str | Path]:
    """Gives the file, for a revision in a temporary folder."""
    revision, separator, path = name.partition(":")
    if is_file(name):
        yield name
    elif not separator:
        raise RevisionError(
            f"{name}: no such file",
            "name an environment file, or a revision of git and a path: HEAD~1:environments/x.yaml",
        )
    else:
        with ExitStack() as stack:
            try:
                folder = stack.enter_context(tempfile.TemporaryDirectory())
                file = _checked_out(name, revision, path, Path(folder))
            except OSError as error:
                raise RevisionError(
                    f"{name}: can't be written to the folder for temporary files: {error.strerror or error}",
                    "make room there, or name another folder in TMPDIR",
                ) from error
            yield file


def _named(finding: Finding, file: str, name: str) -> Finding:
    """Returns the finding with the name that the person gave in place of a temporary file's."""
    if file == name:
        return finding
    if finding.code in _OF_THE_LOCK:
        finding = dataclasses.replace(finding, hint="name a revision whose lock answers its file")
    # Without their ends, since the lock's name begins alike.
    stem, named = (text.removesuffix(PurePosixPath(text).suffix) for text in (file, name))
    texts = {key: getattr(finding, key).replace(stem, named) for key in ("file", "message", "hint")}
    return dataclasses.replace(finding, **texts)


def _checked_out(name: str, revision: str, path: str, folder: Path) -> Path:
    """Writes a file of a revision and its lock to a folder; returns the file."""
    git = shutil.which("git")
    if git is None:
        raise RevisionError(
            f"{name}: git is not installed, so no revision can be read", "name an environment file instead"
        )
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
    """Returns what git writes.

    Args:
        git: The program.
        arguments: Its arguments.
        refusal: Gives the sentence and the hint from git's own words.

    Raises:
        RevisionError: git refuses, or does not answer.
    """
    settings = {**os.environ, "LC_ALL": "C"}  # so that its words are known
    try:
        done = subprocess.run(  # noqa: S603 - git itself; a revision that begins with a hyphen is none to rev-parse
            [git, *arguments], capture_output=True, check=True, timeout=_PATIENCE_SECONDS, env=settings
        )
    except subprocess.CalledProcessError as error:
        said = " ".join(error.stderr.decode(errors="replace").split())
        raise RevisionError(*refusal(said.removeprefix("fatal: "))) from error
    except subprocess.TimeoutExpired as error:
        raise RevisionError(*refusal(f"it has not answered for {_PATIENCE_SECONDS} seconds")) from error
    return done.stdout
