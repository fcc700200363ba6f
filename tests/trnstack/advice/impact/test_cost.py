"""What environments cost by list price, and what stays behind."""

import pytest

from trnstack.advice.impact import Side, compare
from trnstack.advice.impact.cost import cost, left

from .conftest import only, side_of

NODES, STORAGE = "llama3-8b-nodes-trn1", "llama3-8b-storage"


def group(**properties):
    return {"Group": {"Type": "AWS::EKS::Nodegroup", "Properties": {"NodegroupName": "g", **properties}}}


def lustre(gib=4800, rate=250, **configuration):
    """Returns the only resource of a stack: a file system."""
    properties = {
        "StorageCapacity": gib,
        "StorageType": "SSD",
        "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": rate, **configuration},
    }
    return {"Lustre": {"Type": "AWS::FSx::FileSystem", "Properties": properties}}


class TestCost:
    def test_by_hand(self, golden_side):
        """32 trn1.32xlarge at 21.50 and the system nodes, two m7i.large... at their list price, 730 hours a month."""
        side = golden_side("llama3-8b-trn1")
        _, system = only(side, "llama3-8b-cluster", "AWS::EKS::Nodegroup")
        _, template = only(side, "llama3-8b-cluster", "AWS::EC2::LaunchTemplate")
        hourly = {"m7i.xlarge": 0.2016, "m7i.large": 0.1008}[template["LaunchTemplateData"]["InstanceType"]]
        expected = 730 * (32 * 21.50 + system["ScalingConfig"]["DesiredSize"] * hourly)

        found = cost(side)

        assert found.parts["nodes"] == pytest.approx(expected, abs=0.01)
        # 4,800 GiB of PERSISTENT_2 at 250 MB/s a TiB in us-east-2 at 0.21, and two keys at 1 USD.
        assert (found.parts["file system"], found.parts["keys"]) == (1008.0, 2.0)
        assert found.monthly_usd == pytest.approx(expected + 1008 + 2, abs=0.01)

    def test_nothing_is_left_out(self, golden_side):
        """What is billed and has no price here is named, with how many there are."""
        unpriced = cost(golden_side("llama3-8b-trn1")).unpriced

        assert "bucket llama3-8b-checkpoints-ACCOUNT-us-east-2: billed by what it holds: 21.42 USD a TB" in unpriced
        assert any(text.startswith("1 NAT gateway, 1 control plane, 9 interface endpoints, ") for text in unpriced)
        assert "volumes of nodes, traffic and requests: no price here" in unpriced

    def test_adopted(self, golden_side):
        """What no stack made is named with why it has no price."""
        found = cost(golden_side("adopted-storage-trn1"))

        assert "file system" in found.unknown
        assert (
            "file system fs-0a1b2c3d4e5f60718, which no stack made: what it is stands in no template" in found.unpriced
        )
        assert any(
            text.startswith("bucket earlier-checkpoints-111122223333-us-east-2, which no stack made: billed by what")
            for text in found.unpriced
        )

    @pytest.mark.parametrize(
        ("properties", "why"),
        [
            (
                {"InstanceTypes": ["trn1.32xlarge"], "CapacityType": "SPOT"},
                "g: trn1.32xlarge as SPOT has no list price",
            ),
            ({"InstanceTypes": ["trn2.48xlarge"]}, "g: trn2.48xlarge has no on-demand list price"),
            ({"InstanceTypes": ["a", "b"]}, "g: its instance type is not known before the deploy"),
            ({}, "g: its instance type is not known before the deploy"),
            (
                {"InstanceTypes": ["trn1.32xlarge"], "ScalingConfig": {"DesiredSize": {"Fn::GetAtt": ["A", "B"]}}},
                "g: its number of nodes is not known before the deploy",
            ),
        ],
    )
    def test_without_price(self, properties, why):
        """What has no list price is named, and not counted as nothing."""
        found = cost(side_of(("s", group(**properties))))

        assert (found.monthly_usd, found.unpriced, found.unknown) == (None, (why,), ("nodes",))

    @pytest.mark.parametrize(
        ("resources", "usd", "note"),
        [
            (lustre(), 1008.0, ""),
            (lustre(gib="4800", rate="250"), 1008.0, ""),
            (lustre(rate=500), None, "its price in us-east-2 was not found"),
            (lustre(gib={"Fn::GetAtt": ["A", "B"]}), None, "its price in us-east-2 was not found"),
            (
                lustre(MetadataConfiguration={"Mode": "USER_PROVISIONED", "Iops": 12000}),
                1008.0,
                "metadata IOPS beyond those that come with its size are billed apart, and not counted",
            ),
            (lustre(AutomaticBackupRetentionDays=7), 1008.0, "backups are billed apart by what they hold"),
        ],
    )
    def test_file_system(self, resources, usd, note):
        """A file system has its region's list price, or why it has none; what is billed apart is said."""
        found = cost(side_of(("s", resources)))

        assert found.parts.get("file system") == usd
        assert [text.partition(": ")[2] for text in found.unpriced] == ([note] if note else [])

    def test_tiering(self):
        """Intelligent-Tiering costs by what it holds."""
        resources = lustre(ThroughputCapacity=4000)
        resources["Lustre"]["Properties"] |= {"StorageType": "INTELLIGENT_TIERING"}

        assert cost(side_of(("s", resources))).unpriced[0].endswith("billed by what it holds and by its throughput")

    @pytest.mark.parametrize("odd", [[], "text", None, {"LaunchTemplate": {"Id": {"Ref": "Nobody"}}}])
    def test_by_hand_edited(self, odd):
        """Templates of odd shape end in no traceback."""
        resources = {"Group": {"Type": "AWS::EKS::Nodegroup", "Properties": odd}}

        assert cost(side_of(("s", resources))).unpriced[0].endswith("its instance type is not known before the deploy")


