import pytest

from trnstack.findings import Severity
from trnstack.rules.file_system import (
    association_events_are_unique,
    associations_fit_the_limit,
    deletions_stay_in_the_file_system,
    nodes_are_in_the_file_systems_zone,
    paths_are_plain,
    scratch_keeps_no_checkpoints,
    the_mount_path_is_free,
)


def linked(*associations: dict, **changes: object):
    return {
        "data_repository_associations": [{"file_system_path": "/checkpoints", **each} for each in associations],
        **changes,
    }


class TestScratchKeepsNoCheckpoints:
    @pytest.mark.parametrize("associations", [(), ({"bucket": "c4"},), ({"auto_export": []},)])
    def test_nothing_exported(self, environment, associations):
        """FSX-06: what is never exported is lost with the first server that fails."""
        (finding,) = scratch_keeps_no_checkpoints(
            environment(lustre=linked(*associations, deployment_type="SCRATCH_2"))
        )

        assert finding.severity is Severity.WARNING
        assert finding.message.endswith("and nothing is exported to the checkpoint bucket")

    @pytest.mark.parametrize("events", [["DELETED"], ["NEW"], ["CHANGED"], ["NEW", "DELETED"]])
    def test_not_all_exported(self, environment, events):
        """DELETED carries nothing to the bucket, NEW no later write, CHANGED no new file."""
        lustre = linked({"auto_export": events}, deployment_type="SCRATCH_2")
        (finding,) = scratch_keeps_no_checkpoints(environment(lustre=lustre))

        assert finding.message.endswith("and not all that is written is exported to the checkpoint bucket")
        assert finding.hint.startswith("write auto_export: [NEW, CHANGED]")

    @pytest.mark.parametrize(
        "lustre",
        [
            linked({}, deployment_type="SCRATCH_2"),
            linked({"auto_export": ["CHANGED", "DELETED", "NEW"]}, deployment_type="SCRATCH_2"),
            linked({"auto_export": ["NEW"]}, {"file_system_path": "/b", "prefix": "b"}, deployment_type="SCRATCH_2"),
            linked(deployment_type="PERSISTENT_2"),
        ],
    )
    def test_kept(self, environment, lustre):
        """Exported checkpoints are kept, and so are those on replicated storage."""
        assert not list(scratch_keeps_no_checkpoints(environment(lustre=lustre)))

    def test_no_file_system(self, environment):
        """Without a file system nothing is lost."""
        assert not list(scratch_keeps_no_checkpoints(environment()))


class TestNodesAreInTheFileSystemsZone:
    def test_another_zone(self, environment):
        """FSX-11: reads across zones are slower, and paid for by the gigabyte."""
        groups = [{"name": "a1"}, {"name": "b1", "availability_zone_id": "use2-az1"}]
        (finding,) = nodes_are_in_the_file_systems_zone(environment(node_groups=groups, lustre={}))

        assert finding.severity is Severity.WARNING
        assert finding.path == ("node_groups", 1, "availability_zone_id")
        assert finding.message.endswith("reads are slower and paid for")

    def test_efa_ends_at_the_zone(self, environment):
        """Where nodes elsewhere would reach it by EFA, they reach it by TCP."""
        groups = [{"name": "a1"}, {"name": "b1", "availability_zone_id": "use2-az1"}]
        (finding,) = nodes_are_in_the_file_systems_zone(environment(node_groups=groups, lustre={"efa_enabled": True}))

        assert finding.message.endswith("reads go by TCP, are slower and paid for")

    @pytest.mark.parametrize("zone_id", [None, "use2-az3"])
    def test_same_zone(self, environment, zone_id):
        """FSX-11: by default nodes and file system are together."""
        group = {"availability_zone_id": zone_id}
        assert not list(nodes_are_in_the_file_systems_zone(environment(node_group=group, lustre={})))

    def test_no_file_system(self, environment):
        """Without a file system nodes may be anywhere."""
        group = {"availability_zone_id": "use2-az1"}
        assert not list(nodes_are_in_the_file_systems_zone(environment(node_group=group)))


