"""Why a lock pins what it pins: what a pin answers, how it was chosen, and what else there was."""

from collections.abc import Iterator
from dataclasses import dataclass

from ami.ami_choice import has_plain_nodes
from ami.fit import driver_misfit, fitting_ami_releases, kernel_misfit, numbers, sdks_with_container
from ami.pins import SYSTEM, ChartPin, ImagePin, Lock
from ami.tables import AmiRelease, add_on_versions, ami_releases, charts, sdk_releases

#: The training container's name among the pins.
CONTAINER = "container"
#: The rules that look at accelerator nodes' images.
_OF_NODES = ("IMG004", "IMG005", "IMG010", "IMG014", "IMG015")
#: So many alternatives are told, the newest; older ones are only counted.
_MOST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why one pin is what it is.

    Attributes:
        name: The pin, such as ``node group trn1``.
        value: What is pinned, by what it is called.
        answers: What of the environment it answers.
        chosen: How it was chosen.
        rules: The codes of the rules that look at it; whether it keeps them the rules themselves say.
        alternatives: What else there was, each with why not.
        sources: What the choice rests on, in words.
        group: The node group whose image it is, ``system`` for the system nodes; empty of every other pin.
    """

    name: str
    value: dict[str, str]
    answers: str
    chosen: str
    rules: tuple[str, ...]
    alternatives: tuple[tuple[str, str], ...]
    sources: tuple[str, ...]
    group: str = ""


def names(lock: Lock) -> tuple[str, ...]:
    """Returns everything that can be explained: node groups, the container, add-ons, charts, components, images."""
    return (
        *lock.images,
        *([CONTAINER] if lock.neuron.container else []),
        *lock.add_ons,
        *lock.charts,
        *lock.neuron.components,
        *_chart_images(lock),
        *([lock.neuron.container.image] if lock.neuron.container else []),
    )


def explanations(lock: Lock, name: str) -> tuple[Explanation, ...]:
    """Returns why the pins of a name are what they are: one as a rule, none for a name that is no pin's."""
    return tuple(_explanations(lock, name))


def _explanations(lock: Lock, name: str) -> Iterator[Explanation]:
    container = lock.neuron.container
    if name in lock.images:
        yield _image(lock, name, lock.images[name])
    if container and name in (CONTAINER, container.image):
        yield _container(lock)
    if name in lock.add_ons:
        yield _add_on(lock, name)
    if name in lock.charts:
        yield _chart(lock, name, lock.charts[name])
    if name in lock.neuron.components:
        yield _component(lock, name)
    if name in _chart_images(lock):
        yield _chart_image(lock, name)


def _chart_images(lock: Lock) -> dict[str, str]:
    """Returns the images that charts start, each with its chart."""
    return {image: chart for chart, pin in lock.charts.items() for image in pin.images}


def _image(lock: Lock, name: str, pin: ImagePin) -> Explanation:
    minor, sdk = lock.inputs.kubernetes_version, lock.neuron.sdk
    if name == SYSTEM:
        chosen = "the standard AMI of the accelerator nodes' release, so that a cluster's nodes are of one age"
    elif pin.custom:
        chosen = f"the parent of the custom image, whose recipe installs driver {pin.custom.neuron_driver}"
    else:
        chosen = f"an EKS AMI release for Kubernetes {minor} with driver {pin.neuron_driver}"
        if fitting_ami_releases(sdk, minor)[:1] == (pin.release,) and pin.neuron_driver == lock.neuron.driver:
            chosen = f"the newest {chosen.partition(' ')[2]}, which is Neuron SDK {sdk}'s own"
    return Explanation(
        name=f"image of {'the system nodes' if name == SYSTEM else f'node group {name}'}",
        value=_image_value(pin),
        answers=f"Kubernetes {minor}, Neuron SDK {sdk}, {lock.inputs.images[name]} in {lock.inputs.region}",
        chosen=chosen,
        rules=("IMG005", "IMG010") if name == SYSTEM else (*_OF_NODES, *(("IMG016",) if pin.custom else ())),
        alternatives=tuple(_other_releases(lock, pin)),
        sources=("awslabs/amazon-eks-ami, CHANGELOG.md", *_row_sources(sdk)),
        group=name,
    )


def _image_value(pin: ImagePin) -> dict[str, str]:
    value = {
        "release": pin.release,
        "release version": pin.release_version,
        "AMI type": pin.ami_type,
        "image id": pin.image_id,
        "owner": pin.owner,
        "kernel": pin.kernel,
    }
    if pin.neuron_driver:
        value["Neuron driver"] = pin.neuron_driver
    if pin.custom:
        value |= {"recipe": f"{pin.custom.recipe} {pin.custom.version}", "its driver": pin.custom.neuron_driver}
        value |= {f"its id in {region}": image_id for region, image_id in pin.custom.image_ids.items()}
    return value


def _other_releases(lock: Lock, pin: ImagePin) -> Iterator[tuple[str, str]]:
    minor = lock.inputs.kubernetes_version
    others = [row for row in ami_releases().values() if minor in row.release_versions and row.release != pin.release]
    for row in others[:_MOST]:
        yield row.release, _why_not(lock, pin, row)
    if others[_MOST:]:
        yield f"{len(others) - _MOST} more", f"older than {others[_MOST - 1].release}"


