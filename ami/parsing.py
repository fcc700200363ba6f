"""From a lock file's data to the lock: its shape, the forms of its values, and that its pins answer its inputs.

A text whose checksum is right may still be one that no trnstack wrote. What is refused here is refused once, so that
whoever reads a lock finds in it what its inputs name and nothing else. Stands on the standard library alone.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from ami.pins import (
    EKS_OPTIMIZED,
    NOT_BUILT,
    SYSTEM,
    UNRESOLVED,
    BuiltImage,
    ChartPin,
    ContainerPin,
    ImagePin,
    Inputs,
    Lock,
    NeuronPin,
    Toolkit,
)

#: The oldest lock that is read.
OLDEST_VERSION = 2
#: The last version whose charts have no archives, since nothing installed them.
_CHARTS_UNUSED = 2
#: Far above what a lock holds: an image's name has up to 255 characters, and its tag 128.
_LONGEST = 512
_TEXT_INPUTS = ("environment", "region", "kubernetes_version", "neuron_sdk", "framework")
#: What goes into a custom image beside the driver.
_TOOLS = "aws-neuronx-tools"
#: Digits are bounded, since Python reads no number of more than 4,300 of them.
_NUMBER = r"[0-9]{1,9}"
_VERSION = r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,127}"
_AMI, _ACCOUNT = r"ami-[0-9a-f]{8,17}", r"[0-9]{12}"
_HOST = r"[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?"
#: What each value looks like, and how that is said; the words that stand for a value which nobody told come beside it.
_FORMS = {
    "kubernetes_version": (rf"{_NUMBER}\.{_NUMBER}", (), "a minor version such as 1.35"),
    "kernel": (rf"{_NUMBER}\.{_NUMBER}", (), "a kernel's major and minor version such as 6.12"),
    "sdk": (rf"{_NUMBER}(\.{_NUMBER}){{2}}", (), "a Neuron SDK release such as 2.30.0"),
    "driver": (rf"{_NUMBER}(\.{_NUMBER}){{3}}", (), "a package version such as 2.28.0.0"),
    "release": (r"v[0-9]{8}", (), "an EKS AMI release such as v20260625"),
    "release_version": (rf"{_NUMBER}(\.{_NUMBER}){{2}}-[0-9]{{8}}", (), "a release version such as 1.35.6-20260625"),
    "version": (_VERSION, (), "a version of up to 128 letters, digits and . + _ -"),
    "add_on": (
        rf"v{_NUMBER}(\.{_NUMBER}){{0,3}}-eksbuild\.{_NUMBER}",
        (UNRESOLVED,),
        "an add-on's version such as v1.22.4-eksbuild.3",
    ),
    "digest": (r"sha256:[0-9a-f]{64}", (UNRESOLVED,), "sha256: and 64 hexadecimal digits"),
    "ami_type": (r"AL2023_x86_64_(NEURON|STANDARD)", (), "AL2023_x86_64_NEURON or AL2023_x86_64_STANDARD"),
    "image_id": (_AMI, (UNRESOLVED,), "an AMI's id such as ami-0123456789abcdef0"),
    "built_id": (_AMI, (UNRESOLVED, NOT_BUILT), "an AMI's id such as ami-0123456789abcdef0"),
    "account": (_ACCOUNT, (), "an account's twelve digits"),
    "owner": (_ACCOUNT, (UNRESOLVED,), "an account's twelve digits"),
    "builder": (_ACCOUNT, (UNRESOLVED, NOT_BUILT), "an account's twelve digits"),
    "content": (r"[0-9a-f]{12}", (UNRESOLVED,), "twelve hexadecimal digits"),
    "image": (
        rf"{_HOST}(/[a-z0-9][a-z0-9._-]*)+:\w[\w.-]{{0,127}}",
        (),
        "a container image with registry and tag such as public.ecr.aws/neuron/neuron-scheduler:2.32.0.0",
    ),
    "location": (rf"(oci|https)://{_HOST}(/[\w.-]+)+", (), "a chart's address, oci://... or https://..."),
}


class ShapeError(ValueError):
    """Data is no lock's."""


