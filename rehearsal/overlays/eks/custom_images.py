"""Node groups whose launch template names an AMI: what EKS refuses of them, and what keeps their nodes from joining.

Source: EKS user guide, "Customize managed nodes with launch templates", "Specifying an AMI" and "Limits and conditions
when specifying an AMI ID"; awslabs/amazon-eks-ami, doc/nodeadm.
"""

import base64
import binascii
import email
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from rehearsal.overlays.eks.records import ClusterRecord
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.images import find_image

CUSTOM = "CUSTOM"
_PART = "application/node.eks.aws"
_KIND = "NodeConfig"


def check_request(request: Mapping[str, Any]) -> None:
    """Refuses a request that names an AMI by its type or release beside the one in the launch template.

    Source: pulumi/pulumi-eks issues 1463 and 1283, which quote the words about type and version; those about the
    release are made alike.
    """
    if request.get("amiType", CUSTOM) != CUSTOM:
        message = (
            "You cannot specify an AMI Type other than CUSTOM, when specifying an image id in your launch template."
        )
        raise OverlayError("InvalidParameterException", message)
    for member, name in (("version", "kubernetes"), ("releaseVersion", "release")):
        if request.get(member):
            message = (
                f"You cannot specify a {name} version to use when specifying an image id to use within the launch "
                "template."
            )
            raise OverlayError("InvalidParameterException", message)


def check_same_kind(ami_type: str | None, template: Mapping[str, Any]) -> None:
    """Refuses to change a node group between EKS's AMIs and an AMI of one's own."""
    if (ami_type == CUSTOM) is not bool(template.get("ImageId")):
        message = (
            "A node group can't change between specifying an image id in its launch template and not specifying one: "
            "create a new node group"
        )
        raise OverlayError("InvalidParameterException", message)


def check_custom_image(network: Any, cluster: ClusterRecord, template: Mapping[str, Any]) -> None:
    """Refuses an AMI that is not there, and user data with which no node would ever join the cluster.

    EKS sees the second only when the first nodes don't join; so it is refused here for a group without nodes as well,
    of which EKS would take no notice until it grows.

    Args:
        network: moto's EC2 backend of the account and region.
        cluster: The cluster.
        template: The launch template's data, by EC2's API names.

    Source: quoted from Auto Scaling, which EKS hands the template to; hashicorp/terraform-provider-aws issue 35242 for
    the failure to join.
    """
    image_id = template["ImageId"]
    if find_image(network, image_id) is None:
        message = f"You must use a valid fully-formed launch template. The image id '[{image_id}]' does not exist"
        raise OverlayError("InvalidRequestException", message)
    reason = _never_joins(cluster, template)
    if reason:
        message = f"NodeCreationFailure: Instances failed to join the kubernetes cluster: {reason}"
        raise OverlayError("InvalidRequestException", message)


def _never_joins(cluster: ClusterRecord, template: Mapping[str, Any]) -> str | None:
    """Says why nodeadm could not connect a node to the cluster; None where it can.

    With an AMI of one's own EKS adds nothing to the user data, so they have to tell nodeadm which cluster it is.
    """
    try:
        wanted = _cluster_of(base64.b64decode(str(template.get("UserData") or ""), validate=True))
    except (binascii.Error, UnicodeDecodeError, yaml.YAMLError) as error:
        return f"the user data can't be read: {error}"
    network = cluster.kubernetes_network_config
    needed = {
        "name": cluster.name,
        "apiServerEndpoint": cluster.endpoint,
        "certificateAuthority": cluster.certificate_authority["data"],
        "cidr": network.get("serviceIpv6Cidr") or network["serviceIpv4Cidr"],
    }
    missing = [member for member in needed if not wanted.get(member)]
    if missing:
        return f"no NodeConfig in the user data has spec.cluster.{missing[0]}"
    wrong = [member for member, value in needed.items() if wanted[member] != value]
    if wrong:
        return f"spec.cluster.{wrong[0]} in the user data is {wanted[wrong[0]]}, the cluster's is {needed[wrong[0]]}"
    return None


def _cluster_of(user_data: bytes) -> dict[str, Any]:
    """Gives ``spec.cluster`` of the user data's NodeConfig documents; of what two of them say, the later counts."""
    cluster: dict[str, Any] = {}
    for document in _documents(user_data):
        if isinstance(document, dict) and document.get("kind") == _KIND:
            spec = document.get("spec") or {}
            cluster.update(spec.get("cluster") or {})
    return cluster


def _documents(user_data: bytes) -> Iterator[Any]:
    """Gives the YAML documents for nodeadm: the parts of that type in a MIME message, or the user data themselves."""
    message = email.message_from_bytes(user_data)
    if not message.is_multipart():
        if b"node.eks.aws/" in user_data:
            yield from yaml.safe_load_all(user_data.decode())
        return
    for part in message.walk():
        if part.get_content_type() == _PART:
            content = part.get_payload(decode=True)
            yield from yaml.safe_load_all(content.decode() if isinstance(content, bytes) else str(content))
