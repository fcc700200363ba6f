"""The program that ``cdk`` runs: ``cdk deploy --all -c environment=environments/x.yaml``."""

import gc
import json
import os
import sys
from pathlib import Path

from trnstack.environment import plan_file
from trnstack.findings import InvalidEnvironmentError, render

_USAGE = "name the environment file: cdk COMMAND -c environment=environments/llama3-8b-trn1.yaml"


def _environment_file() -> str | None:
    """Returns the context value ``environment`` that the CDK CLI hands over."""
    context = json.loads(os.environ.get("CDK_CONTEXT_JSON", "{}"))
    return context.get("environment") or os.environ.get("TRNSTACK_ENVIRONMENT")


def main() -> int:
    """Synthesizes the environment; returns the process's exit code."""
    file = _environment_file()
    if not file:
        print(_USAGE, file=sys.stderr)
        return 2
    try:
        plan = plan_file(file)
    except InvalidEnvironmentError as error:
        print(render(error.findings), file=sys.stderr)
        return 1
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
