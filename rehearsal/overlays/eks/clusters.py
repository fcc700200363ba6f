"""Clusters: their answers in full, their updates, and what keeps them from being deleted."""

import json
from typing import Any

from moto.core.responses import ActionResult, EmptyResult

from rehearsal.overlays.eks.base import EksBase
from rehearsal.overlays.eks.cluster_checks import (
    check_endpoint,
    check_key,
    check_place,
    check_service_range,
    check_version,
    default_version,
)
from rehearsal.overlays.eks.cluster_modes import check_modes
from rehearsal.overlays.eks.group_checks import check_subnets as check_vpc
from rehearsal.overlays.eks.records import ClusterRecord, new_update
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.interfaces import place_interface, remove_interfaces

_MODES = ("CONFIG_MAP", "API_AND_CONFIG_MAP", "API")
_UPDATES = {
    "resourcesVpcConfig": "VpcConfigUpdate",
    "logging": "LoggingUpdate",
    "accessConfig": "AccessConfigUpdate",
    "upgradePolicy": "UpgradePolicyUpdate",
    "zonalShiftConfig": "ZonalShiftConfigUpdate",
    "deletionProtection": "DeletionProtectionUpdate",
    "controlPlaneScalingConfig": "ControlPlaneScalingConfigUpdate",
    "kubernetesNetworkConfig": "AutoModeUpdate",
    "computeConfig": "AutoModeUpdate",
    "storageConfig": "AutoModeUpdate",
    "remoteNetworkConfig": "RemoteNetworkConfigUpdate",
}


