"""EC2's launch templates, and the instances that are started by them.

Source: EC2 API reference, CreateLaunchTemplate, ``Warning``, and RunInstances, ``LaunchTemplate``: what a request says
overrides what the template does.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.responses import EC2Response

from rehearsal.overlays.ec2.launch_templates import Refusal, immediate_refusals, refusals
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.state import state_of

_OF_INSTANCES = (
    "BlockDeviceMappings",
    "InstanceMarketOptions",
    "MetadataOptions",
    "NetworkInterfaces",
    "Placement",
    "SecurityGroupIds",
    "SecurityGroups",
    "UserData",
)


class Launches(EC2Response):
    """Launch templates and instances, with what AWS refuses and moto takes."""

    def create_launch_template(self) -> ActionResult:
        """Answers CreateLaunchTemplate; what would keep instances from starting is a warning."""
        warning = self._checked(self._get_param("LaunchTemplateName"))
        return _warned(super().create_launch_template(), warning)

    def create_launch_template_version(self) -> ActionResult:
        """Answers CreateLaunchTemplateVersion, as CreateLaunchTemplate."""
        warning = self._checked()
        return _warned(super().create_launch_template_version(), warning)

    def run_instances(self) -> ActionResult:
        """Answers RunInstances."""
        data = self._launched()
        instance_type = self._get_param("InstanceType") or data.get("InstanceType") or ""
        subnets = [self._get_param("SubnetId"), *(one.get("SubnetId") for one in data.get("NetworkInterfaces") or ())]
        zone_ids = [self.ec2_backend.get_subnet(one).availability_zone_id for one in subnets if one]
        for refusal in self._refusals(data, instance_type, zone_ids):
            raise OverlayError(refusal.code, refusal.message)
        return super().run_instances()

    def _checked(self, name: str | None = None) -> list[dict[str, str]]:
        """Gives the warnings about the data that the request has, and refuses what is refused at once."""
        data = self._get_param("LaunchTemplateData", {})
        for tag in (tag for one in data.get("TagSpecifications") or () for tag in one.get("Tags") or ()):
            tag.setdefault("Value", "")  # EC2 takes a key without a value, and moto fails at it
        for refusal in immediate_refusals(data, name):
            raise OverlayError(refusal.code, refusal.message)
        found = self._refusals(data, data.get("InstanceType") or "", [])
        return [{"Code": one.code, "Message": one.message} for one in found]

    def _launched(self) -> Mapping[str, Any]:
        """Gives what instances are to be started from: the template's data, and over them what the request says.

        What EC2 says where a template is meant and not named is unconfirmed.
        """
        named = self._get_param("LaunchTemplate", {})
        data: Mapping[str, Any] = {}
        if named and not named.keys() & {"LaunchTemplateId", "LaunchTemplateName"}:
            message = "The request must contain the parameter LaunchTemplateId or LaunchTemplateName"
            raise OverlayError("MissingParameter", message)
        if named:
            template = (
                self.ec2_backend.get_launch_template(named["LaunchTemplateId"])
                if "LaunchTemplateId" in named
                else self.ec2_backend.get_launch_template_by_name(named["LaunchTemplateName"])
            )
            data = template.get_version(named.get("Version", "$Default")).data
        own = {name: self._get_param(name) for name in _OF_INSTANCES}
        return {**data, **{name: value for name, value in own.items() if value}}

    def _refusals(self, data: Mapping[str, Any], instance_type: str, zone_ids: list[str]) -> Iterator[Refusal]:
        groups = state_of(self.current_account, self.region).placement_groups
        strategies = {name: group["Strategy"] for name, group in groups.items()}
        return refusals(data, instance_type, zone_ids=zone_ids, region=self.region, strategies=strategies)


def _warned(answer: ActionResult, errors: list[dict[str, str]]) -> ActionResult:
    if not errors or not isinstance(answer.result, dict):
        return answer
    return ActionResult({**answer.result, "Warning": {"Errors": errors}})
