"""Asks CloudFormation what is deployed of an environment: the template, tags and parameters of each of its stacks."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from account.calls import client_of, signed_in
from account.refusals import AccountError, refusal, unreadable

_PATIENCE = Config(retries={"mode": "standard", "total_max_attempts": 5}, connect_timeout=5, read_timeout=30)
#: Of these stacks nothing stands: a first deploy was only reviewed, or failed and was taken back.
#:
#: Source: CloudFormation user guide, "Stack status codes".
_NOTHING = {
    "REVIEW_IN_PROGRESS": "was never deployed",
    "ROLLBACK_COMPLETE": "failed at its first deploy, was taken back, and has to be deleted before the next",
    "DELETE_COMPLETE": "was deleted",
}
_SETTLED = re.compile(r"(CREATE|UPDATE|IMPORT|UPDATE_ROLLBACK|IMPORT_ROLLBACK)_COMPLETE")
_GONE = "DELETE_COMPLETE"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployedStack:
    """A stack that stands.

    Attributes:
        name: Its name.
        body: Its template: plain data where it is JSON, text where it is YAML.
        tags: Its tags.
        parameters: The values of its parameters; where it asked a parameter store, what that answered.
    """

    name: str
    body: Mapping[str, Any] | str
    tags: Mapping[str, str]
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployed:
    """What is deployed of an environment.

    Attributes:
        account: The account that was asked.
        stacks: The stacks that stand, in the order in which they were asked for.
        notes: What is to be known of them, a sentence each.
    """

    account: str
    stacks: tuple[DeployedStack, ...]
    notes: tuple[str, ...]


def clients(region: str) -> tuple[Any, Any]:
    """Returns clients of CloudFormation and STS, with the credentials in use.

    Raises:
        AccountError: There are no credentials, or AWS's configuration can't be used.
    """
    session = signed_in()
    return client_of(session, "cloudformation", region, _PATIENCE), client_of(session, "sts", region, _PATIENCE)


def deployed(cloudformation: Any, sts: Any, *, names: Iterable[str], fleets: str, account: str | None) -> Deployed:
    """Returns what is deployed.

    Args:
        cloudformation: CloudFormation's client.
        sts: STS's client.
        names: The stacks of the plan.
        fleets: What the names of the stacks of node groups start with; those that the plan does not know any more are
            found by it, if they import from the cluster's stack.
        account: The account that the environment belongs to; None where it does not say.

    Raises:
        AccountError: AWS gives no answer, or the credentials are another account's.
    """
    region = cloudformation.meta.region_name
    with _calls("STS", region):
        asked: str = sts.get_caller_identity()["Account"]
    if account is not None and asked != account:
        raise AccountError(
            f"the credentials are those of account {asked}, and the environment belongs to {account}",
            f"use a profile of account {account}",
        )
    planned = list(dict.fromkeys(names))
    with _calls("CloudFormation", region):
        others = [name for name in _standing(cloudformation) if name.startswith(fleets) and name not in planned]
        found = {name: _stack(cloudformation, name) for name in (*planned, *others)}
    stacks, notes = [], []
    cluster = f"{fleets.removesuffix('-nodes-')}-cluster:"
    for name, answer in found.items():
        stack, note = answer
        if name in others and (stack is None or cluster not in json.dumps(stack.body)):
            continue  # another environment's, whose name starts like this one's
        notes += [note] if note else []
        stacks += [stack] if stack else []
    return Deployed(account=asked, stacks=tuple(stacks), notes=tuple(notes))


def _standing(client: Any) -> Iterator[str]:
    """Yields the names of all stacks that stand in the region; deleted ones are listed for 90 days otherwise."""
    statuses = [status for status in client.meta.service_model.shape_for("StackStatus").enum if status != _GONE]
    for page in client.get_paginator("list_stacks").paginate(StackStatusFilter=statuses):
        yield from (stack["StackName"] for stack in page["StackSummaries"] if "ParentId" not in stack)


def _stack(client: Any, name: str) -> tuple[DeployedStack | None, str]:
    """Returns a stack, None where nothing of it stands, and what is to be known of it."""
    try:
        (stack,) = client.describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        # CloudFormation has no error code of its own for it.
        if "does not exist" in error.response["Error"].get("Message", ""):
            return None, f"{name} was never deployed: all of it is new"
        raise
    status = stack["StackStatus"]
    if status in _NOTHING:
        return None, f"{name} {_NOTHING[status]}: all of it is new"
    note = "" if _SETTLED.fullmatch(status) else f"{name} is {status}: what stands may not be what its template says"
    made = DeployedStack(
        name=name,
        body=client.get_template(StackName=name, TemplateStage="Processed")["TemplateBody"],
        tags={tag["Key"]: tag["Value"] for tag in stack.get("Tags", ())},
        parameters={
            each["ParameterKey"]: each.get("ResolvedValue", each.get("ParameterValue", ""))
            for each in stack.get("Parameters", ())
        },
    )
    return made, note


@contextmanager
def _calls(service: str, region: str) -> Iterator[None]:
    """Turns what AWS's client raises into AccountError, which says it to a person."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise refusal(error, service=service, region=region) from error
    except ResponseParserError as error:
        raise unreadable(error, service=service, region=region) from error
