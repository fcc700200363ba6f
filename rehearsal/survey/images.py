"""Surveys custom images, and the recipes and pipelines that they come from."""

from collections.abc import Mapping
from typing import Any

from rehearsal.survey.image_records import (
    BuildInfrastructure,
    BuiltAmi,
    BuiltImage,
    Distribution,
    ImageDistribution,
    ImagePipeline,
    ImageRecipe,
    Images,
)
from rehearsal.survey.paging import every

_ROOT = "/dev/xvda"


def images(builder: Any, ec2: Any, zones: Mapping[str, str]) -> Images:
    """Gives everything that EC2 Image Builder has.

    Args:
        builder: Image Builder's client.
        ec2: EC2's client.
        zones: The zone id of each subnet.
    """
    return Images(
        recipes=_sorted(_recipe(builder, ec2, arn) for arn in _arns(builder, "list_image_recipes", "imageRecipe")),
        infrastructures=_sorted(
            _infrastructure(builder, zones, arn)
            for arn in _arns(builder, "list_infrastructure_configurations", "infrastructureConfiguration")
        ),
        distributions=_sorted(
            _distribution(builder, arn)
            for arn in _arns(builder, "list_distribution_configurations", "distributionConfiguration")
        ),
        pipelines=_sorted(
            ImagePipeline(one["name"], one["status"], _version_of(one["imageRecipeArn"]))
            for one in every(builder, "list_image_pipelines", "imagePipelineList")
        ),
        built=_sorted(
            _built(one)
            for version in every(builder, "list_images", "imageVersionList")
            for one in every(builder, "list_image_build_versions", "imageSummaryList", imageVersionArn=version["arn"])
        ),
    )


def _arns(builder: Any, operation: str, kind: str) -> list[str]:
    return [one["arn"] for one in every(builder, operation, f"{kind}SummaryList")]


def _sorted(found: Any) -> tuple[Any, ...]:
    return tuple(sorted(found, key=lambda one: (one.name, getattr(one, "version", ""))))


def _version_of(arn: str) -> str:
    """Gives name and version of what an ARN names, such as ``neuron-driver 1.0.0``."""
    _, name, version, *_ = f"{arn.rsplit(':', 1)[-1]}/".split("/")
    return f"{name} {version}".rstrip()


def _recipe(builder: Any, ec2: Any, arn: str) -> ImageRecipe:
    found = builder.get_image_recipe(imageRecipeArn=arn)["imageRecipe"]
    parent = found["parentImage"]
    amis = ec2.describe_images(ImageIds=[parent])["Images"] if parent.startswith("ami-") else []
    roots = [one.get("ebs", {}) for one in found.get("blockDeviceMappings", []) if one.get("deviceName") == _ROOT]
    return ImageRecipe(
        name=found["name"],
        version=found["version"],
        parent_image=parent,
        parent_name=next((ami["Name"] for ami in amis), ""),
        components=tuple(_version_of(part["componentArn"]) for part in found["components"]),
        root_volume_encrypted=next((root.get("encrypted") for root in roots), None),
    )


def _infrastructure(builder: Any, zones: Mapping[str, str], arn: str) -> BuildInfrastructure:
    answer = builder.get_infrastructure_configuration(infrastructureConfigurationArn=arn)
    found = answer["infrastructureConfiguration"]
    return BuildInfrastructure(
        name=found["name"],
        instance_types=tuple(found.get("instanceTypes", [])),
        http_tokens=found.get("instanceMetadataOptions", {}).get("httpTokens", ""),
        zone_id=zones.get(found.get("subnetId", "")),
    )


def _distribution(builder: Any, arn: str) -> ImageDistribution:
    answer = builder.get_distribution_configuration(distributionConfigurationArn=arn)
    found = answer["distributionConfiguration"]
    return ImageDistribution(
        name=found["name"],
        distributions=tuple(
            Distribution(
                region=one["region"],
                accounts=tuple(
                    one.get("amiDistributionConfiguration", {}).get("launchPermission", {}).get("userIds", [])
                ),
            )
            for one in found["distributions"]
        ),
    )


def _built(found: dict[str, Any]) -> BuiltImage:
    return BuiltImage(
        name=found["name"],
        version=found["version"],
        status=found["state"]["status"],
        reason=found["state"].get("reason", ""),
        amis=tuple(BuiltAmi(ami["region"], ami["image"]) for ami in found["outputResources"]["amis"]),
    )