def is_add_on_version(text: str) -> bool:
    """Tells whether a text has the form of an EKS add-on's version, such as ``v1.22.4-eksbuild.3``.

    Source: EKS API reference, DescribeAddonVersions, ``addonVersion``.
    """
    return bool(re.fullmatch(_FORMS["add_on"][0], text, re.ASCII))


def parse(data: Mapping[str, Any]) -> Lock:
    """Returns the lock that a lock file's data describes.

    One of version 2 is read without its charts, so that it is stale where the environment has some: what it pinned of
    them nothing installed, and it lacks containers that they start. Everything that nodes come from is kept.

    Args:
        data: The file's content without its checksum.

    Raises:
        ShapeError: A part is missing or unknown, a value has another type or form, or the pins are not those that the
            inputs name.
    """
    try:
        lock, stated = _lock(data), data["inputs"]["hash"]
    except KeyError as error:
        raise ShapeError(f"lacks {error.args[0]}") from None
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ShapeError(f"does not have the shape of a lock: {error}") from None
    wrong = next(_incomplete(lock, stated), None)
    if wrong:
        raise ShapeError(f"does not have the shape of a lock: {wrong}")
    if data["lock_version"] == _CHARTS_UNUSED:
        return replace(lock, inputs=replace(lock.inputs, charts=()), charts={})
    return lock


def _lock(data: Mapping[str, Any]) -> Lock:
    inputs = data["inputs"]
    _refuse_others(data, ("lock_version", *(field.name for field in fields(Lock))))
    _refuse_others(inputs, ("hash", *(field.name for field in fields(Inputs))))
    account = data["rehearsal_account"]
    return Lock(
        toolkit=Toolkit(**_texts(data["toolkit"])),
        inputs=Inputs(
            **_texts({key: inputs[key] for key in _TEXT_INPUTS}, kubernetes_version="kubernetes_version"),
            images=_texts(inputs["images"]),
            image_regions=_list_of_texts(inputs["image_regions"]),
            add_ons=_list_of_texts(inputs["add_ons"]),
            charts=_list_of_texts(inputs["charts"]),
            chart_settings=_list_of_texts(inputs["chart_settings"]),
        ),
        made_from=_text(data["made_from"]),
        rehearsal_account=None if account is None else _formed(account, "account"),
        neuron=_neuron(data["neuron"]),
        images={name: _image(pin) for name, pin in data["images"].items()},
        add_ons={name: _formed(version, "add_on") for name, version in data["add_ons"].items()},
        charts={name: _chart(pin, data["lock_version"]) for name, pin in data["charts"].items()},
    )


