"""The launch template from which a node group's nodes start."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from constructs import Construct

from infra.resource import Properties, Value, attribute, resource
from trnstack.layout.interfaces import Interface
from trnstack.plan.model import LaunchTemplatePlan

ROOT_DEVICE = "/dev/xvda"
_NOTHING: Mapping[str, Value] = MappingProxyType({})


class LaunchTemplate(Construct):
    """Defines a launch template: instance type, every network card, encrypted root volume, IMDSv2, user data.

    It names no subnet and no instance profile, which are EKS's to add, and no image but a custom one.

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
        marks: Mapping[str, Value] = _NOTHING,
    ) -> None:
        super().__init__(scope, construct_id)
        groups = [nodes_group_id], [nodes_group_id, cluster_group_id]
        data = {
            "InstanceType": template.instance_type,
            "ImageId": template.image_id,
            "NetworkInterfaces": [_interface(each, groups[each.has_address]) for each in template.interfaces],
            "MetadataOptions": {"HttpEndpoint": "enabled", "HttpTokens": "required", "HttpPutResponseHopLimit": 2},
            "BlockDeviceMappings": [_root_volume(template)],
            "Placement": {"GroupName": placement_group} if placement_group else None,
            "InstanceMarketOptions": {"MarketType": template.market_type} if template.market_type else None,
            "CapacityReservationSpecification": _reservation(template),
            "UserData": {"Fn::Base64": _filled(template.user_data, marks)} if template.user_data else None,
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


def _filled(text: str, marks: Mapping[str, Value]) -> Value:
    """Returns a text with values in the place of its marks; the rest is never read as anything but text."""
    if not any(mark in text for mark in marks):
        return text
    parts = re.split(f"({'|'.join(map(re.escape, marks))})", text)
    return {"Fn::Join": ["", [marks.get(part, part) for part in parts if part]]}


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
