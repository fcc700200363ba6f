"""The embedded AWS as rehearsals and tests run it: moto's services with every overlay, handler and check of ours."""

from collections import ChainMap
from collections.abc import Iterable

from rehearsal import pause
from rehearsal.application import Rehearsal
from rehearsal.drift import reader_for
from rehearsal.engine.properties import check_properties
from rehearsal.faults import Fault
from rehearsal.faults.injection import Faults
from rehearsal.handlers import handlers_with
from rehearsal.handlers.cdk_providers import PROVIDERS
from rehearsal.handlers.stand_ins import NONE, StandIns
from rehearsal.handlers.tag_checks import check_tags
from rehearsal.operations import HOLD_SECONDS
from rehearsal.overlays import overlay_for


def embedded(
    *, hold_seconds: float = HOLD_SECONDS, faults: Iterable[Fault] = (), stand_ins: StandIns = NONE
) -> Rehearsal:
    """Makes the embedded AWS.

    Args:
        hold_seconds: How long a call of CloudFormation waits for the operation that it began.
        faults: What goes wrong from the start.
        stand_ins: What answers in the place of custom resources' providers, by resource type or by function name;
            what the CDK's own do is known.
    """
    return Rehearsal(
        handler_for=handlers_with(ChainMap(stand_ins, PROVIDERS)),
        overlay_for=overlay_for,
        before=(pause.before, check_properties, check_tags),
        hold_seconds=hold_seconds,
        faults=Faults(faults),
        reader_for=reader_for,
    )
