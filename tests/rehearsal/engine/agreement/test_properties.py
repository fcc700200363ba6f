"""Random edits of made-up types: the engine does what the change set said, and always finds its way back."""

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.rehearsal.engine.conftest import Cloud, thing

_ENDS = ("CREATE_COMPLETE", "DELETE_SKIPPED")
NAMES = ("A", "B", "C", "D")
_EXAMPLES = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def templates(draw):
    """Draws a template of some of four things, each of which may refer to those before it."""
    resources = {}
    for name in NAMES:
        if not draw(st.booleans(), label=f"{name} is there"):
            continue
        before = st.sampled_from(sorted(resources)) if resources else st.nothing()
        references = st.one_of(
            before.map(lambda other: {"Ref": other}), before.map(lambda other: {"Fn::GetAtt": [other, "Arn"]})
        )
        values = st.one_of(st.integers(1, 2), references) if resources else st.integers(1, 2)
        properties = draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "Size": values,
                    "Name": values,
                    "Maybe": st.integers(1, 2),
                    "Config": st.fixed_dictionaries({"Kind": st.integers(1, 2), "Speed": st.integers(1, 2)}),
                },
            )
        )
        policies = draw(
            st.fixed_dictionaries(
                {},
                optional={"policy": st.sampled_from(["Delete", "Retain"]), "replace_policy": st.just("Retain")},
            )
        )
        resources[name] = thing(**policies, **properties)
    assume(resources)
    return resources


def standing(stack):
    """Returns what stands of a stack, by logical id: the physical ids and the properties."""
    return {name: (one.physical_id, dict(one.properties)) for name, one in stack.resources.items()}


def _steps(old, new):
    """Returns what an update makes and changes, where nothing fails."""
    cloud = Cloud()
    stack = cloud.create(old)
    seen = len(cloud.things.calls)
    cloud.update(stack, new)
    return [call for call in cloud.things.calls[seen:] if call[0] != "DELETE"]


def told(cloud, stack, new):
    return {change.spec.logical_id: change for change in cloud.preview(stack, new).changes}


class TestChangeSet:
    @_EXAMPLES
    @given(templates(), templates())
    def test_comes_true(self, old, new):
        """What is added, removed, replaced, changed or not mentioned is added, removed, replaced, changed or left."""
        cloud = Cloud()
        stack = cloud.create(old)
        before, said = standing(stack), told(cloud, stack, new)
        seen = len(cloud.things.calls)

        cloud.update(stack, new)

        after = standing(stack)
        touched = {name for _, name in cloud.things.calls[seen:]}
        assert stack.status == "UPDATE_COMPLETE"
        for name in NAMES:
            change = said.get(name)
            match (change.action, change.replacement) if change else (None, None):
                case (None, None):
                    assert (after.get(name), name in touched) == (before.get(name), False)
                case ("Add", _):
                    assert (name in before, name in after) == (False, True)
                case ("Remove", _):
                    assert (name in before, name in after) == (True, False)
                    assert (before[name][0] in cloud.things.existing) is (change.policy == "Retain")
                case (_, "True"):
                    assert before[name][0] != after[name][0]
                    assert (before[name][0] in cloud.things.existing) is (change.policy == "ReplaceAndRetain")
                case (_, "False"):
                    assert before[name][0] == after[name][0]

    @_EXAMPLES
    @given(templates())
    def test_of_the_same_is_empty(self, template):
        """The template that stands changes nothing."""
        cloud = Cloud()
        stack = cloud.create(template)

        assert cloud.preview(stack, template).is_empty


class TestFailure:
    @_EXAMPLES
    @given(templates(), templates(), st.data())
    def test_leads_back_and_then_converges(self, old, new, data):
        """A failing update leads to exactly what stood, what is to be retained stays, and the next one arrives."""
        cloud = Cloud()
        stack = cloud.create(old)
        before, kept = standing(stack), {name: one.get("DeletionPolicy") for name, one in new.items()}
        steps = _steps(old, new)
        assume(steps)
        cloud.things.failures_once.add(data.draw(st.sampled_from(steps), label="what fails"))

        cloud.update(stack, new)

        assert not cloud.things.failures_once
        assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
        assert standing(stack) == before
        expected = {one for one, _ in before.values()} | {
            event.subject.physical_id
            for event in stack.events
            if event.status == "DELETE_SKIPPED" and kept.get(event.subject.logical_id) == "Retain"
        }
        assert set(cloud.things.existing) == expected

        cloud.update(stack, new)

        assert stack.status == "UPDATE_COMPLETE"
        assert standing(stack).keys() == new.keys()
        assert cloud.preview(stack, new).is_empty

    @_EXAMPLES
    @given(templates(), st.sampled_from(NAMES))
    def test_of_a_creation_keeps_what_is_retained(self, template, name):
        """A failing creation removes what it made, but for what its policy retains."""
        assume(name in template)
        cloud = Cloud()
        cloud.things.failures.add(("CREATE", name))

        stack = cloud.create(template)

        subjects = {status: [event.subject for event in stack.events if event.status == status] for status in _ENDS}
        retained = {name for name, one in template.items() if one.get("DeletionPolicy") == "Retain"}
        left = {one.physical_id for one in subjects["DELETE_SKIPPED"]}
        assert stack.status == "ROLLBACK_COMPLETE"
        assert set(cloud.things.existing) == left
        assert {one.logical_id for one in subjects["DELETE_SKIPPED"]} <= retained
        assert {one.physical_id for one in subjects["CREATE_COMPLETE"] if one.logical_id in retained} <= left
