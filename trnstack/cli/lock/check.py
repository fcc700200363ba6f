"""``trnstack lock --check``: whether the lock answers the environment and fits, for continuous integration."""

from typing import TYPE_CHECKING

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ami.pins import Lock
    from trnstack.findings import Finding
    from trnstack.spec import Environment


def check(file: str, environment: "Environment", *, as_json: bool) -> None:
    """Tells of a lock whether it can be used; ends the command where it is missing, stale, or does not fit.

    Args:
        file: The environment file.
        environment: What is in it.
        as_json: Whether the answer is JSON.
    """
    from trnstack.environment import checked_lock  # noqa: PLC0415 - as every command, see the package's docstring

    lock, findings = checked_lock(file, environment)
    unusable = _archives(file, environment, lock) if lock else []
    if unusable:
        lock, findings = None, (*findings, *unusable)
    if as_json:
        output.say_json(_as_data(file, lock, findings))
        if lock is None:
            raise typer.Exit(output.FINDINGS)
    elif lock is None:
        output.stop(findings)
    else:
        output.tell_findings(findings)
        output.say(_sentence(file, lock))


def _archives(file: str, environment: "Environment", lock: "Lock") -> "list[Finding]":
    """Returns what is wrong with the charts' archives; nothing before an account has resolved the lock."""
    from ami.lock import path_for  # noqa: PLC0415
    from trnstack import source  # noqa: PLC0415
    from trnstack.charts import chart_findings  # noqa: PLC0415
    from trnstack.plan import plan  # noqa: PLC0415

    if lock.unresolved or lock.rehearsal_account:
        return []
    text = source.read(file)
    return [text.locate(each) for each in chart_findings(file, plan(environment, lock), path_for(file).parent)]


def _sentence(file: str, lock: "Lock") -> str:
    from ami.lock import path_for  # noqa: PLC0415

    use = f", for account {lock.rehearsal_account} of the rehearsal alone" if lock.rehearsal_account else ""
    return f"{path_for(file)} is current, made from {lock.made_from}{use}"


def _as_data(file: str, lock: "Lock | None", findings: "Sequence[Finding]") -> str:
    import json  # noqa: PLC0415

    from ami.lock import path_for  # noqa: PLC0415
    from trnstack.findings import to_json  # noqa: PLC0415

    data = {
        "file": str(path_for(file)),
        "current": lock is not None,
        "made_from": lock and lock.made_from,
        "rehearsal_account": lock and lock.rehearsal_account,
        "unresolved": list(lock.unresolved) if lock else [],
        "findings": json.loads(to_json(findings)),
    }
    return json.dumps(data, indent=2, ensure_ascii=False)
