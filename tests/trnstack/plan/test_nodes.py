"""Node groups: where they stand, what they start from, how they change."""

import pytest

RESERVED = {
    "type": "capacity_reservation",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 8,
    "availability_zone_id": "use2-az3",
}
TRN2 = {"instance_type": "trn2.48xlarge", "availability_zone_id": "use2-az3"}


@pytest.fixture
def group(planned):
    """Returns a builder of the plan of one node group, which a test changes."""

    def build(**changes):
        (only,) = planned(node_group=changes).node_groups
        return only

    return build


class TestScaling:
    @pytest.mark.parametrize(
        ("counts", "expected"),
        [
            ({"node_count": 3}, (3, 3, 3)),
            ({"node_count": 0}, (0, 0, 1)),
            ({"node_count": None, "min_count": 2, "max_count": 5}, (2, 2, 5)),
            ({"node_count": None, "min_count": 0, "max_count": 4}, (0, 0, 4)),
        ],
    )
    def test_sizes(self, group, counts, expected):
        """A fixed fleet has one size, another starts at its smallest; EKS takes no largest size below one."""
        scaling = group(**counts).scaling

        assert (scaling.minimum, scaling.desired, scaling.maximum) == expected


class TestPlace:
    def test_one_zone(self, planned):
        """A node group stands in the first zone, in one subnet, unless it names another zone."""
        zones = ["use2-az3", "use2-az1"]
        (first,) = planned(availability_zone_ids=zones).node_groups
        (second,) = planned(
            availability_zone_ids=zones, node_group={**TRN2, "availability_zone_id": "use2-az1"}
        ).node_groups

        assert (first.availability_zone_ids, first.subnets) == (("use2-az3",), ("nodes-use2-az3",))
        assert (second.availability_zone_ids, second.subnets) == (("use2-az1",), ("nodes-use2-az1",))

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            ({}, "create"),
            ({"node_count": 1}, "create"),
            ({"efa": False}, "none"),
            ({"instance_type": "trn1.2xlarge"}, "none"),
            ({"placement_group": "none"}, "none"),
            ({"placement_group": "ours"}, "ours"),
            ({"capacity": RESERVED}, "none"),
            ({"capacity": RESERVED, "placement_group": "ours"}, "ours"),
            ({"capacity": {"type": "spot"}}, "create"),
        ],
    )
    def test_placement_group(self, group, changes, expected):
        """Nodes that talk by EFA start near to each other, but never in a group beside their reservation."""
        assert group(**changes).launch_template.placement_group == expected

    def test_more_nodes_change_nothing_else(self, group):
        """Counts and launch template must not change together: the nodes that run would be replaced."""
        assert group(node_count=1).launch_template == group(node_count=64).launch_template


class TestCapacity:
    def test_reservation(self, group):
        """A reservation is named in the launch template, and updates stop nodes before they start new ones."""
        made = group(capacity=RESERVED)

        assert made.launch_template.capacity_reservation_id == RESERVED["capacity_reservation_id"]
        assert made.launch_template.capacity_reservation_resource_group_arn is None
        assert made.update_strategy == "MINIMAL"
        assert made.capacity_type == "ON_DEMAND"
        assert made.addresses.nodes == 2

    def test_reservations_by_group(self, group):
        """Several reservations are named by their resource group."""
        arn = "arn:aws:resource-groups:us-east-2:111122223333:group/blocks"
        capacity = {**RESERVED, "capacity_reservation_id": None, "capacity_reservation_resource_group_arn": arn}

        assert group(capacity=capacity).launch_template.capacity_reservation_resource_group_arn == arn

    def test_spot(self, group):
        """Spot is the node group's; nothing of it is in the launch template."""
        made = group(capacity={"type": "spot"})

        assert made.capacity_type == "SPOT"
        assert made.launch_template.capacity_reservation_id is None
        assert made.update_strategy == "DEFAULT"

    def test_on_demand_updates_take_more_nodes(self, group):
        """An update starts two nodes before it stops any, which count among the nodes that need addresses."""
        assert group().addresses.nodes == 2 + 2
        assert group(max_unavailable=2).addresses.nodes == 2 + 2

    @pytest.mark.parametrize(("count", "at_a_time"), [(0, 1), (1, 1), (4, 3)])
    def test_at_a_time(self, group, count, at_a_time):
        """No update takes away more nodes than EKS lets the group have, which is one of a group without nodes."""
        assert group(node_count=count, max_unavailable=at_a_time if count else 3).max_unavailable == at_a_time


