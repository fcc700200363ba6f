"""The versions of what makes templates from a lock: the toolkit itself, the CDK's library and its command."""

import functools
import json
from importlib.metadata import version
from pathlib import Path

from ami.pins import Toolkit

_PACKAGES = Path(__file__).resolve().parent.parent / "package.json"


@functools.cache
def installed() -> Toolkit:
    """Returns the versions that are installed here; aws_cdk is not imported for it."""
    packages = json.loads(_PACKAGES.read_text(encoding="utf-8"))
    return Toolkit(
        trnstack=version("trnstack"),
        aws_cdk_lib=version("aws-cdk-lib"),
        aws_cdk_cli=packages["devDependencies"]["aws-cdk"],
    )
