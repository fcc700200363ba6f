"""What must hold of a lock beside its environment: its pins fit each other, the cluster and the chips.

A lock that trnstack makes fits. One that was made from a table which has been corrected since, that keeps an older
release, or that somebody put together by hand, may not. Whether logical NeuronCores fit the chip is asked of the
environment alone, by NEU001.
"""

import re
from collections.abc import Callable, Iterator

from ami.fit import (
    driver_misfit,
    fitting_ami_releases,
    instance_family,
    kernel_misfit,
    sdks_with_container,
)
from ami.pins import NOT_BUILT, SYSTEM, UNRESOLVED, ImagePin, Lock
from ami.tables import ami_releases, sdk_releases
from trnstack.findings import Finding, Path, Severity
from trnstack.spec import Environment

__all__ = ["LOCK_RULES", "LockRule", "check_lock"]

#: The third argument is the command that makes the lock anew, as a hint says it: ``run: trnstack lock FILE``.
LockRule = Callable[[Environment, Lock, str], Iterator[Finding]]

_AL2023 = "AL2023_"
#: The package without which an SDK does not train with a framework.
_PACKAGES = {"pytorch": "torch-neuronx", "jax": "jax_neuronx"}
_TAG = re.compile(r"/(?P<framework>[a-z]+)-training-neuronx:.*-py3(?P<python>\d+)-sdk(?P<sdk>\d+(?:\.\d+)+)")
_OWN_IMAGE = "image: {type: custom, recipe: neuron}, whose recipe installs the driver"


def driver_serves_the_containers(environment: Environment, lock: Lock, make: str) -> Iterator[Finding]:
    """IMG004: The Neuron driver of a node group's image serves the containers of the SDK.

    The driver is on the host, the runtime in the container. A driver older than the SDK's own, or driver 2.29 beside a
    runtime older than 2.33, fails when a job starts. Newer is not always safe.

    Source: AWS Neuron documentation, release-notes/components/runtime.rst and containers.rst, nrt-troubleshoot.rst.
    """
    for path, image in _accelerators(environment, lock):
        driver = image.nodes_driver
        why = driver_misfit(driver, lock.neuron) if driver else "jobs need one"
        if why:
            yield Finding(
                code="IMG004",
                path=path,
                message=f"{_named(image)} has {f'Neuron driver {driver}' if driver else 'no Neuron driver'}; {why}",
                hint=_fitting(lock, make),
            )


def images_are_of_the_kubernetes_version(environment: Environment, lock: Lock, make: str) -> Iterator[Finding]:
    """IMG005: Every image is of AL2023 and of the cluster's Kubernetes version.

    Nodes are configured by nodeadm, which AL2023 alone has, and EKS has no AL2 image for Kubernetes 1.33 or later.

    Source: EKS user guide, "EKS AL2 and AL2-accelerated AMIs transition"; awslabs/amazon-eks-ami, nodeadm.
    """
    minor = environment.eks.kubernetes_version
    for path, image in _images(environment, lock):
        if not image.ami_type.startswith(_AL2023):
            message = f"image type {image.ami_type} is not of AL2023, which nodes are configured for"
        elif not image.release_version.startswith(f"{minor}."):
            message = f"image release {image.release_version} is not for Kubernetes {minor}"
        else:
            continue
        yield Finding(code="IMG005", path=path, message=message, hint=_upgrade(make))


def ami_releases_are_as_published(environment: Environment, lock: Lock, make: str) -> Iterator[Finding]:
    """IMG010: What the lock says of an EKS AMI release is what its publishers say: driver, kernel, release version.

    A lock that was made from a table which has been corrected since says something else, and would be believed.

    Source: awslabs/amazon-eks-ami, CHANGELOG.md, as in ami/releases.yaml.
    """
    minor = environment.eks.kubernetes_version
    for path, image in _images(environment, lock):
        row = ami_releases().get(image.release)
        if row is None:
            continue
        stated = {
            "driver": (image.neuron_driver, image.neuron_driver and row.neuron_driver),
            "kernel": (image.kernel, row.kernels.get(minor)),
            "release version": (image.release_version, row.release_versions.get(minor)),
        }
        for name, (pinned, published) in stated.items():
            if pinned != published:
                has = f"has {name} {published}" if published else f"has no {name} for Kubernetes {minor}"
                message = f"EKS AMI release {image.release} {has}, and the lock says {pinned}"
                yield Finding(code="IMG010", path=path, message=message, hint=_upgrade(make))


