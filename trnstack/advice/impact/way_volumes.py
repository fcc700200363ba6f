"""The way of a volume in the cluster whose source changes, which Kubernetes does not take while the old one stands."""

from typing import Any

from trnstack.advice.group_steps import deploy
from trnstack.advice.impact import objects
from trnstack.advice.impact.model import ResourceChange
from trnstack.advice.impact.way_steps import Steps, step


def volume(change: ResourceChange, properties: Any) -> Steps:
    """Returns how a volume comes to be mounted from something else, under its name.

    Source: Kubernetes documentation, "Persistent Volumes": with ``Retain``, what a volume is mounted from stays as it
    is when the volume is deleted; "Storage Object in Use Protection": a deletion waits for the pods that use it.
    """
    namespace, claim, name = objects.bound(properties)
    pods = f"kubectl --namespace {namespace} describe persistentvolumeclaim {claim}"
    claims = f"kubectl --namespace {namespace} delete persistentvolumeclaim {claim}"
    text = "delete the claim and the volume; what it is mounted from stays as it is"
    steps = (
        step('end the jobs that mount it, until "Used By" names no pod: a deletion waits for them', pods),
        step(text, claims, f"kubectl delete persistentvolume {name}"),
        step("deploy what makes both anew, after the stack that makes what it is mounted from", deploy(change.stack)),
    )
    return Steps(steps, "Kubernetes documentation, Persistent Volumes; docs/kubernetes.md")
