"""Gives a stack's values what they take from outside the template, each through the API that CloudFormation asks."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from botocore.exceptions import ClientError

from rehearsal.partitions import url_suffix
from rehearsal.stack import Stack
from rehearsal.templates.resolve import Surroundings
from rehearsal.templates.template import TemplateError
from rehearsal.world import World


class MissingExportError(TemplateError):
    """A template imports what no stack exports."""


def surroundings(world: World, stack: Stack, client: Callable[[str, str], Any], imports: set[str]) -> Surroundings:
    """Gives what the values of a stack may depend on beside its template.

    Args:
        world: The stacks, whose exports the stack may import.
        stack: The stack.
        client: Gives a boto3 client for a service and a region, in the stack's account.
        imports: Gets the name of every export that is used.
    """

    def imported(name: str) -> str:
        found = world.exports(stack.account, stack.region).get(name)
        if found is None or found.stack_id == stack.id:
            raise MissingExportError(f"No export named {name} found.")
        imports.add(name)
        return found.value

    return Surroundings(
        pseudo={
            "AWS::AccountId": stack.account,
            "AWS::NotificationARNs": list(stack.options.get("NotificationARNs", [])),
            "AWS::Partition": stack.partition,
            "AWS::Region": stack.region,
            "AWS::StackId": stack.id,
            "AWS::StackName": stack.name,
            "AWS::URLSuffix": url_suffix(stack.partition),
        },
        zones=lambda region: _zones(client("ec2", region)),
        imported=imported,
        dynamic=lambda service, rest: _dynamic(client, stack.region, service, rest),
    )


def stored_parameters(ssm: Any, names: Iterable[str]) -> dict[str, str]:
    """Reads Systems Manager parameters by their names.

    Raises:
        TemplateError: Some are not there, or are secrets, which CloudFormation does not read in this way.

    Source: the words for secrets are quoted in aws/aws-cdk issue 15135.
    """
    found = {name: _stored(ssm, name) for name in names}
    missing = [name for name, parameter in found.items() if parameter is None]
    if missing:
        words = f"Unable to fetch parameters [{', '.join(missing)}] from parameter store for this account."
        raise TemplateError(words)
    stored = {name: parameter for name, parameter in found.items() if parameter is not None}
    secret = [name for name, parameter in stored.items() if parameter["Type"] == "SecureString"]
    if secret:
        words = f"Parameters [{', '.join(secret)}] referenced by template have types not supported by CloudFormation."
        raise TemplateError(words)
    return {name: parameter["Value"] for name, parameter in stored.items()}


def is_stored(ssm: Any, name: str) -> bool:
    """Says whether Systems Manager has a parameter of that name, a secret one or not."""
    return bool(name) and _stored(ssm, name) is not None


def _stored(ssm: Any, name: str) -> Any:
    try:
        return ssm.get_parameter(Name=name)["Parameter"]
    except ClientError as error:
        if error.response["Error"]["Code"] in {"ParameterNotFound", "ParameterVersionNotFound"}:
            return None
        raise


def _zones(ec2: Any) -> list[str]:
    zones = ec2.describe_availability_zones()["AvailabilityZones"]
    return sorted(
        zone["ZoneName"] for zone in zones if zone.get("ZoneType", "availability-zone") == "availability-zone"
    )


def _dynamic(client: Callable[[str, str], Any], region: str, service: str, rest: str) -> str:
    if service == "ssm":
        return stored_parameters(client("ssm", region), [rest])[rest]
    if service == "secretsmanager":
        return _secret(client("secretsmanager", region), rest)
    raise TemplateError(f"The rehearsal does not model dynamic references to {service}: {rest}")


def _secret(secretsmanager: Any, rest: str) -> str:
    """Reads a secret, named ``secret-id:SecretString:json-key:version-stage:version-id``; an ARN has colons itself.

    Source: aws/aws-sam-cli issue 2153, aws-cloudformation/cloudformation-coverage-roadmap issue 1822, of a key that is
    not there: which one is not said; the words for a secret without keys are quoted by users, from resources that
    failed.
    """
    parts = rest.split(":")
    width = 7 if rest.startswith("arn:") else 1
    secret, (key, stage, version) = ":".join(parts[:width]), [*parts[width + 1 :], "", "", ""][:3]
    chosen = {name: value for name, value in (("VersionStage", stage), ("VersionId", version)) if value}
    try:
        found = secretsmanager.get_secret_value(SecretId=secret, **chosen)
    except ClientError as error:
        raise TemplateError(f"Could not resolve the secret {secret}: {error.response['Error']['Message']}") from error
    if "SecretString" not in found:
        raise TemplateError(f"The rehearsal does not model secrets that are no text: {secret}")
    text = str(found["SecretString"])
    if not key:
        return text
    try:
        members = json.loads(text)
    except (RecursionError, ValueError) as error:
        raise TemplateError("Could not parse SecretString JSON") from error
    if not isinstance(members, dict):
        raise TemplateError("Could not parse SecretString JSON")
    if key not in members:
        raise TemplateError("Could not find a value associated with JSONKey in SecretString")
    return str(members[key])
