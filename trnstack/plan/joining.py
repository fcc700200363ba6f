"""Decides what nodes with a custom image start from, and what they are told because EKS does not tell it."""

from ami.pins import NOT_BUILT, UNRESOLVED, Lock
from trnstack.layout.taints import kubernetes_effect
from trnstack.layout.user_data import Joining
from trnstack.plan.vpc import service_cidr_of
from trnstack.spec import Environment
from trnstack.spec.node_groups import NodeGroup

#: EKS's word for an image that is not its own, whose release it calls by the AMI's id.
#: Source: EKS API reference, Nodegroup, ``amiType`` and ``releaseVersion``.
CUSTOM_AMI_TYPE = "CUSTOM"


def custom_image_id(lock: Lock, group: NodeGroup) -> str | None:
    """Returns the AMI that a group's custom image is in the environment's region; None for a group without one."""
    custom = lock.images[group.name].custom
    return custom.image_ids[lock.inputs.region] if custom else None


def awaits_image(image_id: str | None) -> bool:
    """Tells whether a custom image is still to be built, or nobody has asked yet whether it is."""
    return image_id in {NOT_BUILT, UNRESOLVED}


def joining(environment: Environment, group: NodeGroup, most_pods: int | None) -> Joining:
    """Returns what EKS would tell nodes of its own image by itself."""
    return Joining(
        cluster_name=environment.name,
        service_cidr=service_cidr_of(environment),
        most_pods=most_pods,
        taints=tuple(f"{taint.key}={taint.value}:{kubernetes_effect(taint.effect)}" for taint in group.taints),
    )
