"""``trnstack lock --images``: every container image and chart of a lock by digest, for a mirror."""

import dataclasses
from typing import TYPE_CHECKING

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from ami.pins import Lock


def images(file: str, lock: "Lock", image_mirror: str | None, *, as_json: bool) -> None:
    """Lists what a mirror has to hold; ends the command where a digest is not known.

    Args:
        file: The environment file.
        lock: Its lock.
        image_mirror: The environment's mirror; None lists without names in one.
        as_json: Whether the list is JSON.
    """
    from ami.pins import UNRESOLVED  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.layout.mirror import as_lines, mirror  # noqa: PLC0415

    rows = mirror(lock, image_mirror)
    missing = [row.source for row in rows if row.digest == UNRESOLVED]
    if missing:
        others = f" and {len(missing) - 1} more" if missing[1:] else ""
        output.tell(
            f"{file}: the lock has no digest of {missing[0]}{others}, by which a copy could be checked\n"
            f"  hint: run: trnstack lock {output.quoted(file)}"
        )
        raise typer.Exit(output.FINDINGS)
    if as_json:
        import json  # noqa: PLC0415

        output.say_json(json.dumps([dataclasses.asdict(row) for row in rows], indent=2))
    else:
        output.say("\n".join(as_lines(rows)))
