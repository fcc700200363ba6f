"""EC2's images, among which are those that EKS publishes.

Source: EC2 API reference, DescribeImages, DescribeImageAttribute and CopyImage, ``SourceRegion``; EKS user guide,
"Retrieve recommended Amazon Linux AMI IDs": they are public, and everybody's EC2 shows them.
"""

from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends
from moto.ec2.responses import EC2Response

from rehearsal.overlays.images import bring_in


class Images(EC2Response):
    """AMIs, among which are those that EKS publishes."""

    def describe_images(self) -> ActionResult:
        """Answers DescribeImages."""
        bring_in(self.ec2_backend)
        return super().describe_images()

    def describe_image_attribute(self) -> ActionResult:
        """Answers DescribeImageAttribute."""
        bring_in(self.ec2_backend)
        return super().describe_image_attribute()

    def copy_image(self) -> ActionResult:
        """Answers CopyImage, whose source may be in another region."""
        bring_in(ec2_backends[self.current_account][self._get_param("SourceRegion")])
        return super().copy_image()