def container_is_of_framework_sdk_and_python(environment: Environment, lock: Lock, make: str) -> Iterator[Finding]:
    """IMG011: The training container is of the framework, of the SDK that is pinned, and of a Python that the SDK has.

    A container of another SDK has another runtime than the one for which the driver was chosen.

    Source: aws-neuron/deep-learning-containers, README.md: the parts of a tag; aws-neuron-sdk, n2-manifest.json.
    """
    image = lock.neuron.container.image if lock.neuron.container else ""
    tag = _TAG.search(image)
    if tag is None:
        return
    sdk, framework = lock.neuron.sdk, environment.neuron.framework
    row = sdk_releases().get(sdk)
    python = f"3.{tag['python']}"
    if tag["framework"] != framework:
        message = f"the training container is of {tag['framework']}, and the environment's framework is {framework}"
    elif tag["sdk"] != sdk:
        message = f"the training container is of Neuron SDK {tag['sdk']}, the other pins are of {sdk}"
    elif row and python not in row.python:
        message = f"the training container has Python {python}, and Neuron SDK {sdk} is for {', '.join(row.python)}"
    else:
        return
    yield Finding(code="IMG011", path=("neuron", "framework"), message=message, hint=_upgrade(make))


def sdk_has_the_frameworks_package(environment: Environment, lock: Lock, make: str) -> Iterator[Finding]:
    """IMG012: The SDK ships the package with which the framework trains: torch-neuronx, jax_neuronx.

    Without it jobs have to bring an older one along, which is made for an older runtime.

    Source: aws-neuron/aws-neuron-sdk, src/helperscripts/n2-manifest.json, as in ami/releases.yaml.
    """
    framework = environment.neuron.framework
    package = _PACKAGES[framework]
    if package in lock.neuron.components:
        return
    newest = next((sdk for sdk, row in sdk_releases().items() if package in row.components), None)
    yield Finding(
        code="IMG012",
        severity=Severity.WARNING,
        path=("neuron", "sdk"),
        message=f"SDK {lock.neuron.sdk} has no {package}, with which {framework} trains",
        hint=f'the newest that has it is {newest}: write sdk: "{newest}" and {make}' if newest else "",
    )


def training_container_exists(environment: Environment, lock: Lock, make: str) -> Iterator[Finding]:
    """IMG013: The SDK has a training container for the framework; without one, jobs need a container of their own.

    Source: aws-neuron/deep-learning-containers, README.md, as in ami/releases.yaml.
    """
    if lock.neuron.container is not None:
        return
    framework = environment.neuron.framework
    newest = next(iter(sdks_with_container(framework)), None)
    yield Finding(
        code="IMG013",
        severity=Severity.WARNING,
        path=("neuron", "sdk"),
        message=f"SDK {lock.neuron.sdk} has no training container for {framework}",
        hint=f'the newest that has one is {newest}: write sdk: "{newest}" and {make}, or bring your own container'
        if newest
        else "bring your own container",
    )


def kernel_is_served_by_the_driver(environment: Environment, lock: Lock, make: str) -> Iterator[Finding]:
    """IMG014: The Neuron driver of a node group's image works on the image's kernel: 6.18 needs driver 2.26.10.

    Source: AWS Neuron documentation, release-notes/prev/2.28.1.rst.
    """
    for path, image in _accelerators(environment, lock):
        needed = kernel_misfit(image.kernel, image.nodes_driver) if image.nodes_driver else ""
        if needed:
            yield Finding(
                code="IMG014",
                path=path,
                message=f"{_named(image)} has kernel {image.kernel}, on which Neuron driver {image.nodes_driver} "
                f"does not work: {needed} is the first that does",
                hint=_fitting(lock, make),
            )


