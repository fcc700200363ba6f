"""``trnstack catalog``: the facts on which everything is decided, and how they differ from what EC2 says today."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from trnstack.cli import output
from trnstack.cli.catalog import refresh

_SHOW = "show"
#: So much alike must a name be that is no trn type to be taken for a misspelt one, as in the rules.
_MISSPELT = 0.88


class _ShowByDefault(TyperGroup):
    """Takes what is no command of its own as words for ``show``: ``trnstack catalog trn2.48xlarge``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Puts ``show`` in front of words that start with no command and ask for no help."""
        if not args or args[0] not in {*self.commands, *ctx.help_option_names}:
            args = [_SHOW, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=_ShowByDefault, no_args_is_help=False, rich_markup_mode=None)


@app.callback()
def catalog() -> None:
    """Show instance types, chips and versions, or ask EC2.

    Without a word, everything; with the name of an instance type, all that is known of it.
    """


@app.command(_SHOW, epilog=output.EXIT_CODES)
def show(
    name: Annotated[
        str, typer.Argument(metavar="TYPE", help="An instance type, such as trn2.48xlarge", show_default=False)
    ] = "",
    *,
    sources: Annotated[bool, typer.Option("--sources", help="Say where each row comes from.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with sources, and nothing else.")] = False,
) -> None:
    """Show all types, or one in full; "show" may be left out."""
    from trnstack.catalog import INSTANCE_TYPES  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.cli.catalog import detail, overview, records  # noqa: PLC0415

    if name and name not in INSTANCE_TYPES:
        output.tell(_unknown(name))
        raise typer.Exit(output.USAGE)
    if as_json:
        output.say_json(records.to_json(records.of_type(name) if name else records.everything()))
    else:
        output.say_sections(detail.sections(name) if name else overview.sections(sources=sources))


def _unknown(name: str) -> str:
    from trnstack.catalog import INSTANCE_TYPES  # noqa: PLC0415
    from trnstack.catalog.instance_types import is_opt_in  # noqa: PLC0415
    from trnstack.findings import did_you_mean  # noqa: PLC0415

    if is_opt_in(name):
        return (
            f"AWS has published nothing of {name}: an environment that has such nodes states it in instance_facts\n"
            "  hint: trnstack catalog shows what is known of the chip, trainium3, and of its UltraServers"
        )
    likeness = 0.6 if name.startswith("trn") else _MISSPELT
    hint = did_you_mean(name, INSTANCE_TYPES, likeness=likeness) or f"use one of {', '.join(INSTANCE_TYPES)}"
    return f"unknown instance type '{name}'\n  hint: {hint}"


app.command("refresh", epilog=refresh.EXIT_CODES)(refresh.refresh)
