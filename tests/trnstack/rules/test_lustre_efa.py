import pytest

from trnstack.findings import Severity
from trnstack.rules.lustre_efa import (
    efa_clients_are_set_up,
    lustre_efa_has_clients,
    lustre_efa_has_its_size,
    lustre_efa_is_for_persistent_2,
)

TIERING = {"deployment_type": "PERSISTENT_2", "storage_type": "INTELLIGENT_TIERING"}
EXISTING = {
    "existing_file_system": {
        "file_system_id": "fs-0123456789abcdef0",
        "mount_name": "abcdefgh",
        "security_group_id": "sg-0123456789abcdef0",
    }
}


def efa(throughput, gib):
    return {"efa_enabled": True, "throughput_mbps_per_tib": throughput, "storage_gib": gib}


class TestLustreEfaIsForPersistent2:
    @pytest.mark.parametrize("deployment", ["SCRATCH_2", "PERSISTENT_1"])
    def test_other_deployment(self, environment, deployment):
        """FSX-09: EFA needs PERSISTENT_2."""
        lustre = {"deployment_type": deployment, "efa_enabled": True}
        (finding,) = lustre_efa_is_for_persistent_2(environment(lustre=lustre))

        assert finding.path == ("storage", "lustre", "efa_enabled")

    @pytest.mark.parametrize("lustre", [{"efa_enabled": True}, {"deployment_type": "SCRATCH_2"}, TIERING])
    def test_in_its_place(self, environment, lustre):
        """FSX-09: there it belongs."""
        assert not list(lustre_efa_is_for_persistent_2(environment(lustre=lustre)))


class TestLustreEfaHasItsSize:
    @pytest.mark.parametrize(
        ("throughput", "gib", "hint"),
        [
            (125, 4800, "use 38400"),
            (250, 4800, "use 19200"),
            (250, 24_000, "use 19200 or 38400"),
            (500, 4800, "use 9600"),
            (1000, 2400, "use 4800"),
            (1000, 7200, "use 4800 or 9600"),
        ],
    )
    def test_between_steps(self, environment, throughput, gib, hint):
        """FSX-09: with EFA a file system is larger, the more so the slower it is."""
        (finding,) = lustre_efa_has_its_size(environment(lustre=efa(throughput, gib)))

        assert finding.path == ("storage", "lustre", "storage_gib")
        assert finding.hint == hint

    @pytest.mark.parametrize("mbps", [1000, 2000, 6000])
    def test_tiering(self, environment, mbps):
        """The two small throughputs have no EFA."""
        lustre = {**TIERING, "efa_enabled": True, "throughput_capacity_mbps": mbps}
        (finding,) = lustre_efa_has_its_size(environment(lustre=lustre))

        assert finding.path == ("storage", "lustre", "throughput_capacity_mbps")

    @pytest.mark.parametrize(
        "lustre",
        [
            efa(125, 38_400),
            efa(250, 19_200),
            efa(500, 9600),
            efa(1000, 4800),
            efa(1000, 9600),
            efa(333, 1),
            {**TIERING, "efa_enabled": True, "throughput_capacity_mbps": 8000},
            {**efa(1000, 1), "deployment_type": "SCRATCH_2"},
            {"storage_gib": 1},
        ],
    )
    def test_steps(self, environment, lustre):
        """Each step is offered; what is wrong otherwise is told by other rules."""
        assert not list(lustre_efa_has_its_size(environment(lustre=lustre)))


class TestLustreEfaHasClients:
    @pytest.mark.parametrize(
        "group",
        [
            {"instance_type": "trn2.48xlarge"},
            {"instance_type": "trn2.3xlarge"},
            {"instance_type": "trn2u.48xlarge"},
            {"instance_type": "trn1.2xlarge"},
            {"instance_type": "trn1.32xlarge", "efa": False},
        ],
    )
    def test_nobody(self, environment, group):
        """FSx leaves the trn2 family out, and nodes without EFA have nothing to use it with."""
        (finding,) = lustre_efa_has_clients(environment(node_group=group, lustre=efa(1000, 4800)))

        assert finding.severity is Severity.WARNING
        assert group["instance_type"] in finding.message

    @pytest.mark.parametrize("name", ["trn1.32xlarge", "trn1n.32xlarge"])
    def test_one_is_enough(self, environment, name):
        """One group that can use it is reason enough."""
        groups = [{"name": "a1", "instance_type": "trn2.48xlarge"}, {"name": "b1", "instance_type": name}]
        assert not list(lustre_efa_has_clients(environment(node_groups=groups, lustre=efa(1000, 4800))))

    def test_another_zone(self, environment):
        """EFA does not cross zones: nodes that could use it elsewhere can't use it there."""
        group = {"availability_zone_id": "use2-az1"}
        (finding,) = lustre_efa_has_clients(environment(node_group=group, lustre=efa(1000, 4800)))

        assert finding.message == "efa_enabled is of no use to trn1.32xlarge in use2-az1"

    def test_adopted(self, environment):
        """Of an adopted one that is described so the zone is not known, and the type of nodes is."""
        lustre = {**EXISTING, "efa_enabled": True}
        (finding,) = lustre_efa_has_clients(environment(node_group={"instance_type": "trn2.48xlarge"}, lustre=lustre))

        assert finding.hint == "remove it: they reach the file system by TCP"
        assert not list(
            lustre_efa_has_clients(environment(node_group={"availability_zone_id": "use2-az1"}, lustre=lustre))
        )

    def test_off(self, environment):
        """By default it is off."""
        assert not list(lustre_efa_has_clients(environment(node_group={"instance_type": "trn2.48xlarge"}, lustre={})))


class TestEfaClientsAreSetUp:
    @pytest.mark.parametrize("lustre", [{}, EXISTING])
    def test_on(self, environment, lustre):
        """A file system with EFA, new or adopted, is reached by TCP all the same, until clients know of it."""
        (finding,) = efa_clients_are_set_up(environment(lustre={**lustre, "efa_enabled": True}))

        assert finding.severity is Severity.NOTE

    @pytest.mark.parametrize("lustre", [{}, EXISTING])
    def test_off(self, environment, lustre):
        """Without EFA there is nothing to set up."""
        assert not list(efa_clients_are_set_up(environment(lustre=lustre)))
