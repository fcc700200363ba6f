from types import MappingProxyType

import pytest

from trnstack.catalog import INSTANCE_TYPES, effective
from trnstack.findings import Severity
from trnstack.rules.nodes import (
    accelerators_are_tainted,
    node_keys_are_not_reserved,
    node_keys_are_short,
    raid0_has_disks,
    taints_are_few,
    taints_are_unique,
    the_root_volume_holds_the_images,
    updates_take_no_more_than_there_is,
)

RESERVED = [
    "kubernetes.io/role",
    "node-role.kubernetes.io/trainer",
    "node.kubernetes.io/x",
    "k8s.io/x",
    "topology.k8s.io/x",
    "eks.amazonaws.com/x",
    "trnstack/x",
]
FREE = [
    "team",
    "example.com/team",
    "aws.amazon.com/neuron",
    "notkubernetes.io/x",
    "kubernetes.io.example.com/x",
    "k8s.io",
]


def taint(key="example.com/x", effect="NO_SCHEDULE"):
    return {"key": key, "effect": effect}


FACTS = {
    "network_cards": 16,
    "efa_interfaces": 16,
    "vcpus": 192,
    "memory_gib": 2048,
    "neuron_devices": 16,
    "availability_zone_ids": ["use2-az3"],
}


class TestNodeKeysAreNotReserved:
    @pytest.mark.parametrize("key", RESERVED)
    def test_reserved_label(self, environment, key):
        """EKS refuses these domains and all below them; the toolkit's own would be overwritten."""
        (finding,) = node_keys_are_not_reserved(environment(node_group={"labels": {key: "x", "team": "y"}}))

        assert finding.path == ("node_groups", 0, "labels", key)

    @pytest.mark.parametrize("key", RESERVED)
    def test_reserved_taint(self, environment, key):
        """The same goes for taints."""
        (finding,) = node_keys_are_not_reserved(environment(node_group={"taints": [taint(), taint(key)]}))

        assert finding.path == ("node_groups", 0, "taints", 1, "key")

    @pytest.mark.parametrize("key", FREE)
    def test_free(self, environment, key):
        """Names that only end or begin alike are free, and so is the default taint."""
        group = {"labels": {key: "x"}, "taints": [taint(key)]}
        assert not list(node_keys_are_not_reserved(environment(node_group=group)))


class TestNodeKeysAreShort:
    def test_long(self, environment):
        """Kubernetes would take a longer domain; EKS counts it in."""
        key = f"{'a' * 40}.example.com/{'b' * 20}"
        group = {"labels": {key: "x"}, "taints": [taint(key)]}
        first, second = node_keys_are_short(environment(node_group=group))

        assert (first.path[2], second.path[2]) == ("labels", "taints")
        assert first.message.endswith(f"has {len(key)} characters, and EKS takes 63")

    def test_short(self, environment):
        """Sixty-three are allowed."""
        assert not list(node_keys_are_short(environment(node_group={"labels": {"a" * 63: "x"}})))


class TestTaintsAreUnique:
    def test_twice(self, environment):
        """Kubernetes takes a key and effect once."""
        (finding,) = taints_are_unique(environment(node_group={"taints": [taint(), taint()]}))

        assert finding.path == ("node_groups", 0, "taints", 1)

    def test_two_effects(self, environment):
        """One key may have two effects."""
        taints = [taint(), taint(effect="NO_EXECUTE")]
        assert not list(taints_are_unique(environment(node_group={"taints": taints})))


class TestAcceleratorsAreTainted:
    @pytest.mark.parametrize("taints", [[], [taint(effect="PREFER_NO_SCHEDULE")]])
    def test_open(self, environment, taints):
        """Without a taint that holds, system pods fill the most expensive nodes."""
        (finding,) = accelerators_are_tainted(environment(node_group={"taints": taints}))

        assert finding.severity is Severity.WARNING

    @pytest.mark.parametrize("group", [{}, {"taints": [taint()]}, {"taints": [taint(effect="NO_EXECUTE")]}])
    def test_tainted(self, environment, group):
        """K8S-07: the default taint is there, and another may take its place."""
        assert not list(accelerators_are_tainted(environment(node_group=group)))


