"""Chooses the EKS AMI release of a lock, and with it the image of every node group.

The release is the newest whose Neuron driver is the SDK's own, the pairing that every compatibility statement in
``releases.yaml`` allows, and which has a release version for the Kubernetes minor. Under a custom image, whose recipe
installs the SDK's driver, the newest release for the minor will do as a parent where none has that driver. The system
nodes take the standard AMI of the same release.
"""

import dataclasses

from ami.fit import fitting_ami_releases, sdks_with_ami
from ami.no_pin import NoPinError, UnknownReleaseError, alternatives, meant
from ami.pins import EKS_OPTIMIZED, SYSTEM, UNRESOLVED, BuiltImage, ImagePin, Inputs, Lock
from ami.remember import forgotten_image
from ami.tables import AmiRelease, SdkRelease, ami_releases

ACCELERATOR_AMI_TYPE = "AL2023_x86_64_NEURON"
SYSTEM_AMI_TYPE = "AL2023_x86_64_STANDARD"


def images(inputs: Inputs, sdk: SdkRelease, keep: Lock | None, asked: str | None) -> dict[str, ImagePin]:
    """Returns each node group's image; all are of one release, so that a cluster's nodes are of one age.

    Args:
        inputs: What the lock is to answer.
        sdk: The SDK's row.
        keep: An older lock, whose images stay where what they answer is asked unchanged.
        asked: The release to take in place of the newest that fits.

    Raises:
        NoPinError: No release fits, or the one that was asked for doesn't.
    """
    if keep and not asked and same(keep.inputs, inputs, "neuron_sdk", "kubernetes_version", "images"):
        return kept_images(inputs, keep)
    return images_of(_release(inputs, sdk, keep, asked), inputs, sdk)


def images_of(release: AmiRelease, inputs: Inputs, sdk: SdkRelease) -> dict[str, ImagePin]:
    """Returns each node group's image of a release that is for the Kubernetes minor, whether it fits or not."""
    return {name: _image(release, inputs, sdk, name) for name in inputs.images}


def kept_images(inputs: Inputs, keep: Lock) -> dict[str, ImagePin]:
    """Returns an older lock's images, in the order and the regions that are asked for now."""
    return {name: _kept(keep.images[name], inputs) for name in inputs.images}


def same(made_for: Inputs, wanted: Inputs, *names: str) -> bool:
    """Tells whether inputs are alike in what is named."""
    return all(getattr(made_for, name) == getattr(wanted, name) for name in names)


def has_plain_nodes(inputs: Inputs) -> bool:
    """Tells whether accelerator nodes start from the EKS-optimized AMI itself, whose driver must then fit."""
    return any(kind == EKS_OPTIMIZED for name, kind in inputs.images.items() if name != SYSTEM)


def _release(inputs: Inputs, sdk: SdkRelease, keep: Lock | None, asked: str | None) -> AmiRelease:
    minor, plain = inputs.kubernetes_version, has_plain_nodes(inputs)
    if asked:
        return _asked_release(asked, sdk, minor, plain=plain)
    if keep and same(keep.inputs, inputs, "neuron_sdk", "kubernetes_version"):
        kept = ami_releases().get(keep.images[SYSTEM].release)
        if kept and (not plain or kept.neuron_driver == sdk.driver):
            return kept
    if plain:
        return _newest(sdk, minor)
    parents = [release for release in ami_releases().values() if minor in release.release_versions]
    if not parents:
        raise NoPinError(f"no known EKS AMI release is for Kubernetes {minor}", f"use {alternatives(_minors())}")
    return next((release for release in parents if release.neuron_driver == sdk.driver), parents[0])


def _asked_release(name: str, sdk: SdkRelease, minor: str, *, plain: bool) -> AmiRelease:
    release = ami_releases().get(name)
    if release is None:
        raise UnknownReleaseError(
            f"EKS AMI release {name!r} is not in the table of releases, so its driver is not known",
            meant(name, tuple(ami_releases())),
        )
    if minor not in release.release_versions:
        raise NoPinError(
            f"EKS AMI release {name} is not for Kubernetes {minor}",
            f"it is for {alternatives(list(release.release_versions))}",
        )
    if plain and release.neuron_driver != sdk.driver:
        raise NoPinError(
            f"EKS AMI release {name} has driver {release.neuron_driver}, and Neuron SDK {sdk.sdk} needs {sdk.driver}",
            f"these have it: {', '.join(sdk.eks_ami_releases) or 'none'}",
        )
    return release


def _minors() -> list[str]:
    return sorted({minor for release in ami_releases().values() for minor in release.release_versions})


def _newest(sdk: SdkRelease, minor: str) -> AmiRelease:
    fitting = fitting_ami_releases(sdk.sdk, minor)
    if fitting:
        return ami_releases()[fitting[0]]
    if not sdk.eks_ami_releases:
        raise NoPinError(
            f"no known EKS AMI release has driver {sdk.driver}, which Neuron SDK {sdk.sdk} needs",
            f"use Neuron SDK {sdks_with_ami()[0]}, or image: {{type: custom, recipe: neuron}}, whose recipe installs "
            "the driver",
        )
    minors = sorted({each for name in sdk.eks_ami_releases for each in ami_releases()[name].release_versions})
    others = sdks_with_ami(minor)
    raise NoPinError(
        f"no known EKS AMI release with driver {sdk.driver} of Neuron SDK {sdk.sdk} is for Kubernetes {minor}",
        f"use Kubernetes {alternatives(minors)}" + (f", or Neuron SDK {alternatives(others)}" if others else ""),
    )


def _image(release: AmiRelease, inputs: Inputs, sdk: SdkRelease, name: str) -> ImagePin:
    minor, (kind, *words) = inputs.kubernetes_version, inputs.images[name].split()
    return ImagePin(
        ami_type=SYSTEM_AMI_TYPE if name == SYSTEM else ACCELERATOR_AMI_TYPE,
        release=release.release,
        release_version=release.release_versions[minor],
        image_id=UNRESOLVED,
        owner=UNRESOLVED,
        neuron_driver=None if name == SYSTEM else release.neuron_driver,
        kernel=release.kernels[minor],
        custom=None
        if kind == EKS_OPTIMIZED
        else BuiltImage(
            recipe=words[0],
            version=UNRESOLVED,
            neuron_driver=sdk.driver,
            image_ids=_in_its_regions(inputs),
            owner=UNRESOLVED,
        ),
    )


def _kept(pin: ImagePin, inputs: Inputs) -> ImagePin:
    """Returns an older lock's image, in the regions that custom images are in now."""
    kept = forgotten_image(pin)
    custom = kept.custom and dataclasses.replace(kept.custom, image_ids=_in_its_regions(inputs))
    return dataclasses.replace(kept, custom=custom)


def _in_its_regions(inputs: Inputs) -> dict[str, str]:
    return dict.fromkeys((inputs.region, *inputs.image_regions), UNRESOLVED)
