"""Asks EKS which versions of an add-on it offers."""

from typing import NamedTuple

from account.calls import pages
from ami.fit import numbers
from ami.pins import UNRESOLVED
from ami.resolve.asking import UnansweredError
from ami.resolve.aws import Aws


class Offered(NamedTuple):
    """The versions of an add-on that EKS offers for a Kubernetes minor.

    Attributes:
        versions: All of them, newest first.
        default: The one that EKS takes where none is named; None where it names none.
    """

    versions: tuple[str, ...]
    default: str | None


def offered_add_on(aws: Aws, name: str, minor: str) -> Offered:
    """Returns what EKS offers of an add-on.

    Args:
        aws: The account.
        name: The add-on.
        minor: The Kubernetes minor.

    Raises:
        UnansweredError: EKS offers no version of it for the minor.
        AccountError: AWS gave no answer.

    Source: EKS API reference, DescribeAddonVersions; ``compatibilities[].defaultVersion``.
    """
    answers = pages(aws.client("eks"), "describe_addon_versions", addonName=name, kubernetesVersion=minor)
    is_default = {
        version["addonVersion"]: bool(compatibility.get("defaultVersion"))
        for answer in answers
        for add_on in answer["addons"]
        for version in add_on["addonVersions"]
        for compatibility in version["compatibilities"]
        if compatibility["clusterVersion"] == minor
    }
    if not is_default:
        raise UnansweredError(
            f"EKS in {aws.region} offers no version of add-on {name} for Kubernetes {minor}",
            "look at eks.kubernetes_version in the environment file",
        )
    return Offered(
        versions=tuple(sorted(is_default, key=numbers, reverse=True)),
        default=next((version for version, default in is_default.items() if default), None),
    )


def add_on_version(aws: Aws, name: str, minor: str, pinned: str) -> str:
    """Returns an add-on's version: the pinned one if EKS offers it, and without one EKS's default or else the newest.

    Args:
        aws: The account.
        name: The add-on.
        minor: The Kubernetes minor.
        pinned: The version, or ``unresolved``.

    Raises:
        UnansweredError: EKS does not offer it.
        AccountError: AWS gave no answer.
    """
    offered = offered_add_on(aws, name, minor)
    newest, default = offered.versions[0], offered.default
    if pinned == UNRESOLVED:
        return default or newest
    if pinned not in offered.versions:
        has = f"its default is {default}, its newest {newest}" if default else f"its newest is {newest}"
        raise UnansweredError(
            f"EKS in {aws.region} does not offer {name} {pinned} for Kubernetes {minor}; {has}",
            f"take it: trnstack lock --add-on {name}={default or newest} FILE",
        )
    return pinned
