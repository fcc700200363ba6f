"""The instance type of a node group, published or stated."""

import pytest

from trnstack.catalog import CHIPS, INSTANCE_TYPES
from trnstack.catalog.effective import instance_type_of, known_instance_type_of

FACTS = {
    "network_cards": 16,
    "efa_interfaces": 8,
    "vcpus": 192,
    "memory_gib": 2048,
    "neuron_devices": 16,
    "availability_zone_ids": ["use2-az3", "usw2-az4"],
}


@pytest.fixture
def group(environment):
    """Returns a builder of a node group."""
    return lambda **changes: environment(node_group=changes).node_groups[0]


class TestInstanceTypeOf:
    @pytest.mark.parametrize("name", INSTANCE_TYPES)
    def test_published(self, group, name):
        """A published type is the catalog's row, whatever the file says beside it."""
        assert instance_type_of(group(instance_type=name)) is INSTANCE_TYPES[name]
        assert instance_type_of(group(instance_type=name, instance_facts=FACTS)) is INSTANCE_TYPES[name]

    def test_stated(self, group):
        """A trn3 type has the file's sizes and the catalog's chip."""
        made = instance_type_of(group(instance_type="trn3.48xlarge", instance_facts=FACTS))

        assert (made.name, made.chip, made.opt_in) == ("trn3.48xlarge", "trainium3", True)
        assert (made.network_cards, made.efa_interfaces, made.vcpus) == (16, 8, 192)
        assert (made.memory_gib, made.neuron_devices) == (2048, 16)
        assert made.vcpu_quota_units == 192
        assert CHIPS[made.chip].memory_gib == 144
        assert dict(made.availability_zone_ids) == {"us-east-2": ("use2-az3",), "us-west-2": ("usw2-az4",)}

    def test_nothing_is_made_up(self, group):
        """What AWS has not published and the file has no word for stays unknown."""
        made = instance_type_of(group(instance_type="trn3.48xlarge", instance_facts=FACTS))

        assert made.network_gbps is None
        assert made.network_card_gbps is None
        assert made.interfaces_per_card is None
        assert made.ipv4_addresses_per_interface is None
        assert made.on_demand_usd_per_hour is None
        assert made.local_disks == 0

    @pytest.mark.parametrize("name", ["trn3.48xlarge", "trn9.48xlarge", "p5.48xlarge"])
    def test_unknown(self, group, name):
        """A type that nobody describes is no type."""
        assert known_instance_type_of(group(instance_type=name)) is None
        with pytest.raises(KeyError, match=name):
            instance_type_of(group(instance_type=name))

    def test_facts_make_no_type_of_another_name(self, group):
        """Only trn3 names may be described in the file."""
        assert known_instance_type_of(group(instance_type="trn9.48xlarge", instance_facts=FACTS)) is None
