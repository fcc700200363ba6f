"""``trnstack releases``: the Neuron SDK releases, what belongs to each, and what ends when."""

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from ami.tables import AmiRelease, SdkRelease

#: So many AMI releases are named in the overview, the newest; a release's own page has all.
_SHOWN_RELEASES = 2
_TAG = re.compile(r":(?P<version>[\d.]+)-neuronx-py(?P<python>3\d+)-")


def releases(
    sdk: Annotated[
        str, typer.Argument(metavar="SDK", help="A release of the Neuron SDK, such as 2.30.0", show_default=False)
    ] = "",
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Show the Neuron SDK releases, or one whole.

    For each: driver, runtime, the EKS AMI releases with its driver, training containers, Python, and the Trainium
    families that its driver names; then what ends when. It is the table from which locks are made.
    """
    from ami.offline import NoPinError, sdk_release  # noqa: PLC0415 - as every command, see the package's docstring

    try:
        row = sdk_release(sdk) if sdk else None
    except NoPinError as error:
        output.tell(f"{error.message}\n  hint: {error.hint}")
        raise typer.Exit(output.USAGE) from None
    if as_json:
        import json  # noqa: PLC0415

        output.say_json(json.dumps(_record(row) if row else _everything(), indent=2, ensure_ascii=False))
    else:
        output.say_sections(_whole(row) if row else [_overview(), _ends(), _rules()])


def _overview() -> list[str]:
    from ami.tables import sdk_releases  # noqa: PLC0415

    head = ("SDK", "released", "driver", "runtime", "EKS AMI releases", "PyTorch", "JAX", "Python", "families")
    rows = [
        (
            row.sdk,
            row.released.isoformat(),
            row.driver,
            row.components["aws-neuronx-runtime-lib"][0],
            _ami_releases(row),
            _container(row.training_containers["pytorch"]),
            _container(row.training_containers["jax"]),
            f"{row.python[0]}-{row.python[-1]}",
            ", ".join(row.instance_families),
        )
        for row in sdk_releases().values()
    ]
    return [
        "Neuron SDK releases, newest first",
        *output.columns([head, *rows]),
        "  PyTorch, JAX: the training container's framework and Python; none: the release has none",
    ]


def _ami_releases(row: "SdkRelease") -> str:
    shown, more = row.eks_ami_releases[:_SHOWN_RELEASES], len(row.eks_ami_releases) - _SHOWN_RELEASES
    return f"{', '.join(shown)}{f' and {more} more' if more > 0 else ''}" or "none"


def _container(image: str | None) -> str:
    tag = _TAG.search(image or "")
    return f"{tag['version']} py{tag['python']}" if tag else "none"


def _ends() -> list[str]:
    from ami.fit import sdks_with_container  # noqa: PLC0415
    from ami.tables import lifecycle, sdk_releases  # noqa: PLC0415

    newest = next(iter(sdk_releases()))
    lines = []
    for framework, name in (("pytorch", "PyTorch"), ("jax", "JAX")):
        last = sdks_with_container(framework)[0]
        text = f"go on: {newest} has one" if last == newest else f"end with {last}"
        lines.append(f"  {name} training containers {text}")
    return ["What ends when", *lines, *output.columns((each.date.isoformat(), each.what) for each in lifecycle())]


def _rules() -> list[str]:
    from ami.tables import compatibility  # noqa: PLC0415

    return ["What fits what", *(f"  {each.what}" for each in compatibility())]


def _whole(row: "SdkRelease") -> list[list[str]]:
    facts = [
        ("released", row.released.isoformat()),
        ("families", ", ".join(row.instance_families)),
        ("Python", ", ".join(row.python)),
        ("EFA installer", row.efa_installer or "none is named"),
        ("tested kernels", f"{', '.join(row.tested_kernels)} of AL2023" if row.tested_kernels else "none are told"),
        *([("note", row.note)] if row.note else []),
    ]
    components = [(name, ", ".join(builds)) for name, builds in row.components.items()]
    further = [(name, ", ".join(builds)) for name, builds in row.further_components.items()]
    training = [(name, image or "none") for name, image in row.training_containers.items()]
    return [
        [f"Neuron SDK {row.sdk}", *output.columns(facts)],
        ["Components that a lock pins, the first of each", *output.columns(components)],
        *([["Further components", *output.columns(further)]] if further else []),
        ["Training containers", *output.columns(training)],
        ["Inference containers", *([f"  {image}" for image in row.inference_containers] or ["  none"])],
        ["EKS AMI releases with its driver", *_amis(row)],
    ]


def _amis(row: "SdkRelease") -> list[str]:
    from ami.tables import ami_releases  # noqa: PLC0415

    if not row.eks_ami_releases:
        return [f"  none is known with driver {row.driver}: image: {{type: custom, recipe: neuron}} installs it"]
    known = [ami_releases()[name] for name in row.eks_ami_releases]
    minors = sorted({minor for each in known for minor in each.release_versions}, key=lambda minor: minor.split("."))
    head = ("", *(f"Kubernetes {minor}" for minor in minors))
    return output.columns([head, *((each.release, *(_version(each, minor) for minor in minors)) for each in known)])


def _version(release: "AmiRelease", minor: str) -> str:
    version = release.release_versions.get(minor)
    return f"{version}, kernel {release.kernels[minor]}" if version else "none"


def _everything() -> dict[str, Any]:
    from ami.tables import collected_on, compatibility, lifecycle, sdk_releases  # noqa: PLC0415

    return {
        "collected": collected_on().isoformat(),
        "releases": [_record(row) for row in sdk_releases().values()],
        "lifecycle": [
            {"date": each.date.isoformat(), "what": each.what, "source": each.source} for each in lifecycle()
        ],
        "compatibility": [{"what": each.what, "source": each.source} for each in compatibility()],
    }


def _record(row: "SdkRelease") -> dict[str, Any]:
    from ami.tables import ami_releases  # noqa: PLC0415

    return {
        "sdk": row.sdk,
        "released": row.released.isoformat(),
        "instance_families": list(row.instance_families),
        "python": list(row.python),
        "efa_installer": row.efa_installer or None,
        "tested_kernels": list(row.tested_kernels),
        "components": {name: list(builds) for name, builds in row.components.items()},
        "further_components": {name: list(builds) for name, builds in row.further_components.items()},
        "training_containers": dict(row.training_containers),
        "inference_containers": list(row.inference_containers),
        "eks_ami_releases": [
            {
                "release": each.release,
                "neuron_driver": each.neuron_driver,
                "release_versions": dict(each.release_versions),
                "kernels": dict(each.kernels),
            }
            for each in (ami_releases()[name] for name in row.eks_ami_releases)
        ],
        "note": row.note,
        "sources": list(row.sources),
    }
