"""The shapes of a lock: everything that floats, held still. Stands on the standard library alone."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

#: Stands where a value is that only an account or a registry can tell, and none was asked.
UNRESOLVED = "unresolved"
#: Stands for the id of a custom image that the account was asked for and that nobody has built yet.
NOT_BUILT = "not built"
#: The system nodes' key among a lock's images.
SYSTEM = "system"
#: An input's value for nodes that start from the EKS-optimized AMI.
EKS_OPTIMIZED = "eks_optimized"
#: The tags by which a custom AMI is known in its account: its environment's and its recipe's name, and the version of
#: what went into it.
ENVIRONMENT_TAG, RECIPE_TAG, RECIPE_VERSION_TAG = "trnstack:environment", "trnstack:recipe", "trnstack:recipe-version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkit:
    """What made a lock: the versions that templates depend on beside the pins."""

    trnstack: str
    aws_cdk_lib: str
    aws_cdk_cli: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The parts of an environment that a lock answers; when they change, the lock is stale.

    Attributes:
        environment: The environment's name.
        region: The region's name.
        kubernetes_version: The minor version, such as ``1.35``.
        neuron_sdk: The Neuron SDK's release, such as ``2.30.0``.
        framework: ``pytorch`` or ``jax``.
        images: What the nodes start from, by node group, the system nodes under ``system``: ``eks_optimized``, or
            ``custom`` with the recipe's name and a hash of its files.
        image_regions: The further regions that custom images are copied to, sorted.
        add_ons: The names of the EKS add-ons that the cluster has, sorted.
        charts: The names of the Helm charts that the cluster has, sorted.
        chart_settings: The settings under ``kubernetes`` with which charts start further containers, sorted.
    """

    environment: str
    region: str
    kubernetes_version: str
    neuron_sdk: str
    framework: str
    images: Mapping[str, str]
    image_regions: tuple[str, ...]
    add_ons: tuple[str, ...]
    charts: tuple[str, ...]
    chart_settings: tuple[str, ...]

    @property
    def hash(self) -> str:
        """A hash of all of it, which says at a glance whether two locks answer the same."""
        return hash_of(asdict(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerPin:
    """A container image.

    Attributes:
        image: Its name with its tag.
        digest: ``sha256:...`` of what the tag meant when the lock was made, or ``unresolved``.
    """

    image: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuronPin:
    """The Neuron SDK's components.

    Attributes:
        sdk: The release.
        driver: The version of aws-neuronx-dkms that the release ships.
        components: Versions by package name.
        container: The training container; None where the release has none for the framework.
    """

    sdk: str
    driver: str
    components: Mapping[str, str]
    container: ContainerPin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltImage:
    """A custom image.

    Attributes:
        recipe: The name of its recipe.
        version: Twelve hexadecimal digits that change with whatever goes into the image, or ``unresolved``.
        neuron_driver: The version of aws-neuronx-dkms that the recipe installs.
        image_ids: The AMI by region; ``not built`` or ``unresolved`` where there is none.
        owner: The account that built it; ``not built`` or ``unresolved`` where there is none.
    """

    recipe: str
    version: str
    neuron_driver: str
    image_ids: Mapping[str, str]
    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePin:
    """The AMI that a node group's nodes start from, or, under a custom image, its parent.

    Attributes:
        ami_type: EKS's name of the AMI family, such as ``AL2023_x86_64_NEURON``.
        release: The release's name in its change log, such as ``v20260625``.
        release_version: What a node group names, such as ``1.35.3-20260625``.
        image_id: The AMI's id in the environment's region, or ``unresolved``.
        owner: The account that published it, or ``unresolved``.
        neuron_driver: The version of aws-neuronx-dkms in it; None in an AMI without Neuron.
        kernel: The kernel's major and minor version.
        custom: The image that is built on it; None where nodes start from the release itself.
    """

    ami_type: str
    release: str
    release_version: str
    image_id: str
    owner: str
    neuron_driver: str | None
    kernel: str
    custom: BuiltImage | None

    @property
    def nodes_driver(self) -> str | None:
        """The version of aws-neuronx-dkms on the nodes; None on nodes without Neuron."""
        return self.custom.neuron_driver if self.custom else self.neuron_driver


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartPin:
    """A Helm chart.

    Attributes:
        version: The chart's version.
        location: Where it is had: ``oci://...``, or an HTTP repository and the chart's name.
        digest: ``sha256:...`` of the chart, or ``unresolved``.
        archive: ``sha256:...`` of its archive, or ``unresolved``: of a chart in an HTTP repository the digest itself.
        images: The digests, or ``unresolved``, of the containers that it starts, by name with tag.
    """

    version: str
    location: str
    digest: str
    archive: str
    images: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """Everything that floats, held still.

    Attributes:
        toolkit: What made the lock.
        inputs: What the lock answers.
        made_from: Where the newest of the pins come from: the offline tables and their date, or AWS.
        rehearsal_account: The account of the embedded AWS that was asked; None for a lock that may reach AWS.
        neuron: The Neuron SDK.
        images: The AMI by node group; the system nodes' is ``system``.
        add_ons: EKS add-on versions by name.
        charts: Helm charts by name.
    """

    toolkit: Toolkit
    inputs: Inputs
    made_from: str
    rehearsal_account: str | None
    neuron: NeuronPin
    images: Mapping[str, ImagePin]
    add_ons: Mapping[str, str]
    charts: Mapping[str, ChartPin]

    @property
    def unresolved(self) -> tuple[str, ...]:
        """The places of the values that nobody was asked for, such as ``neuron.container.digest``."""
        return tuple(_places_of(UNRESOLVED, asdict(self)))

    @property
    def awaiting_build(self) -> tuple[str, ...]:
        """The node groups whose custom image is not built yet in the environment's region."""
        return tuple(
            name
            for name, pin in self.images.items()
            if pin.custom and pin.custom.image_ids[self.inputs.region] == NOT_BUILT
        )


def archive_of(location: str, digest: str) -> str:
    """Returns what is known of a chart's archive from its digest: in an HTTP repository they are the same."""
    return UNRESOLVED if location.startswith("oci://") else digest


def rebuild_output(recipe: str) -> str:
    """Returns the output of the images' stack that holds the command by which a recipe's image is built once more."""
    return f"RebuildCommand{recipe.title().replace('-', '')}"


def hash_of(data: Any) -> str:
    """Returns a hash of plain data, whatever the order of its keys."""
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def _places_of(wanted: str, value: Any, place: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _places_of(wanted, each, f"{place}.{key}" if place else key)
    elif value == wanted:
        yield place
