"""Objects in the cluster, each a resource of its own."""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from aws_cdk import CfnResource
from constructs import Construct

from infra.kubectl import SERVICE_TIMEOUT_SECONDS, Kubectl
from infra.resource import Value, resource

RESOURCE_TYPE = "Custom::AWSCDK-EKS-KubernetesResource"


class KubernetesObjects(Construct):
    """Defines objects that belong together, kind after kind in their order; those of one kind a few at once.

    With a resource for each, one that the environment no longer has is deleted by its own name. ``kubectl`` could look
    for what is left over by a label instead, but knows no kinds that charts bring, and would look for volumes as well.

    Attributes:
        last: The resources that stand only when all of them do.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        objects: Sequence[Mapping[str, Any]],
        marks: Mapping[str, Value],
        kubectl: Kubectl,
        cluster_name: str,
        after: Sequence[CfnResource],
    ) -> None:
        super().__init__(scope, construct_id)
        self.last: tuple[CfnResource, ...] = tuple(after)
        for _, alike in groupby(objects, key=lambda each: each["kind"]):
            made = {
                object_id(each): {
                    "ServiceToken": kubectl.service_token,
                    "ServiceTimeout": SERVICE_TIMEOUT_SECONDS,
                    "ClusterName": cluster_name,
                    "Manifest": filled(json_text([each]), marks),
                    # `kubectl apply` from the start: a first deploy that failed half-way can be repeated.
                    "Overwrite": True,
                }
                for each in alike
            }
            self.last = tuple(
                kubectl.in_turn(resource(self, name, RESOURCE_TYPE, properties, after=self.last), name)
                for name, properties in made.items()
            )


def object_id(each: Mapping[str, Any]) -> str:
    """Returns an object's construct id: what it is known by in a cluster, so that another name is another resource."""
    metadata = each["metadata"]
    parts = (each["kind"], metadata.get("namespace"), metadata["name"])
    return "-".join(part for part in parts if part)


def json_text(value: Any) -> str:
    """Returns JSON without spaces, in the order in which it came."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def filled(text: str, marks: Mapping[str, Value]) -> Value:
    """Returns a text with values in the places of its marks; without any it stays a text."""
    pieces = re.split(f"({'|'.join(map(re.escape, marks))})", text) if marks else [text]
    if len(pieces) == 1:
        return text
    return {"Fn::Join": ["", [marks.get(piece, piece) for piece in pieces if piece]]}
