import datetime as dt

import pytest

from trnstack.catalog import KUBERNETES_VERSIONS
from trnstack.findings import Severity
from trnstack.rules.dated import (
    begun_blocks_are_not_waited_for,
    blocks_are_not_draining,
    blocks_have_not_ended,
    blocks_have_started,
    extended_support_lasts,
    standard_support_lasts,
)

BLOCK = {
    "type": "capacity_block",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 2,
    "availability_zone_id": "use2-az3",
    "starts_at": dt.datetime(2027, 3, 1, 11, 30, tzinfo=dt.UTC),
    "ends_at": dt.datetime(2027, 3, 8, 11, 30, tzinfo=dt.UTC),
    "drain_minutes": 60,
}


def at(text):
    return dt.datetime.fromisoformat(text)


@pytest.fixture
def block(environment):
    """An environment whose node group stands on a block."""
    return environment(node_group={"capacity": BLOCK})


class TestBlocksHaveNotEnded:
    @pytest.mark.parametrize("time", ["2027-03-08T11:30:00Z", "2027-04-01T00:00:00Z", "2027-03-08T12:30:00+01:00"])
    def test_over(self, block, time):
        """From its end on, whatever zone the time is given in, a block is an error at its end."""
        (finding,) = blocks_have_not_ended(block, at(time))

        assert finding.severity is Severity.ERROR
        assert finding.path == ("node_groups", 0, "capacity", "ends_at")
        assert "2027-03-08T11:30Z" in finding.message

    @pytest.mark.parametrize("time", ["2027-01-01T00:00:00Z", "2027-03-08T11:29:59Z"])
    def test_before(self, block, time):
        """Until then it has not ended."""
        assert not list(blocks_have_not_ended(block, at(time)))

    def test_other_capacity(self, environment):
        """Other capacity has no end."""
        assert not list(blocks_have_not_ended(environment(), at("2099-01-01T00:00:00Z")))


class TestBlocksHaveStarted:
    @pytest.mark.parametrize(
        ("time", "span"),
        [
            ("2027-02-01T11:30:00Z", "in 28 days"),
            ("2027-02-28T11:30:00Z", "in 24 hours"),
            ("2027-03-01T11:00:00Z", "in less than an hour"),
        ],
    )
    def test_before(self, block, time, span):
        """A block that is still to come is a note that says how long."""
        (finding,) = blocks_have_started(block, at(time))

        assert finding.severity is Severity.NOTE
        assert finding.message.endswith(span)

    def test_started(self, block):
        """A block that runs is nothing to tell."""
        assert not list(blocks_have_started(block, at("2027-03-01T11:30:00Z")))


class TestBlocksAreNotDraining:
    @pytest.mark.parametrize("time", ["2027-03-08T10:00:00Z", "2027-03-08T11:29:00Z"])
    def test_drains(self, block, time):
        """From drain_minutes before termination starts until the end, the note says since when."""
        (finding,) = blocks_are_not_draining(block, at(time))

        assert finding.severity is Severity.NOTE
        assert "since 2027-03-08T10:00Z" in finding.message
        assert "from 2027-03-08T11:00Z on" in finding.message

    @pytest.mark.parametrize("time", ["2027-02-01T00:00:00Z", "2027-03-08T09:59:59Z", "2027-03-08T11:30:00Z"])
    def test_does_not(self, block, time):
        """Before that it works, and after its end it is an error of another rule."""
        assert not list(blocks_are_not_draining(block, at(time)))


class TestStandardSupportLasts:
    @pytest.mark.parametrize(
        ("time", "text"),
        [
            ("2027-01-26T00:00:00Z", "ends on 2027-03-27, in 60 days"),
            ("2027-03-26T12:00:00Z", "ends on 2027-03-27, in 12 hours"),
            ("2027-03-27T00:00:00Z", "ended on 2027-03-27"),
        ],
    )
    def test_ends(self, environment, time, text):
        """Two months before the end, and after it, a version is a warning that says what AWS does then."""
        (finding,) = standard_support_lasts(environment(eks={"kubernetes_version": "1.35"}), at(time))

        assert finding.severity is Severity.WARNING
        assert text in finding.message
        assert finding.message.endswith("AWS upgrades the cluster by itself")
        assert finding.hint == 'upgrade to "1.36", one minor version at a time'

    def test_extended(self, environment):
        """Who has chosen extended support is told of its cost instead."""
        extended = environment(eks={"kubernetes_version": "1.35", "support_type": "EXTENDED"})
        (finding,) = standard_support_lasts(extended, at("2027-04-01T00:00:00Z"))

        assert "costs more" in finding.message

    def test_newest_of_the_catalog(self, environment):
        """Where the catalog has no version that lasts, none is made up."""
        newest = list(KUBERNETES_VERSIONS)[-1]
        ends = KUBERNETES_VERSIONS[newest].standard_support_ends
        (finding,) = standard_support_lasts(environment(eks={"kubernetes_version": newest}), at(f"{ends}T00:00:00Z"))

        assert "the catalog has none" in finding.hint

    @pytest.mark.parametrize("time", ["2026-06-01T00:00:00Z", "2027-01-25T23:59:59Z"])
    def test_lasts(self, environment, time):
        """A version with more time than that is nothing to tell."""
        assert not list(standard_support_lasts(environment(eks={"kubernetes_version": "1.35"}), at(time)))

    def test_unknown_version(self, environment):
        """A version that the catalog lacks is answered by another rule."""
        unknown = environment(eks={"kubernetes_version": "1.10"})

        assert not list(standard_support_lasts(unknown, at("2030-01-01T00:00:00Z")))


class TestExtendedSupportLasts:
    def test_over(self, environment):
        """A version without any support is an error, and the one warning of its standard support falls away."""
        old = environment(eks={"kubernetes_version": "1.32"})
        (finding,) = extended_support_lasts(old, at("2027-03-23T00:00:00Z"))

        assert finding.severity is Severity.ERROR
        assert not list(standard_support_lasts(old, at("2027-03-23T00:00:00Z")))

    def test_lasts(self, environment):
        """Until then it can be had."""
        assert not list(
            extended_support_lasts(environment(eks={"kubernetes_version": "1.32"}), at("2027-03-22T23:59:59Z"))
        )


class TestBegunBlocksAreNotWaitedFor:
    @pytest.mark.parametrize("time", ["2027-03-01T11:30:00Z", "2027-03-05T00:00:00Z"])
    def test_begun(self, block, time):
        """CAP-03: A first deploy in the middle of a block would be refused for its schedule in the past."""
        (finding,) = begun_blocks_are_not_waited_for(block, at(time))

        assert finding.severity is Severity.WARNING
        assert "scale_up: by_hand" in finding.hint

    @pytest.mark.parametrize("time", ["2027-03-01T11:29:59Z", "2027-03-08T11:30:00Z"])
    def test_before_and_after(self, block, time):
        """Before, the schedule lies ahead; after, the block is over, which another rule tells."""
        assert not list(begun_blocks_are_not_waited_for(block, at(time)))

    def test_by_hand(self, environment):
        """Without a schedule there is nothing to refuse."""
        by_hand = environment(node_group={"capacity": {**BLOCK, "scale_up": "by_hand"}})

        assert not list(begun_blocks_are_not_waited_for(by_hand, at("2027-03-05T00:00:00Z")))
