"""``trnstack catalog refresh``: what EC2 says today that the catalog's rows do not."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from account.catalog import Reading
    from account.differences import Differences, Edit
    from account.places import Row
    from account.refusals import AccountError

EXIT_CODES = """\b
Exit codes:
  0  the catalog is as EC2 says
  1  something has changed
  2  wrong usage, or not every region gave an answer
"""


def refresh(
    *,
    regions: Annotated[
        list[str] | None, typer.Option("--region", help="Ask this region only; may be repeated.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")] = False,
) -> None:
    """Ask EC2 what has changed since the catalog was read.

    Reads DescribeInstanceTypes and DescribeInstanceTypeOfferings with the AWS credentials in use, in the regions of the
    catalog's types. Prints the edits that the rows need, and writes no file. What the API is known to get wrong is
    never taken over.
    """
    from account import catalog  # noqa: PLC0415 - as every command, see the package's docstring
    from account.refusals import AccountError  # noqa: PLC0415

    wanted = _wanted(regions or [])
    try:
        clients = catalog.ec2_clients(wanted)
    except AccountError as error:
        output.tell(f"{error.message}\n  hint: {error.hint}")
        raise typer.Exit(output.USAGE) from None
    raise typer.Exit(report(catalog.ask(clients, told=output.tell), as_json=as_json))


def report(reading: "Reading", *, as_json: bool) -> int:
    """Writes how EC2's answers differ from the catalog, and why regions gave none; returns the exit code."""
    from account.differences import differences  # noqa: PLC0415

    found = differences(reading)
    if as_json:
        from trnstack.cli.catalog import records  # noqa: PLC0415

        output.say_json(records.to_json(_as_data(reading, found)))
    elif reading.answers:
        output.say_sections(_sections(reading, found))
    _tell_refusals(reading)
    if reading.refused:
        return output.USAGE
    return output.FINDINGS if found else 0


def _wanted(named: list[str]) -> list[str]:
    from trnstack.catalog import INSTANCE_TYPES, ZONE_IDS  # noqa: PLC0415
    from trnstack.findings import did_you_mean  # noqa: PLC0415

    for region in named:
        if region not in ZONE_IDS:
            hint = did_you_mean(region, ZONE_IDS) or f"the catalog knows {', '.join(ZONE_IDS)}"
            output.tell(f"unknown region '{region}'\n  hint: {hint}")
            raise typer.Exit(output.USAGE)
    of_rows = {region for row in INSTANCE_TYPES.values() for region in row.availability_zone_ids}
    return sorted(set(named) or of_rows)


def _tell_refusals(reading: "Reading") -> None:
    """Says why regions gave no answer, each reason once with the regions whose it is."""
    regions: dict[tuple[str, str], list[str]] = {}
    for region, error in reading.refused.items():
        regions.setdefault((error.message, error.hint), []).append(region)
    for (message, hint), named in regions.items():
        where = "" if named[0] in message else f" (asked in {', '.join(named)})"
        output.tell(f"{message}{where}\n  hint: {hint}")


def _sections(reading: "Reading", found: "Differences") -> list[list[str]]:
    from account.places import rows  # noqa: PLC0415

    places = rows() if found.edits else {}
    made = []
    if found.edits:
        made.append(["Edits to make", *(line for edit in found.edits for line in _edit(edit, places))])
    if found.unknown:
        made.append(["In no row yet", *(line for name in found.unknown for line in _unknown(name, found))])
    if found.surprises:
        made.append(["New in fields that are never trusted", *_surprises(found)])
    return [*made, [_summary(reading, found)]]


def _edit(edit: "Edit", places: "dict[str, Row]") -> list[str]:
    where = _where(edit, places)
    return [
        f"  {where}: {edit.name}: {edit.field}",
        f"    {literal(edit.old)} -> {literal(edit.new)}   (in {', '.join(edit.regions)})",
    ]


def _where(edit: "Edit", places: "dict[str, Row]") -> str:
    row = places[edit.name]
    here = Path.cwd()
    file = row.file.relative_to(here) if row.file.is_relative_to(here) else row.file
    return f"{file}:{row.of(edit.field)}"


def _unknown(name: str, found: "Differences") -> list[str]:
    zones = [f"{region}: {', '.join(zone_ids)}" for region, zone_ids in found.unknown[name].items()]
    return [f"  {name}", *(f"    {line}" for line in zones), "    add a row: CONTRIBUTING.md, Add an instance type"]


def _surprises(found: "Differences") -> list[str]:
    from trnstack.cli.catalog.overview import wrapped  # noqa: PLC0415

    lines = []
    for each in found.surprises:
        lines += [
            f"  {each.name}: {each.trap.field}",
            f"    {literal(each.trap.says)} -> {literal(each.says)}   (in {', '.join(each.regions)})",
            *wrapped(f"known so far: {each.trap.reason}", "    "),
            *wrapped("if AWS has corrected it, its entry in NEVER_TRUSTED goes: trnstack/catalog/traps.py", "    "),
        ]
    return lines


def _summary(reading: "Reading", found: "Differences") -> str:
    asked = _count(len(reading.answers), "region")
    if not found:
        return f"Nothing has changed in {asked}"
    parts = (
        (len(found.edits), "edit to make", "edits to make"),
        (len(found.unknown), "unknown type", "unknown types"),
        (len(found.surprises), "field to look at", "fields to look at"),
    )
    told = ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in parts if count)
    return f"{told}, from {asked}; no file was changed"


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def literal(value: Any) -> str:
    """Returns a value as a row of the catalog spells it; ``nothing`` for none."""
    if value is None:
        return "nothing"
    if isinstance(value, tuple):
        inner = ", ".join(map(literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _as_data(reading: "Reading", found: "Differences") -> dict[str, Any]:
    from account.places import rows  # noqa: PLC0415

    places = rows() if found.edits else {}
    return {
        "asked": [*reading.answers, *reading.refused],
        "refused": [_refused(region, error) for region, error in reading.refused.items()],
        "edits": [_edit_data(edit, places) for edit in found.edits],
        "unknown_types": [{"name": name, "availability_zone_ids": zones} for name, zones in found.unknown.items()],
        "never_trusted": [
            {
                "name": each.name,
                "field": each.trap.field,
                "old": each.trap.says,
                "new": each.says,
                "regions": each.regions,
                "reason": each.trap.reason,
            }
            for each in found.surprises
        ],
    }


def _refused(region: str, error: "AccountError") -> dict[str, str]:
    return {"region": region, "message": error.message, "hint": error.hint}


def _edit_data(edit: "Edit", places: "dict[str, Row]") -> dict[str, Any]:
    file, _, line = _where(edit, places).rpartition(":")
    shown = {"name": edit.name, "field": edit.field, "old": edit.old, "new": edit.new, "regions": edit.regions}
    return {**shown, "file": file, "line": int(line)}
