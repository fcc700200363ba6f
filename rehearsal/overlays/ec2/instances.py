"""Instances that somebody starts himself."""

from moto.core.responses import ActionResult, EmptyResult
from moto.core.types import Base64EncodedString
from moto.ec2.responses import EC2Response

from rehearsal.overlays.ending import interfaces_go
from rehearsal.overlays.errors import OverlayError


class Instances(EC2Response):
    """EC2's start of instances, which end with their network interface, and what changes of them."""

    def run_instances(self) -> ActionResult:
        """Answers RunInstances."""
        answer: ActionResult = super().run_instances()
        interfaces_go(self.ec2_backend)
        return answer

    def modify_instance_attribute(self) -> ActionResult:
        """Answers ModifyInstanceAttribute; moto decodes user data a second time, and refuses what it then finds.

        Source: EC2 API reference, error codes, ``IncorrectInstanceState``; EC2 user guide, "Work with instance user
        data": it changes while the instance is stopped.
        """
        data = self._get_param("UserData")
        if data is None:
            answer: ActionResult = super().modify_instance_attribute()
            return answer
        instance = self.ec2_backend.get_instance(self._get_param("InstanceId"))
        if instance.state != "stopped":
            message = f"The instance '{instance.id}' is not in the 'stopped' state."
            raise OverlayError("IncorrectInstanceState", message)
        instance.user_data = Base64EncodedString.from_raw_bytes(data["Value"])
        return EmptyResult()