class Clusters(EksBase):
    """EKS's operations on clusters."""

    def create_cluster(self) -> ActionResult:
        """Answers CreateCluster; makes the cluster's security group and its interfaces in EC2."""
        request = self.request
        if request["name"] in self.eks_backend.clusters:
            message = f"Cluster already exists with name: {request['name']}"
            raise OverlayError("ResourceInUseException", message)
        subnets = self._check_cluster(request)
        cluster = ClusterRecord(
            backend=self.eks_backend,
            request={"version": default_version(), **request},
            vpc_id=subnets[0].vpc_id,
        )
        self._connect(cluster, subnets)
        self.eks_backend.clusters[cluster.name] = cluster
        self.eks_backend.cluster_count += 1
        return ActionResult({"cluster": cluster})

    def describe_cluster(self) -> ActionResult:
        """Answers DescribeCluster."""
        return ActionResult({"cluster": self.cluster()})

    def update_cluster_config(self) -> ActionResult:
        """Answers UpdateClusterConfig, which takes one kind of change a call."""
        cluster, request = self.cluster(), self.request
        changed = {name: request[name] for name in _UPDATES if name in request}
        kinds = {_UPDATES[name] for name in changed}
        if len(kinds) != 1:
            message = "Exactly one type of cluster update can be made at a time"
            raise OverlayError("InvalidParameterException", message)
        if "resourcesVpcConfig" in changed:
            settings = {**cluster.resources_vpc_config, **changed["resourcesVpcConfig"]}
            check_endpoint(settings, ip_family=cluster.kubernetes_network_config["ipFamily"])
            self._check_new_place(cluster, changed["resourcesVpcConfig"])
        for name, value in changed.items():
            _change(cluster, name, value)
        return ActionResult({"update": new_update(cluster, kinds.pop(), changed)})

    def update_cluster_version(self) -> ActionResult:
        """Answers UpdateClusterVersion, which goes up by one minor version.

        Source: EKS user guide, update existing cluster to new Kubernetes version.
        """
        cluster, version = self.cluster(), self.request["version"]
        if _minor(version) != _minor(cluster.version) + 1:
            message = f"Unsupported Kubernetes minor version update from {cluster.version} to {version}"
            raise OverlayError("InvalidParameterException", message)
        cluster.version = version
        return ActionResult({"update": new_update(cluster, "VersionUpdate", {"Version": version})})

    def describe_update(self) -> ActionResult:
        """Answers DescribeUpdate."""
        update = self.cluster().updates.get(self.request["updateId"])
        if update is None:
            raise OverlayError("ResourceNotFoundException", f"No update found for id: {self.request['updateId']}")
        return ActionResult({"update": update})

    def list_updates(self) -> ActionResult:
        """Answers ListUpdates for a cluster."""
        return ActionResult({"updateIds": list(self.cluster().updates)})

    def delete_cluster(self) -> ActionResult:
        """Answers DeleteCluster; refused under deletion protection and while node groups are attached."""
        cluster = self.cluster()
        if cluster.deletion_protection:
            message = f"Cluster {cluster.name} cannot be deleted because deletion protection is enabled"
            raise OverlayError("InvalidRequestException", message)
        answer = super().delete_cluster()
        remove_interfaces(self.network, cluster.interface_ids)
        self.network.delete_security_group(group_id=cluster.resources_vpc_config["clusterSecurityGroupId"])
        cluster.status = "DELETING"
        return answer

    def tag_resource(self) -> EmptyResult:
        """Answers TagResource for everything that EKS tags."""
        self._tags().update(json.loads(self.body)["tags"])
        return EmptyResult()

    def untag_resource(self) -> EmptyResult:
        """Answers UntagResource for everything that EKS tags."""
        tags = self._tags()
        for key in self.querystring.get("tagKeys", []):
            tags.pop(key, None)
        return EmptyResult()

    def list_tags_for_resource(self) -> ActionResult:
        """Answers ListTagsForResource for everything that EKS tags."""
        return ActionResult({"tags": self._tags()})

    def _check_cluster(self, request: dict[str, Any]) -> list[Any]:
        """Refuses what EKS refuses of a new cluster, and gives moto's records of its subnets."""
        settings, network = request["resourcesVpcConfig"], request.get("kubernetesNetworkConfig", {})
        check_version(request.get("version"))
        check_modes(request)
        check_endpoint(settings, ip_family=network.get("ipFamily", "ipv4"))
        self.check_cluster_role(request["roleArn"])
        subnets = self.check_subnets(settings.get("subnetIds", []))
        check_place(request["name"], self.network, subnets, settings.get("securityGroupIds", []))
        vpc = self.network.get_vpc(subnets[0].vpc_id)
        ranges = [one["cidr_block"] for one in vpc.get_cidr_block_association_set()]
        check_service_range(request["name"], network, ranges)
        for encryption in request.get("encryptionConfig", []):
            key = (encryption.get("provider") or {}).get("keyArn", "")
            check_key(key, account=self.current_account, region=self.region)
        return subnets

    def _check_new_place(self, cluster: ClusterRecord, changed: dict[str, Any]) -> None:
        """Refuses other subnets and groups as those of a new cluster, and subnets of another VPC than the cluster's."""
        settings = {**cluster.resources_vpc_config, **changed}
        if "subnetIds" in changed or "securityGroupIds" in changed:
            subnets = self.check_subnets(settings["subnetIds"])
            check_vpc(subnets, cluster.resources_vpc_config["vpcId"])
            check_place(cluster.name, self.network, subnets, settings["securityGroupIds"])

    def _connect(self, cluster: ClusterRecord, subnets: list[Any]) -> None:
        """Makes the group that control plane and nodes share, and the control plane's interfaces."""
        group = self.network.create_security_group(
            f"eks-cluster-sg-{cluster.name}-{int(cluster.endpoint[8:16], 16) % 10**8}",
            "EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, "
            "as well as any managed workloads.",
            vpc_id=cluster.resources_vpc_config["vpcId"],
            tags={"aws:eks:cluster-name": cluster.name},
        )
        self.network.authorize_security_group_ingress(
            group.id, "-1", None, None, [], source_groups=[{"GroupId": group.id}]
        )
        cluster.resources_vpc_config["clusterSecurityGroupId"] = group.id
        for subnet in subnets:
            interface_id = place_interface(
                self.network,
                subnet,
                description=f"Amazon EKS {cluster.name}",
                security_group_ids=[group.id, *cluster.resources_vpc_config["securityGroupIds"]],
            )
            cluster.interface_ids.append(interface_id)

    def _tags(self) -> dict[str, str]:
        arn = self._extract_arn_from_path()
        for cluster in (self.cluster(name) for name in self.eks_backend.clusters):
            records = [*cluster.addons.values(), *cluster.access_entries.values()]
            records += cluster.pod_identity_associations.values()
            groups: list[Any] = list(cluster.nodegroups.values())
            tagged: dict[str, dict[str, str]] = {cluster.arn: cluster.tags}
            tagged |= {group.arn: group.tags for group in groups}
            tagged |= {record[_arn_member(record)]: record["tags"] for record in records}
            if arn in tagged:
                return tagged[arn]
        raise OverlayError("NotFoundException", f"Resource was not found: {arn}")


def _arn_member(record: dict[str, Any]) -> str:
    return next(name for name in ("addonArn", "accessEntryArn", "associationArn") if name in record)


def _change(cluster: ClusterRecord, name: str, value: Any) -> None:
    match name:
        case "resourcesVpcConfig":
            cluster.resources_vpc_config.update(value)
        case "logging":
            cluster.log(value)
        case "accessConfig":
            old = cluster.access_config["authenticationMode"]
            new = value.get("authenticationMode", old)
            if new not in _MODES[_MODES.index(old) :]:
                message = f"Unsupported authentication mode update from {old} to {new}"
                raise OverlayError("InvalidParameterException", message)
            cluster.access_config["authenticationMode"] = new
        case _:
            setattr(cluster, "".join(f"_{one.lower()}" if one.isupper() else one for one in name), value)


def _minor(version: str) -> int:
    """Gives a version's minor; 0 for what is no version."""
    minor = version.partition(".")[2]
    return int(minor) if minor.isdecimal() else 0