def _why_not(lock: Lock, pin: ImagePin, row: AmiRelease) -> str:
    """Returns why a release is not the pinned one. All nodes of a cluster are of one release, so it has to fit each.

    Under a custom image the release's own driver is replaced, and only its kernel matters.
    """
    age = "older" if numbers(row.release) < numbers(pin.release) else "newer"
    drivers = {each.custom.neuron_driver for each in lock.images.values() if each.custom}
    kernel = row.kernels[lock.inputs.kubernetes_version]
    for driver in sorted(drivers):
        needed = kernel_misfit(kernel, driver)
        if needed:
            return f"has kernel {kernel}, on which the recipe's driver {driver} does not work: {needed} is the first"
    if not has_plain_nodes(lock.inputs):
        return f"fits too, since the recipe installs the driver, and is {age}"
    if row.neuron_driver == lock.neuron.driver:
        return f"fits too, and is {age}"
    why = driver_misfit(row.neuron_driver, lock.neuron)
    text = f"has driver {row.neuron_driver}"
    return f"{text}; {why}" if why else f"{text}, which is not Neuron SDK {lock.neuron.sdk}'s own {lock.neuron.driver}"


def _row_sources(sdk: str) -> tuple[str, ...]:
    row = sdk_releases().get(sdk)
    return row.sources if row else ()


def _container(lock: Lock) -> Explanation:
    pin, framework, sdk = lock.neuron.container, lock.inputs.framework, lock.neuron.sdk
    assert pin  # noqa: S101 - only a container that is pinned is explained
    others = [
        (sdk_releases()[each].training_containers[framework] or "", f"is of Neuron SDK {each}, and {sdk} is pinned")
        for each in sdks_with_container(framework)
        if each != sdk
    ]
    return Explanation(
        name="training container",
        value={"image": pin.image, "digest": pin.digest},
        answers=f"Neuron SDK {sdk}, framework {framework}",
        chosen=f"the training container that the release has for {framework}; by digest, since a tag can be moved",
        rules=("IMG004", "IMG011", "IMG013"),
        alternatives=tuple(others[:_MOST]),
        sources=_row_sources(sdk),
    )


def _add_on(lock: Lock, name: str) -> Explanation:
    minor, version = lock.inputs.kubernetes_version, lock.add_ons[name]
    known = add_on_versions().get(name, {})
    row = known.get(minor)
    if row and row.version == version:
        how = {
            "aws_default": f"EKS's default for Kubernetes {minor}",
            "confirmed": f"a build that EKS is known to offer for Kubernetes {minor}",
            "newest_seen": f"the newest build that anybody names for Kubernetes {minor}",
        }[row.chosen]
        chosen, sources = f"{how}, read on {row.read_on}{'' if row.confirmed else ', unconfirmed'}", row.sources
    else:
        chosen, sources = "an account or an older lock named it; the tables have another one", (lock.made_from,)
    others = [
        (each.version, f"is the tables' for Kubernetes {other}")
        for other, each in known.items()
        if each.version != version
    ]
    return Explanation(
        name=f"add-on {name}",
        value={"version": version},
        answers=f"Kubernetes {minor} in {lock.inputs.region}",
        chosen=chosen,
        rules=(),
        alternatives=tuple(others),
        sources=sources,
    )


def _chart(lock: Lock, name: str, pin: ChartPin) -> Explanation:
    row = charts().get(name)
    own = row is not None and row.version == pin.version
    minimum = f", and the chart is for {row.kubernetes_minimum} and later" if row and row.kubernetes_minimum else ""
    return Explanation(
        name=f"chart {name}",
        value={"version": pin.version, "location": pin.location, "digest": pin.digest, **dict(pin.images)},
        answers=f"Kubernetes {lock.inputs.kubernetes_version} in {lock.inputs.region}{minimum}",
        chosen=f"the tables' version, read on {row.read_on}{'' if row.confirmed else ', unconfirmed'}"
        if row and own
        else "an older lock named it; the tables have another one",
        rules=(),
        alternatives=((row.version, "is the tables'"),) if row and not own else (),
        sources=row.sources if row else (),
    )


def _component(lock: Lock, name: str) -> Explanation:
    sdk, version = lock.neuron.sdk, lock.neuron.components[name]
    row = sdk_releases().get(sdk)
    builds = row.components.get(name, ()) if row else ()
    others = [(build, f"is an older build of the same SDK {sdk}") for build in builds if build != version]
    others += [
        (each.components[name][0], f"is Neuron SDK {each.sdk}'s")
        for each in sdk_releases().values()
        if each.sdk != sdk and name in each.components
    ]
    return Explanation(
        name=f"component {name}",
        value={"version": version},
        answers=f"Neuron SDK {sdk}",
        chosen="the version that the release's manifest lists; the newest of several builds",
        rules=("IMG004",) if name in ("aws-neuronx-dkms", "aws-neuronx-runtime-lib") else (),
        alternatives=tuple(others[:_MOST]),
        sources=_row_sources(sdk),
    )


def _chart_image(lock: Lock, image: str) -> Explanation:
    chart = _chart_images(lock)[image]
    row = charts().get(chart)
    return Explanation(
        name=f"image {image}",
        value={"digest": lock.charts[chart].images[image]},
        answers=f"chart {chart} {lock.charts[chart].version}",
        chosen="what that version of the chart starts; by digest, since a tag can be moved",
        rules=(),
        alternatives=(),
        sources=row.sources if row else (),
    )
