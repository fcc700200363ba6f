"""The program that ``cdk`` runs: ``cdk deploy --all -c environment=environments/x.yaml``."""

import gc
import json
import os
import shlex
import sys
from pathlib import Path

from ami.loopback import is_loopback
from trnstack.environment import plan_file
from trnstack.findings import InvalidEnvironmentError, render

_USAGE = "name the environment file: cdk COMMAND -c environment=environments/llama3-8b-trn1.yaml"


def _context(key: str) -> str | None:
    """Returns a context value that the CDK CLI hands over, or the environment variable ``TRNSTACK_KEY``."""
    context = json.loads(os.environ.get("CDK_CONTEXT_JSON", "{}"))
    return context.get(key) or os.environ.get(f"TRNSTACK_{key.upper()}")


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
    file, lock_file = _context("environment"), _context("lock")
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
    # jsii takes the first Node on the PATH, which may be an older one of the system; ours came with the packages.
    node = Path(sys.prefix) / "bin" / "node"
    if node.exists():
        os.environ.setdefault("JSII_NODE", str(node))
    from aws_cdk import App  # noqa: PLC0415 - starts Node, which nothing above needs

    from stacks.app import build  # noqa: PLC0415

    app = App()
    build(app, plan)
    app.synth()
    return 0


if __name__ == "__main__":
    # The process ends with the synthesis: to search aws_cdk's many objects for garbage, as they are made and again at
    # exit, would take a tenth of its time.
    gc.disable()
    code = main()
    gc.freeze()
    sys.exit(code)
