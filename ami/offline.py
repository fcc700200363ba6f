"""Makes a lock from the offline tables alone: no account, no network, no clock.

The AMI is the newest EKS release whose Neuron driver is the SDK's own, the pairing that every compatibility statement
in ``releases.yaml`` allows, and which has a release version for the Kubernetes minor. The system nodes take the
standard AMI of the same release.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence

from ami.lock import ImagePin, Inputs, Lock, NeuronPin
from ami.tables import AmiRelease, SdkRelease, add_on_versions, ami_releases, collected_on, sdk_releases

ACCELERATOR_AMI_TYPE = "AL2023_x86_64_NEURON"
SYSTEM_AMI_TYPE = "AL2023_x86_64_STANDARD"


class NoPinError(Exception):
    """Something that an environment asks for has no pin in the offline tables.

    Attributes:
        message: What has none, in lower case without a full stop.
        hint: What would have one, in the same form.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint


def lock(inputs: Inputs) -> Lock:
    """Returns the lock that the offline tables give; the same inputs and tables give the same lock.

    A release without a training container for the framework is no error: its image is None.

    Raises:
        NoPinError: The SDK, the framework, an add-on or the Kubernetes version has no pin.
    """
    sdk = _sdk(inputs.neuron_sdk)
    release = _newest_ami(sdk, inputs.kubernetes_version)
    return Lock(
        inputs=inputs,
        made_from=f"offline tables of {collected_on()}",
        neuron=NeuronPin(
            sdk=sdk.sdk,
            driver=sdk.driver,
            components={name: builds[0] for name, builds in sdk.components.items()},
            container_image=_container(sdk, inputs.framework),
        ),
        accelerator_image=_image(release, inputs.kubernetes_version, ACCELERATOR_AMI_TYPE, release.neuron_driver),
        system_image=_image(release, inputs.kubernetes_version, SYSTEM_AMI_TYPE, None),
        add_ons=_add_ons(inputs.add_ons, inputs.kubernetes_version),
    )


def training_containers(sdk: str) -> Mapping[str, str | None]:
    """Returns an SDK release's training container by framework; None where it has none.

    Raises:
        NoPinError: The SDK isn't in the table.
    """
    return _sdk(sdk).training_containers


def sdks_with_container(framework: str) -> tuple[str, ...]:
    """Returns the SDK releases that have a training container for the framework, newest first."""
    return tuple(name for name, sdk in sdk_releases().items() if sdk.training_containers.get(framework))


def add_on_notes(lock: Lock) -> list[str]:
    """Returns a sentence for each add-on pin that rests on a third party's reading, with the command that asks AWS.

    A pin that isn't the table's own, such as one that an account answered, gets none.
    """
    minor, region = lock.inputs.kubernetes_version, lock.inputs.region
    notes = []
    for name, version in lock.add_ons.items():
        row = add_on_versions().get(name, {}).get(minor)
        if row is None or row.version != version or row.confirmed:
            continue
        notes.append(
            f"{name} {version} for Kubernetes {minor} is unconfirmed, a third party's reading of {row.read_on}; "
            f"ask AWS: {_question(name, minor, region)}"
        )
    return notes


def _question(add_on: str, minor: str, region: str) -> str:
    return f"aws eks describe-addon-versions --addon-name {add_on} --kubernetes-version {minor} --region {region}"


def _sdk(name: str) -> SdkRelease:
    known = sdk_releases()
    if name in known:
        return known[name]
    same_minor = [sdk for sdk in known if sdk.rpartition(".")[0] == name.rpartition(".")[0]]
    raise NoPinError(f"Neuron SDK {name!r} is not in the table of releases", _meant(name, tuple(known), same_minor))


def _newest_ami(sdk: SdkRelease, minor: str) -> AmiRelease:
    fitting = [release for release in ami_releases().values() if release.neuron_driver == sdk.driver]
    if not fitting:
        raise NoPinError(
            f"no known EKS AMI release has driver {sdk.driver}, which Neuron SDK {sdk.sdk} needs",
            f"use {_alternatives(_sdks_with_ami())}, or let an account resolve the lock",
        )
    for release in fitting:
        if minor in release.release_versions:
            return release
    minors = sorted({each for release in fitting for each in release.release_versions})
    others = _sdks_with_ami(minor)
    raise NoPinError(
        f"no known EKS AMI release with driver {sdk.driver} of Neuron SDK {sdk.sdk} is for Kubernetes {minor}",
        f"use Kubernetes {_alternatives(minors)}" + (f", or Neuron SDK {_alternatives(others)}" if others else ""),
    )


def _sdks_with_ami(minor: str | None = None) -> list[str]:
    drivers = {
        release.neuron_driver
        for release in ami_releases().values()
        if minor is None or minor in release.release_versions
    }
    return [sdk.sdk for sdk in sdk_releases().values() if sdk.driver in drivers]


def _container(sdk: SdkRelease, framework: str) -> str | None:
    if framework not in sdk.training_containers:
        raise NoPinError(
            f"the table of releases knows no framework {framework!r}", _meant(framework, tuple(sdk.training_containers))
        )
    return sdk.training_containers[framework]


def _image(release: AmiRelease, minor: str, ami_type: str, driver: str | None) -> ImagePin:
    return ImagePin(
        ami_type=ami_type,
        release=release.release,
        release_version=release.release_versions[minor],
        neuron_driver=driver,
        kernel=release.kernels[minor],
    )


def _add_ons(names: Iterable[str], minor: str) -> dict[str, str]:
    table = add_on_versions()
    wanted = sorted(names)
    for name in wanted:
        if name not in table:
            raise NoPinError(f"the table of add-ons has no {name!r}", _meant(name, tuple(table)))
    missing = [name for name in wanted if minor not in table[name]]
    if missing:
        minors = sorted(set.intersection(*(set(table[name]) for name in missing)))
        instead = f"use Kubernetes {_alternatives(minors)}, or let" if minors else "let"
        raise NoPinError(
            f"no version of {_list(missing, 'and')} is known for Kubernetes {minor}",
            f"{instead} an account resolve the lock",
        )
    return {name: table[name][minor].version for name in wanted}


def _meant(name: str, known: Sequence[str], closest: Sequence[str] = ()) -> str:
    closest = closest or difflib.get_close_matches(name, known, n=1)
    question = f"did you mean {closest[0]!r}? " if closest else ""
    return f"{question}known: {', '.join(known)}"


def _alternatives(names: Sequence[str]) -> str:
    return _list(names, "or")


def _list(names: Sequence[str], word: str) -> str:
    *head, last = names
    return f"{', '.join(head)} {word} {last}" if head else last
