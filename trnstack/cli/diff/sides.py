"""Where the two environments of a diff come from: files, revisions of git, or what is deployed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import typer

from trnstack.cli import against, output

if TYPE_CHECKING:
    from account.deployed import DeployedStack
    from trnstack.advice.impact import Side, StackTemplate
    from trnstack.plan import Plan


#: That values of the lock are unresolved, which is no hindrance here, and stands in the notes.
_UNRESOLVED = "IMG006"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One of the two environments.

    Attributes:
        name: What the person called it.
        side: Its templates.
        plan: Its plan; None for what is deployed.
        notes: What is to be known of it.
        is_revision: Whether it is no file here, but a revision's.
    """

    name: str
    side: "Side"
    plan: "Plan | None"
    notes: tuple[str, ...] = ()
    is_revision: bool = False


def described(name: str, word: str) -> Known:
    """Returns an environment of a file or revision; ends the command where there is none without errors.

    Args:
        name: An environment file, or ``REV:path`` in git.
        word: Which of the two it is, ``old`` or ``new``.
    """
    from trnstack import revisions  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.advice.impact import Side  # noqa: PLC0415
    from trnstack.cli.templates import TemplatesError, templates  # noqa: PLC0415

    found = against.checked(name)
    if found.environment is None or found.lock is None:
        if word == "old":
            output.tell(f"{name}, the old environment, has errors; what is deployed of it needs no file: --deployed")
        output.stop(found.findings)
    plan = against.plan_of(found)
    if word == "new":
        output.tell_findings(each for each in found.findings if each.code != _UNRESOLVED)
    waiting = frozenset(group.stack for group in plan.awaiting_image)
    notes = tuple(f"{stack} is left out: in {name} its image is still to be built" for stack in sorted(waiting))
    if found.lock.unresolved:
        first, *others = found.lock.unresolved
        more = f" and {len(others)} more" if others else ""
        notes = (*notes, f"the lock of {name} leaves {first}{more} unresolved, which is compared as such")
    try:
        made = templates(plan)
    except TemplatesError as error:
        _stop(error.message, error.hint)
    side = Side(region=plan.region, account=plan.account, stacks=made, left_alone=waiting)
    return Known(name=name, side=side, plan=plan, notes=notes, is_revision=not revisions.is_file(name))


def deployed(new: Known) -> Known:
    """Returns what is deployed of an environment; ends the command where AWS does not say."""
    from account import deployed as asking  # noqa: PLC0415
    from account.refusals import AccountError  # noqa: PLC0415
    from trnstack.advice.impact import Side  # noqa: PLC0415

    plan = new.plan
    assert plan is not None  # noqa: S101 - the new side is a file's
    names = [*(stack.name for stack in plan.stacks), *(group.stack for group in plan.awaiting_image)]
    try:
        cloudformation, sts = asking.clients(plan.region)
        found = asking.deployed(cloudformation, sts, names=names, fleets=f"{plan.name}-nodes-", account=plan.account)
    except AccountError as error:
        _stop(error.message, error.hint)
    side = Side(
        region=plan.region,
        account=found.account,
        stacks={stack.name: _template(stack, plan.region) for stack in found.stacks},
    )
    return Known(name="what is deployed", side=side, plan=None, notes=found.notes)


def _template(stack: "DeployedStack", region: str) -> "StackTemplate":
    from trnstack.advice.impact import StackTemplate  # noqa: PLC0415
    from trnstack.advice.impact.text import document  # noqa: PLC0415
    from trnstack.cli.templates import plain  # noqa: PLC0415

    try:
        body = document(stack.body) if isinstance(stack.body, str) else stack.body
    except ValueError as error:
        _stop(
            f"the template of {stack.name} {error}: it was edited by hand",
            f"look at it: aws cloudformation get-template --region {region} --stack-name {stack.name}",
        )
    return StackTemplate(name=stack.name, template=plain(body), tags=stack.tags, parameters=stack.parameters)


def _stop(message: str, hint: str) -> NoReturn:
    output.tell(f"{message}\n  hint: {hint}")
    raise typer.Exit(output.FINDINGS)