def chips_are_served_by_the_sdk(environment: Environment, lock: Lock, make: str) -> Iterator[Finding]:
    """IMG015: The SDK's driver lists the chips of every node group: Trn3 is listed from SDK 2.29.0 on.

    Source: aws-neuron/aws-neuron-sdk, src/helperscripts/n2-manifest.json, as in ami/releases.yaml.
    """
    row = sdk_releases().get(lock.neuron.sdk)
    if row is None:
        return
    for index, group in enumerate(environment.node_groups):
        family = instance_family(group.instance_type)
        if family in row.instance_families:
            continue
        *_, first = ("", *(sdk for sdk, each in sdk_releases().items() if family in each.instance_families))
        listed = ", ".join(row.instance_families)
        yield Finding(
            code="IMG015",
            path=("node_groups", index, "instance_type"),
            message=f"the driver of Neuron SDK {row.sdk} is for {listed}, not for {family}",
            hint=f'write sdk: "{first}" or later, and {make}' if first else "",
        )


def custom_images_are_built_in_the_account(environment: Environment, lock: Lock, make: str) -> Iterator[Finding]:
    """IMG016: Custom images are built in the account that the environment names.

    An AMI is its owner's alone: nodes of another account can't start from it. A rehearsal builds in an account of its
    own, and its lock reaches no other.

    Source: Amazon EC2 API reference, DescribeImages: implicit and explicit launch permissions.
    """
    account = environment.account
    if account is None or lock.rehearsal_account:
        return
    for path, image in _accelerators(environment, lock):
        owner = image.custom.owner if image.custom else account
        if owner not in {account, NOT_BUILT, UNRESOLVED}:
            yield Finding(
                code="IMG016",
                path=path,
                message=f"{_named(image)} was built in account {owner}, and the environment is for account {account}",
                hint=f"with credentials of {account}, {make}",
            )


def check_lock(environment: Environment, lock: Lock, make: str) -> list[Finding]:
    """Returns everything that the rules find in a lock, in the order of the rules.

    Args:
        environment: The environment that the lock answers.
        lock: A lock that is current.
        make: The command that makes the lock anew, as a hint says it.
    """
    return [finding for rule in LOCK_RULES for finding in rule(environment, lock, make)]


def _accelerators(environment: Environment, lock: Lock) -> Iterator[tuple[Path, ImagePin]]:
    for index, group in enumerate(environment.node_groups):
        yield ("node_groups", index, "image"), lock.images[group.name]


def _images(environment: Environment, lock: Lock) -> Iterator[tuple[Path, ImagePin]]:
    yield from _accelerators(environment, lock)
    yield ("eks", "system_node_group"), lock.images[SYSTEM]


def _named(image: ImagePin) -> str:
    return f"the custom image on {image.release}" if image.custom else f"EKS AMI release {image.release}"


def _fitting(lock: Lock, make: str) -> str:
    """Returns the AMI releases that fit, and the command that takes the newest of them."""
    releases = fitting_ami_releases(lock.neuron.sdk, lock.inputs.kubernetes_version)
    if not releases:
        return f"no EKS AMI release with driver {lock.neuron.driver} is known: {_OWN_IMAGE}"
    return f"fits: {', '.join(releases)}; {_upgrade(make)}"


def _upgrade(make: str) -> str:
    """Returns the command that moves the lock forward; making it anew would keep what it pins."""
    return make.replace("trnstack lock ", "trnstack lock --upgrade ", 1)


LOCK_RULES: tuple[LockRule, ...] = (
    driver_serves_the_containers,
    images_are_of_the_kubernetes_version,
    ami_releases_are_as_published,
    container_is_of_framework_sdk_and_python,
    sdk_has_the_frameworks_package,
    training_container_exists,
    kernel_is_served_by_the_driver,
    chips_are_served_by_the_sdk,
    custom_images_are_built_in_the_account,
)
#: As in every module of rules.
RULES = LOCK_RULES
