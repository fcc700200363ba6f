"""The offline tables, ``releases.yaml``, ``add_ons.yaml`` and ``charts.yaml``, as frozen rows."""

import datetime as dt
import functools
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from ami.rows import AddOnVersion, AmiRelease, ChartRow, CompatibilityRule, LifecycleEvent, SdkRelease

__all__ = [
    "AddOnVersion",
    "AmiRelease",
    "ChartRow",
    "CompatibilityRule",
    "LifecycleEvent",
    "SdkRelease",
    "add_on_versions",
    "ami_releases",
    "chart_images",
    "charts",
    "collected_on",
    "compatibility",
    "eks_registries",
    "kube_schedulers",
    "lifecycle",
    "sdk_releases",
]


#: What stands in a row for the kube-scheduler of the cluster's minor.
KUBE_SCHEDULER = "{kube_scheduler}"


@functools.cache
def sdk_releases() -> Mapping[str, SdkRelease]:
    """Returns the Neuron SDK releases by number, newest first."""
    return MappingProxyType({row["sdk"]: _sdk_release(row) for row in _table("releases")["sdk_releases"]})


@functools.cache
def lifecycle() -> tuple[LifecycleEvent, ...]:
    """Returns what begins and ends with the Neuron SDK, the newest first."""
    table = _table("releases")
    rows = sorted(table["lifecycle"], key=lambda row: row["date"], reverse=True)
    return tuple(
        LifecycleEvent(date=row["date"], what=row["what"], source=table["sources"][row["source"]]) for row in rows
    )


@functools.cache
def compatibility() -> tuple[CompatibilityRule, ...]:
    """Returns what is stated of what fits what; ``ami.fit`` has the limits among it as numbers."""
    table = _table("releases")
    return tuple(
        CompatibilityRule(what=row["rule"], source=table["sources"][row["source"]]) for row in table["compatibility"]
    )


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


@functools.cache
def charts() -> Mapping[str, ChartRow]:
    """Returns the Helm charts by name."""
    table = _table("charts")
    return MappingProxyType({name: _chart_row(name, row, table["sources"]) for name, row in table["charts"].items()})


@functools.cache
def eks_registries() -> Mapping[str, str]:
    """Returns the host of AWS's EKS add-on images by region; a pull needs ECR credentials of any account.

    Source: EKS user guide, "View Amazon container image registries for Amazon EKS add-ons"; ``charts.yaml``.
    """
    accounts = _table("charts")["eks_registries"]["accounts"]
    return MappingProxyType(
        {region: f"{account}.dkr.ecr.{region}.amazonaws.com" for region, account in accounts.items()}
    )


@functools.cache
def kube_schedulers() -> Mapping[str, str]:
    """Returns the container of the kube-scheduler, with its registry and tag, by Kubernetes minor.

    Source: aws/eks-distro, release pages; ``charts.yaml``.
    """
    return MappingProxyType(_table("charts")["kube_schedulers"]["images"])


def chart_images(
    row: ChartRow, region: str, kubernetes_version: str, *, settings: Collection[str] = ()
) -> tuple[str, ...]:
    """Returns the containers that a chart starts in a cluster, each with its registry and tag.

    Args:
        row: The chart.
        region: The cluster's region, one of ``eks_registries()``.
        kubernetes_version: The cluster's minor.
        settings: Which of the chart's ``optional_images`` are on, such as ``neuron_scheduler``.

    Raises:
        KeyError: Nobody names a kube-scheduler of that minor, and the chart starts one.
    """
    registry = eks_registries()[region]
    return tuple(
        kube_schedulers()[kubernetes_version] if image == KUBE_SCHEDULER else image.replace("{eks_registry}", registry)
        for image in row.images_of(settings)
    )


def collected_on() -> dt.date:
    """Returns the day on which the newest of the tables was put together."""
    newest: dt.date = max(_table(name)["collected"] for name in ("releases", "add_ons", "charts"))
    return newest


def _sdk_release(row: dict[str, Any]) -> SdkRelease:
    return SdkRelease(
        sdk=row["sdk"],
        released=row["released"],
        instance_families=tuple(row["instance_families"]),
        python=tuple(row["python"]),
        efa_installer=row["efa_installer"] or "",
        tested_kernels=tuple(row["tested_kernels"]),
        components=_builds(row["components"]),
        further_components=_builds(row["further_components"]),
        training_containers=MappingProxyType(row["training_containers"]),
        inference_containers=tuple(row["inference_containers"]),
        eks_ami_releases=tuple(row["eks_ami_releases"]),
        note=row.get("note", ""),
        sources=tuple(_table("releases")["sources"][key] for key in row["sources"]),
    )


def _builds(row: dict[str, Any]) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType(
        {name: (builds,) if isinstance(builds, str) else tuple(builds) for name, builds in row.items()}
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


def _chart_row(name: str, row: dict[str, Any], sources: dict[str, dict[str, Any]]) -> ChartRow:
    read = [sources[key] for key in row["sources"]]
    optional = row.get("optional_images", {})
    return ChartRow(
        name=name,
        version=row["version"],
        location=row["location"],
        kubernetes_minimum=row["kubernetes_minimum"],
        digest=row["digest"],
        images=tuple(row["images"]),
        optional_images=MappingProxyType({setting: tuple(images) for setting, images in optional.items()}),
        left_out=MappingProxyType(
            {file["path"]: MappingProxyType(file["instead"]) for file in row.get("left_out", ())}
        ),
        definitions=tuple(row.get("definitions", ())),
        confirmed=row["status"] == "confirmed",
        sources=tuple(source["what"] for source in read),
        read_on=max(source["read_on"] for source in read),
    )


@functools.cache
def _table(name: str) -> dict[str, Any]:
    text = Path(__file__).with_name(f"{name}.yaml").read_text(encoding="utf-8")
    table: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return table
