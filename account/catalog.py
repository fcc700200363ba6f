"""Asks EC2 which Trainium types it has, what they are like, and which zones offer them."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

from account.refusals import AccountError, refusal

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
    try:
        session = boto3.Session()
        # Each client would look for them again, and wait for an instance's metadata each time.
        if session.get_credentials() is None:
            raise NoCredentialsError
        return {region: session.client("ec2", region_name=region, config=_PATIENCE) for region in regions}
    except BotoCoreError as error:
        raise refusal(error, service="EC2", region="") from error


def ask(clients: Mapping[str, Any], *, told: Callable[[str], None]) -> Reading:
    """Returns what EC2 says in each region, asking several at a time.

    A region that gives no answer spoils none of the others.

    Args:
        clients: EC2's client by region.
        told: Called with a sentence after each region.
    """
    answers: dict[str, RegionAnswer] = {}
    refused: dict[str, AccountError] = {}
    pool = ThreadPoolExecutor(max_workers=_AT_ONCE)
    try:
        asked = {pool.submit(_ask, region, client): region for region, client in clients.items()}
        for number, done in enumerate(as_completed(asked), start=1):
            region, answer = asked[done], done.result()
            if isinstance(answer, AccountError):
                refused[region] = answer
            else:
                answers[region] = answer
            told(f"{number} of {len(clients)}  {region}: {_heard(answer)}")
    finally:
        # Whoever interrupts does not wait for regions that were not asked yet.
        pool.shutdown(wait=False, cancel_futures=True)
    return Reading(
        answers={region: answers[region] for region in clients if region in answers},
        refused={region: refused[region] for region in clients if region in refused},
    )


def _heard(answer: RegionAnswer | AccountError) -> str:
    if isinstance(answer, AccountError):
        return "no answer"
    return f"{len(answer.zone_ids) or 'no'} Trainium {'type' if len(answer.zone_ids) == 1 else 'types'}"


def _ask(region: str, client: Any) -> RegionAnswer | AccountError:
    try:
        zone_ids = _zone_ids(client)
        return RegionAnswer(records=_records(client, list(zone_ids)) if zone_ids else {}, zone_ids=zone_ids)
    except (BotoCoreError, ClientError) as error:
        return refusal(error, service="EC2", region=region)


def _zone_ids(client: Any) -> dict[str, tuple[str, ...]]:
    """Returns the zones by Trainium type.

    The service's filter is left out: it would take the names that are known, and a new one is what is looked for.
    """
    zone_ids: dict[str, list[str]] = {}
    for page in client.get_paginator("describe_instance_type_offerings").paginate(LocationType="availability-zone-id"):
        for offering in page["InstanceTypeOfferings"]:
            if offering["InstanceType"].startswith(TRAINIUM):
                zone_ids.setdefault(offering["InstanceType"], []).append(offering["Location"])
    return {name: tuple(sorted(zone_ids[name])) for name in sorted(zone_ids)}


def _records(client: Any, names: list[str]) -> dict[str, Record]:
    """Returns the records of types; by filter, since a type that the region lacks would be an error by name."""
    wanted = [{"Name": "instance-type", "Values": names}]
    pages = client.get_paginator("describe_instance_types").paginate(Filters=wanted)
    return {record["InstanceType"]: record for page in pages for record in page["InstanceTypes"]}
