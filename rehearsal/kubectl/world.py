"""What a function's stand-in works in: the account and region of the function, and the function itself."""

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from moto.awslambda.models import LambdaFunction

Event = dict[str, Any]


class FunctionError(Exception):
    """A function fails, with the message that its code would raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """A call of a function.

    Attributes:
        function: moto's record of it.
        lambdas, network, clusters, buckets: moto's backends of the function's account and region.
    """

    function: LambdaFunction
    lambdas: Any
    network: Any
    clusters: Any
    buckets: Any

    @property
    def vpc(self) -> tuple[list[str], list[str]]:
        """The ids of the subnets and of the security groups that the function stands in; two empty lists without."""
        config = self.function.vpc_config or {}
        return list(config.get("SubnetIds", [])), list(config.get("SecurityGroupIds", []))


StandIn = Callable[[Event, Invocation], Event]
"""Does what a function's code does with an event, and gives its answer; raises ``FunctionError`` where that fails."""


def code_of(function: LambdaFunction) -> frozenset[str]:
    """Gives the names of the files that a function's code has."""
    with zipfile.ZipFile(io.BytesIO(function.code_bytes)) as code:
        return frozenset(code.namelist())
