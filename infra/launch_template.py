"""The launch template from which a node group's nodes start."""

from typing import Any

from constructs import Construct

from infra.resource import Properties, Value, attribute, resource
from trnstack.layout.interfaces import Interface
from trnstack.plan.model import LaunchTemplatePlan

ROOT_DEVICE = "/dev/xvda"


class LaunchTemplate(Construct):
    """Defines a launch template: instance type, every network card, encrypted root volume, IMDSv2, user data.

    It names no image, no subnet and no instance profile, which are EKS's to add.

    Attributes:
        template_id: Its id.
        version: Its latest version, by reference: an edit of the template reaches the nodes.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        template: LaunchTemplatePlan,
        placement_group: Value | None,
        nodes_group_id: Value,
        cluster_group_id: Value,
    ) -> None:
        super().__init__(scope, construct_id)
        groups = [nodes_group_id], [nodes_group_id, cluster_group_id]
        data = {
            "InstanceType": template.instance_type,
            "NetworkInterfaces": [_interface(each, groups[each.has_address]) for each in template.interfaces],
            "MetadataOptions": {"HttpEndpoint": "enabled", "HttpTokens": "required", "HttpPutResponseHopLimit": 2},
            "BlockDeviceMappings": [_root_volume(template)],
            "Placement": {"GroupName": placement_group} if placement_group else None,
            "InstanceMarketOptions": {"MarketType": template.market_type} if template.market_type else None,
            "CapacityReservationSpecification": _reservation(template),
            "UserData": {"Fn::Base64": template.user_data} if template.user_data else None,
            "TagSpecifications": [
                {
                    "ResourceType": kind,
                    "Tags": [{"Key": key, "Value": text} for key, text in template.instance_tags.items()],
                }
                for kind in ("instance", "volume")
            ],
        }
        made = resource(self, "LaunchTemplate", "AWS::EC2::LaunchTemplate", {"LaunchTemplateData": data})
        self.template_id = made.ref
        self.version = attribute(made, "LatestVersionNumber")


def _interface(interface: Interface, group_ids: list[Value]) -> Properties:
    """Returns one interface. EFA traffic is let through by the nodes' group, which all of them have.

    The interface with the node's address has the cluster's group too, since EKS adds that by itself only to templates
    that name no groups.
    """
    return {
        "NetworkCardIndex": interface.network_card_index,
        "DeviceIndex": interface.device_index,
        "InterfaceType": interface.interface_type,
        "Groups": group_ids,
        "DeleteOnTermination": True,
    }


def _root_volume(template: LaunchTemplatePlan) -> Properties:
    volume: dict[str, Any] = {"VolumeType": "gp3", "VolumeSize": template.root_volume_gib, "Encrypted": True}
    volume |= {"DeleteOnTermination": True, "KmsKeyId": template.root_volume_kms_key_arn}
    return {"DeviceName": ROOT_DEVICE, "Ebs": volume}


def _reservation(template: LaunchTemplatePlan) -> Properties | None:
    target = {
        "CapacityReservationId": template.capacity_reservation_id,
        "CapacityReservationResourceGroupArn": template.capacity_reservation_resource_group_arn,
    }
    return {"CapacityReservationTarget": target} if any(target.values()) else None
