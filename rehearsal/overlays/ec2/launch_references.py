"""What EC2 refuses of an instance since what it names is not there, is elsewhere, or does not go with its AMI.

AWS's words and codes as people quote them: cilium/cilium 43051, aws-samples/amazon-autoscaling-mac1metal-ec2-with-
terraform 6 and banzaicloud/pipeline 3006 (a volume smaller than its snapshot), philschmid/efsync 16 (networks). Of keys
and groups that are not there: EC2 API reference, error codes, InvalidKeyPair.NotFound and InvalidGroup.NotFound.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rehearsal.overlays.ec2.refusal import Refusal
from rehearsal.overlays.images import Image, RootVolume, find_image
from rehearsal.overlays.trust import knows_all_of

_ROOT = "/dev/xvda"


def reference_refusals(
    network: Any, data: Mapping[str, Any], subnets: Sequence[Any], image_id: str
) -> Iterator[Refusal]:
    """Yields what is refused of what a launch names.

    Args:
        network: moto's EC2 backend of the account and region.
        data: The launch template's data, by EC2's API names.
        subnets: moto's records of the subnets in which instances may start.
        image_id: The AMI, the template's or whoever starts the instance's.
    """
    yield from _key(network, data.get("KeyName"))
    groups = [*(data.get("SecurityGroupIds") or ())]
    for interface in data.get("NetworkInterfaces") or ():
        groups += interface.get("Groups") or ()
    for group_id in dict.fromkeys(groups):
        yield from _group(network, group_id, subnets)
    for mapping in data.get("BlockDeviceMappings") or ():
        size = (mapping.get("Ebs") or {}).get("VolumeSize")
        if mapping.get("DeviceName") == _ROOT and size is not None:
            yield from _root(network, int(size), image_id, of_eks=not data.get("ImageId"))


def _key(network: Any, name: str | None) -> Iterator[Refusal]:
    """Yields the refusal of a key pair that an account of nobody's doesn't have."""
    if name and name not in network.key_pairs and knows_all_of(network.account_id):
        yield Refusal("InvalidKeyPair.NotFound", f"The key pair '{name}' does not exist")


def _group(network: Any, group_id: str, subnets: Sequence[Any]) -> Iterator[Refusal]:
    group = network.get_security_group_from_id(group_id)
    if group is None:
        if knows_all_of(network.account_id):
            yield Refusal("InvalidGroup.NotFound", f"The security group '{group_id}' does not exist")
        return
    elsewhere = next((subnet for subnet in subnets if subnet.vpc_id != group.vpc_id), None)
    if elsewhere is not None:
        message = f"Security group {group_id} and subnet {elsewhere.id} belong to different networks."
        yield Refusal("InvalidParameter", message)


def _root(network: Any, size_gib: int, image_id: str, *, of_eks: bool) -> Iterator[Refusal]:
    """Yields the refusal of a root volume that the AMI does not fit on.

    EKS's AMIs have 20 GiB each; of another one that nobody here knows nothing is said.
    """
    known = network.amis.get(image_id)
    smallest = known.root.size_gib if isinstance(known, Image) else RootVolume().size_gib
    if size_gib >= smallest:
        return
    image = find_image(network, image_id)
    if isinstance(image, Image) or of_eks:
        snapshot_id = image.ebs_snapshot.id if isinstance(image, Image) else f"snap-{image_id.partition('-')[2]}"
        message = f"Volume of size {size_gib}GB is smaller than snapshot '{snapshot_id}', expect size>= {smallest}GB"
        yield Refusal("InvalidBlockDeviceMapping", message)
