"""What must hold in an environment: one function per rule, all of them listed in ``RULES``.

A rule's name is the proposition that holds. Its docstring starts with the code, says what holds and why it matters, and
ends with ``Source:``. It yields a finding for each place where the proposition does not hold, and does nothing else.
"""

import datetime as dt
from collections.abc import Callable, Iterator

from trnstack.findings import Finding
from trnstack.rules import (
    addresses,
    adoption,
    associations,
    buckets,
    capacity,
    capacity_blocks,
    catalog,
    clients,
    efa,
    eks,
    existing_vpc,
    file_system,
    images,
    job_prefixes,
    kubernetes,
    links,
    lustre,
    lustre_efa,
    lustre_settings,
    network,
    neuron,
    nodes,
    operations,
    private,
    protection,
    shape,
    storage_fit,
    training,
    unbuilt,
)
from trnstack.rules.dated import DATED_RULES
from trnstack.spec import Environment

__all__ = ["DATED_RULES", "RULES", "Rule", "check"]

Rule = Callable[[Environment], Iterator[Finding]]

#: Every rule, in the order in which ``trnstack rules`` prints them.
RULES: tuple[Rule, ...] = (
    *shape.RULES,
    *associations.RULES,
    *catalog.RULES,
    *efa.RULES,
    *network.RULES,
    *private.RULES,
    *clients.RULES,
    *existing_vpc.RULES,
    *addresses.RULES,
    *capacity.RULES,
    *capacity_blocks.RULES,
    *eks.RULES,
    *nodes.RULES,
    *kubernetes.RULES,
    *images.RULES,
    *neuron.RULES,
    *lustre.RULES,
    *lustre_efa.RULES,
    *lustre_settings.RULES,
    *file_system.RULES,
    *links.RULES,
    *buckets.RULES,
    *job_prefixes.RULES,
    *protection.RULES,
    *adoption.RULES,
    *training.RULES,
    *storage_fit.RULES,
    *operations.RULES,
    *unbuilt.RULES,
)


def check(environment: Environment, *, at: dt.datetime | None = None) -> list[Finding]:
    """Returns everything that the rules find, in the order of the rules.

    Args:
        environment: What is checked.
        at: A time with its zone, for the rules that need one; without it they are left out.
    """
    found = [finding for rule in RULES for finding in rule(environment)]
    if at is not None:
        found += [finding for rule in DATED_RULES for finding in rule(environment, at)]
    return found
