"""Synthesizes as ``python -m stacks`` does, and prints when each stage was over; run as a program of its own.

Times are of the system's monotonic clock, so that the process which started this one can tell what start and exit took.
"""

import gc
import json
import sys
import time
from pathlib import Path


def main(file: str, marks_file: str) -> None:
    """Synthesizes a file and writes the stages' ends, in seconds of the monotonic clock, to another."""
    marks = {"start Python": time.monotonic()}
    from trnstack.environment import plan_file  # noqa: PLC0415 - imports are what is measured

    plan = plan_file(file)
    marks["read, check, plan"] = time.monotonic()
    gc.disable()
    from aws_cdk import App  # noqa: PLC0415

    marks["import aws_cdk: start Node, load assemblies"] = time.monotonic()
    from stacks.app import build  # noqa: PLC0415

    app = App()
    marks["import stacks, new App: load aws-cdk-lib"] = time.monotonic()
    build(app, plan)
    marks["build"] = time.monotonic()
    app.synth()
    marks["synth"] = time.monotonic()
    Path(marks_file).write_text(json.dumps(marks))
    gc.freeze()


if __name__ == "__main__":
    main(*sys.argv[1:])