class TestTheRootVolumeHoldsTheImages:
    @pytest.mark.parametrize("gib", [20, 80, 99])
    def test_small(self, environment, gib):
        """HOST-04: images fill a small root volume, and kubelet then evicts the job."""
        group = {"local_storage": "none", "root_volume_gib": gib}
        (finding,) = the_root_volume_holds_the_images(environment(node_group=group))

        assert finding.severity is Severity.WARNING

    @pytest.mark.parametrize(
        "group", [{"local_storage": "none"}, {"local_storage": "none", "root_volume_gib": 100}, {"root_volume_gib": 20}]
    )
    def test_room(self, environment, group):
        """HOST-04: with local disks the images are there; the default root volume holds them too."""
        assert not list(the_root_volume_holds_the_images(environment(node_group=group)))


class TestRaid0HasDisks:
    def test_no_disks(self, environment, monkeypatch):
        """A type without local disks has nothing to join."""
        import dataclasses

        row = dataclasses.replace(INSTANCE_TYPES["trn1.32xlarge"], local_disks=0)
        monkeypatch.setattr(effective, "INSTANCE_TYPES", MappingProxyType({"trn1.32xlarge": row}))
        (finding,) = raid0_has_disks(environment())

        assert finding.hint == "write local_storage: none"

    def test_unpublished_type(self, environment):
        """Of a trn3 type nobody knows whether it has disks, so nobody makes an array of them."""
        group = {"instance_type": "trn3.48xlarge", "instance_facts": FACTS}
        (finding,) = raid0_has_disks(environment(node_group=group))

        assert finding.message == "whether trn3.48xlarge has local disks is not published"
        assert not list(raid0_has_disks(environment(node_group={**group, "local_storage": "none"})))

    @pytest.mark.parametrize("name", INSTANCE_TYPES)
    def test_disks(self, environment, name):
        """HOST-04: every Trainium type has local disks, which are used by default."""
        assert not list(raid0_has_disks(environment(node_group={"instance_type": name})))


class TestTaintsAreFew:
    def test_too_many(self, environment):
        """EKS refuses the group when it is made; the hint says how many have to go."""
        taints = [{"key": f"k{number}", "effect": "NO_SCHEDULE"} for number in range(52)]
        (finding,) = taints_are_few(environment(node_group={"taints": taints}))

        assert finding.hint == "remove 2 of them"

    def test_as_many_as_fit(self, environment):
        """Fifty are taken."""
        taints = [{"key": f"k{number}", "effect": "NO_SCHEDULE"} for number in range(50)]
        assert not list(taints_are_few(environment(node_group={"taints": taints})))


class TestUpdatesTakeNoMoreThanThereIs:
    @pytest.mark.parametrize("counts", [{"node_count": 4}, {"node_count": None, "min_count": 0, "max_count": 4}])
    def test_more(self, environment, counts):
        """EKS refuses to take away more nodes than the group can have, of a fixed fleet and of one that grows."""
        (finding,) = updates_take_no_more_than_there_is(environment(node_group={**counts, "max_unavailable": 5}))

        assert (finding.code, finding.path) == ("K8S019", ("node_groups", 0, "max_unavailable"))
        assert finding.message == "max_unavailable is 5, and EKS refuses more than the group's 4 nodes"
        assert finding.hint == "write max_unavailable: 4 or less"

    @pytest.mark.parametrize(("count", "at_a_time"), [(4, 4), (1, 1), (0, 5)])
    def test_allowed(self, environment, count, at_a_time):
        """All at once may go; and a group that is scaled to nothing keeps its number."""
        changed = environment(node_group={"node_count": count, "max_unavailable": at_a_time})

        assert not list(updates_take_no_more_than_there_is(changed))
