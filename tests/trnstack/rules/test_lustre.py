import pytest

from trnstack.rules.lustre import (
    lustre_capacity_is_offered,
    lustre_throughput_is_offered,
    metadata_iops_are_for_persistent_2,
    metadata_iops_are_not_below_the_automatic,
    metadata_iops_are_offered,
    storage_type_fits_the_deployment,
    throughput_capacity_is_for_intelligent_tiering,
    throughput_capacity_is_offered,
)

TIERING = {"deployment_type": "PERSISTENT_2", "storage_type": "INTELLIGENT_TIERING"}
EXISTING = {
    "existing_file_system": {
        "file_system_id": "fs-0123456789abcdef0",
        "mount_name": "abcdefgh",
        "security_group_id": "sg-0123456789abcdef0",
    }
}
SSD = [("SCRATCH_2", {}), ("PERSISTENT_1", {"throughput_mbps_per_tib": 200}), ("PERSISTENT_2", {})]


def hdd(throughput, **changes: object):
    return {"deployment_type": "PERSISTENT_1", "storage_type": "HDD", "throughput_mbps_per_tib": throughput, **changes}


def efa(throughput, gib):
    return {"efa_enabled": True, "throughput_mbps_per_tib": throughput, "storage_gib": gib}


class TestLustreCapacityIsOffered:
    @pytest.mark.parametrize(
        ("gib", "hint"),
        [
            (1, "use 1200"),
            (1199, "use 1200"),
            (1201, "use 1200 or 2400"),
            (2399, "use 1200 or 2400"),
            (3000, "use 2400 or 4800"),
            (3600, "use 2400 or 4800"),
            (4799, "use 2400 or 4800"),
            (100_000, "use 98400 or 100800"),
        ],
    )
    @pytest.mark.parametrize(("deployment", "more"), SSD)
    def test_between_steps(self, environment, deployment, more, gib, hint):
        """A capacity between two steps is answered with both neighbours, on every kind of SSD."""
        lustre = {"deployment_type": deployment, "storage_gib": gib, **more}
        (finding,) = lustre_capacity_is_offered(environment(lustre=lustre))

        assert finding.message == f"FSx for Lustre does not offer {gib} GiB of SSD"
        assert finding.hint == hint

    @pytest.mark.parametrize("gib", [1200, 2400, 4800, 7200, 9600, 48_000, 100_800])
    @pytest.mark.parametrize(("deployment", "more"), SSD)
    def test_steps(self, environment, deployment, more, gib):
        """Each step is offered."""
        lustre = {"deployment_type": deployment, "storage_gib": gib, **more}
        assert not list(lustre_capacity_is_offered(environment(lustre=lustre)))

    @pytest.mark.parametrize(
        ("throughput", "gib", "hint"),
        [
            (12, 1200, "use 6000"),
            (12, 8000, "use 6000 or 12000"),
            (40, 1200, "use 1800"),
            (40, 2400, "use 1800 or 3600"),
        ],
    )
    def test_hdd_between_steps(self, environment, throughput, gib, hint):
        """A hard disk's steps follow from its throughput."""
        (finding,) = lustre_capacity_is_offered(environment(lustre=hdd(throughput, storage_gib=gib)))

        assert finding.message.endswith(f"{gib} GiB of HDD")
        assert finding.hint == hint

    @pytest.mark.parametrize(("throughput", "gib"), [(12, 6000), (12, 60_000), (40, 1800), (40, 9000), (13, 1)])
    def test_hdd_steps(self, environment, throughput, gib):
        """With a throughput that is not offered, that is told first."""
        assert not list(lustre_capacity_is_offered(environment(lustre=hdd(throughput, storage_gib=gib))))

    def test_tiering_has_no_size(self, environment):
        """INTELLIGENT_TIERING grows by itself, so a written size is a misunderstanding."""
        (finding,) = lustre_capacity_is_offered(environment(lustre={**TIERING, "storage_gib": 4800}))

        assert finding.hint == "remove storage_gib"

    @pytest.mark.parametrize(
        "lustre", [TIERING, EXISTING | {"storage_gib": 1}, hdd(12) | {"deployment_type": "SCRATCH_2"}]
    )
    def test_nothing_to_say(self, environment, lustre):
        """No default is held against anybody, an adopted file system has its size, a wrong kind is told elsewhere."""
        assert not list(lustre_capacity_is_offered(environment(lustre=lustre)))

    def test_no_file_system(self, environment):
        """An environment may have none."""
        assert not list(lustre_capacity_is_offered(environment()))


OFFERED = {
    ("PERSISTENT_1", "SSD"): {50, 100, 200},
    ("PERSISTENT_1", "HDD"): {12, 40},
    ("PERSISTENT_2", "SSD"): {125, 250, 500, 1000},
}


