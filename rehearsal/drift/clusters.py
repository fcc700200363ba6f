"""Reads clusters, node groups, access entries and add-ons."""

from rehearsal.drift.api import ApiReader, Record
from rehearsal.engine.drift import Reader
from rehearsal.handlers.base import Resource, Scope


def _cluster(_: Scope, __: Resource, record: Record) -> Record:
    """Gives the log types that are on, as the template lists them."""
    setups = record.pop("logging", {}).get("clusterLogging", [])
    enabled = [name for setup in setups if setup.get("enabled") for name in setup.get("types", [])]
    record["Logging"] = {"ClusterLogging": {"EnabledTypes": [{"Type": name} for name in enabled]}}
    return record


def _node_group(_: Scope, __: Resource, record: Record) -> Record:
    """Leaves out what EKS tells otherwise than it was asked: the version of nodes that follow their release."""
    return {name: value for name, value in record.items() if name not in {"version", "instanceTypes"}}


def _add_on(_: Scope, __: Resource, record: Record) -> Record:
    """Leaves out the associations, which EKS tells by their ARNs alone."""
    return {name: value for name, value in record.items() if name != "podIdentityAssociations"}


READERS: dict[str, Reader] = {
    "AWS::EKS::AccessEntry": ApiReader(
        service="eks",
        operation="DescribeAccessEntry",
        parameters={"clusterName": "{ClusterName}", "principalArn": "{PrincipalArn}"},
        at="accessEntry",
    ),
    "AWS::EKS::Addon": ApiReader(
        service="eks",
        operation="DescribeAddon",
        parameters={"clusterName": "{ClusterName}", "addonName": "{AddonName}"},
        at="addon",
        adapt=_add_on,
    ),
    "AWS::EKS::Cluster": ApiReader(
        service="eks", operation="DescribeCluster", parameters={"name": "{Ref}"}, at="cluster", adapt=_cluster
    ),
    "AWS::EKS::Nodegroup": ApiReader(
        service="eks",
        operation="DescribeNodegroup",
        parameters={"clusterName": "{ClusterName}", "nodegroupName": "{NodegroupName}"},
        at="nodegroup",
        renamed={"ForceUpdateEnabled": ""},
        whole=frozenset({"Labels"}),
        adapt=_node_group,
    ),
}
