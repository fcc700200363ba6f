"""How long a first deploy takes, by the plan alone."""

import datetime as dt

import pytest

from trnstack.catalog.creation_times import duration
from trnstack.plan.creations import Creation, creations
from trnstack.plan.times import about, estimate, longest_path

BLOCK = {
    "type": "capacity_block",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 2,
    "availability_zone_id": "use2-az3",
    "starts_at": dt.datetime(2027, 3, 1, 11, 30, tzinfo=dt.UTC),
    "ends_at": dt.datetime(2027, 3, 8, 11, 30, tzinfo=dt.UTC),
}
LUSTRE = {
    "storage_gib": 4800,
    "throughput_mbps_per_tib": 250,
    "data_repository_associations": ({"file_system_path": "/checkpoints", "bucket": "checkpoints"},),
}


@pytest.fixture
def estimated(planned):
    """Returns the estimate of an environment."""
    return lambda **sections: estimate(planned(**sections))


def step(name, key, *after):
    return Creation(name=name, what=name, duration=duration(key), after=after)


class TestLongestPath:
    def test_by_what_it_takes(self):
        """The path is the one that takes longest, not the one with the most steps."""
        steps = [
            step("a", "other"),
            step("b", "other", "a"),
            step("c", "other", "b"),
            step("control plane", "control_plane", "a"),
            step("end", "other", "c", "control plane"),
        ]

        path = longest_path(steps, lambda one: one.duration.likely)

        assert [one.name for one in path] == ["a", "control plane", "end"]

    def test_equally_long(self):
        """Of paths that take equally long it is the first one by its name, whatever the order of the steps."""
        steps = [step("start", "other"), step("b", "add_on", "start"), step("a", "add_on", "start")]
        end = step("end", "other", "b", "a")

        for order in (steps, [steps[0], *steps[:0:-1]]):
            path = longest_path([*order, end], lambda one: one.duration.likely)
            assert [one.name for one in path] == ["start", "a", "end"]

    def test_of_nothing(self):
        """A stack that makes nothing of note takes no time."""
        assert longest_path([], lambda one: one.duration.likely) == ()


class TestEstimate:
    def test_stacks(self, planned):
        """Each stack of the plan has its time, and one after another they take them all."""
        plan = planned(lustre=LUSTRE)
        found = estimate(plan)

        assert [stack.name for stack in found.stacks] == [stack.name for stack in plan.stacks]
        assert found.one_after_another.likely == pytest.approx(sum(stack.minutes.likely for stack in found.stacks))

    def test_span(self, estimated):
        """The least is less than the likely and that than the most, and side by side is never longer."""
        found = estimated(lustre=LUSTRE)

        for span in (found.one_after_another, found.side_by_side):
            assert span.low < span.likely < span.high
        assert found.side_by_side.likely <= found.one_after_another.likely

    def test_path(self, estimated):
        """What all else waits for is named in its order, with what nobody at AWS says a figure of."""
        found = estimated(lustre=LUSTRE)

        what = [step.what for step in found.path]
        assert [one for one in what if not one.startswith(("add-on", "NAT", "interface"))] == [
            "KMS keys",
            "FSx for Lustre file system, PERSISTENT_2",
            "data repository association of /checkpoints",
            "EKS control plane",
            "system nodes",
            "node group trn1, 2 x trn1.32xlarge",
        ]
        assert "node group of Trn instances, with nodes" in found.unconfirmed
        assert "EKS control plane" not in found.unconfirmed
        assert not any(step.confirmed for step in found.path if step.what.startswith("node group"))

    def test_a_new_network(self, planned):
        """All waits for the NAT gateway, before which its way out and its address are made, as in a rehearsal."""
        plan = planned()

        path = longest_path(creations(plan, f"{plan.name}-network"), lambda one: one.duration.likely)

        assert [one.duration.key for one in path] == ["vpc", "other", "other", "other", "nat_gateway", "other"]

    def test_without_nodes(self, estimated):
        """A group that waits for its block is made without nodes, and says nothing of starting with none."""
        with_nodes, in_a_block = (
            estimated(),
            estimated(node_group={"instance_type": "trn2.48xlarge", "capacity": BLOCK}),
        )

        less = with_nodes.one_after_another.likely - in_a_block.one_after_another.likely
        assert less == pytest.approx(duration("accelerated_node_group").likely - duration("empty_node_group").likely)
        assert any("starts with 0 nodes" in one for one in with_nodes.shorter)
        assert not any("starts with 0 nodes" in one for one in in_a_block.shorter)

    @pytest.mark.parametrize(
        ("scale_up", "when"), [("scheduled", "at 2027-03-01T"), ("by_hand", "when you scale it, in")]
    )
    def test_nodes_of_a_block(self, estimated, scale_up, when):
        """The nodes of a block come after the deploy, and it is said when; all other nodes are waited for."""
        capacity = {**BLOCK, "scale_up": scale_up}
        group = {"instance_type": "trn2.48xlarge", "capacity": capacity}
        (one,) = estimated(node_group={**group, "node_count": 1}).later
        (two,) = estimated(node_group={**group, "node_count": 2}).later

        assert f"; the node of its capacity block comes {when}" in one
        assert two.startswith("node group trn1 is made without nodes; the 2 nodes of its capacity block come ")
        assert estimated().later == ()

    def test_one_minute(self):
        """One minute is no plural, and what rounds to it neither."""
        assert [about(minutes) for minutes in (0.7, 1.0, 1.4, 1.6)] == [
            "about 1 minute less",
            "about 1 minute less",
            "about 1 minute less",
            "about 2 minutes less",
        ]

    def test_without_associations(self, estimated):
        """Only what is there can be put off."""
        plain = {**LUSTRE, "data_repository_associations": ()}

        assert any("associations" in one for one in estimated(lustre=LUSTRE).shorter)
        assert not any("associations" in one for one in estimated(lustre=plain).shorter)

    def test_several_associations(self, planned):
        """Associations come one after another, as the stack makes them."""
        links = [*LUSTRE["data_repository_associations"], {"file_system_path": "/corpus", "bucket": "corpus"}]
        plan = planned(
            lustre={**LUSTRE, "data_repository_associations": tuple(links)},
            datasets=({"name": "corpus", "bucket_name": "ml-corpus"},),
        )

        path = longest_path(creations(plan, f"{plan.name}-storage"), lambda one: one.duration.likely)

        assert [one.name for one in path][-2:] == ["/checkpoints", "/corpus"]

    def test_every_step_is_known(self, planned):
        """Whatever a step waits for is made by its own stack, before it."""
        plan = planned(lustre=LUSTRE)

        for stack in plan.stacks:
            seen: set[str] = set()
            for one in creations(plan, stack.name):
                assert set(one.after) <= seen, (stack.name, one.name)
                seen.add(one.name)
