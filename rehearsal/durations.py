"""How long CloudFormation takes over one operation on one resource, by which a rehearsal's clock goes.

The minutes are those of ``trnstack.catalog.creation_times``; this module says which row a resource's operation is.
"""

import math
from collections.abc import Mapping
from typing import Any

from trnstack.catalog.creation_times import Duration, duration

_MINUTE = 60.0

#: How long a refusal takes: the service's first answer. Source: none; a value was set here.
REFUSAL_SECONDS = 1.0

_KEYS: Mapping[str, str] = {
    "AWS::EC2::NatGateway": "nat_gateway",
    "AWS::EC2::VPC": "vpc",
    "AWS::EKS::Addon": "add_on",
    "AWS::EKS::Cluster": "control_plane",
    "AWS::FSx::DataRepositoryAssociation": "association",
    "AWS::FSx::FileSystem": "lustre",
    "AWS::IAM::InstanceProfile": "instance_profile",
    "AWS::ImageBuilder::Image": "image",
    "AWS::KMS::Key": "kms_key",
    "Custom::AWSCDK-EKS-HelmChart": "chart",
}
_NODE_GROUP, _ENDPOINT = "AWS::EKS::Nodegroup", "AWS::EC2::VPCEndpoint"
#: What EKS makes anew when it changes: of a cluster its version, of a node group its nodes, batch by batch.
_UPGRADES: Mapping[str, tuple[str, ...]] = {
    "AWS::EKS::Cluster": ("Version",),
    _NODE_GROUP: ("LaunchTemplate", "ReleaseVersion", "Version"),
}
#: Parts of the names of AMI types whose nodes have accelerators; what a custom AMI has is not known, so it counts too.
_ACCELERATED = ("NEURON", "NVIDIA", "CUSTOM")


def row(resource_type: str, verb: str, properties: Mapping[str, Any], new: Mapping[str, Any] | None = None) -> Duration:
    """Gives the catalog's row of an operation on a resource.

    Args:
        resource_type: The resource's CloudFormation type.
        verb: ``CREATE``, ``UPDATE`` or ``DELETE``.
        properties: Its resolved properties, as they stand; of a creation those that it is to have.
        new: The properties that an update gives it.
    """
    action = verb.lower()
    if verb == "UPDATE" and any(properties.get(name) != (new or {}).get(name) for name in _upgrades(resource_type)):
        action = "upgrade"
    if resource_type == _NODE_GROUP:
        return duration(_node_group(properties) if verb == "CREATE" else "node_group", action)
    if resource_type == _ENDPOINT:
        interface = properties.get("VpcEndpointType") == "Interface"
        return duration("interface_endpoint" if interface else "gateway_endpoint", action)
    return duration(_KEYS.get(resource_type, "other"), action)


def seconds(
    resource_type: str, verb: str, properties: Mapping[str, Any], new: Mapping[str, Any] | None = None
) -> float:
    """Gives how long an operation on a resource takes, in seconds; the arguments are those of ``row``."""
    found = row(resource_type, verb, properties, new)
    batches = _batches(properties) if (found.key, found.action) == ("node_group", "upgrade") else 1
    return found.likely * batches * _MINUTE


def _upgrades(resource_type: str) -> tuple[str, ...]:
    return _UPGRADES.get(resource_type, ())


def _node_group(properties: Mapping[str, Any]) -> str:
    if not _nodes(properties):
        return "empty_node_group"
    accelerated = any(part in str(properties.get("AmiType", "")) for part in _ACCELERATED)
    return "accelerated_node_group" if accelerated else "node_group"


def _nodes(properties: Mapping[str, Any]) -> int:
    """Counts the nodes that a group wants; EKS starts two where nothing says how many.

    Source: EKS API reference, CreateNodegroup, ``scalingConfig``.
    """
    scaling = properties.get("ScalingConfig") or {}
    return int(scaling.get("DesiredSize", scaling.get("MinSize", 2)))


def _batches(properties: Mapping[str, Any]) -> int:
    """Counts the turns in which a group's nodes are made anew; EKS takes one at a time where nothing says how many.

    Source: EKS API reference, NodegroupUpdateConfig.
    """
    nodes, config = _nodes(properties), properties.get("UpdateConfig") or {}
    at_once = int(config.get("MaxUnavailable") or 1)
    if config.get("MaxUnavailablePercentage"):
        at_once = math.ceil(nodes * int(config["MaxUnavailablePercentage"]) / 100)
    return math.ceil(nodes / max(at_once, 1))
