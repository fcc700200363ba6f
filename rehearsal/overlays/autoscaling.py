"""EC2 Auto Scaling: the instances of its groups end with their network interfaces.

Source: EC2 Auto Scaling API reference, CreateAutoScalingGroup, UpdateAutoScalingGroup and SetDesiredCapacity, the calls
that may start instances; EC2 API reference, NetworkInterfaceAttachment, ``DeleteOnTermination``, which is true of the
interface that an instance is started with.
"""

from moto.autoscaling.responses import AutoScalingResponse
from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends

from rehearsal.overlays.ending import interfaces_go


class Response(AutoScalingResponse):
    """EC2 Auto Scaling's API; each call that may start instances says what goes with them."""

    def create_auto_scaling_group(self) -> ActionResult:
        """Answers CreateAutoScalingGroup."""
        return self._started(super().create_auto_scaling_group())

    def update_auto_scaling_group(self) -> ActionResult:
        """Answers UpdateAutoScalingGroup."""
        return self._started(super().update_auto_scaling_group())

    def set_desired_capacity(self) -> ActionResult:
        """Answers SetDesiredCapacity."""
        return self._started(super().set_desired_capacity())

    def _started(self, answer: ActionResult) -> ActionResult:
        interfaces_go(ec2_backends[self.current_account][self.region])
        return answer
