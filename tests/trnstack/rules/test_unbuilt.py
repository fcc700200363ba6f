from datetime import UTC, datetime

import pytest

from trnstack.findings import Severity
from trnstack.rules.unbuilt import (
    the_additions_are_built,
    the_delivery_is_built,
    the_network_is_built,
    the_nodes_are_built,
    the_storage_is_built,
    the_watch_is_built,
)

FACTS = {
    "network_cards": 16,
    "efa_interfaces": 16,
    "vcpus": 192,
    "memory_gib": 2048,
    "neuron_devices": 16,
    "availability_zone_ids": ["use2-az3"],
}
BLOCK = {
    "type": "capacity_block",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 2,
    "availability_zone_id": "use2-az3",
    "starts_at": datetime(2027, 3, 1, 11, 30, tzinfo=UTC),
    "ends_at": datetime(2027, 3, 8, 11, 30, tzinfo=UTC),
}
VPC = {
    "vpc_id": "vpc-0123456789abcdef0",
    "cidr": "10.9.0.0/16",
    "subnets": [
        {
            "subnet_id": "subnet-0123456789abcdef0",
            "route_table_id": "rtb-0123456789abcdef0",
            "availability_zone_id": "use2-az3",
            "cidr": "10.9.0.0/24",
            "public": False,
        }
    ],
}
FILE_SYSTEM = {
    "file_system_id": "fs-0123456789abcdef0",
    "mount_name": "abcdefgh",
    "security_group_id": "sg-0123456789abcdef0",
}


def unbuilt(finding):
    """Tells whether a finding has the one form of its kind."""
    return finding.message.startswith("not built yet: ") and bool(finding.hint)


class TestTheNetworkIsBuilt:
    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("nat_gateways", 0),
            ("image_mirror", "111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror"),
            ("existing_vpc", VPC),
        ],
    )
    def test_unbuilt(self, environment, field, value):
        """A network that would not come out as written is an error."""
        (finding,) = the_network_is_built(environment(network={field: value}))

        assert finding.severity is Severity.ERROR
        assert finding.path == ("network", field)
        assert unbuilt(finding)

    def test_built(self, environment):
        """The default network is built."""
        assert not list(the_network_is_built(environment(network={"nat_gateways": 2, "flow_logs": False})))


class TestTheNodesAreBuilt:
    @pytest.mark.parametrize(
        ("group", "field"),
        [
            ({"instance_type": "trn2u.48xlarge", "ultraserver": {"config": 2}}, "ultraserver"),
            ({"image": {"type": "custom", "recipe": "mine"}}, "image"),
            ({"instance_type": "trn3.48xlarge"}, "instance_type"),
            ({"instance_type": "trn3.48xlarge", "instance_facts": FACTS}, "instance_type"),
            ({"instance_facts": FACTS}, "instance_facts"),
            ({"capacity": BLOCK}, "capacity"),
        ],
    )
    def test_unbuilt(self, environment, group, field):
        """Each part is told once, at its place."""
        (finding,) = the_nodes_are_built(environment(node_group=group))

        assert finding.severity is Severity.ERROR
        assert finding.path == ("node_groups", 0, field)
        assert unbuilt(finding)

    @pytest.mark.parametrize(
        "group", [{}, {"instance_type": "trn2u.48xlarge"}, {"capacity": {"type": "spot"}}, {"local_storage": "none"}]
    )
    def test_built(self, environment, group):
        """Published types, on demand, spot or reserved, are built."""
        assert not list(the_nodes_are_built(environment(node_group=group)))


class TestTheStorageIsBuilt:
    @pytest.mark.parametrize(
        ("storage", "path"),
        [
            ({"checkpoints": {"existing_bucket": "some-bucket"}}, ("checkpoints", "existing_bucket")),
            ({"datasets": [{"name": "c4", "bucket_name": "some-bucket"}]}, ("datasets",)),
            ({"lustre": {"existing_file_system": FILE_SYSTEM}}, ("lustre", "existing_file_system")),
            ({"lustre": {"deployment_type": "SCRATCH_2"}}, ("lustre", "deployment_type")),
            ({"lustre": {"deployment_type": "PERSISTENT_1"}}, ("lustre", "deployment_type")),
            ({"lustre": {"storage_type": "HDD"}}, ("lustre", "storage_type")),
            ({"lustre": {"storage_type": "INTELLIGENT_TIERING"}}, ("lustre", "storage_type")),
            ({"lustre": {"efa_enabled": True}}, ("lustre", "efa_enabled")),
            ({"lustre": {"metadata_iops": 12_000}}, ("lustre", "metadata_iops")),
            (
                {"lustre": {"data_repository_associations": [{"file_system_path": "/a", "bucket": "c4"}]}},
                ("lustre", "data_repository_associations", 0, "bucket"),
            ),
        ],
    )
    def test_unbuilt(self, environment, storage, path):
        """Each part is told once, at its place."""
        (finding,) = the_storage_is_built(environment(storage=storage))

        assert finding.severity is Severity.ERROR
        assert finding.path == ("storage", *path)
        assert unbuilt(finding)

    @pytest.mark.parametrize(
        "storage", [{}, {"lustre": {}}, {"lustre": {"data_repository_associations": [{"file_system_path": "/a"}]}}]
    )
    def test_built(self, environment, storage):
        """A bucket, and a PERSISTENT_2 SSD file system linked to it, are built."""
        assert not list(the_storage_is_built(environment(storage=storage)))


class TestTheDeliveryIsBuilt:
    @pytest.mark.parametrize(("field", "value"), [("delivery", "gitops"), ("s3_csi", True)])
    def test_unbuilt(self, environment, field, value):
        """A cluster that would lack what was asked for is an error."""
        (finding,) = the_delivery_is_built(environment(kubernetes={field: value}))

        assert finding.severity is Severity.ERROR
        assert unbuilt(finding)

    def test_built(self, environment):
        """The default delivery is built."""
        assert not list(the_delivery_is_built(environment()))


class TestTheAdditionsAreBuilt:
    NAMES = ("kueue", "kubeflow_trainer", "neuron_scheduler", "cloudwatch_observability")

    def test_one_note_for_all(self, environment):
        """Four additions are one note, since they are on by default."""
        (finding,) = the_additions_are_built(environment())

        assert finding.severity is Severity.NOTE
        assert finding.message.startswith(f"not built yet: {', '.join(self.NAMES)} (")
        assert unbuilt(finding)

    @pytest.mark.parametrize("name", NAMES)
    def test_one(self, environment, name):
        """The note names those that are on."""
        (finding,) = the_additions_are_built(environment(kubernetes={each: each == name for each in self.NAMES}))

        assert finding.message.startswith(f"not built yet: {name} (")

    def test_none(self, environment):
        """The note ends when all are off."""
        assert not list(the_additions_are_built(environment(kubernetes=dict.fromkeys(self.NAMES, False))))


class TestTheWatchIsBuilt:
    @pytest.mark.parametrize(
        "sections", [{"observability": {"alarm_emails": ["ml@example.com"]}}, {"budget": {"monthly_usd": 1}}]
    )
    def test_unbuilt(self, environment, sections):
        """Who relies on being told is told that nobody will."""
        (finding,) = the_watch_is_built(environment(**sections))

        assert finding.severity is Severity.NOTE
        assert unbuilt(finding)

    def test_nothing_asked_for(self, environment):
        """The defaults promise nothing."""
        assert not list(the_watch_is_built(environment(observability={"log_retention_days": 30})))