class TestDeletionsStayInTheFileSystem:
    def test_exported(self, environment):
        """FSX-06: deletions reach the bucket by choice only, and with a word of warning."""
        lustre = linked({}, {"file_system_path": "/b", "auto_export": ["NEW", "CHANGED", "DELETED"]})
        (finding,) = deletions_stay_in_the_file_system(environment(lustre=lustre))

        assert finding.severity is Severity.WARNING
        assert finding.path == ("storage", "lustre", "data_repository_associations", 1, "auto_export")

    @pytest.mark.parametrize("association", [{}, {"auto_import": ["DELETED"]}, {"auto_export": []}])
    def test_kept(self, environment, association):
        """FSX-06: the default exports what is new and changed; what is deleted in the bucket may well be forgotten."""
        assert not list(deletions_stay_in_the_file_system(environment(lustre=linked(association))))


class TestTheMountPathIsFree:
    @pytest.mark.parametrize(
        "path",
        [
            "/",
            "/etc",
            "/etc/fsx",
            "/usr/local",
            "/var",
            "/dev/pts",
            "/opt",
            "/opt/aws/neuron",
            "/opt/amazon",
            "/fsx/../etc",
            "/proc",
        ],
    )
    def test_covered(self, environment, path):
        """A file system over a system folder hides what the image has there, libfabric under /opt among it."""
        (finding,) = the_mount_path_is_free(environment(lustre={"mount_path": path}))

        assert finding.hint == "use /fsx"

    @pytest.mark.parametrize("path", ["/fsx", "/data/fsx", "/mnt/lustre", "/opt/data", "/variable", "/home/trainer"])
    def test_free(self, environment, path):
        """Names that only begin alike are free."""
        assert not list(the_mount_path_is_free(environment(lustre={"mount_path": path})))


class TestAssociationEventsAreUnique:
    @pytest.mark.parametrize("field", ["auto_import", "auto_export"])
    def test_twice(self, environment, field):
        """An event has one meaning."""
        (finding,) = association_events_are_unique(environment(lustre=linked({field: ["NEW", "CHANGED", "NEW"]})))

        assert finding.path[-2:] == (field, 2)

    def test_all_three(self, environment):
        """All events may be imported."""
        events = ["NEW", "CHANGED", "DELETED"]
        assert not list(association_events_are_unique(environment(lustre=linked({"auto_import": events}))))


class TestPathsArePlain:
    @pytest.mark.parametrize(
        ("path", "hint"), [("/fsx/..", "use /"), ("/a/../b", "use /b"), ("/./a", "use /a"), ("/a/.", "use /a")]
    )
    def test_dots(self, environment, path, hint):
        """Two names of one folder would pass for two folders."""
        lustre = linked({"file_system_path": path}, mount_path=path)
        first, second = paths_are_plain(environment(lustre=lustre))

        assert first.path == ("storage", "lustre", "mount_path")
        assert second.path[-1] == "file_system_path"
        assert first.hint == second.hint == hint

    @pytest.mark.parametrize("path", ["/fsx", "/.cache", "/a..b", "/..."])
    def test_plain(self, environment, path):
        """Dots inside a name are part of it."""
        assert not list(paths_are_plain(environment(lustre=linked({"file_system_path": path}, mount_path=path))))


class TestAssociationsFitTheLimit:
    def test_too_many(self, environment):
        """The ninth is refused by FSx after the eight before it have been made."""
        lustre = linked(*({"file_system_path": f"/{number}"} for number in range(9)))
        (finding,) = associations_fit_the_limit(environment(lustre=lustre))

        assert finding.message == "9 associations are more than 8"

    def test_as_many_as_fit(self, environment):
        """Eight fit."""
        lustre = linked(*({"file_system_path": f"/{number}"} for number in range(8)))
        assert not list(associations_fit_the_limit(environment(lustre=lustre)))
