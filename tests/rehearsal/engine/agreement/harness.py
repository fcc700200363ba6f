"""Deploys what an edit was and what it becomes, and tells what CloudFormation did with every resource."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from rehearsal.application import Rehearsal
from rehearsal.engine import Engine, Retention
from rehearsal.engine.changes import Change
from rehearsal.engine.deploy import REPLACING
from rehearsal.handlers import handler_for
from rehearsal.handlers.base import Handler
from rehearsal.pins.records import image_id_of
from rehearsal.stack import Event, Stack
from rehearsal.templates.template import TemplateError, parse
from tests.rehearsal.assets import zipped

from .rows import Row
from .stand_ins import CustomThings, StandIn

ACCOUNT, REGION = "123456789012", "us-east-2"
PARENT_NAME = "amazon-eks-node-al2023-x86_64-neuron-{}-v20260625"
PARENT = image_id_of(REGION, PARENT_NAME.format("1.35"))
NOTHING, IN_PLACE, REPLACED, ADDED, REMOVED, REFUSED = "nothing", "in place", "replaced", "added", "removed", "refused"
_NO_TAGS: tuple[Mapping[str, str], Mapping[str, str]] = (MappingProxyType({}), MappingProxyType({}))
_AROUND = Path(__file__).with_name("around.yaml")
_NAMED = re.compile(r"<(\w+)(?:\.([\w.]+))?>")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened to a resource.

    Attributes:
        what: One of the words above.
        old: What became of the old one of a resource that was replaced or removed: the status that ends in.
        reason: Why it was refused.
        code: The error code of the service that refused it.
    """

    what: str
    old: str | None = None
    reason: str = ""
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Deployed:
    """What an edit did.

    Attributes:
        outcomes: What happened, by logical id.
        preview: What the change set said before, by logical id; of what is not in it, nothing.
        status: The stack's status afterwards.
        snapshots: The logical ids of what was kept as a snapshot before it was deleted.
    """

    outcomes: Mapping[str, Outcome]
    preview: Mapping[str, Change]
    status: str
    snapshots: frozenset[str] = frozenset()


