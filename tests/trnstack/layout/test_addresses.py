"""How many addresses nodes and file systems take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trnstack.catalog import INSTANCE_TYPES
from trnstack.layout.addresses import MINIMUM_IP_TARGET, WARM_IP_TARGET, file_system_addresses, node_addresses
from trnstack.layout.interfaces import interfaces


class TestNodeAddresses:
    @given(
        st.sampled_from(sorted(INSTANCE_TYPES)),
        st.booleans(),
        st.integers(0, 10_000),
        st.integers(min_value=0, max_value=100),
    )
    def test_efa_costs_no_address(self, name, efa, largest_count, surge_count):
        """A node takes one address for itself and what the VPC CNI keeps ready, with EFA as without."""
        made = interfaces(INSTANCE_TYPES[name], efa=efa)
        taken = node_addresses(made, largest_count=largest_count, surge_count=surge_count)

        assert taken.per_node == 1 + MINIMUM_IP_TARGET
        assert taken.nodes == largest_count + surge_count
        assert taken.total == taken.per_node * taken.nodes

    def test_what_is_kept_ready_is_enough_and_not_much(self):
        """Spare addresses are a part of those that a node has from the start."""
        assert 0 < WARM_IP_TARGET < MINIMUM_IP_TARGET


class TestFileSystemAddresses:
    @pytest.mark.parametrize(("storage_gib", "addresses"), [(1200, 3), (2400, 4), (4800, 6), (38_400, 34)])
    def test_grow_with_its_servers(self, storage_gib, addresses):
        """A file system takes an address for each server, and two for its metadata."""
        assert file_system_addresses(storage_gib) == addresses

    @given(st.integers(min_value=1, max_value=1_000_000), st.integers(min_value=0, max_value=100_000))
    def test_never_shrink(self, storage_gib, more):
        """A larger file system takes no fewer addresses."""
        assert file_system_addresses(storage_gib + more) >= file_system_addresses(storage_gib)
