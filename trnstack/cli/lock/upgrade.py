"""``trnstack lock --upgrade``: moves what belongs together, in the lock and in the environment file, or nothing."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from trnstack.cli import change, output
from trnstack.cli.lock import asking, making, report

if TYPE_CHECKING:
    from ami.pins import Inputs, Lock
    from trnstack.plan import Plan
    from trnstack.spec import Environment

_SDK = ("neuron", "sdk")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Move:
    """What an upgrade comes to.

    Attributes:
        old, new: The locks.
        before, after: The plans that they give.
        text: The environment file's new content; None where it stays.
        archives: The charts' archives that were fetched.
        notes: What is to be known of it.
    """

    old: "Lock"
    new: "Lock"
    before: "Plan"
    after: "Plan"
    text: bytes | None
    archives: Mapping[str, bytes]
    notes: Sequence[str]


def upgrade(
    file: str, environment: "Environment", *, sdk: str | None, offline: bool, ami_release: str | None, as_json: bool
) -> None:
    """Moves a lock to the newest pins that fit, or an environment to another SDK, and reports what that takes.

    Args:
        file: The environment file.
        environment: What is in it.
        sdk: The Neuron SDK to move to; None stays with the environment's own.
        offline: Whether no account is asked even where one made the lock.
        ami_release: The EKS AMI release to take in place of the newest that fits.
        as_json: Whether the report is JSON.
    """
    from ami.lock import path_for, to_json  # noqa: PLC0415 - as every command, see the package's docstring
    from ami.plain_file import resolved_link  # noqa: PLC0415

    move = _moved(file, environment, sdk=sdk, offline=offline, ami_release=ami_release)
    files: dict[Path, bytes] = {} if move.text is None else {resolved_link(Path(file)): move.text}
    if to_json(move.new) != to_json(move.old):
        files[resolved_link(path_for(file))] = to_json(move.new).encode()
    making.save_archives(move.archives, path_for(file))
    replace_all(files)
    _report(file, move, making.archive_notes(move.archives, path_for(file)), as_json=as_json)


def _moved(file: str, environment: "Environment", *, sdk: str | None, offline: bool, ami_release: str | None) -> _Move:
    from ami.offline import TABLES  # noqa: PLC0415
    from ami.remember import forgotten_builds  # noqa: PLC0415
    from trnstack.environment import current_lock  # noqa: PLC0415
    from trnstack.findings import Finding  # noqa: PLC0415
    from trnstack.plan import lock_inputs, plan  # noqa: PLC0415

    old = current_lock(file, environment)
    if isinstance(old, Finding):
        output.stop([old])
    text, wanted = None, environment
    if sdk is not None:
        _refuse(file, lock_inputs(environment), sdk)
    if ami_release is not None:
        _refuse_release(file, old, ami_release)
    if sdk not in (None, environment.neuron.sdk):
        text, wanted = _with_sdk(file, str(sdk))
    new = _chosen(file, lock_inputs(wanted), old, ami_release)
    asks = not offline and not old.made_from.startswith(TABLES)
    if asks:
        new = forgotten_builds(new)
    _check(file, wanted, new)
    notes: Sequence[str] = ()
    archives: Mapping[str, bytes] = {}
    if asks:
        options = ["--upgrade", *asking.words(("--sdk", sdk), ("--ami-release", ami_release))]
        new, notes, archives = asking.resolved(file, wanted, new, old=old, options=options)
    elif new.unresolved:
        notes = ["made from tables: an account resolves the rest by: trnstack lock FILE"]
    return _Move(
        old=old,
        new=new,
        before=plan(environment, old),
        after=plan(wanted, new),
        text=text,
        archives=archives,
        notes=[output.named(file, note) for note in notes],
    )


def _refuse(file: str, inputs: "Inputs", sdk: str) -> None:
    from ami.moving import RefusedMoveError, refuse_move  # noqa: PLC0415
    from ami.offline import NoPinError, sdk_release  # noqa: PLC0415

    try:
        sdk_release(sdk)
        refuse_move(inputs, sdk, output.quoted(file))
    except NoPinError as error:
        _stop(f"{file}: {error.message}", [error.hint], code=output.USAGE)
    except RefusedMoveError as error:
        _stop(f"{file}: can't move to Neuron SDK {sdk}: {error.message}", error.ways_out)


def _refuse_release(file: str, old: "Lock", release: str) -> None:
    from ami.moving import RefusedMoveError, refuse_release  # noqa: PLC0415

    try:
        refuse_release(old, release, output.quoted(file))
    except RefusedMoveError as error:
        _stop(f"{file}: {error.message}", error.ways_out)


def _with_sdk(file: str, sdk: str) -> "tuple[bytes, Environment]":
    """Returns the file's content with another SDK, every other character as it is, and what it describes then."""
    from trnstack.findings import has_errors  # noqa: PLC0415
    from trnstack.rules import check  # noqa: PLC0415
    from trnstack.source import parse  # noqa: PLC0415
    from trnstack.source.edit import EditError, with_text  # noqa: PLC0415
    from trnstack.spec.load import load  # noqa: PLC0415

    content = Path(file).read_bytes()
    marked = content.startswith(b"\xef\xbb\xbf")
    try:
        text = with_text(content.decode("utf-8-sig"), _SDK, sdk)
    except EditError as error:
        _stop(f"{file}: {error.message}", [error.hint])
    parsed = parse(text, file)
    environment = load(parsed)
    found = [parsed.locate(finding) for finding in check(environment)]
    if has_errors(found):
        output.stop(found)
    return text.encode("utf-8-sig" if marked else "utf-8"), environment


