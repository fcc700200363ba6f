"""The offline tables, ``releases.yaml`` and ``add_ons.yaml``, as frozen rows."""

import datetime as dt
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml


@dataclass(frozen=True, slots=True, kw_only=True)
class SdkRelease:
    """A release of the Neuron SDK.

    Attributes:
        sdk: The release, such as ``2.30.0``.
        released: Its day.
        instance_families: The Trainium families that its driver names, such as ``trn2``.
        python: The Python minor versions that it supports.
        components: Versions by package name; where there are several builds, the newest first.
        training_containers: The training container with its tag by framework; None where the release has none.
        eks_ami_releases: The EKS AMI releases with its driver, newest first.
        note: What else is to be known; mostly empty.
    """

    sdk: str
    released: dt.date
    instance_families: tuple[str, ...]
    python: tuple[str, ...]
    components: Mapping[str, tuple[str, ...]]
    training_containers: Mapping[str, str | None]
    eks_ami_releases: tuple[str, ...]
    note: str

    @property
    def driver(self) -> str:
        """The version of aws-neuronx-dkms that the release ships."""
        return self.components["aws-neuronx-dkms"][0]


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


@functools.cache
def sdk_releases() -> Mapping[str, SdkRelease]:
    """Returns the Neuron SDK releases by number, newest first."""
    return MappingProxyType({row["sdk"]: _sdk_release(row) for row in _table("releases")["sdk_releases"]})


@functools.cache
def ami_releases() -> Mapping[str, AmiRelease]:
    """Returns the EKS AMI releases by name, newest first."""
    return MappingProxyType(
        {
            row["release"]: AmiRelease(
                release=row["release"],
                neuron_driver=row["neuron_driver"],
                release_versions=MappingProxyType(row["release_versions"]),
                kernels=MappingProxyType(row["kernels"]),
            )
            for row in _table("releases")["eks_ami_releases"]
        }
    )


@functools.cache
def add_on_versions() -> Mapping[str, Mapping[str, AddOnVersion]]:
    """Returns the add-ons' versions, by name and then by Kubernetes minor."""
    table = _table("add_ons")
    return MappingProxyType(
        {
            name: MappingProxyType({minor: _add_on_version(row, table["sources"]) for minor, row in rows.items()})
            for name, rows in table["add_ons"].items()
        }
    )


def collected_on() -> dt.date:
    """Returns the day on which the newer of the two tables was put together."""
    newest: dt.date = max(_table(name)["collected"] for name in ("releases", "add_ons"))
    return newest


def _sdk_release(row: dict[str, Any]) -> SdkRelease:
    return SdkRelease(
        sdk=row["sdk"],
        released=row["released"],
        instance_families=tuple(row["instance_families"]),
        python=tuple(row["python"]),
        components=MappingProxyType(
            {
                name: (builds,) if isinstance(builds, str) else tuple(builds)
                for name, builds in row["components"].items()
            }
        ),
        training_containers=MappingProxyType(row["training_containers"]),
        eks_ami_releases=tuple(row["eks_ami_releases"]),
        note=row.get("note", ""),
    )


def _add_on_version(row: dict[str, Any], sources: dict[str, dict[str, Any]]) -> AddOnVersion:
    read = [sources[key] for key in row["sources"]]
    return AddOnVersion(
        version=row["version"],
        chosen=row["chosen"],
        confirmed=row["status"] == "confirmed",
        sources=tuple(source["what"] for source in read),
        read_on=max(source["read_on"] for source in read),
    )


@functools.cache
def _table(name: str) -> dict[str, Any]:
    text = Path(__file__).with_name(f"{name}.yaml").read_text(encoding="utf-8")
    table: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return table
