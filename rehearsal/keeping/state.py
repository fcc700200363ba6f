"""The file in which an embedded AWS is saved: a zip archive of calls, bodies, and what stood before the first call.

``state.json`` in it has the version, the seed, the calls and the stacks as they have to stand again; ``bodies/SHA256``
is the body of one or more calls; ``given/`` has what the server was started with: ``seed.json``, ``pins-N.json`` and
``charts/``.
"""

import dataclasses
import hashlib
import json
import stat
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from rehearsal.keeping.calls import Call
from rehearsal.keeping.kept import Kept, Standing, StateError

FORMAT, VERSION = "trnstack rehearsal", 1
_STATE, _BODIES, _GIVEN = "state.json", "bodies/", "given/"
#: All files of an archive get one date, so that the same state is the same file.
_DATE = (1980, 1, 1, 0, 0, 0)
#: What a zip archive begins with. Source: PKWARE, APPNOTE.TXT, section 4.3.7, "Local file header signature".
_BEGINNING = b"PK\x03\x04"
#: Sizes far beyond those of any state, whose calls and assets are some tens of MiB.
_MOST_BYTES, _MOST_UNPACKED = 1 << 30, 4 << 30
_ANEW = "make it anew: trnstack rehearse FILE --save STATE"


@dataclass(frozen=True, slots=True)
class State:
    """An embedded AWS that was saved.

    Attributes:
        kept: Its calls.
        standing: The stacks as they stood.
        given: What the server was started with, by names such as ``pins-0.json``.
    """

    kept: Kept
    standing: Sequence[Standing]
    given: Mapping[str, bytes]


def packed(state: State, to: IO[bytes]) -> None:
    """Writes a state as an archive."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "seed": state.kept.seed,
        "standing": [dataclasses.asdict(stack) for stack in state.standing],
        "calls": [dataclasses.asdict(call) for call in state.kept.calls],
    }
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(zipfile.ZipInfo(_STATE, _DATE), json.dumps(document, indent=1, sort_keys=True))
        for name, content in sorted(state.given.items()):
            archive.writestr(zipfile.ZipInfo(f"{_GIVEN}{name}", _DATE), content)
        for digest in sorted({call.body for call in state.kept.calls if call.body}):
            archive.writestr(zipfile.ZipInfo(f"{_BODIES}{digest}", _DATE), state.kept.bodies(digest))


def opened(file: Path) -> State:
    """Reads a saved state; bodies are read when they are asked for, and everything is checked before.

    Raises:
        StateError: There is no such file, it is no state, of another version, or broken.
    """
    try:
        _check_size(file)
        archive = zipfile.ZipFile(file)
        if sum(each.file_size for each in archive.infolist()) > _MOST_UNPACKED:
            raise StateError(f"{file}: is no saved rehearsal: it unpacks to more than {_MOST_UNPACKED >> 30} GiB")
    except OSError as error:
        raise StateError(f"{file}: can't be read: {error.strerror or error}") from error
    except zipfile.BadZipFile as error:
        raise StateError(f"{file}: is no saved rehearsal\n  hint: {_ANEW}") from error
    document = _document(file, archive)
    try:
        calls = [Call(**each) for each in document["calls"]]
        stacks = [Standing(**each) for each in document["standing"]]
        seed = str(document["seed"])
    except (KeyError, TypeError) as error:
        raise _broken(file, "its list of calls is not whole") from error
    _check_bodies(file, archive, calls)
    given = {name.removeprefix(_GIVEN): archive.read(name) for name in archive.namelist() if name.startswith(_GIVEN)}
    return State(Kept(seed, calls, lambda digest: archive.read(f"{_BODIES}{digest}")), stacks, given)


def _check_size(file: Path) -> None:
    """Refuses what is no file, never ends, or begins otherwise than an archive, before any more of it is read.

    Raises:
        StateError: It does.
        OSError: It can't be read.
    """
    found = file.stat()
    if not stat.S_ISREG(found.st_mode):
        raise StateError(f"{file}: is no saved rehearsal, as it is no regular file\n  hint: {_ANEW}")
    if found.st_size > _MOST_BYTES:
        raise StateError(
            f"{file}: is no saved rehearsal, as it is larger than {_MOST_BYTES >> 30} GiB\n  hint: {_ANEW}"
        )
    with file.open("rb") as opened_file:
        if opened_file.read(len(_BEGINNING)) != _BEGINNING:
            raise StateError(f"{file}: is no saved rehearsal\n  hint: {_ANEW}")


def _document(file: Path, archive: zipfile.ZipFile) -> Mapping[str, Any]:
    try:
        document = json.loads(archive.read(_STATE))
    except (KeyError, ValueError, zipfile.BadZipFile, OSError) as error:
        raise StateError(f"{file}: is no saved rehearsal\n  hint: {_ANEW}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise StateError(f"{file}: is no saved rehearsal\n  hint: {_ANEW}")
    if document.get("version") != VERSION:
        raise StateError(
            f"{file}: is a saved rehearsal of version {document.get('version')}, and this trnstack reads version "
            f"{VERSION}\n  hint: {_ANEW}"
        )
    return document


def _check_bodies(file: Path, archive: zipfile.ZipFile, calls: Sequence[Call]) -> None:
    for digest in {call.body for call in calls if call.body}:
        try:
            content = archive.read(f"{_BODIES}{digest}")
        except (KeyError, zipfile.BadZipFile, OSError) as error:
            raise _broken(file, f"a call's body {digest[:12]} is missing or damaged") from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise _broken(file, f"a call's body {digest[:12]} is another one")


def _broken(file: Path, what: str) -> StateError:
    return StateError(f"{file}: {what}\n  hint: {_ANEW}")
