"""``trnstack init``: a commented environment file to start from."""

import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.findings import Finding
    from trnstack.starter import Answers

_ROLE_ARN = re.compile(r"arn:aws[a-z-]*:iam::[0-9]{12}:role/.+")
_MOST_NODES = 10_000
_Answer = TypeVar("_Answer", str, int)


def init(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The environment's name, such as llama3-8b")],
    *,
    instance_type: Annotated[str, typer.Option(metavar="TYPE", help="Such as trn1.32xlarge.")] = "",
    region: Annotated[str, typer.Option(metavar="REGION", help="Such as us-east-2.")] = "",
    zone: Annotated[
        list[str] | None,
        typer.Option(metavar="ZONE-ID", help="Twice or more, such as use2-az3; the accelerators' first."),
    ] = None,
    nodes: Annotated[int | None, typer.Option(metavar="NUMBER", help="How many accelerator nodes.")] = None,
    admin_role_arn: Annotated[str, typer.Option(metavar="ARN", help="The IAM role that administers.")] = "",
    file: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Instead of environments/NAME.yaml.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
) -> None:
    """Write a commented environment file.

    What is not said by an option is asked for on a terminal. Instance types, regions and zones come from the catalog.
    """
    file = file or Path("environments") / f"{name}.yaml"
    if file.exists() and not force:
        output.tell(f"{file} exists: name another file with --output, or overwrite it with --force")
        raise typer.Exit(output.USAGE)
    answers = _answers(name, instance_type, region, tuple(zone or ()), nodes, admin_role_arn)
    text = _text(answers, file)
    findings = _findings(text, file)
    output.tell_findings(findings)
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(output.FINDINGS)
    _write(file, text)
    commands = [f"trnstack {words} {output.quoted(file)}" for words in ("lock --offline", "check", "plan", "rehearse")]
    output.say("\n".join([f"{file} is written. Look through it, then:", *(f"  {line}" for line in commands)]))


def _answers(
    name: str, instance_type: str, region: str, zones: tuple[str, ...], nodes: int | None, admin_role_arn: str
) -> "Answers":
    from trnstack import starter  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.catalog import INSTANCE_TYPES  # noqa: PLC0415

    missing = {
        "--instance-type": not instance_type,
        "--region": not region,
        "--zone": len(zones) < 2,  # noqa: PLR2004 - EKS wants two zones
        "--nodes": nodes is None,
        "--admin-role-arn": not admin_role_arn,
    }
    if any(missing.values()) and not (sys.stdin.isatty() and sys.stderr.isatty()):
        named = ", ".join(option for option, is_missing in missing.items() if is_missing)
        output.tell(f"missing: {named}; without a terminal nothing can be asked (two zones at least)")
        raise typer.Exit(output.USAGE)
    instance_type = instance_type or _choose("Instance type", tuple(INSTANCE_TYPES))
    region = region or _choose("Region", starter.regions_for(instance_type))
    if not zones:
        zones = (_choose("Zone of the accelerators", starter.zones_for(instance_type, region)),)
    if missing["--zone"]:
        zones = (*zones, _choose("A second zone, for control plane and system nodes", _others(region, zones[0])))
    nodes = _ask("Nodes", _count) if nodes is None else nodes
    role = admin_role_arn or _ask("ARN of the IAM role that administers the cluster", _role)
    return starter.Answers(
        name=name, instance_type=instance_type, region=region, zones=zones, nodes=nodes, admin_role_arn=role
    )


def _others(region: str, first: str) -> tuple[str, ...]:
    from trnstack import starter  # noqa: PLC0415

    return starter.further_zones(region, first)


def _choose(question: str, choices: Sequence[str]) -> str:
    """Asks for one of the choices; for any text where there are none."""

    def one_of_them(text: str) -> str:
        if choices and text not in choices:
            raise typer.BadParameter(f"one of {', '.join(choices)}")
        return text

    listed = f" ({', '.join(choices)})" if choices else ""
    return _ask(f"{question}{listed}", one_of_them, default=choices[0] if choices else None)


def _ask(question: str, read: Callable[[str], _Answer], *, default: str | None = None) -> _Answer:
    answer: _Answer = typer.prompt(question, default=default, value_proc=read, err=True)
    return answer


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:6]) <= _MOST_NODES):
        raise typer.BadParameter(f"a number from 0 to {_MOST_NODES}")
    return int(text)


def _role(text: str) -> str:
    if not _ROLE_ARN.fullmatch(text):
        raise typer.BadParameter("such as arn:aws:iam::111122223333:role/ml-platform-admin")
    return text


def _text(answers: "Answers", file: Path) -> str:
    from ami.tables import sdk_releases  # noqa: PLC0415
    from trnstack.starter import environment_text  # noqa: PLC0415

    family = answers.instance_type.partition(".")[0].rstrip("nu")
    usable = [
        sdk
        for sdk, release in sdk_releases().items()
        if release.training_containers.get("pytorch") and family in release.instance_families
    ]
    return environment_text(answers, sdk=usable[0] if usable else next(iter(sdk_releases())), schema=_schema(file))


def _schema(file: Path) -> str:
    """Returns the schema's path as seen from the file; empty where trnstack does not run from its repository."""
    schema = Path(__file__).parents[2] / "docs" / "environment.schema.json"
    return Path(os.path.relpath(schema, file.parent)).as_posix() if schema.is_file() else ""


def _findings(text: str, file: Path) -> "list[Finding]":
    """Returns what is wrong with a text that is not written yet, without places in it."""
    import dataclasses  # noqa: PLC0415

    from trnstack.findings import InvalidEnvironmentError  # noqa: PLC0415
    from trnstack.rules import check  # noqa: PLC0415
    from trnstack.source import parse  # noqa: PLC0415
    from trnstack.spec.load import load  # noqa: PLC0415

    try:
        found = check(load(parse(text, str(file))))
    except InvalidEnvironmentError as error:
        found = list(error.findings)
    return [dataclasses.replace(finding, file="", line=0, column=0) for finding in found]


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        output.tell(f"{file}: can't be written: {(error.strerror or str(error)).lower()}")
        raise typer.Exit(output.FINDINGS) from None
