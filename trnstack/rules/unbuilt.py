"""What the format has and the stacks have not: each such part is told, none is passed over.

Each only adds something, so it is a note, and the cluster stands without it.
"""

from collections.abc import Iterator

from trnstack.findings import Finding, Path, Severity
from trnstack.spec import Environment

#: What is on by default and switches nothing yet, by section and key.
_ADDITIONS = {
    ("kubernetes", "cloudwatch_observability"): "metrics and logs of nodes and pods in CloudWatch",
    ("observability", "checkpoint_freshness_intervals"): "an alarm when no new checkpoint comes",
}


def _unbuilt(code: str, path: Path, what: str, hint: str, severity: Severity) -> Finding:
    subject, _, reason = what.partition(": ")
    return Finding(code=code, path=path, message=f"not built yet: {subject} ({reason})", hint=hint, severity=severity)


def additions(environment: Environment) -> dict[tuple[str, str], str]:
    """Returns what eases work, is on in the environment and is not there, by section and key, with what it would be."""
    return {
        (section, key): what
        for (section, key), what in _ADDITIONS.items()
        if getattr(getattr(environment, section), key)
    }


def the_additions_are_built(environment: Environment) -> Iterator[Finding]:
    """SPEC094: What eases work in the cluster is there, where the file asks for it; the cluster stands without it.

    What is on by default is listed by ``trnstack plan``.

    Source: the project's changelog.
    """
    for section, key in additions(environment):
        if key in getattr(environment, section).model_fields_set:
            what, hint = f"{key}: the cluster stands without it", f"remove {key}: it changes nothing"
            yield _unbuilt("SPEC094", (section, key), what, hint, Severity.NOTE)


def the_watch_is_built(environment: Environment) -> Iterator[Finding]:
    """SPEC095: Who is to be told by e-mail is told; the cluster stands without it.

    Source: the project's changelog.
    """
    blocks = any(group.capacity.type == "capacity_block" for group in environment.node_groups)
    if environment.observability.alarm_emails:
        sent = "only the notices of capacity blocks are sent" if blocks else "no alarm is sent"
        what, hint = f"alarm_emails: {sent}", "watch the account by other means"
        yield _unbuilt("SPEC095", ("observability", "alarm_emails"), what, hint, Severity.NOTE)
    if environment.budget:
        what, hint = "budget: nobody is told when it is spent", "make one in AWS Budgets by hand"
        yield _unbuilt("SPEC095", ("budget",), what, hint, Severity.NOTE)


RULES = (
    the_additions_are_built,
    the_watch_is_built,
)
