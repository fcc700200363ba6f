"""Whether the pins of a lock fit each other: one that was edited by hand, or made from a wrong table, may not."""

import re

from ami.lock import Lock

_RUNTIME = "aws-neuronx-runtime-lib"
#: From this driver on the host, the container's runtime must be at least the one beside it.
#: Source: AWS Neuron documentation, release-notes/components/runtime.rst, as in releases.yaml.
_DRIVERS_THAT_ASK = (((2, 29), (2, 33)),)
_AL2023 = "AL2023_"


def driver_misfits(lock: Lock) -> tuple[str, ...]:
    """Returns why the accelerator image's driver can't serve the containers of the Neuron SDK; mostly nothing.

    Source: AWS Neuron documentation, release-notes/components/runtime.rst and containers.rst: a driver goes on serving
    older runtimes, while a newer runtime may need a newer driver; driver 2.29 needs runtime 2.33.
    """
    image, neuron = lock.accelerator_image, lock.neuron
    if image.neuron_driver is None:
        return (f"image {image.release} has no Neuron driver",)
    found = []
    driver = _numbers(image.neuron_driver)
    if driver < _numbers(neuron.driver):
        found.append(
            f"image {image.release} has Neuron driver {image.neuron_driver}, and containers of Neuron SDK {neuron.sdk} "
            f"need {neuron.driver} or later"
        )
    runtime = neuron.components.get(_RUNTIME, "")
    for since, at_least in _DRIVERS_THAT_ASK:
        if runtime and driver >= since and _numbers(runtime) < at_least:
            needed = ".".join(map(str, at_least))
            found.append(
                f"image {image.release} has Neuron driver {image.neuron_driver}, which needs runtime {needed} or "
                f"later, and Neuron SDK {neuron.sdk} has {runtime}"
            )
    container = re.search(r"-sdk(\d+(?:\.\d+)+)", neuron.container_image or "")
    if container and container[1] != neuron.sdk:
        found.append(f"the training container is of Neuron SDK {container[1]}, the other pins of {neuron.sdk}")
    return tuple(found)


def image_misfits(lock: Lock) -> tuple[str, ...]:
    """Returns why the images are not ones that the cluster's nodes can start from; mostly nothing.

    Nodes are configured by nodeadm, which AL2023 alone has, and EKS has no AL2 image for Kubernetes 1.33 or later.

    Source: EKS user guide, "EKS AL2 and AL2-accelerated AMIs transition"; awslabs/amazon-eks-ami, nodeadm.
    """
    minor = lock.inputs.kubernetes_version
    found = []
    for image in (lock.accelerator_image, lock.system_image):
        if not image.ami_type.startswith(_AL2023):
            found.append(f"image type {image.ami_type} is not of AL2023, which nodes are configured for")
        if not image.release_version.startswith(f"{minor}."):
            found.append(f"image release {image.release_version} is not for Kubernetes {minor}")
    return tuple(found)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))
