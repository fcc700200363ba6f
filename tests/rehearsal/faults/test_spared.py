"""A fault that names one thing strikes that one, and spares its like beside it."""

import pytest

from rehearsal.faults import parse
from tests.rehearsal.faults.small import (
    REGION,
    RESERVATION,
    Small,
    bucket,
    cluster,
    launch_template,
    lustre,
    network,
    nodes,
    resource,
)

OTHER_RESERVATION = "cr-0fedcba9876543210"
STORES = {
    **network(),
    "A": lustre(),
    "B": lustre("Beside"),
    "BucketA": bucket("bucket-a"),
    "BucketB": bucket("bucket-b"),
}
GROUPS = {
    **network(),
    **cluster(),
    "Template": launch_template(),
    "OtherTemplate": launch_template("trn2.48xlarge", OTHER_RESERVATION),
    "A": nodes(NodegroupName="group-a"),
    "B": nodes("Beside", "OtherTemplate", NodegroupName="group-b"),
}
NODE_FAULTS = ("no-capacity", "quota-zero", "reservation-not-active", "reservation-ended", "nodes-unhealthy")


@pytest.fixture
def failed(services):
    """Creates a stack under a fault, without a way back, and gives what failed of it."""
    small = Small(services)

    def failed(fault, resources) -> set[str]:
        services.faults.add(parse(fault))
        small.create(resources, DisableRollback=True)
        assert small.status in {"CREATE_COMPLETE", "CREATE_FAILED"}
        ends = {name: small.ends().get(name) for name in resources}
        assert set(ends.values()) <= {"CREATE_COMPLETE", "CREATE_FAILED"}
        return {name for name, status in ends.items() if status == "CREATE_FAILED"}

    return failed


class TestStores:
    @pytest.mark.parametrize(
        ("fault", "struck"),
        [
            ("fsx-creation-fails@A", {"A"}),
            ("fsx-creation-fails@small/B", {"B"}),
            ("fsx-creation-fails@small", {"A", "B"}),
            ("fsx-creation-fails@AWS::FSx::FileSystem", {"A", "B"}),
            ("fsx-creation-fails", {"A", "B"}),
            ("access-denied@BucketA", {"BucketA"}),
            ("access-denied@bucket-b", {"BucketB"}),
            ("access-denied@small/A", {"A"}),
            ("access-denied@AWS::S3::Bucket", {"BucketA", "BucketB"}),
            ("access-denied@s3:CreateBucket", {"BucketA", "BucketB"}),
        ],
    )
    def test_creation(self, failed, fault, struck):
        """By logical id, by stack and logical id, by its own name, by type, or all."""
        assert failed(fault, STORES) == struck

    def test_update(self, services):
        """Of two buckets that change, the one that may not be changed fails alone."""
        small = Small(services)
        small.create(STORES)
        off = {"VersioningConfiguration": {"Status": "Suspended"}}
        buckets = {name: {**STORES[name], "Properties": {**STORES[name]["Properties"], **off}} for name in STORES}
        services.faults.add(parse("access-denied@BucketA"))

        small.update({**STORES, "BucketA": buckets["BucketA"], "BucketB": buckets["BucketB"]}, DisableRollback=True)

        assert small.status == "UPDATE_FAILED"
        assert small.codes() == {"BucketA": "AccessDenied"}
        states = [small.client("s3").get_bucket_versioning(Bucket=f"bucket-{one}")["Status"] for one in "ab"]
        assert states == ["Enabled", "Suspended"]

    @pytest.mark.parametrize("where", ["Topic", "small", "AWS::SNS::Topic"])
    def test_deletion(self, services, where):
        """What may not be made or changed may be deleted."""
        small = Small(services)
        small.create({"Topic": resource("SNS::Topic")})
        services.faults.add(parse(f"access-denied@{where}"))

        assert small.delete() == "DELETE_COMPLETE"
        assert small.client("sns").list_topics()["Topics"] == []

    def test_what_is_looked_up_for_another(self, services):
        """What CloudFormation looks up for the next resource is not denied as that of the one before."""
        small = Small(services)
        small.client("ssm").put_parameter(Name="/days", Value="30", Type="String")
        log = resource("Logs::LogGroup", RetentionInDays="{{resolve:ssm:/days}}")
        services.faults.add(parse("access-denied@BucketA"))

        small.create({"BucketA": bucket("bucket-a"), "Log": log}, DisableRollback=True)

        assert small.ends() == {"BucketA": "CREATE_FAILED", "Log": "CREATE_COMPLETE"}


class TestNodes:
    @pytest.mark.parametrize("where", ["A", "small/A", "group-a", "trn1.2xlarge", f"{REGION}c", RESERVATION])
    @pytest.mark.parametrize("fault", NODE_FAULTS)
    def test_creation(self, failed, fault, where):
        """By logical id, name, instance type, zone or reservation: the group beside it starts its nodes."""
        assert failed(f"{fault}@{where}", GROUPS) == {"A"}

    @pytest.mark.parametrize("fault", NODE_FAULTS)
    def test_all(self, failed, fault):
        """Without a name every node group that the fault can meet is struck."""
        assert failed(fault, GROUPS) == {"A", "B"}