def _chosen(file: str, inputs: "Inputs", old: "Lock", ami_release: str | None) -> "Lock":
    from ami.moving import upgraded  # noqa: PLC0415
    from ami.no_pin import NoPinError, UnknownReleaseError  # noqa: PLC0415

    try:
        return upgraded(inputs, old=old, ami_release=ami_release)
    except NoPinError as error:
        code = output.USAGE if isinstance(error, UnknownReleaseError) else output.FINDINGS
        _stop(f"{file}: {error.message}", [error.hint], code=code)


def _check(file: str, environment: "Environment", lock: "Lock") -> None:
    """Ends the command where the rules forbid what was chosen."""
    from trnstack import source  # noqa: PLC0415
    from trnstack.findings import Severity  # noqa: PLC0415
    from trnstack.rules.pins import check_lock  # noqa: PLC0415

    found = check_lock(environment, lock, f"run: trnstack lock {output.quoted(file)}")
    errors = [source.read(file).locate(each) for each in found if each.severity is Severity.ERROR]
    if errors:
        output.stop(errors)


def _stop(message: str, hints: Sequence[str], *, code: int = output.FINDINGS) -> NoReturn:
    output.tell("\n".join([message, *(f"  hint: {hint}" for hint in hints), asking.UNCHANGED]))
    raise typer.Exit(code)


def replace_all(files: Mapping[Path, bytes]) -> None:
    """Replaces files by new contents, all or none: whatever fails, each holds either all that is new or all that was.

    Ends the command with a sentence where one can't be written.
    """
    from ami.plain_file import beside  # noqa: PLC0415 - as every command, see the package's docstring

    new: dict[Path, Path] = {}
    # Written before anything is replaced: on a disk that is full there would be no way back.
    old: dict[Path, Path] = {}
    done: list[Path] = []
    try:
        for path, content in files.items():
            for made, text in ((old, path.read_bytes()), (new, content)):
                made[path] = beside(path, text)
                shutil.copymode(path, made[path])
        for path, written in new.items():
            written.replace(path)
            done.append(path)
    except OSError as error:
        for path in done:
            old[path].replace(path)
        reason = (error.strerror or str(error)).lower()
        output.tell(f"{error.filename2 or error.filename}: can't be written: {reason}\n{asking.UNCHANGED}")
        raise typer.Exit(output.FINDINGS) from None
    finally:
        for temporary in (*old.values(), *new.values()):
            temporary.unlink(missing_ok=True)


def _report(file: str, move: _Move, archive_notes: Sequence[str], *, as_json: bool) -> None:
    from trnstack.advice.steps import steps  # noqa: PLC0415
    from trnstack.plan.difference import difference  # noqa: PLC0415

    notes = [*move.notes, *archive_notes]
    changes = [row for row in report.changed(move.old, move.new) if not row[0].startswith(("inputs.", "toolkit."))]
    differences, deploys = difference(move.before, move.after), steps(move.before, move.after)
    if as_json:
        import json  # noqa: PLC0415

        data = {
            "file": file,
            "sdk": move.new.neuron.sdk,
            "changes": [{"path": path, "change": text} for path, text in changes],
            **change.as_data(differences, deploys, file),
            "notes": notes,
            "unresolved": list(move.new.unresolved),
        }
        output.say_json(json.dumps(data, indent=2, ensure_ascii=False))
        return
    if not changes:
        more = f"trnstack lock --outdated {output.quoted(file)}"
        output.say(f"{file}: nothing newer fits Neuron SDK {move.new.neuron.sdk}; {more}")
        return
    before, after = move.old.neuron.sdk, move.new.neuron.sdk
    head = f"{file} moves from Neuron SDK {before} to {after}" if before != after else f"{file} stays on SDK {after}"
    sections = [
        [f"{head}; its lock is made from {move.new.made_from}"],
        ["Pins", *report.columns(changes)],
        change.difference_section(differences),
        change.steps_section(deploys, file),
        *([["Notes", *(f"  {note}" for note in notes)]] if notes else []),
    ]
    output.say_sections(sections)