def _refuse_others(data: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Refuses what would be read over; the other parts are refused it by their own shapes."""
    others = [key for key in data if key not in known]
    if others:
        raise ValueError(f"unknown {', '.join(others)}")


def _neuron(data: dict[str, Any]) -> NeuronPin:
    container = data["container"]
    components = data["components"]
    return NeuronPin(
        **_texts(data, but=("components", "container"), sdk="sdk", driver="driver"),
        components={
            _text(name): _formed(version, "driver" if name == _TOOLS else "version")
            for name, version in components.items()
        },
        container=None if container is None else ContainerPin(**_texts(container, image="image", digest="digest")),
    )


def _image(data: dict[str, Any]) -> ImagePin:
    driver, custom = data["neuron_driver"], data["custom"]
    return ImagePin(
        **_texts(
            data,
            but=("custom", "neuron_driver"),
            ami_type="ami_type",
            release="release",
            release_version="release_version",
            image_id="image_id",
            owner="owner",
            kernel="kernel",
        ),
        neuron_driver=None if driver is None else _formed(driver, "driver"),
        custom=None if custom is None else _built(custom),
    )


def _built(data: dict[str, Any]) -> BuiltImage:
    ids = {_text(region): _formed(image_id, "built_id") for region, image_id in data["image_ids"].items()}
    texts = _texts(data, but=("image_ids",), version="content", neuron_driver="driver", owner="builder")
    return BuiltImage(**texts, image_ids=ids)


def _chart(data: dict[str, Any], version: int) -> ChartPin:
    if version == _CHARTS_UNUSED:
        _refuse_others(data, ("version", "location", "digest", "images"))
        data = {**data, "archive": UNRESOLVED}
    images = {_formed(name, "image"): _formed(digest, "digest") for name, digest in data["images"].items()}
    texts = _texts(data, but=("images",), version="version", location="location", digest="digest", archive="digest")
    return ChartPin(**texts, images=images)


def _texts(data: Mapping[str, Any], *, but: tuple[str, ...] = (), **forms: str) -> dict[str, Any]:
    """Returns the texts of a mapping, each in its form if one is named for its key."""
    return {
        _text(key): _formed(value, forms[key]) if key in forms else _text(value)
        for key, value in data.items()
        if key not in but
    }


def _list_of_texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ShapeError(f"{_shown(value)} should be a list")
    return tuple(map(_text, value))


def _formed(value: Any, form: str) -> str:
    pattern, words, said = _FORMS[form]
    text = _text(value)
    if text not in words and not re.fullmatch(pattern, text, re.ASCII):
        raise ShapeError(f"{_shown(text)} should be {said}")
    return text


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ShapeError(f"{_shown(value)} should be a text")
    if len(value) > _LONGEST or not value.isprintable():
        raise ShapeError(f"{_shown(value)} should be a text of up to {_LONGEST} characters on one line")
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST // 4 else f"{text[: _LONGEST // 4]}..."


def _incomplete(lock: Lock, stated_hash: Any) -> Iterator[str]:
    """Yields what of a lock does not answer its inputs."""
    inputs = lock.inputs
    if stated_hash != inputs.hash:
        yield "inputs.hash is not that of the inputs"
    if lock.neuron.sdk != inputs.neuron_sdk:
        yield f"neuron.sdk is {lock.neuron.sdk}, and inputs name {inputs.neuron_sdk}"
    if SYSTEM not in inputs.images:
        yield f"inputs.images lacks {SYSTEM}"
    yield from _other_names("images", lock.images, inputs.images)
    yield from _other_names("add_ons", lock.add_ons, inputs.add_ons)
    yield from _other_names("charts", lock.charts, inputs.charts)
    for name, pin in lock.images.items():
        yield from _wrong_image(lock, name, pin)


def _other_names(part: str, found: Collection[str], wanted: Collection[str]) -> Iterator[str]:
    for name in wanted:
        if name not in found:
            yield f"{part} lacks {name}"
    for name in found:
        if name not in wanted:
            yield f"{part} has {name}, which inputs do not name"


def _wrong_image(lock: Lock, name: str, pin: ImagePin) -> Iterator[str]:
    """Yields what of an image is not as the inputs ask: a custom one of its recipe, in every region it goes to."""
    asked = lock.inputs.images[name].split(" ")
    if pin.custom is None or name == SYSTEM:
        if asked != [EKS_OPTIMIZED] or pin.custom:
            yield f"images.{name} is {'custom' if pin.custom else EKS_OPTIMIZED}, and inputs name {' '.join(asked)}"
        return
    if asked[:2] != ["custom", pin.custom.recipe] or len(asked) != 3:  # noqa: PLR2004 - custom, recipe and hash
        yield f"images.{name}.custom is of recipe {pin.custom.recipe}, and inputs name {' '.join(asked)}"
    regions = (lock.inputs.region, *lock.inputs.image_regions)
    yield from _other_names(f"images.{name}.custom.image_ids", pin.custom.image_ids, regions)
    if _TOOLS not in lock.neuron.components:
        yield f"neuron.components lacks {_TOOLS}, which goes into the custom image of {name}"
