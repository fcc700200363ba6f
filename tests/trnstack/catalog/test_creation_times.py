"""How long things take: the table, and what it says of itself."""

import pytest

from trnstack.catalog.creation_times import ACTIONS, BASES, duration, durations, unconfirmed


@pytest.mark.parametrize("row", durations().values(), ids=lambda row: f"{row.key} {row.action}")
class TestEveryRow:
    def test_in_order(self, row):
        """The likely duration lies between the least and the most, and none is nothing."""
        assert 0 < row.low <= row.likely <= row.high

    def test_sources(self, row):
        """It rests on something, and each source says what it is, where it stands and of when."""
        assert row.found
        assert row.action in ACTIONS
        for one in row.found:
            assert one.basis in BASES
            assert one.source
            assert one.date
            assert (one.low is None) == (one.basis == "limit")

    def test_spans_what_was_measured(self, row):
        """What was measured or documented of the thing itself lies within the span."""
        said = [one for one in row.found if one.basis in {"measured", "documented"} and row.applies]

        # Runs of more than the thing alone may be longer than it, and never are shorter.
        assert all(one.low >= row.low * 0.5 for one in said if one.low)
        assert all(row.low <= one.high for one in said)


class TestDuration:
    def test_of_its_own(self):
        """A control plane has a row of its own, which AWS confirms."""
        assert duration("control_plane").likely == 10
        assert duration("control_plane").confirmed

    def test_of_no_row(self):
        """What has no row for an action takes what any other resource takes."""
        assert duration("kms_key", "delete") is duration("other")

    def test_of_something_like_it(self):
        """What AWS says of other services' nodes confirms nothing of these."""
        assert any(one.confirmed for one in duration("accelerated_node_group").found)
        assert not duration("accelerated_node_group").confirmed

    def test_a_limit_confirms_nothing(self):
        """How long a tool waits is no duration."""
        assert not duration("add_on").confirmed

    def test_unconfirmed(self):
        """Those without a word of AWS's are named once, in order."""
        rows = [duration("nat_gateway"), duration("lustre"), duration("add_on"), duration("nat_gateway")]

        assert unconfirmed(rows) == ("EKS add-on", "NAT gateway")
