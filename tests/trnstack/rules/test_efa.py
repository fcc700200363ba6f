import pytest

from trnstack.catalog import INSTANCE_TYPES
from trnstack.findings import Severity
from trnstack.rules.efa import (
    efa_is_on_between_nodes,
    efa_is_on_types_that_have_it,
    ultraserver_config_is_offered,
    ultraserver_nodes_are_complete,
    ultraservers_are_of_ultraserver_types,
)

WITH_EFA = [name for name, row in INSTANCE_TYPES.items() if row.efa_interfaces]
FACTS = {
    "network_cards": 1,
    "efa_interfaces": 0,
    "vcpus": 8,
    "memory_gib": 32,
    "neuron_devices": 1,
    "availability_zone_ids": ["use2-az3"],
}


class TestEfaIsOnTypesThatHaveIt:
    def test_type_without_efa(self, environment):
        """EC2 refuses an EFA interface on trn1.2xlarge only when the first node starts."""
        (finding,) = efa_is_on_types_that_have_it(
            environment(node_group={"instance_type": "trn1.2xlarge", "efa": True})
        )

        assert finding.message == "trn1.2xlarge has no EFA"

    def test_stated_facts(self, environment):
        """What the file says of an unpublished type counts like the catalog."""
        group = {"instance_type": "trn3.3xlarge", "efa": True, "instance_facts": FACTS}
        assert len(list(efa_is_on_types_that_have_it(environment(node_group=group)))) == 1

    @pytest.mark.parametrize("efa", ["auto", False])
    def test_not_asked_for(self, environment, efa):
        """By default EFA is on where the type has it, so nothing is wrong where it has not."""
        assert not list(
            efa_is_on_types_that_have_it(environment(node_group={"instance_type": "trn1.2xlarge", "efa": efa}))
        )

    @pytest.mark.parametrize("name", WITH_EFA)
    def test_type_with_efa(self, environment, name):
        """Every other type has it."""
        assert not list(efa_is_on_types_that_have_it(environment(node_group={"instance_type": name, "efa": True})))


class TestEfaIsOnBetweenNodes:
    @pytest.mark.parametrize("name", WITH_EFA)
    def test_off(self, environment, name):
        """EFA-02: several nodes without EFA fall back to TCP, which is told before they are paid for."""
        (finding,) = efa_is_on_between_nodes(environment(node_group={"instance_type": name, "efa": False}))

        assert finding.severity is Severity.WARNING
        assert finding.hint == "write efa: auto"

    @pytest.mark.parametrize(
        "group",
        [
            {"efa": "auto"},
            {"efa": True},
            {"efa": False, "node_count": 1},
            {"efa": False, "instance_type": "trn1.2xlarge"},
            {"efa": False, "instance_type": "trn9.48xlarge"},
        ],
    )
    def test_on_or_of_no_use(self, environment, group):
        """A single node needs no EFA, and a type without it has no choice."""
        assert not list(efa_is_on_between_nodes(environment(node_group=group)))


class TestUltraserversAreOfUltraserverTypes:
    @pytest.mark.parametrize("name", ["trn1.32xlarge", "trn1n.32xlarge", "trn2.3xlarge", "trn2.48xlarge"])
    def test_other_type(self, environment, name):
        """A trn2.48xlarge has the chips of a trn2u, and not its links."""
        group = {"instance_type": name, "ultraserver": {"config": 4}}
        (finding,) = ultraservers_are_of_ultraserver_types(environment(node_group=group))

        assert finding.path == ("node_groups", 0, "ultraserver")

    @pytest.mark.parametrize("name", ["trn2u.48xlarge", "trn3pds98.48xlarge"])
    def test_ultraserver_type(self, environment, name):
        """The types that AWS sells in UltraServers are taken."""
        group = {"instance_type": name, "ultraserver": {"config": 4}}
        assert not list(ultraservers_are_of_ultraserver_types(environment(node_group=group)))


class TestUltraserverConfigIsOffered:
    @pytest.mark.parametrize(("config", "hint"), [(3, "use 2"), (5, "use 4"), (36, "use 4")])
    def test_other_config(self, environment, config, hint):
        """Three of four instances do not work as one."""
        group = {"instance_type": "trn2u.48xlarge", "ultraserver": {"config": config}}
        (finding,) = ultraserver_config_is_offered(environment(node_group=group))

        assert finding.message == f"config {config} is not one of 1, 2, 4"
        assert finding.hint == hint

    def test_more_than_any_has(self, environment):
        """The largest Trn3 UltraServer has 36 servers."""
        group = {"instance_type": "trn3s.48xlarge", "ultraserver": {"config": 37}}
        (finding,) = ultraserver_config_is_offered(environment(node_group=group))

        assert finding.message == "config 37 is not one of 1 to 36"

    @pytest.mark.parametrize(("name", "config"), [("trn2u.48xlarge", n) for n in (1, 2, 4)] + [("trn3s.48xlarge", 36)])
    def test_offered(self, environment, name, config):
        """A Trn3 UltraServer has other sizes, of which nothing is made up."""
        group = {"instance_type": name, "ultraserver": {"config": config}}
        assert not list(ultraserver_config_is_offered(environment(node_group=group)))


class TestUltraserverNodesAreComplete:
    @pytest.mark.parametrize(
        ("size", "message"),
        [
            ({"node_count": 8}, "node_count 8"),
            ({"node_count": 2}, "node_count 2"),
            ({"node_count": None, "min_count": 0, "max_count": 4}, "no fixed size"),
        ],
    )
    def test_another_size(self, environment, size, message):
        """A group of two UltraServers, of half of one, or of a growing one can't be wired as one."""
        group = {"instance_type": "trn2u.48xlarge", "ultraserver": {"config": 4}, **size}
        (finding,) = ultraserver_nodes_are_complete(environment(node_group=group))

        assert finding.message.startswith(message)
        assert finding.hint.startswith("write node_count: 4")

    @pytest.mark.parametrize("config", [1, 2, 4])
    def test_complete(self, environment, config):
        """As many nodes as the config says are one UltraServer."""
        group = {"instance_type": "trn2u.48xlarge", "ultraserver": {"config": config}, "node_count": config}
        assert not list(ultraserver_nodes_are_complete(environment(node_group=group)))
