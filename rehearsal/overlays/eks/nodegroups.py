"""Managed node groups, whose nodes are instances in EC2."""

from collections.abc import Mapping
from typing import Any

from moto.core.responses import ActionResult
from moto.eks.models import validate_launch_template_combination

from rehearsal.nodes import NodeOrder, NodesError, end_nodes, start_nodes
from rehearsal.overlays.eks.base import EksBase
from rehearsal.overlays.eks.custom_images import CUSTOM, check_custom_image, check_request, check_same_kind
from rehearsal.overlays.eks.records import ClusterRecord, NodegroupRecord, new_update
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.state import state_of
from rehearsal.pins import published
from rehearsal.pins.records import image_id_of

_DEFAULT_INSTANCE_TYPE = "t3.medium"
_BLOCK = "capacity-block"


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
        if "launchTemplate" in request:
            validate_launch_template_combination(request.get("diskSize"), request.get("remoteAccess"))
        group = NodegroupRecord(cluster=cluster, backend=self.eks_backend, request=request)
        _check_scaling(group.scaling_config)
        template = self._template(group)
        if template.get("ImageId"):
            check_request(request)
            check_custom_image(self.network, cluster, template)
            vars(group).update(ami_type=CUSTOM, release_version=template["ImageId"])
        else:
            check_same_kind(group.ami_type, template)
        self._check_block(group)
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
            self._check_image(cluster, group, request)
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

    def _check_block(self, group: NodegroupRecord) -> None:
        """Refuses a block whose launch template does not name one, and a template that names one beside another type.

        Source: EKS user guide, "Create a managed node group with Capacity Blocks for ML".
        """
        template = self._template(group)
        market = template.get("InstanceMarketOptions", {}).get("MarketType")
        if market not in {None, _BLOCK}:
            message = f"Launch template InstanceMarketOptions {market} is not supported for managed node groups"
            raise OverlayError("InvalidParameterException", message)
        if (group.capacity_type == "CAPACITY_BLOCK") is not (market == _BLOCK):
            message = f"Capacity type {group.capacity_type} does not go with the launch template's market type {market}"
            raise OverlayError("InvalidParameterException", message)
        if market == _BLOCK and not any(_target(template).values()):
            message = "The launch template names no capacity reservation, which a capacity block needs"
            raise OverlayError("InvalidParameterException", message)

    def _check_image(self, cluster: ClusterRecord, group: NodegroupRecord, request: Mapping[str, Any]) -> None:
        """Refuses an update that EKS refuses of nodes with a custom AMI, and notes the AMI of the new nodes."""
        template = self._template(group)
        check_same_kind(group.ami_type, template)
        if group.ami_type == CUSTOM:
            check_request(request)
            check_custom_image(self.network, cluster, template)
            group.release_version = template["ImageId"]

    def _check_reservation(self, template: Mapping[str, Any], count: int, running: int) -> None:
        """Refuses to start nodes in a reservation that is not active, or has no room for them.

        The reservations that a template names were bought elsewhere, so a rehearsal knows those alone that it was given
        (``RegionState.capacity_reservations``): nodes of a Capacity Block start in no other one, as they start in none
        on AWS before it begins. Of an On-Demand reservation that it was not given it thinks nothing.
        """
        reservation_id = _target(template).get("CapacityReservationId")
        known = state_of(self.current_account, self.region).capacity_reservations.get(reservation_id or "")
        block = template.get("InstanceMarketOptions", {}).get("MarketType") == _BLOCK
        if count <= 0 or (known is None and not block):
            return
        if known is None or known.get("State") != "active":
            message = f"Could not launch instances: capacity reservation {reservation_id} is not active"
            raise OverlayError("InvalidRequestException", message)
        if count + running > int(known["TotalInstanceCount"]):
            message = f"Could not launch {count} instances: capacity reservation {reservation_id} has not enough left"
            raise OverlayError("InvalidRequestException", message)

    def _scale(self, cluster: ClusterRecord, group: NodegroupRecord, wanted: int) -> None:
        surplus = len(group.nodes) - wanted
        if surplus > 0:
            end_nodes(self.network, group.nodes[wanted:])
            group.nodes = group.nodes[:wanted]
        else:
            group.nodes += self._start(cluster, group, -surplus)

    def _start(self, cluster: ClusterRecord, group: NodegroupRecord, count: int) -> list[str]:
        template = self._template(group)
        self._check_reservation(template, count, len(group.nodes))
        placement = template.get("Placement", {}).get("GroupName")
        if placement and placement not in state_of(self.current_account, self.region).placement_groups:
            message = f"The placement group '{placement}' is unknown."
            raise OverlayError("InvalidParameterException", message)
        instance_type = template.get("InstanceType") or (group.instance_types or [_DEFAULT_INSTANCE_TYPE])[0]
        order = NodeOrder(
            template=template,
            subnet_ids=group.subnets,
            image_id=template.get("ImageId") or _image_id(group, self.region),
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


def _target(template: Mapping[str, Any]) -> Mapping[str, str]:
    """Gives how a launch template names its capacity reservation."""
    target: Mapping[str, str] = template.get("CapacityReservationSpecification", {}).get(
        "CapacityReservationTarget", {}
    )
    return target


def _check_scaling(scaling: Mapping[str, int]) -> None:
    smallest, wanted, largest = scaling["minSize"], scaling["desiredSize"], scaling["maxSize"]
    if smallest > wanted:
        message = f"Minimum capacity {smallest} can't be greater than desired size {wanted}"
        raise OverlayError("InvalidParameterException", message)
    if wanted > largest:
        message = f"desired capacity {wanted} can't be greater than max size {largest}"
        raise OverlayError("InvalidParameterException", message)


def _image_id(group: NodegroupRecord, region: str) -> str:
    """Gives the id of the AMI that EKS chooses; of a release that nobody published, one that follows from its name."""
    image = published().node_image(ami_type=group.ami_type, release_version=group.release_version)
    chosen = f"{group.ami_type} {group.version} {group.release_version}"
    return image.image_id(region) if image else image_id_of(region, chosen)
