"""Managed node groups, whose nodes are instances in EC2."""

from collections.abc import Mapping
from typing import Any

from moto.core.responses import ActionResult
from moto.eks.models import validate_launch_template_combination

from rehearsal.nodes import end_nodes
from rehearsal.overlays.eks.blocks import check_block
from rehearsal.overlays.eks.custom_images import CUSTOM, check_custom_image, check_request, check_same_kind
from rehearsal.overlays.eks.failing import NodesFailure, fail_creation, failed_update
from rehearsal.overlays.eks.group_checks import (
    check_at_a_time,
    check_forward,
    check_labels,
    check_repair,
    check_scaling,
    check_settings,
    check_subnets,
    check_taints,
    check_update_config,
    check_versions,
)
from rehearsal.overlays.eks.launch_checks import check_architecture, check_types
from rehearsal.overlays.eks.node_launches import NodeLaunches, types_of
from rehearsal.overlays.eks.records import ClusterRecord, NodegroupRecord, new_update
from rehearsal.overlays.errors import OverlayError


class Nodegroups(NodeLaunches):
    """EKS's operations on managed node groups."""

    def create_nodegroup(self) -> ActionResult:
        """Answers CreateNodegroup and starts the nodes."""
        cluster, request = self.cluster(), self.request
        name = request["nodegroupName"]
        if name in cluster.nodegroups:
            message = f"NodeGroup already exists with name {name} and cluster name {cluster.name}"
            raise OverlayError("ResourceInUseException", message)
        check_settings(request)
        self.check_node_role(request["nodeRole"])
        check_subnets(self.check_subnets(request["subnets"]), cluster.resources_vpc_config["vpcId"])
        if "launchTemplate" in request:
            validate_launch_template_combination(request.get("diskSize"), request.get("remoteAccess"))
        group = NodegroupRecord(cluster=cluster, backend=self.eks_backend, request=request)
        check_scaling(group.scaling_config)
        check_at_a_time(group.update_config, group.scaling_config)
        template = self.template_of(group)
        if template.get("ImageId"):
            check_request(request)
            check_custom_image(self.network, cluster, template)
            vars(group).update(ami_type=CUSTOM, release_version=template["ImageId"])
        else:
            check_same_kind(group.ami_type, template)
            check_versions(cluster.version, group.version, group.release_version, group.ami_type)
            check_types(types_of(group, template))
            check_architecture(group.ami_type, types_of(group, template))
        check_block(group.capacity_type, template)
        try:
            group.nodes = self.start_nodes_of(cluster, group, group.scaling_config["desiredSize"])
        except NodesFailure as failure:
            fail_creation(group, failure)
        cluster.nodegroups[name] = group
        cluster.nodegroup_count += 1
        return ActionResult({"nodegroup": group})

    def describe_nodegroup(self) -> ActionResult:
        """Answers DescribeNodegroup."""
        return ActionResult({"nodegroup": self.nodegroup()})

    def list_nodegroups(self) -> ActionResult:
        """Answers ListNodegroups."""
        return ActionResult(self.names_only("nodegroups", self.cluster().nodegroups))

    def update_nodegroup_config(self) -> ActionResult:
        """Answers UpdateNodegroupConfig; another desired size starts or ends nodes."""
        cluster, group, request = self.cluster(), self.nodegroup(), self.request
        scaling = {**group.scaling_config, **request.get("scalingConfig", {})}
        check_scaling(scaling)
        check_labels(request.get("labels", {}).get("addOrUpdateLabels", {}))
        check_taints(request.get("taints", {}).get("addOrUpdateTaints", []))
        check_update_config(request)
        check_at_a_time(request.get("updateConfig") or group.update_config, scaling)
        check_repair(request)
        try:
            self._scale(cluster, group, scaling["desiredSize"])
        except NodesFailure as failure:
            end_nodes(self.network, failure.nodes)
            return ActionResult({"update": failed_update(cluster, group, "ConfigUpdate", failure)})
        self.eks_backend.update_nodegroup_config(
            cluster.name,
            group.nodegroup_name,
            labels=request.get("labels"),
            taints=request.get("taints"),
            scaling_config=request.get("scalingConfig"),
            update_config=request.get("updateConfig"),
            node_repair_config=request.get("nodeRepairConfig"),
        )
        names = {"minSize": "MinSize", "maxSize": "MaxSize", "desiredSize": "DesiredSize"}
        parameters = {names[key]: value for key, value in request.get("scalingConfig", {}).items()}
        return ActionResult({"update": new_update(cluster, "ConfigUpdate", parameters)})

    def update_nodegroup_version(self) -> ActionResult:
        """Answers UpdateNodegroupVersion; new nodes take the place of all the old ones.

        Source: EKS API reference, UpdateNodegroupVersion.
        """
        cluster, group, request = self.cluster(), self.nodegroup(), self.request
        before = (group.version, group.release_version, group.launch_template)
        check_forward(group.release_version, request.get("releaseVersion"))
        group.version = request.get("version", group.version)
        group.release_version = request.get("releaseVersion", group.release_version)
        if "launchTemplate" in request:
            group.launch_template = self.named_template(request["launchTemplate"])
        try:
            self._check_image(cluster, group, request)
            nodes = self.start_nodes_of(cluster, group, len(group.nodes))
        except OverlayError:
            group.version, group.release_version, group.launch_template = before
            raise
        except NodesFailure as failure:
            group.version, group.release_version, group.launch_template = before
            end_nodes(self.network, failure.nodes)
            return ActionResult({"update": failed_update(cluster, group, "VersionUpdate", failure)})
        end_nodes(self.network, group.nodes)
        group.nodes = nodes
        parameters = {"Version": group.version, "ReleaseVersion": group.release_version}
        return ActionResult({"update": new_update(cluster, "VersionUpdate", parameters)})

    def delete_nodegroup(self) -> ActionResult:
        """Answers DeleteNodegroup and ends the nodes."""
        group = self.nodegroup()
        end_nodes(self.network, group.nodes)
        answer = super().delete_nodegroup()
        group.status = "DELETING"
        return answer

    def _check_image(self, cluster: ClusterRecord, group: NodegroupRecord, request: Mapping[str, Any]) -> None:
        """Refuses an update that EKS refuses of nodes with a custom AMI, and notes the AMI of the new nodes."""
        template = self.template_of(group)
        check_same_kind(group.ami_type, template)
        if group.ami_type == CUSTOM:
            check_request(request)
            check_custom_image(self.network, cluster, template)
            group.release_version = template["ImageId"]
        else:
            check_versions(cluster.version, group.version, request.get("releaseVersion"), group.ami_type)
            check_types(types_of(group, template))
            check_architecture(group.ami_type, types_of(group, template))

    def _scale(self, cluster: ClusterRecord, group: NodegroupRecord, wanted: int) -> None:
        surplus = len(group.nodes) - wanted
        if surplus > 0:
            end_nodes(self.network, group.nodes[wanted:])
            group.nodes = group.nodes[:wanted]
        else:
            group.nodes += self.start_nodes_of(cluster, group, -surplus)
