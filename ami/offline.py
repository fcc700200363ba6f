"""Chooses the pins of a lock from the offline tables alone: no account, no network, no clock.

What an older lock pins stays pinned while what it answers is asked unchanged: newer rows in the tables move nothing.
``ami.ami_choice`` chooses the EKS AMI release, ``ami.moving`` moves a lock forward on purpose.
"""

from ami import ami_choice
from ami.fit import numbers, sdks_with_container
from ami.no_pin import NoPinError, alternatives, listed, meant
from ami.pins import UNRESOLVED, ChartPin, ContainerPin, Inputs, Lock, NeuronPin, archive_of
from ami.remember import forgotten, remembered
from ami.tables import (
    KUBE_SCHEDULER,
    SdkRelease,
    add_on_versions,
    chart_images,
    charts,
    collected_on,
    kube_schedulers,
    sdk_releases,
)
from ami.toolkit import installed

__all__ = ["TABLES", "NoPinError", "add_on_notes", "lock", "sdk_release", "sdks_with_container"]

TABLES = "offline tables"


def lock(
    inputs: Inputs, *, keep: Lock | None = None, ami_release: str | None = None, account_follows: bool = False
) -> Lock:
    """Returns the lock that the offline tables give; the same inputs, tables and older lock give the same lock.

    A release without a training container for the framework is no error: its container is None.

    Args:
        inputs: What the lock is to answer.
        keep: An older lock, whose pins stay where what they answer is asked unchanged.
        ami_release: The EKS AMI release to take in place of the newest that fits, such as ``v20260618``.
        account_follows: Whether an account is asked next, which knows add-ons that the tables lack: such a version is
            then left unresolved.

    Raises:
        NoPinError: The SDK, the framework, an add-on, a chart or the Kubernetes version has no pin.
    """
    if keep and keep.rehearsal_account:
        keep = forgotten(keep)
    sdk = sdk_release(inputs.neuron_sdk)
    images = ami_choice.images(inputs, sdk, keep, ami_release)
    chosen = Lock(
        toolkit=installed(),
        inputs=inputs,
        made_from=f"{TABLES} of {collected_on()}",
        rehearsal_account=None,
        neuron=_neuron(inputs, sdk, keep),
        images=images,
        add_ons=_add_ons(inputs, keep, account_follows=account_follows),
        charts=_charts(inputs, keep),
    )
    return remembered(chosen, keep) if keep else chosen


def sdk_release(name: str) -> SdkRelease:
    """Returns an SDK's row.

    Raises:
        NoPinError: The SDK isn't in the table.
    """
    known = sdk_releases()
    if name in known:
        return known[name]
    begins_alike = [sdk for sdk in known if sdk.startswith(f"{name}.")]
    same_minor = [sdk for sdk in known if sdk.rpartition(".")[0] == name.rpartition(".")[0]]
    hint = meant(name, tuple(known), begins_alike or same_minor)
    raise NoPinError(f"Neuron SDK {name!r} is not in the table of releases", hint)


def add_on_notes(lock: Lock, old: Lock | None = None) -> list[str]:
    """Returns a sentence for each add-on pin that rests on a third party's reading, with the command that asks AWS.

    A pin that isn't the table's own, such as one that an account answered, gets none.

    Args:
        lock: The lock.
        old: The older lock, whose pins it keeps; what AWS confirmed in it is confirmed still.
    """
    minor, region = lock.inputs.kubernetes_version, lock.inputs.region
    of_aws = old and not old.rehearsal_account and not old.made_from.startswith(TABLES)
    confirmed = old.add_ons if old and of_aws and old.inputs.kubernetes_version == minor else {}
    notes = []
    for name, version in lock.add_ons.items():
        row = add_on_versions().get(name, {}).get(minor)
        if row is None or row.version != version or row.confirmed or confirmed.get(name) == version:
            continue
        notes.append(
            f"{name} {version} for Kubernetes {minor} is unconfirmed, a third party's reading of {row.read_on}; "
            f"ask AWS: {_question(name, minor, region)}"
        )
    return notes


