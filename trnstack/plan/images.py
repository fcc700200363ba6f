"""Decides custom images: what goes into them, what builds them and where, and who gets them."""

from collections.abc import Iterator, Mapping

from ami.pins import ENVIRONMENT_TAG, RECIPE_TAG, RECIPE_VERSION_TAG, UNRESOLVED, BuiltImage, ImagePin, Lock
from trnstack.plan.building import build_place, groups_by_recipe
from trnstack.plan.model import CustomImagePlan, Decision, ImageComponentPlan, ImageRegionPlan
from trnstack.plan.nodes import KEEPER, KEEPER_TAG
from trnstack.spec import Environment
from trnstack.spec.node_groups import NodeGroup


def custom_images(environment: Environment, lock: Lock, tags: Mapping[str, str]) -> tuple[CustomImagePlan, ...]:
    """Returns the custom images of an environment, one for each recipe.

    Args:
        environment: The environment.
        lock: Its lock.
        tags: The environment's tags, the toolkit's own among them.
    """
    return tuple(_custom_image(environment, lock, groups, tags) for groups in groups_by_recipe(environment).values())


def _custom_image(
    environment: Environment, lock: Lock, groups: tuple[NodeGroup, ...], tags: Mapping[str, str]
) -> CustomImagePlan:
    from ami.recipes import recipe  # noqa: PLC0415 - reads files that only a custom image needs

    parent = lock.images[groups[0].name]
    image = _built(parent)
    made_of = recipe(image.recipe)
    place = build_place(environment, groups)
    pipeline = f"{environment.name}-{image.recipe}"
    # What encrypts an image is no part of its version, and can't be changed in Image Builder either.
    name = f"{pipeline}-{image.version}{'-shared' if environment.images.share_with_accounts else ''}"
    own_tags = {"Name": name, RECIPE_TAG: image.recipe, RECIPE_VERSION_TAG: image.version}
    return CustomImagePlan(
        recipe=image.recipe,
        name=name,
        pipeline=pipeline,
        description=made_of.description,
        version=image.version,
        node_groups=tuple(group.name for group in groups),
        image_id=image.image_ids[environment.region],
        parent_release=parent.release_version,
        parent_image_id=parent.image_id,
        volume_gib=made_of.volume_gib,
        components=_components(lock, parent, image, name),
        build_instance_type=place.instance_type,
        availability_zone_id=place.zone_id,
        subnet=f"nodes-{place.zone_id}",
        instance_tags={"Name": pipeline, ENVIRONMENT_TAG: environment.name, KEEPER_TAG: KEEPER},
        regions=(
            ImageRegionPlan(region=environment.region, kms_key_arn=None),
            *(
                ImageRegionPlan(region=copy.region, kms_key_arn=copy.kms_key_arn)
                for copy in environment.images.copy_to_regions
            ),
        ),
        account_ids=environment.images.share_with_accounts,
        tags=dict(sorted({**tags, **own_tags}.items())),
    )


def _built(pin: ImagePin) -> BuiltImage:
    """Returns the custom image of a pin whose node group has one: a lock without it is stale, and gives no plan."""
    if pin.custom is None:
        raise ValueError(f"the lock has no custom image on {pin.release_version}")
    return pin.custom


def _components(lock: Lock, parent: ImagePin, image: BuiltImage, name: str) -> tuple[ImageComponentPlan, ...]:
    container = lock.neuron.container
    if UNRESOLVED in {image.version, container and container.digest}:
        return ()
    from ami.custom import recipe_values  # noqa: PLC0415 - as above
    from ami.recipes import components, recipe  # noqa: PLC0415

    return tuple(
        ImageComponentPlan(
            name=made.name,
            full_name=f"{name}-{made.name}",
            description=made.description,
            document=made.document,
        )
        for made in components(recipe(image.recipe), recipe_values(lock, parent, image))
    )


def image_decisions(environment: Environment, lock: Lock) -> Iterator[Decision]:
    """Yields what was decided of custom images and may surprise."""
    for name, groups in groups_by_recipe(environment).items():
        pin, place = lock.images[groups[0].name], build_place(environment, groups)
        yield Decision(
            path="neuron.sdk",
            value=f"driver {pin.nodes_driver}, which recipe {name} installs on AMI release {pin.release}",
            reason=f"the driver of SDK {lock.neuron.sdk}, whatever the release has ({pin.neuron_driver})",
        )
        if environment.images.build_instance_type is None:
            yield Decision(
                path="images.build_instance_type",
                value=f"{place.instance_type} in {place.zone_id}",
                reason="the smallest Trainium type that a zone of ours offers; a driver is tested on a device",
            )
        shared = bool(environment.images.share_with_accounts)
        yield Decision(
            path="images.encryption",
            value="a key of the images' own, retained" if shared else "the default EBS key",
            reason="other accounts can't use an AMI that the default key encrypts" if shared else "nobody else uses it",
        )
