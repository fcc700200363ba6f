"""Errors of a rehearsed environment as pytest shows them: the test's own line and a sentence, without our frames."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from botocore.exceptions import ClientError

from rehearsal.faults import FaultError
from rehearsal.passing import PassingError
from rehearsal.rehearsed.errors import RehearsedError
from trnstack.findings import InvalidEnvironmentError

P = ParamSpec("P")
R = TypeVar("R")

#: What says by itself what is wrong and what mends it; whatever else is raised is a bug, and keeps its frames.
FOR_PEOPLE = (RehearsedError, InvalidEnvironmentError, FaultError, PassingError, ClientError)


def shown_short(method: Callable[P, R]) -> Callable[P, R]:
    """Returns the method so that an error for people ends at its caller, who finds nothing to mend further in."""

    @functools.wraps(method)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True
        try:
            return method(*args, **kwargs)
        except FOR_PEOPLE as error:
            raise error.with_traceback(None) from None

    return called
