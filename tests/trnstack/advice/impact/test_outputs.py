"""Outputs that people act on."""

import pytest

from trnstack.advice.impact import compare

from .conftest import side_of


def notes(before, after):
    """Returns what is told of outputs that differ between two stacks without resources."""
    sides = (side_of(("s", {"Resources": {}, "Outputs": outputs})) for outputs in (before, after))
    return compare(*sides).notes


class TestOutputs:
    @pytest.mark.parametrize(
        ("before", "after", "said"),
        [
            (None, {"Value": "a"}, "the output Name of s is new: a"),
            ({"Value": "a"}, {"Value": "b"}, "the output Name of s changes: a -> b; who wrote down"),
            ({"Value": "a\nb"}, {"Value": "c"}, "the output Name of s changes; who wrote down"),
            ({"Value": "a"}, None, "the output Name of s goes"),
        ],
    )
    def test_value(self, before, after, said):
        """What changes is told with both values; one of several lines by its name."""
        (note,) = notes(*({} if each is None else {"Name": each} for each in (before, after)))

        assert note.startswith(said)

    @pytest.mark.parametrize(
        ("before", "after", "said"),
        [
            ({}, {"DoCommand": {"Value": "a"}}, "is new: run what it says after the deploy"),
            ({"DoCommand": {"Value": "a"}}, {}, "what it did stays until it is undone"),
        ],
    )
    def test_command(self, before, after, said):
        """A command is for a person to run, and undoes nothing when it goes."""
        assert said in notes(before, after)[0]

    def test_exports(self):
        """What other stacks import is told of elsewhere."""
        export = {"Export": {"Name": "n"}}

        assert notes({"A": {"Value": "a", **export}}, {"A": {"Value": "b", **export}}) == ()

    def test_new_stack(self):
        """Outputs of a stack that is new are no change."""
        new = side_of(("s", {"Resources": {}, "Outputs": {"A": {"Value": "a"}}}))

        assert compare(side_of(), new).notes == ()
