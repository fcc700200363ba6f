"""Where the rehearsal and `trnstack diff` once disagreed, with what AWS documents or people report of it."""

import pytest

from rehearsal.engine.deploy import CUSTOM_NAMED

from .harness import ADDED, IN_PLACE, NOTHING, REFUSED, REMOVED, REPLACED
from .rows import BESIDE, SUBJECT, create_only, edits, laid
from .test_table import agree

KINDS = {
    kind: [row for row in create_only() if row.type == kind and not row.stand_in]
    for kind in sorted({row.type for row in create_only()})
}
ROWS = {row.name: row for row in (*create_only(), *edits())}
LUSTRE = "AWS::FSx::FileSystem LustreConfiguration/PerUnitStorageThroughput"


def subject(row, **properties):
    """Returns the resource of a row as it was, with some properties laid over it."""
    one = ROWS[row].old["Resources"][SUBJECT]
    return {**one, "Properties": laid(one["Properties"], properties)}


def template(**resources):
    return {"Resources": {BESIDE: {"Type": "AWS::SNS::Topic", "Properties": {}}, **resources}}


@pytest.fixture
def edit(place):
    """Deploys an edit of one resource, holds it against what was said before, and tells what became of the resource."""

    def edit(old, new):
        _, done = agree(place, template(Thing=old), template(Thing=new))
        return done.outcomes[SUBJECT]

    return edit


@pytest.fixture
def row(place):
    """Deploys a row of the table, and tells what became of its resource."""

    def row(name):
        with place.stand_in(ROWS[name]):
            _, done = agree(place, ROWS[name].old, ROWS[name].new)
        return done.outcomes[SUBJECT]

    return row


class TestNames:
    def test_custom_name(self, row):
        """CloudFormation makes nothing beside a resource that it knows by its custom name: it says so, in its words."""
        outcome = row("the path of a role that has a name")

        assert (outcome.what, outcome.reason) == (REFUSED, CUSTOM_NAMED.format("a"))
        assert outcome.code is None

    @pytest.mark.parametrize(
        ("name", "code"),
        [
            ("from on-demand to a capacity block, by the same name", "ResourceInUseException"),
            ("AWS::EKS::AccessEntry Type", "ResourceInUseException"),
            ("the description of a security group that has a name", "InvalidGroup.Duplicate"),
            ("the zone of a subnet that keeps its range", "InvalidSubnet.Conflict"),
            ("the VPC of an internet gateway", "Resource.AlreadyAssociated"),
            ("the subnet of a NAT gateway that keeps its address", "Resource.AlreadyAssociated"),
        ],
    )
    def test_name_that_the_service_guards(self, row, name, code):
        """Where CloudFormation does not know the name as one, the service refuses it, with its own code."""
        assert row(name).code == code

    @pytest.mark.parametrize("kind", KINDS)
    def test_another_logical_id(self, place, kind):
        """Another logical id is another resource, made before the old one goes: what only one can have is taken."""
        row = next((row for row in KINDS[kind] if row.name.endswith("Name")), KINDS[kind][0])
        one = row.old["Resources"][SUBJECT]

        _, done = agree(place, template(Thing=one), template(Other=one))

        assert {done.outcomes["Other"].what, done.status} in (
            {REFUSED, "UPDATE_ROLLBACK_COMPLETE"},
            {ADDED, "UPDATE_COMPLETE"},
        )

    def test_another_logical_id_without_a_name(self, place):
        """What CloudFormation names moves to another logical id as a new resource beside the old one, which goes."""
        one = subject("AWS::IAM::Role Path")

        _, done = agree(place, template(Thing=one), template(Other=one))

        assert (done.outcomes["Other"].what, done.outcomes[SUBJECT].what) == (ADDED, REMOVED)

    def test_another_type(self, place):
        """Nothing changes where a logical id gets another type: CloudFormation refuses the whole template."""
        new = template(Thing=subject("AWS::IAM::InstanceProfile Path"))
        old = template(Thing=subject("AWS::IAM::Role Path"))

        done = place.deploy(place.named(old), place.named(new))

        assert done.outcomes[SUBJECT].what == REFUSED
        assert done.outcomes[SUBJECT].reason.startswith("Update of resource type is not permitted.")


