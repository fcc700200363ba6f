"""``trnstack lock``: pins what floats, says what it pinned, and moves pins forward on purpose."""

from typing import TYPE_CHECKING, Annotated

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.spec import Environment


def lock(  # noqa: PLR0913 - a command's options are its arguments
    file: Annotated[str, typer.Argument(metavar="FILE", help="An environment file")],
    *,
    offline: Annotated[
        bool, typer.Option("--offline", help="Pin from the tables that come with trnstack, without an account.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; exit with 1 when the lock is missing, stale or does not fit."),
    ] = False,
    ami_release: Annotated[
        str | None, typer.Option(metavar="RELEASE", help="Take this EKS AMI release, such as v20260618.")
    ] = None,
    add_on: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VERSION", help="Take this version of an EKS add-on; may be repeated."),
    ] = None,
    outdated: Annotated[
        bool, typer.Option("--outdated", help="Show what is newer than the pins, and why to take it or not.")
    ] = False,
    explain: Annotated[
        str | None, typer.Option(metavar="IMAGE", help="Say why this pin: a node group, container, add-on, chart, ...")
    ] = None,
    images: Annotated[
        bool, typer.Option("--images", help="List every container image and chart by digest, for a mirror.")
    ] = False,
    upgrade: Annotated[
        bool, typer.Option("--upgrade", help="Move to the newest pins that fit, and say what that takes.")
    ] = False,
    sdk: Annotated[
        str | None,
        typer.Option(metavar="RELEASE", help="With --upgrade: move to this Neuron SDK, in FILE and lock together."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")] = False,
) -> None:
    """Pin images, drivers, containers, add-ons and charts.

    Asks AWS, with the credentials in use, and container registries for what the tables can't know. The pins stand in a
    lock beside the environment file: NAME.yaml gets NAME.lock.json. Nothing that floats changes until the lock does, so
    commit both.
    """
    from trnstack.cli.lock import check as checking  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.cli.lock import making  # noqa: PLC0415
    from trnstack.cli.lock import upgrade as upgrading  # noqa: PLC0415

    asked = {"--check": check, "--outdated": outdated, "--explain": explain is not None, "--images": images}
    _one_of({**asked, "--upgrade": upgrade})
    makes = not any(asked.values())
    _goes_with("--sdk", given=sdk is not None, allowed=upgrade, when="with --upgrade")
    _goes_with("--ami-release", given=ami_release is not None, allowed=makes, when="where a lock is made")
    _goes_with("--add-on", given=bool(add_on), allowed=makes and not upgrade, when="where a lock is made")
    _names_one({"--sdk": sdk, "--ami-release": ami_release})
    environment = _environment(file)
    if upgrade:
        upgrading.upgrade(file, environment, sdk=sdk, offline=offline, ami_release=ami_release, as_json=as_json)
    elif outdated or images or explain is not None:
        _answer(file, environment, outdated=outdated, explain=explain, offline=offline, as_json=as_json)
    elif check:
        checking.check(file, environment, as_json=as_json)
    else:
        making.make(file, environment, offline=offline, ami_release=ami_release, add_ons=add_on or (), as_json=as_json)


def _environment(file: str) -> "Environment":
    from trnstack.environment import check_file  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.findings import has_errors  # noqa: PLC0415

    checked = check_file(file, with_lock=False)
    if checked.environment is None or has_errors(checked.findings):
        output.stop(checked.findings)
    return checked.environment


def _one_of(options: dict[str, bool]) -> None:
    given = [name for name, is_given in options.items() if is_given]
    if given[1:]:
        raise typer.BadParameter(f"one at a time: {' and '.join(given)} ask for different things")


def _goes_with(option: str, *, given: bool, allowed: bool, when: str) -> None:
    if given and not allowed:
        raise typer.BadParameter(f"{option} means something {when} only")


def _names_one(options: dict[str, str | None]) -> None:
    for option, value in options.items():
        if value == "":
            raise typer.BadParameter(f"{option} needs the name of a release: trnstack releases lists them")


def _answer(
    file: str,
    environment: "Environment",
    *,
    outdated: bool,
    explain: str | None,
    offline: bool,
    as_json: bool,
) -> None:
    """Answers a question about a lock that is current, and writes nothing."""
    from trnstack.cli.lock import explain as explaining  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.cli.lock import images as listing  # noqa: PLC0415
    from trnstack.cli.lock import outdated as comparing  # noqa: PLC0415
    from trnstack.environment import current_lock  # noqa: PLC0415
    from trnstack.findings import Finding  # noqa: PLC0415

    found = current_lock(file, environment)
    if isinstance(found, Finding):
        output.stop([found])
    if outdated:
        comparing.outdated(file, found, offline=offline, as_json=as_json)
    elif explain is not None:
        explaining.explain(file, environment, found, explain, as_json=as_json)
    else:
        listing.images(file, found, environment.network.image_mirror, as_json=as_json)
