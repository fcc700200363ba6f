"""Reads back, by the services' own APIs, what stands after a deployment."""

import dataclasses
import json
from collections.abc import Callable
from typing import Any

from rehearsal.survey.clusters import clusters
from rehearsal.survey.images import images
from rehearsal.survey.kubernetes import Inside, nothing
from rehearsal.survey.network import vpcs
from rehearsal.survey.paging import every
from rehearsal.survey.records import Stack, Survey
from rehearsal.survey.schedules import alarms, schedules, topics
from rehearsal.survey.storage import buckets, file_systems, keys

Client = Callable[[str], Any]


def survey(client: Client, inside: Inside = nothing) -> Survey:
    """Gives what stands in one account and region.

    Args:
        client: Returns the boto3 client of a service.
        inside: Gives what the cluster at an endpoint holds; left out, clusters are not looked into.

    Raises:
        botocore.exceptions.ClientError: A service refuses to be asked.
    """
    ec2 = client("ec2")
    zones = {subnet["SubnetId"]: subnet["AvailabilityZoneId"] for subnet in every(ec2, "describe_subnets", "Subnets")}
    return Survey(
        region=ec2.meta.region_name,
        stacks=_stacks(client("cloudformation")),
        vpcs=vpcs(ec2, zones),
        clusters=clusters(client("eks"), ec2, zones, inside),
        file_systems=file_systems(client("fsx"), zones),
        buckets=buckets(client("s3")),
        keys=keys(client("kms")),
        schedules=schedules(client("scheduler")),
        topics=topics(client("sns")),
        alarms=alarms(client("cloudwatch")),
        images=images(client("imagebuilder"), ec2, zones),
    )


def to_json(found: Survey) -> str:
    """Gives a survey as JSON text, in the order of the records' fields."""
    return json.dumps(dataclasses.asdict(found), indent=2, ensure_ascii=False)


def _stacks(cloudformation: Any) -> tuple[Stack, ...]:
    stacks = every(cloudformation, "describe_stacks", "Stacks")
    return tuple(
        Stack(stack["StackName"], stack["StackStatus"], bool(stack.get("EnableTerminationProtection")))
        for stack in sorted(stacks, key=lambda stack: str(stack["StackName"]))
    )
