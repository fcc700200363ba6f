"""The ``trnstack`` command: answers questions about an environment, and never wraps ``cdk``.

Every command imports what it needs when it runs, so that a quick answer stays quick.
"""

from collections.abc import Sequence
from typing import Annotated

import typer

from trnstack.cli import (
    catalog,
    check,
    diff,
    init,
    job,
    kubernetes,
    lock,
    output,
    plan,
    reference,
    rehearse,
    releases,
    teardown,
)

app = typer.Typer(
    name="trnstack",
    help=(
        "Turns one environment file into the CDK stacks of an AWS Trainium training cluster, "
        "and answers what can be known before anything is deployed.\n\n"
        "Start with: trnstack check environments/llama3-8b-trn1.yaml"
    ),
    epilog=output.EXIT_CODES,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)


def _show_version(asked: bool) -> None:  # noqa: FBT001 - typer calls an option's callback with its value
    if asked:
        from importlib.metadata import version  # noqa: PLC0415 - for this option alone

        output.say(f"trnstack {version('trnstack')}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


app.command("init", epilog=output.EXIT_CODES)(init.init)
app.command("check", epilog=output.EXIT_CODES)(check.check)
app.command("plan", epilog=output.EXIT_CODES)(plan.plan)
app.command("diff", epilog=diff.EXIT_CODES)(diff.diff)
app.command("lock", epilog=output.EXIT_CODES)(lock.lock)
app.command("releases", epilog=output.EXIT_CODES)(releases.releases)
app.add_typer(catalog.app, name="catalog", epilog=output.EXIT_CODES)
app.add_typer(job.app, name="job", epilog=output.EXIT_CODES)
app.add_typer(kubernetes.app, name="kubernetes", epilog=output.EXIT_CODES)
app.command("rehearse", epilog=rehearse.EXIT_CODES)(rehearse.rehearse)
app.command("teardown", epilog=output.EXIT_CODES)(teardown.teardown)
app.command("rules", epilog=output.EXIT_CODES)(reference.rules)
app.command("schema", epilog=output.EXIT_CODES)(reference.schema)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the process's exit code.

    Args:
        arguments: The words after ``trnstack``; the process's own when left out.
    """
    output.prepare_streams()
    try:
        app(args=arguments, prog_name="trnstack")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        return output.INTERRUPTED
    return 0
