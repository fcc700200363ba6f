"""What the rehearsal does with an edit is what `trnstack diff` and the change set said: the whole table of edits."""

import pytest

from rehearsal.engine.changes import ALWAYS
from rehearsal.engine.preview import CONDITIONAL, FALSE, TRUE
from rehearsal.templates.template import TemplateError
from trnstack.advice.impact import Action, Impact, Side, StackTemplate, compare

from .harness import ACCOUNT, ADDED, IN_PLACE, NOTHING, REFUSED, REGION, REMOVED, REPLACED
from .rows import BESIDE, SUBJECT, create_only, edits, unused

ROWS = [*create_only(), *edits()]
DEPLOYED = [row for row in ROWS if not row.refused]
_WORDS = {Action.ADD: ADDED, Action.UPDATE: IN_PLACE, Action.REPLACE: REPLACED, Action.DELETE: REMOVED}
_POLICIES = {"DeletionPolicy", "UpdateReplacePolicy"}
#: What a policy says of a resource that ends so; what can't be deleted was to be.
_FATES = {"DELETE_SKIPPED": "Retain", "DELETE_COMPLETE": "Delete", "DELETE_FAILED": "Delete"}


def side(template, tags):
    stack = StackTemplate(name="s", template=template, tags=tags)
    return Side(region=REGION, account=ACCOUNT, stacks={"s": stack})


def predicted(old, new, tags):
    """Returns what diff says, by logical id."""
    changes = compare(side(old, tags[0]), side(new, tags[1])).changes
    return {change.logical_id: change for change in changes}


def words(change):
    """Returns the outcomes that agree with what diff said."""
    if change is None:
        return {NOTHING}
    if change.refused:
        return {REFUSED}
    if change.action is Action.UPDATE and {each.path for each in change.properties} <= _POLICIES:
        return {NOTHING}
    if change.action is Action.UPDATE and change.impact is Impact.UNKNOWN:
        return {IN_PLACE, REPLACED, REFUSED}
    return {_WORDS[change.action]}


def agree(place, old, new, *, tags=({}, {})):
    """Deploys an edit, and holds what happened to every resource against what was said before; returns both."""
    place.stand()
    old, new = place.named(old), place.named(new)
    said, done = predicted(old, new, tags), place.deploy(old, new, tags)
    rolls_back = any(change.refused for change in said.values())
    for name, outcome in done.outcomes.items():
        change, told = said.get(name), done.preview.get(name)
        if rolls_back and not (change and change.refused):
            continue  # what is not refused is led back to what it was
        assert outcome.what in words(change), (name, outcome, change)
        if outcome.old is not None:
            kept = outcome.old != "DELETE_COMPLETE" or name in done.snapshots
            assert kept is change.retained, (name, outcome, change)
        if done.preview:
            _agrees_with_the_change_set(
                outcome, told, "Snapshot" if name in done.snapshots else _FATES.get(outcome.old)
            )
    unsure = any(change.impact is Impact.UNKNOWN for change in said.values())
    assert unsure or (done.status in {"UPDATE_ROLLBACK_COMPLETE", "CREATE_COMPLETE"}) is rolls_back, done.status
    return said, done


def _agrees_with_the_change_set(outcome, told, fate):
    """Holds an outcome against a change; ``fate`` is what became of the old resource, as a policy says it."""
    if outcome.what == NOTHING:
        assert told is None or all(detail.attribute in _POLICIES for detail in told.details)
    elif outcome.what == REPLACED:
        sure = any(detail.recreation == ALWAYS and not detail.dynamic for detail in told.details)
        assert told.replacement == (TRUE if sure else CONDITIONAL)
        assert told.policy == (f"ReplaceAnd{fate}" if sure else None)
    elif outcome.what == IN_PLACE:
        assert told.replacement in {FALSE, CONDITIONAL}
        assert told.policy is None
    elif outcome.what == ADDED:
        assert (told.action, told.policy) == ("Add", None)
    elif outcome.what == REMOVED:
        assert (told.action, told.policy) == ("Remove", fate)


class TestTable:
    @pytest.mark.parametrize("row", DEPLOYED, ids=str)
    def test_row(self, place, row):
        """Events, diff and change set agree on every resource, and the completed row means what the table says."""
        with place.stand_in(row):
            said, done = agree(place, row.old, row.new)
        change = said.get(SUBJECT)

        assert done.outcomes[BESIDE].what == NOTHING
        if row.table.get("impact") == "nothing":
            assert change is None
        elif row.table:
            assert change.impact == row.table["impact"]
            assert bool(change.refused) is ("refused" in row.table)
            assert change.retained is row.table.get("retained", False)
        else:
            assert change.action is Action.REPLACE

    @pytest.mark.parametrize("row", [row for row in ROWS if row.refused], ids=str)
    def test_row_that_cannot_be_deployed(self, place, row):
        """A row without a deployment is one that CloudFormation refuses to begin."""
        with pytest.raises(TemplateError, match=row.refused):
            place.deploy(place.named(row.old), place.named(row.new))

    @pytest.mark.parametrize("row", [row for row in ROWS if row.stand_in], ids=str)
    def test_stand_in_is_needed(self, place, row):
        """A stand-in is there for what the rehearsal's own handlers can't make or change, and for nothing else."""
        with pytest.raises((AssertionError, TemplateError)):
            agree(place, row.old, row.new)

    def test_most_rows_are_real(self):
        """At least nine of ten rows are made by the rehearsal's own handlers, and those that aren't say why."""
        stand_ins = [row for row in ROWS if row.stand_in]

        assert len(stand_ins) * 10 <= len(ROWS)
        assert not unused()
