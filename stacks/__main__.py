"""The program that ``cdk`` runs: ``cdk deploy --all -c environment=environments/x.yaml``."""

import gc
import json
import os
import shlex
import sys
import tempfile
from pathlib import Path

from ami.loopback import is_loopback
from trnstack.environment import plan_file
from trnstack.findings import InvalidEnvironmentError, render

_USAGE = "name the environment file: cdk COMMAND -c environment=environments/llama3-8b-trn1.yaml"


class _SettingError(ValueError):
    """What the CDK CLI hands over can't be used. The message is for a person."""


def _context(key: str) -> str | None:
    """Returns a context value that the CDK CLI hands over, or the environment variable ``TRNSTACK_KEY``.

    Raises:
        _SettingError: The context is no JSON object, or the value no text.
    """
    try:
        context = json.loads(os.environ.get("CDK_CONTEXT_JSON") or "{}")
    except (ValueError, RecursionError):
        raise _SettingError("CDK_CONTEXT_JSON: is not JSON\n  hint: leave it to the CDK CLI, which sets it") from None
    if not isinstance(context, dict):
        raise _SettingError("CDK_CONTEXT_JSON: is no JSON object\n  hint: leave it to the CDK CLI, which sets it")
    value = context.get(key) or os.environ.get(f"TRNSTACK_{key.upper()}")
    if value is not None and not (isinstance(value, str) and value.isprintable()):
        raise _SettingError(f"context {key}: should be the name of a file, not {value!r}\n  hint: {_USAGE}")
    return value


def _refuse_unwritable(folder: Path) -> None:
    """Refuses a folder in which no template can be written; Node would try for ever to make one below ``/proc``.

    Raises:
        _SettingError: It can't be made, or nothing can be written in it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        hint = "name another folder: cdk COMMAND --output FOLDER"
        raise _SettingError(f"{folder}: templates can't be written there: {reason}\n  hint: {hint}") from None


def _is_rehearsal() -> bool:
    """Tells whether AWS is the embedded one, which listens on this machine only, for every service."""
    named = [value for name, value in os.environ.items() if name.startswith("AWS_ENDPOINT_URL")]
    ignored = os.environ.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "false").lower() == "true"
    here = all(is_loopback(address) for address in named)
    return "AWS_ENDPOINT_URL" in os.environ and here and not ignored


def main() -> int:
    """Synthesizes the environment; returns the process's exit code.

    The context value ``environment`` names its file; ``lock``, which a rehearsal gives, a lock that lies elsewhere.
    """
    try:
        return _synthesized(_context("environment"), _context("lock"))
    except _SettingError as error:
        print(error, file=sys.stderr)
        return 2


def _synthesized(file: str | None, lock_file: str | None) -> int:
    if not file:
        print(_USAGE, file=sys.stderr)
        return 2
    try:
        plan = plan_file(file, lock_file=Path(lock_file) if lock_file else None, to_deploy=True)
    except InvalidEnvironmentError as error:
        print(render(error.findings), file=sys.stderr)
        return 1
    quoted = shlex.quote(file)
    if plan.pins.rehearsal and not _is_rehearsal():
        print(f"{file}: its lock was made in a rehearsal\n  hint: run: trnstack lock {quoted}", file=sys.stderr)
        return 1
    for group in plan.awaiting_image:
        left_out = f"{file}: {group.stack} is left out, whatever stands of it: its custom image is not built yet"
        commands = f"cdk deploy {plan.name}-images -c environment={quoted}, then trnstack lock {quoted}"
        print(f"{left_out}\n  hint: run: {commands}", file=sys.stderr)
    folder = os.environ.get("CDK_OUTDIR")
    if folder:  # without it, templates go into a temporary folder
        _refuse_unwritable(Path(folder))
    # jsii takes the first Node on the PATH, which may be an older one of the system; ours came with the packages.
    node = Path(sys.prefix) / "bin" / "node"
    if node.exists():
        os.environ.setdefault("JSII_NODE", str(node))
    from aws_cdk import App  # noqa: PLC0415 - starts Node, which nothing above needs

    from stacks.app import build  # noqa: PLC0415

    app = App()
    build(app, plan)
    if plan.kubernetes.stack:
        from stacks.charts import write_charts  # noqa: PLC0415

        write_charts(plan, (Path(lock_file) if lock_file else Path(file)).parent, Path(app.outdir))
    app.synth()
    return 0


if __name__ == "__main__":
    # The process ends with the synthesis: to search aws_cdk's many objects for garbage, as they are made and again at
    # exit, would take a tenth of its time.
    gc.disable()
    code = main()
    gc.freeze()
    sys.exit(code)