def _question(add_on: str, minor: str, region: str) -> str:
    return f"aws eks describe-addon-versions --addon-name {add_on} --kubernetes-version {minor} --region {region}"


def _neuron(inputs: Inputs, sdk: SdkRelease, keep: Lock | None) -> NeuronPin:
    if keep and ami_choice.same(keep.inputs, inputs, "neuron_sdk", "framework"):
        return keep.neuron
    image = _container(sdk, inputs.framework)
    return NeuronPin(
        sdk=sdk.sdk,
        driver=sdk.driver,
        components={name: builds[0] for name, builds in sdk.components.items()},
        container=ContainerPin(image=image, digest=UNRESOLVED) if image else None,
    )


def _container(sdk: SdkRelease, framework: str) -> str | None:
    if framework not in sdk.training_containers:
        raise NoPinError(
            f"the table of releases knows no framework {framework!r}", meant(framework, tuple(sdk.training_containers))
        )
    return sdk.training_containers[framework]


def _add_ons(inputs: Inputs, keep: Lock | None, *, account_follows: bool) -> dict[str, str]:
    table, minor = add_on_versions(), inputs.kubernetes_version
    kept = keep.add_ons if keep and ami_choice.same(keep.inputs, inputs, "kubernetes_version") else {}
    if keep and keep.rehearsal_account:  # for a minor that the tables lack the embedded AWS made its version up
        kept = {name: version for name, version in kept.items() if minor in table.get(name, {})}
    wanted = [name for name in inputs.add_ons if kept.get(name, UNRESOLVED) == UNRESOLVED]
    for name in wanted:
        if name not in table:
            raise NoPinError(f"the table of add-ons has no {name!r}", meant(name, tuple(table)))
    missing = [name for name in wanted if minor not in table[name]]
    if missing and not account_follows:
        minors = sorted(set.intersection(*(set(table[name]) for name in missing)))
        instead = f"use Kubernetes {alternatives(minors)}, or let" if minors else "let"
        raise NoPinError(
            f"no version of {listed(missing, 'and')} is known for Kubernetes {minor}",
            f"{instead} an account resolve the lock",
        )
    chosen = {name: UNRESOLVED if name in missing else table[name][minor].version for name in wanted}
    return {name: chosen.get(name) or kept[name] for name in inputs.add_ons}


def _charts(inputs: Inputs, keep: Lock | None) -> dict[str, ChartPin]:
    asked_alike = keep and ami_choice.same(keep.inputs, inputs, "kubernetes_version", "region", "chart_settings")
    kept = keep.charts if keep and asked_alike else {}
    return {name: kept.get(name) or _chart(name, inputs) for name in inputs.charts}


def _chart(name: str, inputs: Inputs) -> ChartPin:
    table = charts()
    if name not in table:
        raise NoPinError(f"the table of charts has no {name!r}", meant(name, tuple(table)))
    row, minor = table[name], inputs.kubernetes_version
    if row.kubernetes_minimum and numbers(minor) < numbers(row.kubernetes_minimum):
        raise NoPinError(
            f"chart {name} {row.version} is for Kubernetes {row.kubernetes_minimum} and later, not {minor}",
            f"use Kubernetes {row.kubernetes_minimum} or later",
        )
    if KUBE_SCHEDULER in row.images_of(inputs.chart_settings) and minor not in kube_schedulers():
        raise NoPinError(
            f"chart {name} {row.version} needs a kube-scheduler of Kubernetes {minor}, and none is known",
            f"use Kubernetes {alternatives(sorted(kube_schedulers(), key=numbers))}, or neuron_scheduler: false",
        )
    images = chart_images(row, inputs.region, minor, settings=inputs.chart_settings)
    digest = row.digest or UNRESOLVED
    return ChartPin(
        version=row.version,
        location=row.location,
        digest=digest,
        archive=archive_of(row.location, digest),
        images=dict.fromkeys(images, UNRESOLVED),
    )
