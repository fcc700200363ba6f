"""The plan: everything decided, nothing that moves by itself."""

import dataclasses
import json

import pytest

from trnstack.plan import to_json

RESERVED = {
    "type": "capacity_reservation",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 8,
    "availability_zone_id": "use2-az3",
}


def records(value):
    """Yields every record in a plan."""
    if dataclasses.is_dataclass(value):
        yield value
        for field in dataclasses.fields(value):
            yield from records(getattr(value, field.name))
    elif isinstance(value, tuple):
        for each in value:
            yield from records(each)


class TestPlan:
    def test_is_frozen(self, planned):
        """No record of a plan can be changed, and none holds a list."""
        for record in records(planned(lustre={}, training={})):
            first = dataclasses.fields(record)[0].name
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(record, first, None)
            assert not any(isinstance(getattr(record, field.name), list) for field in dataclasses.fields(record))

    def test_is_stable(self, planned):
        """The same environment gives the same plan and the same text."""
        assert planned(lustre={}) == planned(lustre={})
        assert to_json(planned(lustre={})) == to_json(planned(lustre={}))

    def test_round_trip(self, planned):
        """The JSON holds the whole plan and its version."""
        decided = planned(lustre={"data_repository_associations": [{"file_system_path": "/a-b/c"}]})
        read = json.loads(to_json(decided))

        assert read.pop("plan_version") == 1
        assert read == json.loads(json.dumps(dataclasses.asdict(decided)))

    def test_order_of_the_file_does_not_matter_to_tags(self, planned):
        """Tags come in the order of their keys, however they were written."""
        one, other = planned(tags={"b": "1", "a": "2"}), planned(tags={"a": "2", "b": "1"})

        assert to_json(one) == to_json(other)
        assert list(one.tags) == ["a", "b", "managed-by", "trnstack:environment"]

    def test_stacks_stand_on_earlier_ones(self, planned):
        """Stacks come in an order in which they can be deployed."""
        decided = planned(node_groups=[{}, {"name": "second"}])
        names = [stack.name for stack in decided.stacks]

        fleets = ["demo-nodes-trn1", "demo-nodes-second"]
        assert names == ["demo-network", "demo-storage", "demo-cluster", "demo-kubernetes", *fleets]
        for position, stack in enumerate(decided.stacks):
            assert set(stack.depends_on) <= set(names[:position])
            assert decided.stack(stack.name) is stack

    def test_protection(self, planned):
        """What holds data, and what all else stands on, is protected from deletion."""
        protected = {stack.name for stack in planned().stacks if stack.termination_protection}

        assert protected == {"demo-network", "demo-storage"}

    def test_node_groups_stacks_have_no_tags(self, planned):
        """CloudFormation would hand them on to the placement group, which a tag edit would then replace."""
        for stack in planned(tags={"team": "x"}).stacks:
            assert dict(stack.tags) == ({} if "-nodes-" in stack.name else dict(planned(tags={"team": "x"}).tags))

    def test_account(self, planned):
        """An environment that names no account leaves its place in the bucket's name open."""
        assert planned().storage.checkpoints.name == "demo-checkpoints-ACCOUNT-us-east-2"
        named = planned(account="111122223333")
        assert named.storage.checkpoints.name == "demo-checkpoints-111122223333-us-east-2"
        assert named.account == "111122223333"

    def test_pins(self, planned, lock):
        """What the lock holds is what the plan says."""
        pins = planned().pins

        assert (pins.neuron_sdk, pins.neuron_driver) == (lock.neuron.sdk, lock.neuron.driver)
        assert (pins.container_image, pins.container_digest) == (
            lock.neuron.container.image,
            lock.neuron.container.digest,
        )


class TestDecisions:
    def test_each_has_a_reason(self, planned):
        """Nothing is decided for a person without saying why."""
        decided = planned(
            lustre={},
            node_groups=[
                {},
                {"name": "reserved", "capacity": RESERVED, "node_count": 8},
                {"name": "plain", "efa": False},
                {"name": "scaled", "node_count": None, "min_count": 1, "max_count": 3},
                {"name": "small", "instance_type": "trn1.2xlarge"},
            ],
        )

        for decision in decided.decisions:
            assert decision.path
            assert decision.value
            assert len(decision.reason) > 15
        assert len({decision.path for decision in decided.decisions}) == len(decided.decisions)

    @pytest.mark.parametrize(
        ("group", "path", "value"),
        [
            ({}, "efa", "8 EFA interfaces"),
            ({"efa": False}, "efa", "no EFA interface"),
            ({"instance_type": "trn1.2xlarge"}, "efa", "no EFA interface"),
            ({}, "placement_group", "create"),
            ({"node_count": 1}, "placement_group", "create"),
            ({"capacity": RESERVED}, "placement_group", "none"),
            ({"capacity": RESERVED}, "update_strategy", "MINIMAL"),
            ({"node_count": None, "min_count": 2, "max_count": 4}, "desired", "2"),
        ],
    )
    def test_says_what_was_decided(self, planned, group, path, value):
        """What the environment left open is told as it was decided."""
        (decision,) = (d for d in planned(node_group=group).decisions if d.path == f"node_groups[0].{path}")

        assert decision.value == value

    def test_what_was_asked_for_is_no_decision(self, planned):
        """A placement group that the environment chose itself needs no reason."""
        paths = {decision.path for decision in planned(node_group={"placement_group": "none"}).decisions}

        assert "node_groups[0].placement_group" not in paths
        assert "node_groups[0].update_strategy" not in paths
        assert "storage.lustre.subnet" not in paths
