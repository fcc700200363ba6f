"""Builds the stacks of a plan into an app."""

from collections.abc import Iterator

from aws_cdk import App, Stack

from stacks.cluster import ClusterStack
from stacks.images import ImagesStack
from stacks.network import NetworkStack
from stacks.nodes import NodesStack
from stacks.storage import StorageStack
from trnstack.plan import Plan


def build(app: App, plan: Plan) -> None:
    """Defines every stack of the plan in the app, each depending on those that it stands on.

    The stack of a node group whose image is still to be built is none of them: what was deployed of it is left alone.
    """
    stacks = [
        NetworkStack(app, plan=plan),
        StorageStack(app, plan=plan),
        ClusterStack(app, plan=plan),
        *([ImagesStack(app, plan=plan)] if plan.images else []),
        *_in_the_cluster(app, plan),
        *(NodesStack(app, plan=plan, nodes=nodes) for nodes in plan.node_groups if not nodes.awaits_image),
    ]
    by_name = {stack.stack_name: stack for stack in stacks}
    for stack in stacks:
        for other in plan.stack(stack.stack_name).depends_on:
            stack.add_stack_dependency(by_name[other])


def _in_the_cluster(app: App, plan: Plan) -> Iterator[Stack]:
    """Yields the stack of what runs in the cluster; the CDK's modules for it are loaded for it alone."""
    if plan.kubernetes.stack:
        from stacks.kubernetes import KubernetesStack  # noqa: PLC0415

        yield KubernetesStack(app, plan=plan)
