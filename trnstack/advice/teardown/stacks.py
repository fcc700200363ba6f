"""The ordinary way: deletion protection is lifted, then the stacks without data go, in the order in which they can."""

from collections.abc import Iterator

from trnstack.advice.teardown.asking import aws, stack_deletion
from trnstack.advice.teardown.model import Deleted, Edit, Step
from trnstack.plan.model import NodeGroupPlan, Plan

_PROTECTION = Edit(path="eks.deletion_protection", value=False)


def protected(plan: Plan) -> tuple[str, ...]:
    """Returns the stacks that are left, in the order in which they could go."""
    return tuple(stack.name for stack in reversed(plan.stacks) if stack.termination_protection)


def deleted(plan: Plan) -> Iterator[Deleted]:
    """Yields what goes, stack by stack."""
    groups = {group.stack: group for group in plan.node_groups}
    for name in _temporary(plan):
        if name in groups:
            yield Deleted(stack=name, what=tuple(_of_nodes(groups[name])))
        elif name == plan.kubernetes.stack:
            yield Deleted(stack=name, what=tuple(_in_the_cluster(plan)))
        elif name == f"{plan.name}-cluster":
            yield Deleted(stack=name, what=tuple(_of_cluster(plan)))
        else:
            yield Deleted(stack=name, what=(plan.stack(name).description.partition(": ")[2],))


def steps(plan: Plan) -> Iterator[Step]:
    """Yields the steps.

    EKS refuses to delete a cluster with deletion protection, and one that still has node groups; CloudFormation refuses
    to delete a stack whose exports another one imports. So the protection is lifted by a deploy, and nodes go first.

    Source: EKS API reference, DeleteCluster; CloudFormation user guide, "Get exported outputs from a deployed
    CloudFormation stack".
    """
    cluster = f"{plan.name}-cluster"
    lifted = not plan.cluster.deletion_protection
    yield Step(
        title="lift the cluster's deletion protection",
        edits=() if lifted else (_PROTECTION,),
        commands=(f"cdk deploy {cluster} --exclusively",),
        consequence="nothing that runs changes; --exclusively leaves the other stacks alone"
        + ("; the file says so already, and where it is deployed this changes nothing" if lifted else ""),
    )
    waiting = [group.stack for group in plan.awaiting_image]
    if waiting:
        yield Step(
            title="end the node groups whose image is still to be built",
            commands=tuple(command for stack in waiting for command in stack_deletion(plan.region, stack)),
            consequence="what stands of them from an earlier image goes; without it nothing happens",
        )
    yield Step(
        title="look which other stacks stand on the cluster",
        commands=(
            aws(
                plan.region,
                "cloudformation list-imports",
                f"--export-name {cluster}:ClusterName",
                query="Imports",
            ),
        ),
        consequence="an error says that there are none. What is named beside the stacks of the next step, such as a "
        f"node group that the file no longer has, goes first: {' && '.join(stack_deletion(plan.region, 'STACK'))}",
    )
    yield Step(
        title="delete nodes and cluster",
        commands=tuple(f"cdk destroy {' '.join(stacks)} --exclusively" for stacks in _in_order(plan)),
        consequence="what still runs ends, and what is on the nodes' own disks is lost"
        + (f". {_OF_THE_CLUSTER}" if plan.kubernetes.stack else ""),
    )


#: Source: Lambda developer guide, "Giving Lambda functions access to resources in an Amazon VPC": how long its
#: interfaces stay.
_OF_THE_CLUSTER = (
    "Nodes go before what runs in the cluster, since a claim is not given up while a pod uses it; that takes up to 20 "
    "minutes more, in which Lambda gives its interfaces in the VPC back"
)


def _in_order(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """Returns the stacks of each command: where something runs in the cluster, the nodes go by themselves first."""
    stacks, fleets = _temporary(plan), {group.stack for group in plan.node_groups}
    nodes = tuple(name for name in stacks if name in fleets)
    rest = tuple(name for name in stacks if name not in fleets)
    return (nodes, rest) if plan.kubernetes.stack and nodes else (stacks,)


def _temporary(plan: Plan) -> tuple[str, ...]:
    """Returns the stacks that hold no data, those that stand on others first."""
    return tuple(stack.name for stack in reversed(plan.stacks) if not stack.termination_protection)


def _of_nodes(group: NodeGroupPlan) -> Iterator[str]:
    yield f"node group {group.name}: {_nodes(group)} with everything on their disks, launch template"
    if group.launch_template.placement_group == "create":
        yield "placement group"
    if group.block:
        yield "the schedules, notices and alarms of its capacity block"


def _in_the_cluster(plan: Plan) -> Iterator[str]:
    yield f"charts: {', '.join(release.name for release in plan.kubernetes.releases)}"
    yield f"namespace {plan.kubernetes.namespace} with every job in it, queues, runtimes; the volume, not its files"
    yield "the functions by which CDK works in the cluster, and their logs"


def _of_cluster(plan: Plan) -> Iterator[str]:
    cluster = plan.cluster
    yield f"EKS cluster {cluster.name} with every Kubernetes object in it: jobs, queues, secrets, volumes' claims"
    yield f"{_nodes(cluster.system_nodes)} of the system group, add-ons, the jobs' role"
    yield "the control plane's log"


def _nodes(group: NodeGroupPlan) -> str:
    scaling = group.scaling
    fewest, most = scaling.minimum, scaling.maximum
    count = f"{most}" if fewest == most else f"{fewest} to {most}"
    return f"{count} x {group.launch_template.instance_type}"
