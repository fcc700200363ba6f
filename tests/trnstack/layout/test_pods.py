"""What a node has for pods."""

import pytest

from trnstack.layout.pods import node_room


class TestNodeRoom:
    def test_large_node(self):
        """HOST-02: A trn1.32xlarge: the kubelet takes its share, and the EFA driver sets huge pages aside."""
        room = node_room(vcpus=128, memory_gib=512, most_pods=247, efa=True)

        assert room.millicores == 128_000 - 390
        assert room.memory_mib == 512 * 1024 - (255 + 11 * 247) - 100 - 10_256
        assert (room.huge_pages_mib, room.pod_huge_pages_mib) == (10_256, 5_120)

    def test_the_larger_set_of_huge_pages(self):
        """HOST-02: A pod's memory fits where the driver sets aside as much for each vCPU as large nodes show."""
        room = node_room(vcpus=128, memory_gib=512, most_pods=247, efa=True)

        left = int(512 * 1024 * 0.925) - (255 + 11 * 247) - 100 - (220 * 128 + 2) - 2_048
        assert room.pod_memory_gib == left // 1_024 == 441

    def test_without_efa(self):
        """HOST-02: Without EFA there are no huge pages to ask for."""
        room = node_room(vcpus=8, memory_gib=32, most_pods=58, efa=False)

        assert (room.huge_pages_mib, room.pod_huge_pages_mib) == (0, 0)
        assert room.pod_cores == 6

    @pytest.mark.parametrize(("vcpus", "memory_gib"), [(8, 32), (12, 128), (128, 512), (192, 2048)])
    def test_a_pod_leaves_room(self, vcpus, memory_gib):
        """A pod that has a node to itself leaves a core and 2 GiB to DaemonSets, and the kernel its memory."""
        room = node_room(vcpus=vcpus, memory_gib=memory_gib, most_pods=None, efa=True)

        assert room.pod_cores * 1_000 + 1_000 <= room.millicores
        assert room.pod_memory_gib > 0
        assert room.pod_memory_gib * 1_024 + 2_048 <= room.memory_mib - int(memory_gib * 1_024 * 0.075) + 1
        assert 0 < room.shared_memory_gib < room.pod_memory_gib