class TestRepair:
    @pytest.mark.parametrize(
        ("changes", "parallel", "unhealthy"),
        [
            ({}, 1, 1),
            ({"node_count": 1}, 1, 1),
            ({"node_count": 4}, 1, 1),
            ({"node_count": 16}, 1, 3),
            ({"node_count": 64, "node_repair_parallel_count": 4}, 4, 12),
            ({"node_count": 64, "node_repair_unhealthy_percent": 50}, 1, 32),
            ({"node_count": None, "min_count": 0, "max_count": 16}, 1, 1),
            ({"node_count": None, "min_count": 10, "max_count": 16}, 1, 2),
            ({"capacity": RESERVED, "node_count": 8}, 1, 1),
        ],
    )
    def test_limits(self, group, changes, parallel, unhealthy):
        """One node at a time, and none while a fifth of the fewest nodes is unhealthy, but one is always repaired."""
        repair = group(**changes).node_repair

        assert (repair.parallel_count, repair.unhealthy_count) == (parallel, unhealthy)

    def test_reasons(self, group, planned):
        """A node is replaced for what the monitoring agent tells of Neuron devices; system nodes have none."""
        assert set(group().node_repair.replaced_reasons) == {
            *("NeuronDMAError", "NeuronHBMUncorrectableError"),
            *("NeuronNCUncorrectableError", "NeuronSRAMUncorrectableError"),
        }
        assert planned().cluster.system_nodes.node_repair.replaced_reasons == ()

    def test_off(self, group):
        """Nodes that shall be left alone have no limits either."""
        assert group(node_repair=False).node_repair is None

    def test_words(self, group):
        """What differs between two plans is told in words."""
        assert str(group(node_count=16).node_repair) == "1 at a time, and none while more than 3 are unhealthy"


class TestNode:
    def test_efa(self, group):
        """A node with EFA says so by a label and has all of its cards' bandwidth."""
        made = group(labels={"team": "x"})

        own = {"trnstack/neuron": "true", "trnstack/node-group": "trn1", "trnstack/efa": "true"}
        assert dict(made.labels) == {"team": "x", **own}
        assert made.efa_gbps == 800
        assert len(made.launch_template.interfaces) == 8

    def test_without_efa(self, group):
        """A node without EFA has one interface and no label for what needs EFA."""
        made = group(efa=False)

        assert "trnstack/efa" not in made.labels
        assert made.efa_gbps == 0
        assert [each.interface_type for each in made.launch_template.interfaces] == ["interface"]

    @pytest.mark.parametrize(
        ("changes", "devices", "cores"),
        [
            ({}, 16, 32),
            ({"instance_type": "trn1.2xlarge"}, 1, 2),
            (TRN2, 16, 64),
            ({**TRN2, "logical_neuroncore_config": 1}, 16, 128),
            ({**TRN2, "logical_neuroncore_config": 2}, 16, 64),
        ],
    )
    def test_neuron_cores(self, group, changes, devices, cores):
        """Jobs are offered logical cores: at a Trainium2's own setting two physical ones are one."""
        made = group(**changes)

        assert (made.neuron_devices, made.neuron_cores) == (devices, cores)

    def test_logical_setting_is_the_nodes(self, group):
        """A setting other than the chip's own is written on the node; the chip's own needs no writing."""
        assert "NEURON_LOGICAL_NC_CONFIG" in group(**TRN2, logical_neuroncore_config=1).launch_template.user_data
        assert "NEURON_LOGICAL_NC_CONFIG" not in group(**TRN2).launch_template.user_data

    def test_local_storage(self, group):
        """Local disks are joined unless the environment says no."""
        assert "RAID0" in group().launch_template.user_data
        assert "RAID0" not in group(local_storage="none").launch_template.user_data
        assert group(local_storage="none", efa=False).launch_template.user_data == ""

    def test_locked_memory(self, group):
        """HOST-01: Nodes with EFA interfaces raise the limit of locked memory; nodes without leave it."""
        assert "RLIMIT_MEMLOCK" in group().launch_template.user_data
        assert "RLIMIT_MEMLOCK" not in group(efa=False).launch_template.user_data

    def test_image(self, group, lock):
        """The image is the one that the lock holds."""
        made = group()

        assert made.ami_type == "AL2023_x86_64_NEURON"
        assert made.release_version == lock.images["trn1"].release_version

    def test_taint(self, group):
        """Accelerators are kept for what asks for them, unless the environment says otherwise."""
        (taint,) = group().taints

        assert (taint.key, taint.value, taint.effect) == ("aws.amazon.com/neuron", "present", "NO_SCHEDULE")
        assert group(taints=[]).taints == ()

    def test_tags_are_fixed(self, planned):
        """The environment's tags don't reach nodes, since an edit of one would replace them all."""
        (made,) = planned(tags={"team": "x"}).node_groups

        assert dict(made.launch_template.instance_tags) == {
            "Name": "demo-trn1",
            "trnstack:environment": "demo",
            "trnstack:node-group": "trn1",
            "managed-by": "trnstack",
        }


class TestSystemNodes:
    def test_stand_in_every_zone(self, planned, lock):
        """System nodes stand in all zones, in plain instances of the plain image, without accelerators' settings."""
        made = planned().cluster.system_nodes

        assert made.subnets == ("system-use2-az3", "system-use2-az1")
        assert made.ami_type == lock.images["system"].ami_type == "AL2023_x86_64_STANDARD"
        assert made.launch_template.placement_group == "none"
        assert made.launch_template.user_data == ""
        assert made.taints == ()
        assert (made.neuron_devices, made.neuron_cores, made.efa_gbps) == (0, 0, 0)
        assert (made.scaling.minimum, made.scaling.desired, made.scaling.maximum) == (2, 2, 4)
