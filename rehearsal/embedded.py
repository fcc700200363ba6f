"""The embedded AWS as rehearsals and tests run it: moto's services with every overlay, handler and check of ours."""

from rehearsal.application import Rehearsal
from rehearsal.handlers import handler_for
from rehearsal.operations import HOLD_SECONDS
from rehearsal.overlays import overlay_for


def embedded(*, hold_seconds: float = HOLD_SECONDS) -> Rehearsal:
    """Makes the embedded AWS.

    Args:
        hold_seconds: How long a call of CloudFormation waits for the operation that it began.
    """
    return Rehearsal(handler_for=handler_for, overlay_for=overlay_for, hold_seconds=hold_seconds)
