"""How ``trnstack plan`` tells of custom images: what they are made of and where they go, and what still awaits one."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ami.pins import UNRESOLVED
from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.plan.model import CustomImagePlan, NodeGroupPlan, Plan


def of_nodes(group: "NodeGroupPlan") -> str:
    """Returns what a node group's nodes start from."""
    if group.custom_image is None:
        return f"{group.release_version} ({group.ami_type})"
    return f"{group.release_version} (custom, recipe {group.custom_image})"


def sections(decided: "Plan") -> Iterator[list[str]]:
    """Yields a section for each custom image."""
    for image in decided.images:
        yield [f"Custom image {image.recipe}", *output.columns(_rows(image))]


def _rows(image: "CustomImagePlan") -> Iterator[tuple[str, str]]:
    yield "AMI", image.image_id
    yield "version", image.version
    yield "parent", f"{image.parent_image_id}, EKS AMI release {image.parent_release}"
    yield "components", ", ".join(each.name for each in image.components) or UNRESOLVED
    yield "volume", f"{image.volume_gib:,} GiB, encrypted"
    yield "built by", f"{image.build_instance_type} in {image.availability_zone_id}"
    yield "starts nodes of", ", ".join(image.node_groups)
    for place, region in enumerate(image.regions):
        key = f", encrypted by {region.kms_key_arn}" if region.kms_key_arn else ""
        yield "regions" if place == 0 else "", f"{region.region}{key}"
    for place, account_id in enumerate(image.account_ids):
        yield "shared with" if place == 0 else "", account_id


def awaiting(decided: "Plan", file: str) -> list[str]:
    """Returns what is left out until an image is built, and the commands that lead there, in their order."""
    groups = decided.awaiting_image
    if not groups:
        return []
    name = output.quoted(file)
    asked = [(f"trnstack lock {name}", "asks whether the image is there already")]
    build = [
        (f"cdk deploy {decided.name}-images -c environment={name}", "builds it; takes the better part of an hour"),
        (f"trnstack lock {name}", "writes the AMI's id into the lock"),
        (f"cdk deploy --all -c environment={name}", "deploys the nodes"),
    ]
    unasked = any(group.release_version == UNRESOLVED for group in groups)
    return [
        f"Left out until their image is built: {', '.join(group.stack for group in groups)}",
        *output.columns([*(asked if unasked else []), *build]),
    ]
