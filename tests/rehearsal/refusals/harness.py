"""Templates with one mistake each: what a row says, and how a template goes through an embedded AWS.

A row is a good template, the same with one mistake, and what AWS says to that. Rows stand in the modules of ``rows``,
each of which names its own ``ROWS``; a module that is put there is picked up without being named anywhere else.
"""

import json
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from rehearsal.application import Rehearsal

ACCOUNT, REGION, STACK = "123456789012", "us-east-2", "refusals"
GOOD = frozenset({"CREATE_COMPLETE", "UPDATE_COMPLETE"})

Resources = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One mistake.

    Attributes:
        name: What the mistake is, in a few words with dashes; no two rows have the same.
        good: The resources without it.
        bad: The resources with it, and nothing else that is wrong.
        refused: The logical id of the resource that AWS refuses.
        code: AWS's error code.
        words: A phrase of what AWS says, which the reason of the failed event has in it.
        source: Where it is documented, or quoted by somebody who met it.
        update: Whether the stack stands with ``good`` and is updated to ``bad``; else ``bad`` is created.
        region: The region.
        uncounted: Why plain moto is not asked, such as an API that it lacks, or that it refuses too; such a row does
            not count among the thirty.
    """

    name: str
    good: Resources
    bad: Resources
    refused: str
    code: str
    words: str
    source: str
    update: bool = False
    region: str = REGION
    uncounted: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The first event of a resource that failed."""

    logical_id: str
    code: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a stack ended.

    Attributes:
        status: Its status.
        failed: The first failure; None where nothing failed.
    """

    status: str
    failed: Failed | None

    @property
    def accepted(self) -> bool:
        """Whether everything was made as the template says."""
        return self.status in GOOD and self.failed is None


def ref(name: str) -> dict[str, str]:
    """Names a resource of the same template."""
    return {"Ref": name}


def att(name: str, attribute: str) -> dict[str, list[str]]:
    """Names an attribute of a resource of the same template."""
    return {"Fn::GetAtt": [name, attribute]}


def resource(resource_type: str, **properties: Any) -> dict[str, Any]:
    """Gives a resource of a template; a property that is None is left out."""
    return {"Type": resource_type, "Properties": {key: part for key, part in properties.items() if part is not None}}


def changed(resources: Resources, name: str, **properties: Any) -> Resources:
    """Gives the resources with other properties of one of them; None takes a property away."""
    old = resources[name]
    return {**resources, name: {**old, **resource(old["Type"], **{**old["Properties"], **properties})}}


def rows() -> Iterator[Row]:
    """Yields every row of every module in ``rows``."""
    for module in sorted(found.name for found in pkgutil.iter_modules([str(Path(__file__).with_name("rows"))])):
        yield from import_module(f"tests.rehearsal.refusals.rows.{module}").ROWS


def deployed(services: Rehearsal, *templates: Resources, region: str = REGION) -> Outcome:
    """Deploys the first template into an empty AWS, then updates the stack to each further one while all goes well."""
    services.reset()
    cloudformation = services.transport.client("cloudformation", ACCOUNT, region)
    for template in templates:
        operation = cloudformation.create_stack if template is templates[0] else cloudformation.update_stack
        body = json.dumps({"Resources": template})
        operation(StackName=STACK, TemplateBody=body, Capabilities=["CAPABILITY_NAMED_IAM"])
        outcome = _outcome(services, region)
        if not outcome.accepted:
            return outcome
    return outcome


def _outcome(services: Rehearsal, region: str) -> Outcome:
    stack = services.world.find(STACK, account=ACCOUNT, region=region)
    first = next((event for event in stack.events if event.status.endswith("_FAILED")), None)
    failed = first and Failed(first.subject.logical_id, first.code, first.reason or "")
    return Outcome(stack.status, failed)
