"""``trnstack lock --outdated``: what is newer than the pins, with the reason to take it or not."""

import dataclasses
import functools
from typing import TYPE_CHECKING, NoReturn

import typer

from trnstack.cli import output
from trnstack.cli.lock import asking

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ami.outdated import Row
    from ami.pins import Lock
    from ami.resolve import Aws, ResolveError
    from ami.resolve.asking import Question

_HEAD = ("", "pinned", "newest that fits", "newest")


def outdated(file: str, lock: "Lock", *, offline: bool, as_json: bool) -> None:
    """Shows every pin beside the newest that the tables know, and beside what the region offers if AWS made the lock.

    It ends with 0 whether anything is newer or not: a lock that is current is nothing to mend.

    Args:
        file: The environment file.
        lock: Its lock.
        offline: Whether no account is asked.
        as_json: Whether the answer is JSON.
    """
    from ami.offline import TABLES  # noqa: PLC0415 - as every command, see the package's docstring
    from ami.outdated import rows  # noqa: PLC0415

    told = [*rows(lock, output.quoted(file)), _kubernetes(lock)]
    asked = not offline and not lock.made_from.startswith(TABLES)
    offered = _offered(file, lock) if asked else {}
    if as_json:
        import json  # noqa: PLC0415

        data = [{**dataclasses.asdict(row), "region": offered.get(row.name)} for row in told]
        output.say_json(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        output.say_sections(_sections(lock, told, offered))


def _sections(lock: "Lock", told: "list[Row]", offered: dict[str, str]) -> list[list[str]]:
    head = (*_HEAD, f"in {lock.inputs.region}") if offered else _HEAD
    rows = [
        (row.name, row.pinned, _same(row.fits, row.pinned), _same(row.newest, row.fits), offered.get(row.name, ""))
        for row in told
    ]
    reasons = [f"  {row.name}: {row.reason}" for row in told if row.reason]
    return [
        [f"Pins made from {lock.made_from}", *output.columns([head, *(row[: len(head)] for row in rows)])],
        *([["To take or not", *reasons]] if reasons else []),
    ]


def _same(version: str, other: str) -> str:
    return "same" if version == other else version


def _kubernetes(lock: "Lock") -> "Row":
    """Returns the row of the Kubernetes version, which the lock answers and a person moves."""
    from ami.fit import fitting_ami_releases  # noqa: PLC0415
    from ami.outdated import Row  # noqa: PLC0415
    from trnstack.catalog import KUBERNETES_VERSIONS  # noqa: PLC0415

    pinned, known = lock.inputs.kubernetes_version, list(KUBERNETES_VERSIONS)
    later = known[known.index(pinned) + 1 :] if pinned in known else []
    following = later[0] if later else pinned
    fits = following if fitting_ami_releases(lock.neuron.sdk, following) else pinned
    reasons = []
    if pinned in KUBERNETES_VERSIONS:
        row = KUBERNETES_VERSIONS[pinned]
        reasons.append(
            f"standard support of {pinned} ends on {row.standard_support_ends}, "
            f"extended support on {row.extended_support_ends}"
        )
    if fits != pinned:
        reasons.append("one minor version at a time, see docs/updates.md")
    elif later:
        reasons.append(f"no EKS AMI release with driver {lock.neuron.driver} is known for {following}")
    newest = known[-1] if known else pinned
    return Row(name="Kubernetes", pinned=pinned, fits=fits, newest=newest, reason="; ".join(reasons))


def _offered(file: str, lock: "Lock") -> dict[str, str]:
    """Returns what the region recommends, or takes by default, by the rows' names; ends the command if nobody answers.

    Source: EKS user guide, "Retrieve recommended Amazon Linux AMI IDs"; EKS API reference, DescribeAddonVersions.
    """
    from ami.resolve import ResolveError, connect  # noqa: PLC0415
    from ami.resolve.asking import answers  # noqa: PLC0415

    try:
        aws = connect(lock.inputs.region)
    except ResolveError as error:
        _stop(file, error)
    heard, failures = answers(_questions(aws, lock), answered=lambda _: None)
    if failures:
        _stop(file, ResolveError(failures))
    return {str(name): str(value) for name, value in heard.items()}


def _questions(aws: "Aws", lock: "Lock") -> "dict[Hashable, Question]":
    from ami.pins import SYSTEM  # noqa: PLC0415
    from ami.resolve import recommended_release_version  # noqa: PLC0415
    from ami.resolve.asking import Question  # noqa: PLC0415

    minor = lock.inputs.kubernetes_version
    ami_type = next((pin.ami_type for name, pin in lock.images.items() if name != SYSTEM), "")
    recommended = functools.partial(recommended_release_version, aws, ami_type, minor)
    return {
        "EKS AMI release": Question("AMI", recommended),
        **{
            f"add-on {name}": Question(f"add-on {name}", functools.partial(_default_of, aws, name, minor))
            for name in lock.add_ons
        },
    }


def _default_of(aws: "Aws", name: str, minor: str) -> str:
    from ami.resolve import offered_add_on  # noqa: PLC0415

    offered = offered_add_on(aws, name, minor)
    return offered.default or offered.versions[0]


def _stop(file: str, error: "ResolveError") -> NoReturn:
    asking.tell_failures(file, error)
    output.tell(f"what the tables alone know: trnstack lock --outdated --offline {output.quoted(file)}")
    raise typer.Exit(output.FINDINGS)
