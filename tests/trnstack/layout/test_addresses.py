"""How many addresses nodes and file systems take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trnstack.catalog import INSTANCE_TYPES
from trnstack.layout.addresses import (
    MINIMUM_IP_TARGET,
    WARM_IP_TARGET,
    file_system_addresses,
    most_pods,
    node_addresses,
)
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
        assert taken.per_node == taken.interfaces + taken.pods

    def test_says_how(self):
        """The arithmetic is told in words, an update's nodes apart from the others."""
        made = interfaces(INSTANCE_TYPES["trn1.32xlarge"], efa=True)

        surging = node_addresses(made, largest_count=1000, surge_count=2)
        assert surging.arithmetic == "(1,000 nodes + 2 while updating) x (1 interface + 16 for pods)"
        assert (
            node_addresses(made, largest_count=4, surge_count=0).arithmetic == "(4 nodes) x (1 interface + 16 for pods)"
        )

    def test_what_is_kept_ready_is_enough_and_not_much(self):
        """Spare addresses are a part of those that a node has from the start."""
        assert 0 < WARM_IP_TARGET < MINIMUM_IP_TARGET


class TestMostPods:
    @pytest.mark.parametrize(
        ("name", "pods"),
        [
            ("trn1.2xlarge", 58),
            ("trn1.32xlarge", 247),
            ("trn1n.32xlarge", 247),
            ("trn2.3xlarge", 30),
            ("trn2.48xlarge", 100),
            ("trn2u.48xlarge", 100),
        ],
    )
    def test_as_eks_has_it(self, name, pods):
        """The first network card's interfaces bound the pods, as in the list that the EKS images carry."""
        row = INSTANCE_TYPES[name]
        found = most_pods(
            interfaces=row.interfaces_per_card,
            addresses_per_interface=row.ipv4_addresses_per_interface,
            vcpus=row.vcpus,
        )

        assert found == pods

    @pytest.mark.parametrize(("vcpus", "pods"), [(8, 110), (29, 110), (30, 250), (192, 250)])
    def test_bounds(self, vcpus, pods):
        """However many addresses there are, EKS bounds the pods by the node's size."""
        assert most_pods(interfaces=15, addresses_per_interface=50, vcpus=vcpus) == pods

    @pytest.mark.parametrize(("interfaces_", "addresses"), [(None, 50), (5, None)])
    def test_unknown(self, interfaces_, addresses):
        """What AWS has not published can't be computed."""
        assert most_pods(interfaces=interfaces_, addresses_per_interface=addresses, vcpus=192) is None

    @given(st.sampled_from(sorted(INSTANCE_TYPES)))
    def test_what_is_kept_ready_fits(self, name):
        """The addresses that the VPC CNI keeps from the start are ones that the node can have."""
        row = INSTANCE_TYPES[name]
        pods = most_pods(
            interfaces=row.interfaces_per_card,
            addresses_per_interface=row.ipv4_addresses_per_interface,
            vcpus=row.vcpus,
        )

        assert pods is None or pods >= MINIMUM_IP_TARGET


class TestFileSystemAddresses:
    @pytest.mark.parametrize(("storage_gib", "addresses"), [(1200, 3), (2400, 4), (4800, 6), (38_400, 34)])
    def test_grow_with_its_servers(self, storage_gib, addresses):
        """A file system takes an address for each server, and two for its metadata."""
        assert file_system_addresses(storage_gib) == addresses

    def test_of_a_throughput(self):
        """INTELLIGENT_TIERING has a server for every 4,000 MB/s."""
        assert file_system_addresses(8000, per_server=4000) == 4

    @pytest.mark.parametrize(("iops", "addresses"), [(None, 6), (6000, 6), (12_000, 7), (192_000, 22)])
    def test_of_metadata(self, iops, addresses):
        """Metadata performance that is asked for has servers of its own."""
        assert file_system_addresses(4800, metadata_iops=iops) == addresses

    @given(st.integers(min_value=1, max_value=1_000_000), st.integers(min_value=0, max_value=100_000))
    def test_never_shrink(self, storage_gib, more):
        """A larger file system takes no fewer addresses."""
        assert file_system_addresses(storage_gib + more) >= file_system_addresses(storage_gib)
