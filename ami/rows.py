"""The rows of the offline tables: frozen records, each with where it comes from."""

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SdkRelease:
    """A release of the Neuron SDK.

    Attributes:
        sdk: The release, such as ``2.30.0``.
        released: Its day.
        instance_families: The Trainium families that its driver names, such as ``trn2``.
        python: The Python minor versions that it supports.
        efa_installer: The EFA installer that it names; empty where it names none.
        tested_kernels: The kernels of AL2023 that its driver was tested on, the newest first; empty where none is told.
        components: Versions by package name; where there are several builds, the newest first.
        further_components: The same of what a lock does not pin: inference, and packages of several lines side by side.
        training_containers: The training container with its tag by framework; None where the release has none.
        inference_containers: The other containers with their tags.
        eks_ami_releases: The EKS AMI releases with its driver, newest first.
        note: What else is to be known; mostly empty.
        sources: What was read, in words.
    """

    sdk: str
    released: dt.date
    instance_families: tuple[str, ...]
    python: tuple[str, ...]
    efa_installer: str
    tested_kernels: tuple[str, ...]
    components: Mapping[str, tuple[str, ...]]
    further_components: Mapping[str, tuple[str, ...]]
    training_containers: Mapping[str, str | None]
    inference_containers: tuple[str, ...]
    eks_ami_releases: tuple[str, ...]
    note: str
    sources: tuple[str, ...]

    @property
    def driver(self) -> str:
        """The version of aws-neuronx-dkms that the release ships."""
        return self.components["aws-neuronx-dkms"][0]


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleEvent:
    """Something that begins or ends with the Neuron SDK.

    Attributes:
        date: The day.
        what: What begins or ends.
        source: What was read, in words.
    """

    date: dt.date
    what: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompatibilityRule:
    """A statement of what fits what.

    Attributes:
        what: What fits what, in words.
        source: What was read, in words.
    """

    what: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AmiRelease:
    """A release of the EKS-optimized AL2023 AMIs.

    Attributes:
        release: Its name in the change log, such as ``v20260625``.
        neuron_driver: The version of aws-neuronx-dkms in the Neuron AMI.
        release_versions: What a node group names, by Kubernetes minor, such as ``1.35.6-20260625``.
        kernels: The kernel's major and minor version by Kubernetes minor.
    """

    release: str
    neuron_driver: str
    release_versions: Mapping[str, str]
    kernels: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddOnVersion:
    """The pinned version of an EKS add-on for one Kubernetes minor.

    Attributes:
        version: The build, such as ``v1.22.4-eksbuild.3``.
        chosen: Why this build: ``aws_default``, ``confirmed`` or ``newest_seen``.
        confirmed: Whether AWS, or a dump of its API, pairs the build with the minor.
        sources: What was read, in words.
        read_on: The day of the newest of them.
    """

    version: str
    chosen: str
    confirmed: bool
    sources: tuple[str, ...]
    read_on: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartRow:
    """The pinned version of a Helm chart.

    Attributes:
        name: The chart's name.
        version: Its version, such as ``0.19.2``; some charts write a leading v.
        location: Where it is had: ``oci://...``, or the address of an HTTP repository and the chart's name.
        kubernetes_minimum: The oldest minor that its authors name, such as ``1.29``; None where they name none.
        digest: ``sha256:...`` of the chart, where a source names it, else None.
        images: The containers that it starts on a cluster of ours, with their tags; ``{eks_registry}`` stands for the
            region's registry of EKS add-on images, ``{kube_scheduler}`` for the minor's kube-scheduler.
        optional_images: The containers that it starts as well, by the setting under ``kubernetes`` that turns them on.
        left_out: The files of its archive that are not handed to Helm, each with the object that is instead.
        definitions: Its folders with resource definitions that Helm makes once, and neither changes nor deletes.
        confirmed: Whether its authors' own repositories or pages name version, location and images.
        sources: What was read, in words.
        read_on: The day of the newest of them.
    """

    name: str
    version: str
    location: str
    kubernetes_minimum: str | None
    digest: str | None
    images: tuple[str, ...]
    optional_images: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, Mapping[str, Any]]
    definitions: tuple[str, ...]
    confirmed: bool
    sources: tuple[str, ...]
    read_on: dt.date

    def images_of(self, settings: Collection[str]) -> tuple[str, ...]:
        """Returns the containers that it starts with settings under ``kubernetes``, as they stand in the table."""
        more = (image for name, images in self.optional_images.items() if name in settings for image in images)
        return (*self.images, *more)
