import sys

import pytest

from rehearsal.schemas import Schema, same, schemas


class TestSchemas:
    def test_regions_differ(self):
        """A region offers its own types; a type that it lacks is unknown there."""
        assert schemas("us-west-2").get("AWS::EKS::Nodegroup") is not None
        assert schemas("us-west-2").get("AWS::Nothing::Here") is None

    def test_unknown_region(self):
        """A region that nobody knows is an error, not an empty one."""
        with pytest.raises(LookupError, match="know no region mars-1"):
            schemas("mars-1")

    def test_nested_create_only(self):
        """The path within a property decides: Lustre's deployment type replaces, its compression does not."""
        schema = schemas("us-west-2").get("AWS::FSx::FileSystem")
        old = {"LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "DataCompressionType": "NONE"}}
        compressed = {"LustreConfiguration": {**old["LustreConfiguration"], "DataCompressionType": "LZ4"}}
        scratch = {"LustreConfiguration": {**old["LustreConfiguration"], "DeploymentType": "SCRATCH_2"}}

        assert schema.replaced_by(old, compressed) == ()
        assert schema.replaced_by(old, scratch) == (("LustreConfiguration", "DeploymentType"),)

    def test_tags(self):
        """Whether a type carries tags, and CloudFormation's own, is what its schema says; some carry none."""
        known = schemas("us-west-2")

        assert known.get("AWS::EC2::Subnet").taggable
        assert known.get("AWS::EC2::PlacementGroup").taggable
        assert known.get("AWS::EC2::PlacementGroup").tag_property is None
        assert not known.get("AWS::EC2::Route").taggable

    def test_added_and_removed(self):
        """A create-only property that appears or goes away replaces as well."""
        schema = schemas("us-west-2").get("AWS::EKS::Nodegroup")

        assert schema.replaced_by({}, {"DiskSize": 100}) == (("DiskSize",),)
        assert schema.replaced_by({"DiskSize": 100}, {}) == (("DiskSize",),)

    def test_attributes(self):
        """Fn::GetAtt may name read-only paths and what lies within or around them, and no other names."""
        cluster = schemas("us-west-2").get("AWS::EKS::Cluster")

        assert [cluster.offers(name) for name in ("Endpoint", "KubernetesNetworkConfig.ServiceIpv6Cidr", "Nope")] == [
            True,
            True,
            False,
        ]

    def test_open_attributes(self):
        """A nested stack's outputs are attributes, whatever their names."""
        assert schemas("us-west-2").get("AWS::CloudFormation::Stack").offers("Outputs.Anything")

    def test_registry(self):
        """The oldest types are made by CloudFormation itself, all others by handlers of its registry."""
        types = schemas("us-east-2")

        assert [types.get(f"AWS::{name}").in_registry for name in ("FSx::FileSystem", "EC2::VPC")] == [False, True]

    def test_lists(self):
        """A star in a path compares every member of a list."""
        schema = Schema("T", {}, create_only=(("Nodes", "*", "Name"),))

        assert schema.replaced_by({"Nodes": [{"Name": "a", "Size": 1}]}, {"Nodes": [{"Name": "a", "Size": 2}]}) == ()
        assert schema.replaced_by({"Nodes": [{"Name": "a"}]}, {"Nodes": [{"Name": "b"}]}) != ()

    def test_cfn_lint_is_not_imported(self):
        """Only cfn-lint's files are read: importing it costs more than all that is done with them."""
        before = set(sys.modules)
        schemas.cache_clear()

        schemas("us-west-2").get("AWS::EC2::VPC")

        assert not {name for name in set(sys.modules) - before if name.startswith("cfnlint.")}


class TestWhatReplaces:
    """The edits that cost a cluster, a reservation or data are known as replacements, whatever asks: engine or diff."""

    @pytest.mark.parametrize(
        ("path", "old", "new"),
        [
            (("Name",), "a", "b"),
            (("RoleArn",), "arn:1", "arn:2"),
            (("BootstrapSelfManagedAddons",), False, True),
            (("EncryptionConfig",), [], [{"Resources": ["secrets"]}]),
            (("KubernetesNetworkConfig", "ServiceIpv4Cidr"), "172.20.0.0/16", "10.100.0.0/16"),
            (("KubernetesNetworkConfig", "IpFamily"), "ipv4", "ipv6"),
            (("AccessConfig", "BootstrapClusterCreatorAdminPermissions"), True, False),
        ],
        ids=str,
    )
    def test_cluster(self, path, old, new):
        """CFN-02: What EKS takes at creation only replaces the whole control plane when it changes later."""
        assert replaced("AWS::EKS::Cluster", path, old, new) == (path,)

    @pytest.mark.parametrize("path", [("Version",), ("DeletionProtection",), ("Logging",), ("UpgradePolicy",)], ids=str)
    def test_cluster_in_place(self, path):
        """CFN-02: What EKS changes in place replaces nothing."""
        assert replaced("AWS::EKS::Cluster", path, "a", "b") == ()

    @pytest.mark.parametrize(
        ("resource_type", "path"),
        [
            ("AWS::S3::Bucket", ("BucketName",)),
            ("AWS::FSx::FileSystem", ("SubnetIds",)),
            ("AWS::FSx::FileSystem", ("SecurityGroupIds",)),
            ("AWS::FSx::FileSystem", ("LustreConfiguration", "DeploymentType")),
            ("AWS::FSx::FileSystem", ("FileSystemTypeVersion",)),
        ],
        ids=str,
    )
    def test_data(self, resource_type, path):
        """CFN-04: A new name of a bucket, or another place of a file system, is an empty one beside the old."""
        assert replaced(resource_type, path, "a", "b") == (path,)

    @pytest.mark.parametrize(
        "name", ["InstanceType", "AvailabilityZone", "Tenancy", "PlacementGroupArn", "EbsOptimized"]
    )
    def test_reservation(self, name):
        """CAP-08: An edit of a reservation asks for a new one before the old is free, which seldom exists."""
        assert replaced("AWS::EC2::CapacityReservation", (name,), "a", "b") == ((name,),)

    def test_reservation_in_place(self):
        """CAP-08: The number of instances alone changes in place."""
        assert replaced("AWS::EC2::CapacityReservation", ("InstanceCount",), 4, 8) == ()


def replaced(resource_type, path, old, new):
    """Returns the paths that replace a resource whose property at one path changes."""

    def at(value):
        for key in reversed(path):
            value = {key: value}
        return value

    return schemas("us-east-2").get(resource_type).replaced_by(at(old), at(new))


class TestSame:
    @pytest.mark.parametrize(
        ("old", "new", "equal"),
        [
            (8, "8", True),
            (True, "true", True),
            ("a", "b", False),
            ({"A": [1]}, {"A": ["1"]}, True),
            ({"A": 1}, {"A": 1, "B": 2}, False),
            ([1, 2], [2, 1], False),
            ([], {}, False),
            (None, None, True),
        ],
    )
    def test_as_cloudformation_compares(self, old, new, equal):
        """Numbers and truth values equal their texts; order and members count."""
        assert same(old, new) is equal