@dataclass
class Place:
    """An account in which the surroundings of the rows stand.

    Attributes:
        aws: The embedded AWS.
        standing_in: The types that are made by a stand-in for now.
        known_as: What the names of the surroundings stand for.
    """

    aws: Rehearsal
    standing_in: set[str] = field(default_factory=set)
    known_as: dict[str, str] = field(default_factory=dict)
    _stand_in: StandIn = field(default_factory=StandIn)
    _custom: CustomThings = field(default_factory=CustomThings)
    _stands: Stack | None = None
    _number: int = 0

    @property
    def engine(self) -> Engine:
        """The embedded AWS's engine, with the stand-ins."""
        return replace(self.aws.engine, handler_for=self._handler)

    @contextmanager
    def stand_in(self, row: Row) -> Iterator[None]:
        """Makes the resources of a row's type by a stand-in for a while, if the row says so."""
        self.standing_in = {row.type} if row.stand_in else set()
        try:
            yield
        finally:
            self.standing_in = set()

    def _handler(self, kind: str) -> Handler | None:
        if kind in self.standing_in:
            return self._custom if kind.startswith("Custom::") else self._stand_in
        return handler_for(kind)

    def stand(self) -> None:
        """Makes the surroundings, if they do not stand already."""
        if self._stands is not None and self._is_there():
            return
        self.aws.reset()
        client = self._client("s3")
        client.create_bucket(Bucket="code", CreateBucketConfiguration={"LocationConstraint": REGION})
        for key in ("code.zip", "other.zip"):
            client.put_object(Bucket="code", Key=key, Body=zipped({"index.py": key}))
        resources = json.loads(json.dumps(yaml.safe_load(_AROUND.read_text())).replace("<PARENT>", PARENT))
        stack = self._create("around", resources)
        assert stack.status == "CREATE_COMPLETE", _reasons(stack.events)
        self._stands = stack
        self._extras()

    def _is_there(self) -> bool:
        """Says whether the surroundings are there still: another test may have emptied the account, or the process."""
        if self.aws.world.find(self._stands.id, account=ACCOUNT, region=REGION) is None:
            return False
        wanted = [{"Name": "vpc-id", "Values": [self._stands.resources["Vpc"].physical_id]}]
        return bool(self._client("ec2").describe_vpcs(Filters=wanted)["Vpcs"])

    def _extras(self) -> None:
        """Makes what no template can: a second version, a list of addresses, a key pair."""
        ec2 = self._client("ec2")
        template = self._stands.resources["Template"].physical_id
        data = {"InstanceType": "m5.xlarge"}
        ec2.create_launch_template_version(LaunchTemplateId=template, LaunchTemplateData=data)
        lists = [
            ec2.create_managed_prefix_list(PrefixListName=name, MaxEntries=1, AddressFamily="IPv4")["PrefixList"]
            for name in ("one", "two")
        ]
        ec2.create_key_pair(KeyName="pair")
        self.known_as = {"PARENT": PARENT, "OTHER_PARENT": image_id_of(REGION, PARENT_NAME.format("1.34"))}
        self.known_as |= {f"List{place}": made["PrefixListId"] for place, made in enumerate(lists)}

    def _client(self, service: str) -> Any:
        return self.aws.transport.client(service, ACCOUNT, REGION)

    def named(self, value: Any) -> Any:
        """Gives a value in which the surroundings' names are what they stand for."""
        if isinstance(value, Mapping):
            return {key: self.named(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self.named(part) for part in value]
        return _NAMED.sub(self._known, value) if isinstance(value, str) else value

    def _known(self, match: re.Match[str]) -> str:
        name, attribute = match[1], match[2]
        if name in self.known_as:
            return self.known_as[name]
        resource = self._stands.resources[name]
        return str(resource.attributes[attribute] if attribute else resource.physical_id)

    def deploy(
        self,
        old: Mapping[str, Any],
        new: Mapping[str, Any],
        tags: tuple[Mapping[str, str], Mapping[str, str]] = _NO_TAGS,
    ) -> Deployed:
        """Creates a stack of a template, updates it to another, deletes it, and tells what the update did."""
        self._number += 1
        self._stand_in.snapshots.clear()
        stack = self._create(f"row-{self._number}", old, tags[0])
        if stack.status not in {"CREATE_COMPLETE", "ROLLBACK_COMPLETE"}:
            self._stands = None
        assert stack.status == "CREATE_COMPLETE", _reasons(stack.events)
        seen = len(stack.events)
        try:
            deployment = self.engine.prepare(stack, parse(json.dumps(new)), {}, tags[1])
        except TemplateError as error:
            outcomes = {name: Outcome(REFUSED, reason=str(error)) for name in new["Resources"]}
            done = Deployed(outcomes, {}, stack.status)
        else:
            preview = {change.spec.logical_id: change for change in self.engine.preview(stack, deployment).changes}
            self.engine.update(stack, deployment, Retention())()
            outcomes = dict(_outcomes(stack, seen, old, new))
            done = Deployed(outcomes, preview, stack.status, frozenset(self._stand_in.snapshots))
        self.engine.delete(stack)()
        if any(event.status in {"DELETE_SKIPPED", "DELETE_FAILED"} for event in stack.events):
            self._stands = None
        return done

    def _create(self, name: str, template: Mapping[str, Any], tags: Mapping[str, str] = MappingProxyType({})) -> Stack:
        stack = self.aws.world.new(name, account=ACCOUNT, region=REGION)
        deployment = self.engine.prepare(stack, parse(json.dumps(template)), {}, tags)
        self.aws.world.add(stack)
        self.engine.create(stack, deployment, Retention())()
        return stack


def _reasons(events: list[Event]) -> list[str]:
    return [f"{event.subject.logical_id}: {event.reason}" for event in events if event.status.endswith("FAILED")]


def _outcomes(stack: Stack, seen: int, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, Outcome]]:
    for name in {**old["Resources"], **new["Resources"]}:
        yield name, _outcome([event for event in stack.events[seen:] if event.subject.logical_id == name])


def _outcome(events: list[Event]) -> Outcome:
    if not events:
        return Outcome(NOTHING)
    failed = [event for event in events if event.status in {"CREATE_FAILED", "UPDATE_FAILED"}]
    if failed:
        return Outcome(REFUSED, reason=failed[0].reason or "", code=failed[0].code)
    first, last = events[0], events[-1]
    old = last.status if last.status in {"DELETE_COMPLETE", "DELETE_SKIPPED", "DELETE_FAILED"} else None
    if first.status == "CREATE_IN_PROGRESS":
        return Outcome(ADDED)
    if first.status == "UPDATE_IN_PROGRESS":
        return Outcome(REPLACED if first.reason == REPLACING else IN_PLACE, old)
    return Outcome(REMOVED, old)
