"""Whether versions fit each other: driver and runtime, driver and kernel, chips and SDK. Arithmetic on stated limits.

Each limit is stated in ``releases.yaml`` under ``compatibility``, with its source.
"""

import re

from ami.pins import NeuronPin
from ami.tables import ami_releases, sdk_releases

RUNTIME = "aws-neuronx-runtime-lib"
#: From this driver on the host, the container's runtime must be at least the one beside it.
_DRIVERS_THAT_ASK = (((2, 29), (2, 33)),)
#: From this runtime in the container, the host's driver must be newer than the one beside it.
_RUNTIMES_THAT_ASK = (((2, 32), (2, 26)),)
#: From this kernel on, the driver must be at least the one beside it, or of the older line that got the same patch.
_KERNELS_THAT_ASK = (((6, 18), (2, 26, 10), (2, 24, 13)),)


def numbers(version: str) -> tuple[int, ...]:
    """Returns the numbers of a version or of a release's name, to compare it with another."""
    return tuple(map(int, re.findall(r"\d+", version)))


def driver_misfit(driver: str, neuron: NeuronPin) -> str:
    """Returns what a driver lacks to serve the containers of an SDK; empty where it serves them.

    The driver is on the host, the runtime in the container. A driver serves older runtimes too, and a newer runtime may
    need a newer driver; driver 2.29 is the exception, it needs runtime 2.33.

    Source: AWS Neuron documentation, release-notes/components/runtime.rst and containers.rst, nrt-troubleshoot.rst.
    """
    found, runtime = numbers(driver), neuron.components.get(RUNTIME, "")
    if found < numbers(neuron.driver):
        text = f"containers of Neuron SDK {neuron.sdk} need {neuron.driver} or later"
        for since, too_old in _RUNTIMES_THAT_ASK:
            if numbers(runtime) >= since and found[: len(too_old)] <= too_old:
                text += f": their runtime {runtime} does not work on driver {_dotted(too_old)} or older"
        return text
    for since, at_least in _DRIVERS_THAT_ASK:
        if runtime and found >= since and numbers(runtime) < at_least:
            needed = _dotted(at_least)
            return f"that needs runtime {needed} or later, and containers of Neuron SDK {neuron.sdk} have {runtime}"
    return ""


def kernel_misfit(kernel: str, driver: str) -> str:
    """Returns the first driver that works on a kernel, where the given one is older; empty where it works.

    Source: AWS Neuron documentation, release-notes/prev/2.28.1.rst, and prev/2.26.0/runtime.rst for the patch.
    """
    found = numbers(driver)
    for since, at_least, patch in _KERNELS_THAT_ASK:
        patched = found[:2] == patch[:2] and found >= patch
        if numbers(kernel) >= since and found < at_least and not patched:
            return _dotted(at_least)
    return ""


def instance_family(instance_type: str) -> str:
    """Returns the family by which a driver lists an instance type: ``trn2`` for ``trn2u.48xlarge``."""
    found = re.match(r"trn\d+", instance_type)
    return found[0] if found else instance_type.partition(".")[0]


def fitting_ami_releases(sdk: str, minor: str) -> tuple[str, ...]:
    """Returns the EKS AMI releases with an SDK's own driver that are for a Kubernetes minor, newest first.

    The SDK's own driver is the one pairing that every stated limit allows.
    """
    row = sdk_releases().get(sdk)
    releases = ami_releases()
    return tuple(name for name in row.eks_ami_releases if minor in releases[name].release_versions) if row else ()


def sdks_with_ami(minor: str | None = None) -> tuple[str, ...]:
    """Returns the SDK releases whose driver an EKS AMI release has, newest first; for a Kubernetes minor, if given."""
    releases = ami_releases()
    return tuple(
        sdk.sdk
        for sdk in sdk_releases().values()
        if any(minor is None or minor in releases[name].release_versions for name in sdk.eks_ami_releases)
    )


def sdks_with_container(framework: str) -> tuple[str, ...]:
    """Returns the SDK releases that have a training container for the framework, newest first."""
    return tuple(name for name, sdk in sdk_releases().items() if sdk.training_containers.get(framework))


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
