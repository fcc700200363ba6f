"""Managed node groups, whose nodes are instances in EC2."""

from collections.abc import Mapping
from typing import Any

from moto.core.responses import ActionResult
from moto.eks.models import validate_launch_template_combination

from rehearsal.faults.marks import Issue, Launch, launch_issue
from rehearsal.nodes import NodeOrder, NodesError, end_nodes, start_nodes
from rehearsal.overlays.ec2.reservations import reservations
from rehearsal.overlays.eks.base import EksBase
from rehearsal.overlays.eks.blocks import check_block, check_reservation, target
from rehearsal.overlays.eks.custom_images import CUSTOM, check_custom_image, check_request, check_same_kind
from rehearsal.overlays.eks.failing import NodesFailure, fail_creation, failed_update
from rehearsal.overlays.eks.group_checks import (
    check_architecture,
    check_forward,
    check_labels,
    check_scaling,
    check_settings,
    check_subnets,
    check_template,
    check_update_config,
    check_versions,
    refused_launch,
)
from rehearsal.overlays.eks.records import ClusterRecord, NodegroupRecord, new_update
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.state import state_of
from rehearsal.pins import published
from rehearsal.pins.records import image_id_of

_DEFAULT_INSTANCE_TYPE = "t3.medium"
_MARKETS = {"SPOT": "Spot", "CAPACITY_BLOCK": "Capacity Block"}


class Nodegroups(EksBase):
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
        template = self._template(group)
        if template.get("ImageId"):
            check_request(request)
            check_custom_image(self.network, cluster, template)
            vars(group).update(ami_type=CUSTOM, release_version=template["ImageId"])
        else:
            check_same_kind(group.ami_type, template)
            check_versions(cluster.version, group.version, group.release_version)
            check_architecture(group.ami_type, _types(group, template))
        check_block(group.capacity_type, template)
        try:
            group.nodes = self._start(cluster, group, group.scaling_config["desiredSize"])
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
        check_update_config(request)
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
            group.launch_template = self._named(request["launchTemplate"])
        try:
            self._check_image(cluster, group, request)
            nodes = self._start(cluster, group, len(group.nodes))
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
        template = self._template(group)
        check_same_kind(group.ami_type, template)
        if group.ami_type == CUSTOM:
            check_request(request)
            check_custom_image(self.network, cluster, template)
            group.release_version = template["ImageId"]
        else:
            check_versions(cluster.version, group.version, request.get("releaseVersion"))
            check_architecture(group.ami_type, _types(group, template))

    def _scale(self, cluster: ClusterRecord, group: NodegroupRecord, wanted: int) -> None:
        surplus = len(group.nodes) - wanted
        if surplus > 0:
            end_nodes(self.network, group.nodes[wanted:])
            group.nodes = group.nodes[:wanted]
        else:
            group.nodes += self._start(cluster, group, -surplus)

    def _start(self, cluster: ClusterRecord, group: NodegroupRecord, count: int) -> list[str]:
        template = self._template(group)
        issue = launch_issue(self._launch(group, template)) if count > 0 else None
        if issue and not issue.starts:
            raise NodesFailure(issue)
        state = state_of(self.current_account, self.region)
        refused = refused_launch(
            template,
            _types(group, template),
            zone_ids=[self.network.get_subnet(subnet_id).availability_zone_id for subnet_id in group.subnets],
            region=self.region,
            strategies={name: one["Strategy"] for name, one in state.placement_groups.items()},
        )
        if refused:
            raise NodesFailure(refused)
        known = reservations(self.current_account, self.region)
        check_reservation(template, known, count=count, running=len(group.nodes))
        placement = template.get("Placement", {}).get("GroupName")
        if placement and placement not in state.placement_groups:
            raise OverlayError("InvalidRequestException", f"The Placement Group '{placement}' is unknown.")
        order = NodeOrder(
            template=template,
            subnet_ids=group.subnets,
            image_id=template.get("ImageId") or _image_id(group, self.region),
            instance_type=_types(group, template)[0],
            security_group_ids=[cluster.resources_vpc_config["clusterSecurityGroupId"]],
            tags={
                "eks:cluster-name": cluster.name,
                "eks:nodegroup-name": group.nodegroup_name,
                f"kubernetes.io/cluster/{cluster.name}": "owned",
            },
            spot=group.capacity_type == "SPOT",
        )
        try:
            started = start_nodes(self.network, order, count)
        except NodesError as error:
            raise NodesFailure(Issue(error.code, error.message)) from error
        if issue:
            raise NodesFailure(issue, started)
        return started

    def _launch(self, group: NodegroupRecord, template: Mapping[str, Any]) -> Launch:
        """Gives what a node group is about to start, as far as a fault may ask."""
        subnets = [self.network.get_subnet(subnet_id) for subnet_id in group.subnets]
        zones = [name for one in subnets for name in (one.availability_zone, one.availability_zone_id)]
        return Launch(
            group=group.nodegroup_name,
            instance_type=_types(group, template)[0],
            zones=tuple(dict.fromkeys(zones)),
            reservation=target(template).get("CapacityReservationId"),
            market=_MARKETS.get(group.capacity_type or "", "On-Demand"),
        )

    def _template(self, group: NodegroupRecord) -> Mapping[str, Any]:
        """Gives the data of the group's launch template; nothing for a group without one.

        Source: terraform-aws-modules/terraform-aws-eks, issues 1386 and 1545: what EKS says of types in both places.
        """
        if group.launch_template is None:
            return {}
        group.launch_template = self._named(group.launch_template)
        template = self.network.launch_templates[group.launch_template["id"]]
        data: Mapping[str, Any] = template.get_version(group.launch_template["version"]).data
        both = data.get("InstanceType") and group.instance_types
        if both:
            message = "Cannot specify instance types in launch template and API request"
            raise OverlayError("InvalidRequestException", message)
        check_template(template.name, data)
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


def _image_id(group: NodegroupRecord, region: str) -> str:
    """Gives the id of the AMI that EKS chooses; of a release that nobody published, one that follows from its name."""
    image = published().node_image(ami_type=group.ami_type, release_version=group.release_version)
    chosen = f"{group.ami_type} {group.version} {group.release_version}"
    return image.image_id(region) if image else image_id_of(region, chosen)


def _types(group: NodegroupRecord, template: Mapping[str, Any]) -> list[str]:
    """Gives the instance types of a group's nodes: its launch template's, or its own, or EKS's default."""
    if template.get("InstanceType"):
        return [template["InstanceType"]]
    return list(group.instance_types or [_DEFAULT_INSTANCE_TYPE])
