"""Asks EC2 which Trainium types it has, what they are like, and which zones offer them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from botocore.config import Config

from account.at_once import as_answered
from account.calls import client_of, pages, signed_in
from account.refusals import AccountError

#: What the names of all Trainium types start with.
TRAINIUM = "trn"
_AT_ONCE = 8
_PATIENCE = Config(retries={"mode": "standard", "total_max_attempts": 5}, connect_timeout=5, read_timeout=30)

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionAnswer:
    """What EC2 says of Trainium types in one region.

    Attributes:
        records: DescribeInstanceTypes' record of each type that the region offers.
        zone_ids: The ids of the zones that offer each, sorted.
    """

    records: Mapping[str, Record]
    zone_ids: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What EC2 says in all regions that were asked.

    Attributes:
        answers: By region.
        refused: Why a region gave no answer, by region.
    """

    answers: Mapping[str, RegionAnswer]
    refused: Mapping[str, AccountError]


def ec2_clients(regions: Iterable[str]) -> dict[str, Any]:
    """Returns a client of EC2 for each region, with the credentials in use.

    Raises:
        AccountError: There are no credentials, or AWS's configuration can't be used.
    """
    session = signed_in()
    return {region: client_of(session, "ec2", region, _PATIENCE) for region in regions}


def ask(clients: Mapping[str, Any], *, told: Callable[[str], None]) -> Reading:
    """Returns what EC2 says in each region, asking several at a time.

    A region that gives no answer spoils none of the others.

    Args:
        clients: EC2's client by region.
        told: Called with a sentence after each region.
    """
    answers: dict[str, RegionAnswer] = {}
    refused: dict[str, AccountError] = {}
    calls = {region: partial(_ask, client) for region, client in clients.items()}
    for number, (region, answer) in enumerate(as_answered(calls, threads=_AT_ONCE), start=1):
        if isinstance(answer, AccountError):
            refused[region] = answer
        else:
            answers[region] = answer
        told(f"{number} of {len(clients)}  {region}: {_heard(answer)}")
    return Reading(
        answers={region: answers[region] for region in clients if region in answers},
        refused={region: refused[region] for region in clients if region in refused},
    )


def _heard(answer: RegionAnswer | AccountError) -> str:
    if isinstance(answer, AccountError):
        return "no answer"
    return f"{len(answer.zone_ids) or 'no'} Trainium {'type' if len(answer.zone_ids) == 1 else 'types'}"


def _ask(client: Any) -> RegionAnswer | AccountError:
    try:
        zone_ids = _zone_ids(client)
        return RegionAnswer(records=_records(client, list(zone_ids)) if zone_ids else {}, zone_ids=zone_ids)
    except AccountError as error:
        return error


def _zone_ids(client: Any) -> dict[str, tuple[str, ...]]:
    """Returns the zones by Trainium type.

    The service's filter is left out: it would take the names that are known, and a new one is what is looked for.
    """
    zone_ids: dict[str, list[str]] = {}
    for page in pages(client, "describe_instance_type_offerings", LocationType="availability-zone-id"):
        for offering in page["InstanceTypeOfferings"]:
            if offering["InstanceType"].startswith(TRAINIUM):
                zone_ids.setdefault(offering["InstanceType"], []).append(offering["Location"])
    return {name: tuple(sorted(zone_ids[name])) for name in sorted(zone_ids)}


def _records(client: Any, names: list[str]) -> dict[str, Record]:
    """Returns the records of types; by filter, since a type that the region lacks would be an error by name."""
    wanted = [{"Name": "instance-type", "Values": names}]
    found = pages(client, "describe_instance_types", Filters=wanted)
    return {record["InstanceType"]: record for page in found for record in page["InstanceTypes"]}
