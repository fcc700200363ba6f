"""Looks, when a stack's operation begins and before any resource is touched, at what else has to be there.

CloudFormation takes the request first and then looks: what it misses leads the stack back, with nothing made.

Source: CloudFormation user guide, "CloudFormation-supplied parameter types". That the stack is made and led back,
and the words, stand in rgfindl/headless-wordpress issue 4 (several values), acantril/aws-sa-associate-saac03 issue 3
(an empty one), aws-quickstart/quickstart-amazon-eks issue 290 (in a nested stack) and widdix/aws-s3-virusscan issue
39 (an export). Of the types ``AWS::SSM::Parameter::Value<...>`` no value is looked for here: whether CloudFormation
does is unconfirmed.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

from rehearsal.engine.outputs import check_attributes, present_outputs
from rehearsal.engine.surroundings import is_stored
from rehearsal.schemas import Schemas
from rehearsal.templates.arguments import call
from rehearsal.templates.declarations import SSM_NAME
from rehearsal.templates.resolve import Resolver
from rehearsal.templates.template import TemplateError

Client = Callable[[str], Any]
IMPORT = "Fn::ImportValue"
_IMAGE_ID = re.compile(r"ami-([0-9a-f]{8}|[0-9a-f]{17})")

Looked = Callable[[Client, Collection[str]], Collection[str]]


def check_beginning(resolver: Resolver, schemas: Schemas, client: Client) -> None:
    """Refuses to begin where the template names what is not there: in the account, among its exports, in its types.

    Args:
        resolver: Resolves the new template's values.
        schemas: The resource types of the stack's region.
        client: Gives a boto3 client of a service, in the stack's account and region.

    Raises:
        TemplateError: In CloudFormation's words.
    """
    missing = [
        f"parameter value {value} for parameter name {name} does not exist"
        for name, declaration in resolver.template.section("Parameters").items()
        for value in _missing(declaration["Type"], resolver.parameters[name].value, client)
    ]
    if missing:
        raise TemplateError(f"Parameter validation failed: {', '.join(missing)}")
    template = resolver.template
    present = [spec.properties for name, spec in template.resources.items() if resolver.present(name)]
    for name in _imported(resolver, [*present, *(output["Value"] for _, output in present_outputs(resolver))]):
        resolver.value({IMPORT: name})
    check_attributes(resolver, schemas)


def _imported(resolver: Resolver, value: Any) -> Iterator[Any]:
    """Gives what the exports are called that a value takes, in the branches that are taken."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        match call(one):
            case "Fn::If", [str(name), chosen, other]:
                waiting.append(chosen if resolver.condition(name) else other)
                continue
            case str(name), argument if name == IMPORT:
                yield argument
                continue
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _missing(declared_type: str, value: str | list[str], client: Client) -> list[str]:
    kind = declared_type.removeprefix("List<").removesuffix(">")
    if kind not in LOOKED:
        return []
    named = value if isinstance(value, list) else [value]
    there = LOOKED[kind](client, named)
    return [one for one in named if one not in there]


def _filtered(
    operation: str, members: str, key: str, filter_name: str, client: Client, named: Collection[str]
) -> set[str]:
    """Asks EC2 which of some things there are, by a filter, which finds nothing where an id would be an error."""
    asked = [one for one in named if one]
    if not asked:
        return set()
    answer = getattr(client("ec2"), operation)(Filters=[{"Name": filter_name, "Values": asked}])
    found = answer[members]
    if members == "Reservations":
        found = [instance for reservation in found for instance in reservation["Instances"]]
    return {one[key] for one in found}


def _zones(client: Client, _: Collection[str]) -> set[str]:
    return {one["ZoneName"] for one in client("ec2").describe_availability_zones()["AvailabilityZones"]}


def _hosted_zones(client: Client, _: Collection[str]) -> set[str]:
    pages = client("route53").get_paginator("list_hosted_zones").paginate()
    return {one["Id"].removeprefix("/hostedzone/") for page in pages for one in page["HostedZones"]}


def _images(_: Client, named: Collection[str]) -> list[str]:
    """Gives the ids that an image may have: of AWS's images, the rehearsal knows those alone that locks pin."""
    return [one for one in named if _IMAGE_ID.fullmatch(one)]


def _stored(client: Client, named: Collection[str]) -> list[str]:
    return [name for name in named if is_stored(client("ssm"), name)]


LOOKED: Mapping[str, Looked] = {
    "AWS::EC2::AvailabilityZone::Name": _zones,
    "AWS::EC2::Image::Id": _images,
    "AWS::EC2::Instance::Id": partial(_filtered, "describe_instances", "Reservations", "InstanceId", "instance-id"),
    "AWS::EC2::KeyPair::KeyName": partial(_filtered, "describe_key_pairs", "KeyPairs", "KeyName", "key-name"),
    "AWS::EC2::SecurityGroup::GroupName": partial(
        _filtered, "describe_security_groups", "SecurityGroups", "GroupName", "group-name"
    ),
    "AWS::EC2::SecurityGroup::Id": partial(
        _filtered, "describe_security_groups", "SecurityGroups", "GroupId", "group-id"
    ),
    "AWS::EC2::Subnet::Id": partial(_filtered, "describe_subnets", "Subnets", "SubnetId", "subnet-id"),
    "AWS::EC2::VPC::Id": partial(_filtered, "describe_vpcs", "Vpcs", "VpcId", "vpc-id"),
    "AWS::EC2::Volume::Id": partial(_filtered, "describe_volumes", "Volumes", "VolumeId", "volume-id"),
    "AWS::Route53::HostedZone::Id": _hosted_zones,
    SSM_NAME: _stored,
}
