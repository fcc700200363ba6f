"""How a managed node group's nodes start: from which launch template, image and type, and what keeps them from it."""

from collections.abc import Mapping
from typing import Any

from rehearsal.faults.marks import Issue, Launch, launch_issue
from rehearsal.nodes import NodeOrder, NodesError, start_nodes
from rehearsal.overlays.ec2.reservations import reservations
from rehearsal.overlays.eks.base import EksBase
from rehearsal.overlays.eks.blocks import check_reservation, target
from rehearsal.overlays.eks.failing import NodesFailure
from rehearsal.overlays.eks.launch_checks import check_metadata_tags, check_template, refused_launch
from rehearsal.overlays.eks.records import ClusterRecord, NodegroupRecord
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.state import state_of
from rehearsal.pins import published
from rehearsal.pins.records import image_id_of

_DEFAULT_INSTANCE_TYPE = "t3.medium"
_MARKETS = {"SPOT": "Spot", "CAPACITY_BLOCK": "Capacity Block"}


class NodeLaunches(EksBase):
    """Starts the nodes of node groups."""

    def start_nodes_of(self, cluster: ClusterRecord, group: NodegroupRecord, count: int) -> list[str]:
        """Starts as many nodes, and gives the ids of their instances; of none it looks at all the same.

        Raises:
            OverlayError: EKS refuses the launch.
            NodesFailure: It takes it, and nodes do not start or are of no use.
        """
        template = self.template_of(group)
        image_id = template.get("ImageId") or _image_id(group, self.region)
        issue = launch_issue(self._launch(group, template)) if count > 0 else None
        if issue and not issue.starts:
            raise NodesFailure(issue)
        self._check_launch(cluster, group, template, image_id)
        known = reservations(self.current_account, self.region)
        check_reservation(template, known, count=count, running=len(group.nodes))
        order = NodeOrder(
            template=template,
            subnet_ids=group.subnets,
            image_id=image_id,
            instance_type=types_of(group, template)[0],
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

    def _check_launch(
        self, cluster: ClusterRecord, group: NodegroupRecord, template: Mapping[str, Any], image_id: str
    ) -> None:
        """Refuses nodes that EC2 would not start, or tells what becomes of those that it doesn't know."""
        groups = state_of(self.current_account, self.region).placement_groups
        check_metadata_tags(template, cluster.name)
        refused = refused_launch(
            self.network,
            template,
            types_of(group, template),
            subnets=[self.network.get_subnet(subnet_id) for subnet_id in group.subnets],
            image_id=image_id,
            strategies={name: one["Strategy"] for name, one in groups.items()},
        )
        if refused:
            raise NodesFailure(refused)
        placement = template.get("Placement", {}).get("GroupName")
        if placement and placement not in groups:
            raise OverlayError("InvalidRequestException", f"The Placement Group '{placement}' is unknown.")

    def _launch(self, group: NodegroupRecord, template: Mapping[str, Any]) -> Launch:
        """Gives what a node group is about to start, as far as a fault may ask."""
        subnets = [self.network.get_subnet(subnet_id) for subnet_id in group.subnets]
        zones = [name for one in subnets for name in (one.availability_zone, one.availability_zone_id)]
        return Launch(
            group=group.nodegroup_name,
            instance_type=types_of(group, template)[0],
            zones=tuple(dict.fromkeys(zones)),
            reservation=target(template).get("CapacityReservationId"),
            market=_MARKETS.get(group.capacity_type or "", "On-Demand"),
        )

    def template_of(self, group: NodegroupRecord) -> Mapping[str, Any]:
        """Gives the data of the group's launch template; nothing for a group without one.

        Source: terraform-aws-modules/terraform-aws-eks, issues 1386 and 1545: what EKS says of types in both places.
        """
        if group.launch_template is None:
            return {}
        group.launch_template = self.named_template(group.launch_template)
        template = self.network.launch_templates[group.launch_template["id"]]
        data: Mapping[str, Any] = template.get_version(group.launch_template["version"]).data
        both = data.get("InstanceType") and group.instance_types
        if both:
            message = "Cannot specify instance types in launch template and API request"
            raise OverlayError("InvalidRequestException", message)
        check_template(template.name, data)
        return data

    def named_template(self, reference: Mapping[str, str]) -> dict[str, str]:
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


def types_of(group: NodegroupRecord, template: Mapping[str, Any]) -> list[str]:
    """Gives the instance types of a group's nodes: its launch template's, or its own, or EKS's default."""
    if template.get("InstanceType"):
        return [template["InstanceType"]]
    return list(group.instance_types or [_DEFAULT_INSTANCE_TYPE])
