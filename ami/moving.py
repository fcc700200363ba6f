"""Moves a lock forward on purpose: to the newest pins that fit, or to another Neuron SDK with all that belongs to it.

Nothing moves back: an add-on or a chart that an account named stays where the tables know an older one only, and so
does an AMI release whose driver serves, since EKS takes no node group back to an earlier one.
"""

import dataclasses
from collections.abc import Iterator, Mapping

from ami import offline
from ami.ami_choice import has_plain_nodes, images_of, kept_images, same
from ami.fit import driver_misfit, fitting_ami_releases, kernel_misfit, numbers, sdks_with_container
from ami.no_pin import NoPinError
from ami.pins import EKS_OPTIMIZED, SYSTEM, UNRESOLVED, ChartPin, ImagePin, Inputs, Lock
from ami.remember import remembered
from ami.tables import SdkRelease, ami_releases, sdk_releases

#: The way out for what stands: EKS's system nodes can't be given another name, as a node group can.
_BESIDE = (
    "where it is deployed, deploy an environment beside it: a copy of {file} with another name{changes}"
    "; destroy the old one when its jobs have moved"
)


class RefusedMoveError(Exception):
    """An environment can't move to a Neuron SDK, or to an EKS AMI release.

    Attributes:
        message: Why, in lower case without a full stop.
        ways_out: What can be done instead, each in the same form.
    """

    def __init__(self, message: str, *ways_out: str) -> None:
        super().__init__("; ".join([message, *ways_out]))
        self.message = message
        self.ways_out = ways_out


def upgraded(inputs: Inputs, *, old: Lock, ami_release: str | None = None) -> Lock:
    """Returns the lock with the newest pins that fit; what an account told of pins that stay is not forgotten.

    An add-on that the tables lack for the Kubernetes minor keeps its version; one that is new there is unresolved.

    Raises:
        NoPinError: As for ``offline.lock``.
    """
    new = offline.lock(inputs, ami_release=ami_release, account_follows=True)
    if not ami_release:
        new = dataclasses.replace(new, images=_not_earlier(inputs, old, new))
    if same(old.inputs, inputs, "kubernetes_version"):
        charts = {name: _newer_chart(pin, old.charts.get(name)) for name, pin in new.charts.items()}
        add_ons = {name: _newer(version, old.add_ons.get(name)) for name, version in new.add_ons.items()}
        new = dataclasses.replace(new, add_ons=add_ons, charts=charts)
    return remembered(new, old)


def refuse_move(inputs: Inputs, sdk: str, file: str) -> None:
    """Does nothing where an environment may move to an SDK, itself included.

    Args:
        inputs: The environment as it is.
        sdk: The release to move to.
        file: The environment file, for the commands in the ways out.

    Raises:
        RefusedMoveError: The SDK is unknown or older, has no training container for the framework, or no EKS AMI
            release has its driver.
    """
    try:
        row = offline.sdk_release(sdk)
    except NoPinError as error:
        raise RefusedMoveError(error.message, error.hint) from None
    if sdk == inputs.neuron_sdk:
        return
    if numbers(sdk) < numbers(inputs.neuron_sdk):
        raise _backwards(inputs, sdk, file)
    if not row.training_containers.get(inputs.framework):
        raise _no_container(inputs, row, file)
    if has_plain_nodes(inputs) and not fitting_ami_releases(sdk, inputs.kubernetes_version):
        raise _no_ami(inputs, row, file)


def refuse_release(old: Lock, release: str, file: str) -> None:
    """Does nothing where a lock may move to an EKS AMI release; whether that fits is for ``upgraded`` to say.

    Args:
        old: The lock as it is.
        release: The release to move to.
        file: The environment file, for the commands in the ways out.

    Raises:
        RefusedMoveError: The release is earlier than the pinned one.

    Source: EKS API reference, UpdateNodegroupVersion: a node group can't be rolled back to an earlier AMI version.
    """
    pinned = old.images[SYSTEM].release
    if release in ami_releases() and numbers(release) < numbers(pinned):
        raise RefusedMoveError(
            f"EKS AMI release {release} is earlier than {pinned}, which is pinned, and EKS takes no node group back to "
            "an earlier AMI",
            f"where nothing is deployed yet, run: trnstack lock --ami-release {release} {file}",
            _BESIDE.format(file=file, changes=f", locked with --ami-release {release}"),
        )


def movable_sdks(inputs: Inputs) -> tuple[str, ...]:
    """Returns the SDKs that an environment may move to, newest first: its own is not among them."""
    known = sdk_releases()
    return tuple(
        sdk
        for sdk in sdks_with_container(inputs.framework)
        if numbers(sdk) > numbers(inputs.neuron_sdk)
        and (not has_plain_nodes(inputs) or fitting_ami_releases(known[sdk].sdk, inputs.kubernetes_version))
    )