class TestReplacement:
    def test_tenancy(self, row):
        """A VPC goes from dedicated to default tenancy as it is, and the other way by another VPC."""
        assert row("a VPC's tenancy to default").what == IN_PLACE
        assert row("a VPC's tenancy to dedicated").what == REPLACED

    def test_function_of_a_custom_resource(self, row):
        """CloudFormation changes no custom resource's function, and says nothing of replacing it."""
        outcome = row("the function of a custom resource")

        assert "Modifying service token is not allowed." in outcome.reason

    def test_protected_cluster(self, row):
        """The clean-up does not get a protected cluster away; the update is complete all the same."""
        outcome = row("the service range of a protected cluster whose name CloudFormation gives")

        assert (outcome.what, outcome.old) == (REPLACED, "DELETE_FAILED")
        assert row("a protected cluster that goes").old == "DELETE_FAILED"

    @pytest.mark.parametrize(
        ("kind", "what"),
        [
            ("AWS::EC2::PlacementGroup Strategy", REPLACED),
            ("AWS::EC2::SecurityGroup VpcId", IN_PLACE),
            ("AWS::EC2::Route RouteTableId", NOTHING),
        ],
    )
    def test_tags_of_the_stack(self, place, kind, what):
        """Other tags of the stack reach what can be tagged; what takes tags at its creation alone is replaced."""
        one = template(Thing=subject(kind))

        _, done = agree(place, one, one, tags=({"a": "1"}, {"a": "2"}))

        assert done.outcomes[SUBJECT].what == what

    @pytest.mark.parametrize("path", ["DestinationIpv6CidrBlock", "DestinationPrefixListId"])
    def test_route_of_another_kind(self, row, path):
        """A route to a range of IPv6 or to a prefix list is known by that, and replaced for another."""
        assert row(f"AWS::EC2::Route {path}").old == "DELETE_COMPLETE"

    @pytest.mark.parametrize(
        ("policy", "old"), [(None, "DELETE_COMPLETE"), ("Retain", "DELETE_SKIPPED"), ("Delete", "DELETE_COMPLETE")]
    )
    def test_policies(self, edit, policy, old):
        """The new template's policy decides what becomes of the replaced one, as diff says."""
        before, after = (subject(LUSTRE, LustreConfiguration={"PerUnitStorageThroughput": rate}) for rate in (125, 250))

        assert edit(before, {**after, **({"UpdateReplacePolicy": policy} if policy else {})}).old == old

    def test_policies_alone(self, edit):
        """Another policy touches nothing by itself."""
        one = subject(LUSTRE)

        assert edit(one, {**one, "DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}).what == NOTHING


class TestServices:
    @pytest.mark.parametrize(
        "name",
        [
            "a smaller file system",
            "fewer metadata IOPS",
            "metadata IOPS by the size, which are fewer",
            "metadata IOPS by hand, fewer than by the size",
            "metadata IOPS of a file system that was made without",
            "a size between FSx's steps of SSD",
            "a size between FSx's steps of HDD",
            "a size between FSx's steps with EFA",
            "a bigger file system of the oldest type",
            "less throughput capacity of Intelligent-Tiering",
            "a read cache that is hardly larger",
        ],
    )
    def test_file_system(self, row, name):
        """FSx refuses what it only increases, or changes by steps."""
        outcome = row(name)

        assert (outcome.what, outcome.code) == (REFUSED, "BadRequest")

    @pytest.mark.parametrize(
        ("capacity", "what"), [(1200, REPLACED), (2400, REPLACED), (3600, REPLACED), (4800, REFUSED)]
    )
    def test_sizes_of_the_oldest_type(self, place, capacity, what):
        """SCRATCH_1 comes in 1,200, 2,400 and multiples of 3,600 GiB."""
        oldest = {"DeploymentType": "SCRATCH_1", "PerUnitStorageThroughput": None}
        new = subject(LUSTRE, StorageCapacity=capacity, LustreConfiguration=oldest)

        done = place.deploy(*(place.named(template(Thing=one)) for one in (subject(LUSTRE), new)))

        assert done.outcomes[SUBJECT].what == what

    def test_no_more_backups(self, row):
        """A retention that leaves the template is none: FSx's default."""
        assert row("no more backups").what == IN_PLACE

    @pytest.mark.parametrize(("was", "now", "what"), [(True, False, REFUSED), (False, True, IN_PLACE)])
    def test_object_lock(self, edit, was, now, what):
        """S3 turns object lock on for a bucket that stands, and never off."""
        locked = {"VersioningConfiguration": {"Status": "Enabled"}}
        before, after = (
            subject("AWS::S3::Bucket BucketName", **locked, **({"ObjectLockEnabled": True} if on else {}))
            for on in (was, now)
        )

        assert edit(before, after).what == what

    def test_release_back(self, row):
        """EKS takes no node group back to an earlier release."""
        assert row("an AMI release back").code == "InvalidParameterException"

    def test_release_beside_something_else(self, row):
        """CloudFormation changes a node group's release beside nothing else."""
        assert "cannot be combined with other updates" in row("an AMI release and labels").reason
