"""What of a lock is older than what the tables know, and why to take the newer one or not."""

from collections.abc import Iterator
from dataclasses import dataclass

from ami.fit import driver_misfit, kernel_misfit, numbers
from ami.moving import RefusedMoveError, movable_sdks, refuse_move, upgraded
from ami.no_pin import NoPinError
from ami.pins import SYSTEM, Lock
from ami.tables import AddOnVersion, AmiRelease, add_on_versions, ami_releases, charts, sdk_releases


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A pin beside what there is.

    Attributes:
        name: What is pinned, such as ``add-on coredns``.
        pinned: The lock's version.
        fits: The newest version in the tables that fits the environment as it is; the pinned one where none is newer.
        newest: The newest version in the tables, whether it fits or not.
        reason: Why to take what is newer, or why not; empty where nothing is newer.
    """

    name: str
    pinned: str
    fits: str
    newest: str
    reason: str


def rows(lock: Lock, file: str) -> tuple[Row, ...]:
    """Returns a row for the Neuron SDK, the AMI release, each add-on and each chart of a lock.

    Args:
        lock: The lock.
        file: Its environment file, for the commands.
    """
    return (_sdk(lock, file), _ami(lock, file), *_add_ons(lock), *_charts(lock))


def _sdk(lock: Lock, file: str) -> Row:
    pinned, newest = lock.neuron.sdk, next(iter(sdk_releases()))
    fits = next(iter(movable_sdks(lock.inputs)), pinned)
    reasons = []
    if fits != pinned:
        reasons.append(f"take it: trnstack lock --upgrade --sdk {fits} {file}")
    if newest not in (fits, pinned):
        reasons.append(f"not {newest}: {_refusal(lock, newest, file)}")
    return Row(name="Neuron SDK", pinned=pinned, fits=fits, newest=newest, reason="; ".join(reasons))


def _refusal(lock: Lock, sdk: str, file: str) -> str:
    try:
        refuse_move(lock.inputs, sdk, file)
    except RefusedMoveError as error:
        return error.message
    return ""


def _ami(lock: Lock, file: str) -> Row:
    minor, pinned = lock.inputs.kubernetes_version, lock.images[SYSTEM].release
    newest = next((row for row in ami_releases().values() if minor in row.release_versions), None)
    fits = _newest_that_fits(lock) or pinned
    reasons = []
    if fits != pinned:
        reasons.append(f"take it: trnstack lock --upgrade {file}")
    if newest and newest.release not in (fits, pinned):
        reasons.append(f"not {newest.release}: {_misfit(lock, newest)}")
    kernel = _untested(lock)
    return Row(
        name="EKS AMI release",
        pinned=pinned,
        fits=fits,
        newest=newest.release if newest else pinned,
        reason="; ".join([*reasons, *([kernel] if kernel else [])]),
    )


def _newest_that_fits(lock: Lock) -> str | None:
    try:
        return upgraded(lock.inputs, old=lock).images[SYSTEM].release
    except NoPinError:
        return None


def _misfit(lock: Lock, release: AmiRelease) -> str:
    """Returns why the nodes can't start from a release under the SDK that is pinned."""
    driver = release.neuron_driver
    why = driver_misfit(driver, lock.neuron)
    return f"it has driver {driver}; {why}" if why else f"its driver {driver} is not the SDK's own {lock.neuron.driver}"


def _untested(lock: Lock) -> str:
    """Returns that the nodes' kernel is none that the driver was tested on; empty where it is, or nobody told."""
    row = sdk_releases().get(lock.neuron.sdk)
    pin = next((pin for name, pin in lock.images.items() if name != SYSTEM), None)
    if row is None or pin is None or not row.tested_kernels or pin.kernel in row.tested_kernels:
        return ""
    if kernel_misfit(pin.kernel, row.driver):
        return ""
    tested = ", ".join(row.tested_kernels)
    return f"the release notes list driver {row.driver} as tested on AL2023 kernels {tested}, not on {pin.kernel}"


def _add_ons(lock: Lock) -> Iterator[Row]:
    minor, table = lock.inputs.kubernetes_version, add_on_versions()
    for name, pinned in lock.add_ons.items():
        known = table.get(name, {})
        row = known.get(minor)
        versions = [each.version for each in known.values()]
        fits = max([pinned, row.version] if row else [pinned], key=numbers)
        newest = max([pinned, *versions], key=numbers)
        reason = f"{_source(row)}" if row and fits != pinned else ""
        if newest != fits:
            minors = ", ".join(each for each, other in known.items() if other.version == newest)
            reason = "; ".join(filter(None, [reason, f"{newest} is known for Kubernetes {minors} alone"]))
        yield Row(name=f"add-on {name}", pinned=pinned, fits=fits, newest=newest, reason=reason)


def _source(row: AddOnVersion) -> str:
    chosen = {
        "aws_default": "EKS's default",
        "confirmed": "a build that EKS is known to offer",
        "newest_seen": "the newest build that anybody names",
    }[row.chosen]
    return f"{chosen}, read on {row.read_on}{'' if row.confirmed else ', unconfirmed'}"


def _charts(lock: Lock) -> Iterator[Row]:
    minor = lock.inputs.kubernetes_version
    for name, pin in lock.charts.items():
        row = charts().get(name)
        newest = max([pin.version, *([row.version] if row else [])], key=numbers)
        minimum = row.kubernetes_minimum if row else None
        misfit = bool(minimum) and numbers(minor) < numbers(minimum or "")
        fits = pin.version if misfit else newest
        reason = (
            f"read on {row.read_on}{'' if row.confirmed else ', unconfirmed'}" if row and fits != pin.version else ""
        )
        if misfit and newest != pin.version:
            reason = f"{newest} is for Kubernetes {minimum} and later"
        yield Row(name=f"chart {name}", pinned=pin.version, fits=fits, newest=newest, reason=reason)