def _not_earlier(inputs: Inputs, old: Lock, new: Lock) -> Mapping[str, ImagePin]:
    """Returns the new lock's images, of the older lock's AMI release where that is a later one and serves."""
    pinned, minor = old.images[SYSTEM].release, inputs.kubernetes_version
    if not same(old.inputs, inputs, "kubernetes_version") or numbers(pinned) <= numbers(new.images[SYSTEM].release):
        return new.images
    row = ami_releases().get(pinned)
    if row and minor in row.release_versions:
        images = images_of(row, inputs, offline.sdk_release(inputs.neuron_sdk))
    elif same(old.inputs, inputs, "neuron_sdk", "images"):
        images = kept_images(inputs, old)
    else:
        return new.images
    return images if all(_serves(pin, new) for name, pin in images.items() if name != SYSTEM) else new.images


def _serves(pin: ImagePin, lock: Lock) -> bool:
    driver = pin.nodes_driver
    return driver is not None and not driver_misfit(driver, lock.neuron) and not kernel_misfit(pin.kernel, driver)


def _newer(version: str, old: str | None) -> str:
    if old is None or old == UNRESOLVED:
        return version
    return old if version == UNRESOLVED or numbers(old) > numbers(version) else version


def _newer_chart(pin: ChartPin, old: ChartPin | None) -> ChartPin:
    if old is None or old.location != pin.location or numbers(old.version) < numbers(pin.version):
        return pin
    if old.version != pin.version:
        return old
    known = old if old.digest != UNRESOLVED else pin  # what a version was stays pinned; its containers may be others
    return dataclasses.replace(pin, digest=known.digest, archive=known.archive)


def _backwards(inputs: Inputs, sdk: str, file: str) -> RefusedMoveError:
    """Returns the refusal of an older SDK.

    Source: EKS API reference, UpdateNodegroupVersion: a node group can't be rolled back to an earlier AMI version.
    """
    return RefusedMoveError(
        f"Neuron SDK {sdk} is older than {inputs.neuron_sdk}, and EKS takes no node group back to an earlier AMI",
        f'where nothing is deployed yet, write sdk: "{sdk}" and run: trnstack lock {file}',
        _BESIDE.format(file=file, changes=f' and sdk: "{sdk}"'),
    )


def _no_container(inputs: Inputs, row: SdkRelease, file: str) -> RefusedMoveError:
    framework = inputs.framework
    with_one = sdks_with_container(framework)
    later = [sdk for sdk in with_one if numbers(sdk) > numbers(row.sdk)]
    message = f"Neuron SDK {row.sdk} has no training container for {framework}; "
    by_hand = f'with a container of your own, write sdk: "{row.sdk}" and run: trnstack lock {file}'
    if later:
        newest = next(iter(movable_sdks(inputs)), None)
        ways = [f"run: trnstack lock --upgrade --sdk {newest} {file}"] if newest else []
        return RefusedMoveError(f"{message}{later[-1]} is the next that has one", *ways, by_hand)
    message += f"{with_one[0]} is the last that has one" if with_one else "none is known that has one"
    return RefusedMoveError(message, *_stay(inputs, with_one, file), by_hand)


def _stay(inputs: Inputs, with_one: tuple[str, ...], file: str) -> Iterator[str]:
    if with_one[:1] == (inputs.neuron_sdk,):
        yield f"stay on {inputs.neuron_sdk}, and move AMI release, add-ons and charts: trnstack lock --upgrade {file}"
    elif with_one and with_one[0] in movable_sdks(inputs):
        yield f"run: trnstack lock --upgrade --sdk {with_one[0]} {file}"


def _no_ami(inputs: Inputs, row: SdkRelease, file: str) -> RefusedMoveError:
    minor, plain = inputs.kubernetes_version, [n for n, kind in inputs.images.items() if _is_plain(n, kind)]
    groups = f"node group{'' if len(plain) == 1 else 's'} {', '.join(plain)}"
    for_minor = f" for Kubernetes {minor}" if row.eks_ami_releases else ""
    message = (
        f"no EKS AMI release in the table{for_minor} carries driver {row.driver}, which Neuron SDK {row.sdk} needs"
    )
    newest = next(iter(movable_sdks(inputs)), None)
    by_recipe = f"image: {{type: custom, recipe: neuron}} on {groups}, whose recipe installs driver {row.driver}"
    ways = [f"{by_recipe}; a node group that stands needs another name for it, since EKS changes no group's AMI type"]
    if newest:
        has = f"the newest with an EKS AMI release and a training container for {inputs.framework}"
        ways.insert(0, f"run: trnstack lock --upgrade --sdk {newest} {file}, {has}")
    return RefusedMoveError(message, *ways)


def _is_plain(name: str, kind: str) -> bool:
    return name != SYSTEM and kind == EKS_OPTIMIZED
