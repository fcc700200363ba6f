"""Lambda: functions and layers that AWS would take, and calls that stand-ins answer; no container is ever started."""

from rehearsal.overlays.awslambda.functions import Functions
from rehearsal.overlays.awslambda.invocations import Invocations


class Response(Functions, Invocations):
    """Lambda's API."""