class TestLustreThroughputIsOffered:
    @pytest.mark.parametrize("mbps", [1, 12, 40, 50, 100, 125, 200, 250, 300, 500, 1000, 2000])
    @pytest.mark.parametrize(("deployment", "storage"), OFFERED)
    def test_every_value(self, environment, deployment, storage, mbps):
        """Each kind takes exactly its own values."""
        lustre = {"deployment_type": deployment, "storage_type": storage, "throughput_mbps_per_tib": mbps}
        findings = list(lustre_throughput_is_offered(environment(lustre=lustre)))

        assert (not findings) == (mbps in OFFERED[deployment, storage])
        for finding in findings:
            assert finding.message == f"{deployment} {storage} does not offer {mbps} MB/s per TiB"

    def test_default_of_another_kind(self, environment):
        """PERSISTENT_1 does not have the default of PERSISTENT_2, and says which values it has."""
        (finding,) = lustre_throughput_is_offered(environment(lustre={"deployment_type": "PERSISTENT_1"}))

        assert finding.hint == "use one of 50, 100, 200"

    @pytest.mark.parametrize(
        ("kind", "hint"),
        [({"deployment_type": "SCRATCH_2"}, "remove it"), (TIERING, "remove it, and write throughput_capacity_mbps")],
    )
    def test_no_choice(self, environment, kind, hint):
        """Scratch has one throughput, INTELLIGENT_TIERING counts otherwise."""
        (finding,) = lustre_throughput_is_offered(environment(lustre={**kind, "throughput_mbps_per_tib": 250}))

        assert finding.hint == hint

    @pytest.mark.parametrize("lustre", [{}, {"deployment_type": "SCRATCH_2"}, TIERING, EXISTING])
    def test_defaults(self, environment, lustre):
        """Nobody is told of a default that does not apply."""
        assert not list(lustre_throughput_is_offered(environment(lustre=lustre)))


class TestThroughputCapacityIsForIntelligentTiering:
    @pytest.mark.parametrize("lustre", [{}, hdd(12), {"deployment_type": "SCRATCH_2"}])
    def test_other_storage(self, environment, lustre):
        """On other storage the size decides."""
        (finding,) = throughput_capacity_is_for_intelligent_tiering(
            environment(lustre={**lustre, "throughput_capacity_mbps": 4000})
        )

        assert finding.path == ("storage", "lustre", "throughput_capacity_mbps")

    @pytest.mark.parametrize("lustre", [{}, {**TIERING, "throughput_capacity_mbps": 4000}])
    def test_in_its_place(self, environment, lustre):
        """There it belongs."""
        assert not list(throughput_capacity_is_for_intelligent_tiering(environment(lustre=lustre)))


class TestThroughputCapacityIsOffered:
    @pytest.mark.parametrize(
        ("mbps", "hint"),
        [
            (1, "use 1000"),
            (999, "use 1000"),
            (1001, "use 1000 or 2000"),
            (3000, "use 2000 or 4000"),
            (5000, "use 4000 or 8000"),
            (1_999_999, "use 1996000 or 2000000"),
        ],
    )
    def test_between_steps(self, environment, mbps, hint):
        """A throughput between two steps is answered with both neighbours."""
        (finding,) = throughput_capacity_is_offered(environment(lustre={**TIERING, "throughput_capacity_mbps": mbps}))

        assert finding.hint == hint

    def test_missing(self, environment):
        """It has no default."""
        (finding,) = throughput_capacity_is_offered(environment(lustre=TIERING))

        assert finding.hint == "add throughput_capacity_mbps: 4000"

    @pytest.mark.parametrize("mbps", [1000, 2000, 4000, 8000, 100_000, 2_000_000])
    def test_steps(self, environment, mbps):
        """Each step is offered."""
        assert not list(
            throughput_capacity_is_offered(environment(lustre={**TIERING, "throughput_capacity_mbps": mbps}))
        )

    def test_other_storage(self, environment):
        """Other storage has none."""
        assert not list(throughput_capacity_is_offered(environment(lustre={})))


