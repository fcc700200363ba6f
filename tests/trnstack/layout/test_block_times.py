"""When a Capacity Block's nodes start, are told to stop, and go."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trnstack.layout.block_times import block_times

START = dt.datetime(2027, 3, 1, 11, 30, tzinfo=dt.UTC)
END = dt.datetime(2027, 3, 8, 11, 30, tzinfo=dt.UTC)


class TestBlockTimes:
    def test_of_a_week(self):
        """CAP-04: Jobs are told drain_minutes before termination, nodes go 40 minutes before the end."""
        times = block_times(START, END, 60)

        assert times.starts_at == START
        assert f"{times.drain_at:%d %H:%M}" == "08 10:00"
        assert f"{times.scale_down_at:%d %H:%M}" == "08 10:50"
        assert f"{times.termination_at:%d %H:%M}" == "08 11:00"
        assert times.ends_at == END

    @pytest.mark.parametrize("minutes", [0, 5, 10])
    def test_jobs_are_told_before_nodes_go(self, minutes):
        """However few the drain minutes are, the notice is no later than the scale-down."""
        times = block_times(START, END, minutes)

        assert times.drain_at == times.scale_down_at

    def test_zones(self):
        """Times of other zones come out in UTC."""
        tokyo = dt.timezone(dt.timedelta(hours=9))
        times = block_times(START.astimezone(tokyo), END.astimezone(tokyo), 60)

        assert times == block_times(START, END, 60)
        assert {moment.tzinfo for moment in (times.starts_at, times.drain_at, times.ends_at)} == {dt.UTC}

    @given(days=st.integers(1, 182), minutes=st.integers(0, 24 * 60))
    def test_order(self, days, minutes):
        """The moments come in one order whatever the block."""
        times = block_times(START, START + dt.timedelta(days=days), minutes)

        assert times.drain_at <= times.scale_down_at < times.termination_at < times.ends_at
        assert times.starts_at < times.scale_down_at