class TestLeft:
    def test_given_up(self, golden_side):
        """A retained file system that leaves its stack goes on costing."""
        old, new = golden_side("llama3-8b-trn1"), golden_side("llama3-8b-trn1")
        logical_id, _ = only(new, STORAGE, "AWS::FSx::FileSystem")
        del new.stacks[STORAGE].template["Resources"][logical_id]
        (found,) = left(old, compare(old, new))

        assert (found.logical_id, found.monthly_usd) == (logical_id, 1008.0)

    def test_replaced(self, golden_side):
        """So does one in whose place another stands."""
        old, new = golden_side("llama3-8b-trn1"), golden_side("llama3-8b-trn1")
        only(new, STORAGE, "AWS::FSx::FileSystem")[1]["KmsKeyId"] = "another"

        assert [each.monthly_usd for each in left(old, compare(old, new))] == [1008.0]

    def test_another_region(self, golden_side):
        """Of an environment that is left, everything goes on costing, nodes included."""
        old, new = golden_side("llama3-8b-trn1"), golden_side("llama3-8b-trn1")
        new = Side(region="us-west-2", account=None, stacks=new.stacks)
        found = {each.what: each.monthly_usd for each in left(old, compare(old, new))}

        assert found["node group trn1"] == pytest.approx(32 * 21.5 * 730)
        assert found["file system PERSISTENT_2 SSD, 4,800 GiB"] == 1008.0
        assert found["NAT gateway"] is None

    def test_nothing(self, golden_side):
        """What changes in place, or goes with what it holds, is not there any more."""
        old, new = golden_side("llama3-8b-trn1"), golden_side("llama3-8b-trn1")
        _, properties = only(new, NODES, "AWS::EKS::Nodegroup")
        properties["ScalingConfig"]["MaxSize"] = 64
        del new.stacks[STORAGE].template["Resources"][only(new, STORAGE, "AWS::FSx::DataRepositoryAssociation")[0]]

        assert left(old, compare(old, new)) == ()