class TestMetadataIopsAreOffered:
    @pytest.mark.parametrize(
        ("iops", "hint"),
        [
            (1, "use 1500"),
            (2000, "use 1500 or 3000"),
            (7000, "use 6000 or 12000"),
            (13_000, "use 12000 or 24000"),
            (200_000, "use 192000"),
        ],
    )
    def test_between_steps(self, environment, iops, hint):
        """A value between two steps is answered with both neighbours."""
        (finding,) = metadata_iops_are_offered(environment(lustre={"storage_gib": 1200, "metadata_iops": iops}))

        assert finding.hint == hint

    @pytest.mark.parametrize(
        ("gib", "iops", "hint"),
        [
            (4800, 90, "use 6000"),
            (4800, 2000, "use 6000"),
            (4800, 7000, "use 6000 or 12000"),
            (48_000, 13_000, "use 24000"),
        ],
    )
    def test_no_fewer_than_come_with_the_size(self, environment, gib, iops, hint):
        """What is offered to smaller ones is no advice, and one finding says so."""
        made = environment(lustre={"storage_gib": gib, "metadata_iops": iops})
        (finding,) = metadata_iops_are_offered(made)

        assert finding.hint == hint
        assert not list(metadata_iops_are_not_below_the_automatic(made))

    @pytest.mark.parametrize(("iops", "hint"), [(1500, "use 6000"), (24_000, "use 12000"), (9000, "use 6000 or 12000")])
    def test_tiering(self, environment, iops, hint):
        """INTELLIGENT_TIERING has two values only."""
        (finding,) = metadata_iops_are_offered(environment(lustre={**TIERING, "metadata_iops": iops}))

        assert finding.hint == hint

    def test_tiering_is_never_automatic(self, environment):
        """FSx has the automatic mode for SSD only."""
        (finding,) = metadata_iops_are_offered(environment(lustre=TIERING))

        assert finding.hint == "write metadata_iops: 6000 or 12000"

    @pytest.mark.parametrize("iops", [None, 1500, 3000, 6000, 12_000, 24_000, 180_000, 192_000])
    def test_steps(self, environment, iops):
        """Each step is offered, and none at all is automatic."""
        assert not list(metadata_iops_are_offered(environment(lustre={"metadata_iops": iops})))

    def test_other_deployment(self, environment):
        """Where there are none, another rule speaks."""
        lustre = {"deployment_type": "SCRATCH_2", "metadata_iops": 7}
        assert not list(metadata_iops_are_offered(environment(lustre=lustre)))


class TestMetadataIopsAreForPersistent2:
    @pytest.mark.parametrize("deployment", ["SCRATCH_2", "PERSISTENT_1"])
    def test_other_deployment(self, environment, deployment):
        """The older kinds have no metadata configuration."""
        lustre = {"deployment_type": deployment, "metadata_iops": 12_000}
        (finding,) = metadata_iops_are_for_persistent_2(environment(lustre=lustre))

        assert finding.message == f"metadata_iops is for PERSISTENT_2, not for {deployment}"

    @pytest.mark.parametrize("lustre", [{"metadata_iops": 12_000}, {"deployment_type": "SCRATCH_2"}])
    def test_in_its_place(self, environment, lustre):
        """There it belongs."""
        assert not list(metadata_iops_are_for_persistent_2(environment(lustre=lustre)))


class TestStorageTypeFitsTheDeployment:
    @pytest.mark.parametrize("deployment", ["SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"])
    @pytest.mark.parametrize("storage", ["SSD", "HDD", "INTELLIGENT_TIERING"])
    def test_every_pair(self, environment, deployment, storage):
        """Five of nine pairs exist."""
        lustre = {"deployment_type": deployment, "storage_type": storage}
        findings = list(storage_type_fits_the_deployment(environment(lustre=lustre)))
        exists = storage == "SSD" or (deployment, storage) in {
            ("PERSISTENT_1", "HDD"),
            ("PERSISTENT_2", "INTELLIGENT_TIERING"),
        }

        assert (not findings) == exists
        for finding in findings:
            assert finding.message == f"{deployment} does not offer {storage}"
            assert "SSD" in finding.hint


class TestMetadataIopsAreNotBelowTheAutomatic:
    @pytest.mark.parametrize(
        ("gib", "iops", "least"), [(2400, 1500, 3000), (4800, 3000, 6000), (48_000, 12_000, 24_000)]
    )
    def test_fewer(self, environment, gib, iops, least):
        """FSx refuses fewer than come with the size."""
        made = environment(lustre={"storage_gib": gib, "metadata_iops": iops})
        (finding,) = metadata_iops_are_not_below_the_automatic(made)

        assert finding.hint == f"use {least} or more, or remove metadata_iops"

    @pytest.mark.parametrize(
        "lustre",
        [
            {},
            {"storage_gib": 1200, "metadata_iops": 1500},
            {"storage_gib": 4800, "metadata_iops": 12_000},
            {**TIERING, "metadata_iops": 6000},
            {**EXISTING, "metadata_iops": 1500},
        ],
    )
    def test_enough(self, environment, lustre):
        """As many may be asked for as come anyway; INTELLIGENT_TIERING has none that come."""
        assert not list(metadata_iops_are_not_below_the_automatic(environment(lustre=lustre)))
