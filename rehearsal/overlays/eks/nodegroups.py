"""Managed node groups, whose nodes are instances in EC2."""

import hashlib
from collections.abc import Mapping
from typing import Any

from moto.core.responses import ActionResult

from rehearsal.nodes import NodeOrder, NodesError, end_nodes, start_nodes
from rehearsal.overlays.eks.base import EksBase
from rehearsal.overlays.eks.records import ClusterRecord, NodegroupRecord, new_update
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.state import state_of

_DEFAULT_INSTANCE_TYPE = "t3.medium"


class Nodegroups(EksBase):
    """EKS's operations on managed node groups."""

    def create_nodegroup(self) -> ActionResult:
        """Answers CreateNodegroup and starts the nodes."""
        cluster, request = self.cluster(), self.request
        name = request["nodegroupName"]
        if name in cluster.nodegroups:
            message = f"NodeGroup already exists with name {name} and cluster name {cluster.name}"
            raise OverlayError("ResourceInUseException", message)
        self.check_role(request["nodeRole"])
        self.check_subnets(request["subnets"])
        group = NodegroupRecord(cluster=cluster, backend=self.eks_backend, request=request)
        _check_scaling(group.scaling_config)
        group.nodes = self._start(cluster, group, group.scaling_config["desiredSize"])
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
        _check_scaling(scaling)
        self._scale(cluster, group, scaling["desiredSize"])
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
        group.version = request.get("version", group.version)
        group.release_version = request.get("releaseVersion", group.release_version)
        if "launchTemplate" in request:
            group.launch_template = self._named(request["launchTemplate"])
        try:
            nodes = self._start(cluster, group, len(group.nodes))
        except OverlayError:
            group.version, group.release_version, group.launch_template = before
            raise
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

    def _scale(self, cluster: ClusterRecord, group: NodegroupRecord, wanted: int) -> None:
        surplus = len(group.nodes) - wanted
        if surplus > 0:
            end_nodes(self.network, group.nodes[wanted:])
            group.nodes = group.nodes[:wanted]
        else:
            group.nodes += self._start(cluster, group, -surplus)

    def _start(self, cluster: ClusterRecord, group: NodegroupRecord, count: int) -> list[str]:
        template = self._template(group)
        placement = template.get("Placement", {}).get("GroupName")
        if placement and placement not in state_of(self.current_account, self.region).placement_groups:
            message = f"The placement group '{placement}' is unknown."
            raise OverlayError("InvalidParameterException", message)
        instance_type = template.get("InstanceType") or (group.instance_types or [_DEFAULT_INSTANCE_TYPE])[0]
        order = NodeOrder(
            template=template,
            subnet_ids=group.subnets,
            image_id=template.get("ImageId") or _image_id(group),
            instance_type=instance_type,
            security_group_ids=[cluster.resources_vpc_config["clusterSecurityGroupId"]],
            tags={
                "eks:cluster-name": cluster.name,
                "eks:nodegroup-name": group.nodegroup_name,
                f"kubernetes.io/cluster/{cluster.name}": "owned",
            },
            spot=group.capacity_type == "SPOT",
        )
        try:
            return start_nodes(self.network, order, count)
        except NodesError as error:
            raise OverlayError("InvalidRequestException", str(error)) from error

    def _template(self, group: NodegroupRecord) -> Mapping[str, Any]:
        """Gives the data of the group's launch template; nothing for a group without one."""
        if group.launch_template is None:
            return {}
        group.launch_template = self._named(group.launch_template)
        template = self.network.launch_templates[group.launch_template["id"]]
        data: Mapping[str, Any] = template.get_version(group.launch_template["version"]).data
        both = data.get("InstanceType") and group.instance_types
        if both:
            message = "Instance type must be specified either in the launch template or in the request, not in both"
            raise OverlayError("InvalidParameterException", message)
        return data

    def _named(self, reference: Mapping[str, str]) -> dict[str, str]:
        """Gives a launch template's reference with id, name and version number.

        Raises:
            OverlayError: EC2 has no such launch template or version.
        """
        for template in self.network.launch_templates.values():
            if template.id == reference.get("id") or template.name == reference.get("name"):
                numbers = {"$Latest": template.latest_version_number, "$Default": template.default_version_number}
                version = reference.get("version", "$Default")
                number = str(numbers.get(version, version))
                if number in {str(one.number) for one in template.versions}:
                    return {"id": template.id, "name": template.name, "version": number}
                message = f"You specified launch template version {number} of {template.id}, which does not exist"
                raise OverlayError("InvalidRequestException", message)
        message = f"Launch template {reference.get('id') or reference.get('name')} could not be found"
        raise OverlayError("InvalidRequestException", message)


def _check_scaling(scaling: Mapping[str, int]) -> None:
    smallest, wanted, largest = scaling["minSize"], scaling["desiredSize"], scaling["maxSize"]
    if smallest > wanted:
        message = f"Minimum capacity {smallest} can't be greater than desired size {wanted}"
        raise OverlayError("InvalidParameterException", message)
    if wanted > largest:
        message = f"desired capacity {wanted} can't be greater than max size {largest}"
        raise OverlayError("InvalidParameterException", message)


def _image_id(group: NodegroupRecord) -> str:
    """Gives an id to the AMI that EKS chooses by AMI type and release; equal choices get equal ids."""
    chosen = f"{group.ami_type} {group.version} {group.release_version}"
    return f"ami-{hashlib.sha256(chosen.encode()).hexdigest()[:17]}"
