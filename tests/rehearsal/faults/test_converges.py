"""Whatever fails, wherever: the stack that is left is one from which the next deploy converges."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rehearsal.embedded import embedded
from rehearsal.faults import parse
from tests.rehearsal.faults.small import BUCKET, Small, bucket, changed, lustre, network, resource, trust

RESOURCES = {
    **network(),
    "Role": resource("IAM::Role", AssumeRolePolicyDocument=trust("ec2")),
    "Bucket": bucket(BUCKET),
    "Lustre": lustre(),
    "Topic": resource("SNS::Topic"),
    "Log": resource("Logs::LogGroup", RetentionInDays=30),
}
#: A change of one property of each resource that has one to change in place.
CHANGES = {
    "Vpc": {"EnableDnsHostnames": False},
    "Subnet": {"MapPublicIpOnLaunch": True},
    "Role": {"Description": "other"},
    "Bucket": {"VersioningConfiguration": {"Status": "Suspended"}},
    "Log": {"RetentionInDays": 60},
}
SERVICES = ("ec2", "iam", "s3", "fsx", "sns", "logs")
#: The service that a change of each resource asks.
CHANGED_BY = {"Vpc": "ec2", "Subnet": "ec2", "Role": "iam", "Bucket": "s3", "Log": "logs"}

faults = st.one_of(
    st.sampled_from(sorted(RESOURCES)).map(lambda name: f"access-denied@{name}"),
    st.sampled_from(SERVICES).map(lambda name: f"api-down@{name}"),
    st.just("throttling"),
    st.just("fsx-creation-fails"),
)


@st.composite
def updates(draw):
    """Draws what changes, and a fault that the changes meet."""
    names = draw(st.sets(st.sampled_from(sorted(CHANGES)), min_size=1))
    one = draw(st.sampled_from(sorted(names)))
    return draw(st.sampled_from([f"access-denied@{one}", f"api-down@{CHANGED_BY[one]}", "throttling"])), names


def updated(changes):
    """Gives the resources with changes by logical id."""
    resources = RESOURCES
    for name, properties in changes.items():
        resources = changed(resources, name, **properties)
    return resources


def left(small) -> dict[str, int]:
    """Counts what stands of each kind, which no failure may leave twice."""
    return {
        "vpcs": len(small.client("ec2").describe_vpcs(Filters=[{"Name": "cidr", "Values": ["10.0.0.0/16"]}])["Vpcs"]),
        "buckets": len(small.client("s3").list_buckets()["Buckets"]),
        "file systems": len(small.client("fsx").describe_file_systems()["FileSystems"]),
        "roles": len(small.client("iam").list_roles()["Roles"]),
        "topics": len(small.client("sns").list_topics()["Topics"]),
    }


ONE_OF_EACH = {"vpcs": 1, "buckets": 1, "file systems": 1, "roles": 1, "topics": 1}
SETTINGS = settings(
    max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


class TestConverges:
    @SETTINGS
    @given(fault=faults)
    def test_creation(self, services, fault):
        """A creation that fails leaves nothing in the way of the next."""
        small = Small(services)
        services.faults.add(parse(fault))
        small.create(RESOURCES)

        if small.status != "CREATE_COMPLETE":
            assert small.status == "ROLLBACK_COMPLETE", fault
            services.faults.lift()
            assert set(left(small).values()) == {0}
            small.again(RESOURCES)
        services.faults.lift()

        assert small.status == "CREATE_COMPLETE"
        assert left(small) == ONE_OF_EACH

    @SETTINGS
    @given(drawn=updates())
    def test_update(self, services, drawn):
        """An update that fails leaves the stack as it was, or a way back that leads there, and all that holds data."""
        fault, names = drawn
        small = Small(services)
        small.create(RESOURCES)
        assert small.status == "CREATE_COMPLETE"
        small.put_data()
        before, ids = small.data(), small.ids()
        services.faults.add(parse(fault))
        small.update(updated({name: CHANGES[name] for name in names}))
        assert sum(services.faults.refused().values()) > 0, fault
        services.faults.lift()

        if small.status == "UPDATE_ROLLBACK_FAILED":
            # Who may not read a resource either may not lead it back.
            assert fault.startswith("access-denied@"), fault
            small.client("cloudformation").continue_update_rollback(StackName="small")
        assert small.status in {"UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"}, fault
        if small.status == "UPDATE_ROLLBACK_COMPLETE":
            small.update(updated({name: CHANGES[name] for name in names}))

        assert small.status == "UPDATE_COMPLETE"
        assert left(small) == ONE_OF_EACH
        assert (small.data(), small.ids()) == (before, ids)


class TestHalfAnUpdate:
    """A resource whose properties are set by a call each, of which one is refused."""

    LIFECYCLE = {"LifecycleConfiguration": {"Rules": [{"Status": "Enabled", "NoncurrentVersionExpirationInDays": 30}]}}
    SUSPENDED = {"VersioningConfiguration": {"Status": "Suspended"}}

    @pytest.fixture
    def small(self, services):
        """A stack whose bucket was to get a rule too many; the call for that is denied."""
        small = Small(services)
        small.create(RESOURCES)
        small.put_data()
        services.faults.add(parse("access-denied@s3:PutBucketLifecycleConfiguration"))
        return small

    def versioning(self, small) -> str:
        return small.client("s3").get_bucket_versioning(Bucket=BUCKET)["Status"]

    def test_led_back(self, small):
        """What was set before the refusal is set back, and a later deploy sets it with the rest."""
        wanted = updated({"Bucket": {**self.SUSPENDED, **self.LIFECYCLE}})

        assert small.update(wanted) == "UPDATE_ROLLBACK_COMPLETE"
        assert self.versioning(small) == "Enabled"
        small.services.faults.lift()

        assert small.update(wanted) == "UPDATE_COMPLETE"
        assert self.versioning(small) == "Suspended"

    def test_not_led_back(self, small):
        """Where it stays as it failed, the next deploy goes on from there, to whatever it asks for."""
        wanted = updated({"Bucket": {**self.SUSPENDED, **self.LIFECYCLE}})
        assert small.update(wanted, DisableRollback=True) == "UPDATE_FAILED"
        assert self.versioning(small) == "Suspended"
        small.services.faults.lift()

        assert small.update(updated({"Bucket": self.LIFECYCLE}), DisableRollback=True) == "UPDATE_COMPLETE"
        assert self.versioning(small) == "Enabled"


class TestWayBackThatFails:
    """A way back that FSx refuses: a file system grows, and never shrinks."""

    PERSISTENT = {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 125}
    OLD = changed(RESOURCES, "Lustre", LustreConfiguration=PERSISTENT, StorageCapacity=1200)
    OLD["Log"] = {**OLD["Log"], "DependsOn": ["Lustre", "Role"]}
    NEW = changed(changed(OLD, "Lustre", StorageCapacity=2400), "Log", RetentionInDays=60)
    NEW = changed(changed(NEW, "Role", Description="new"), "Bucket", VersioningConfiguration={"Status": "Suspended"})

    @pytest.fixture
    def stuck(self, services):
        """A stack whose file system has grown when something else failed, and what held data before."""
        small = Small(services)
        assert small.create(self.OLD) == "CREATE_COMPLETE"
        small.put_data()
        before = small.data()
        services.faults.add(parse("access-denied@logs:PutRetentionPolicy"))
        assert small.update(self.NEW) == "UPDATE_ROLLBACK_FAILED"
        services.faults.lift()
        return small, before

    def back(self, small, **options):
        small.client("cloudformation").continue_update_rollback(StackName="small", **options)
        return small.status

    def capacity(self, small) -> int:
        (one,) = small.client("fsx").describe_file_systems()["FileSystems"]
        return one["StorageCapacity"]

    def test_state(self, stuck):
        """The file system says why, everything else is back already, and nothing is gone."""
        small, before = stuck

        assert {name for name, status in small.ends().items() if status == "UPDATE_FAILED"} == {"Lustre"}
        assert small.codes()["Lustre"] == "BadRequest"
        assert small.stack().reason == "The following resource(s) failed to update: [Lustre]. "
        assert self.capacity(small) == 2400
        assert small.client("s3").get_bucket_versioning(Bucket=BUCKET)["Status"] == "Enabled"
        assert small.data() == before

    def test_nothing_else_may_begin(self, stuck):
        """A stack in that state takes no update."""
        small, _ = stuck
        refused = small.client("cloudformation").exceptions.ClientError

        with pytest.raises(refused, match="is in UPDATE_ROLLBACK_FAILED state and can not be updated"):
            small.update(self.NEW)

    def test_continued_in_vain(self, stuck):
        """Without a mend the way back fails again, and can be tried once more."""
        small, before = stuck

        assert self.back(small) == "UPDATE_ROLLBACK_FAILED"
        assert self.back(small) == "UPDATE_ROLLBACK_FAILED"
        assert small.data() == before

    def test_left_out(self, stuck):
        """Left out it stays as large as it is; a deploy that asks for a larger one converges with all data there."""
        small, before = stuck
        ids = small.ids()

        assert self.back(small, ResourcesToSkip=["Lustre"]) == "UPDATE_ROLLBACK_COMPLETE"
        assert (self.capacity(small), small.data(), small.ids()) == (2400, before, ids)
        larger = changed(self.NEW, "Lustre", StorageCapacity=4800)

        assert small.update(larger) == "UPDATE_COMPLETE"
        assert (self.capacity(small), small.data(), small.ids()) == (4800, before, ids)
        assert small.client("iam").list_roles()["Roles"][0]["Description"] == "new"

    def test_deleted(self, stuck):
        """Its deletion leaves what holds data, and the network that the file system is in."""
        small, before = stuck

        assert small.delete() == "DELETE_FAILED"
        assert set(small.codes().values()) == {"DependencyViolation"}
        assert small.data() == before


class TestWayBackThatIsDenied:
    """A way back that is denied: rights are taken away while an update runs."""

    PROVIDER = "arn:aws:lambda:us-east-2:123456789012:function:rights"
    OLD = RESOURCES | {"Rights": {"Type": "Custom::Rights", "Properties": {"ServiceToken": PROVIDER, "Turn": 1}}}
    OLD["Rights"]["DependsOn"] = ["Role", "Bucket"]
    NEW = changed(changed(OLD, "Role", Description="new"), "Rights", Turn=2)
    NEW = changed(NEW, "Bucket", VersioningConfiguration={"Status": "Suspended"})

    @pytest.fixture
    def stuck(self):
        aws = embedded(stand_ins={"Custom::Rights": lambda event, _: self.turn(aws, event)})
        small = Small(aws)
        assert small.create(self.OLD) == "CREATE_COMPLETE"
        small.put_data()
        before = small.data()
        assert small.update(self.NEW) == "UPDATE_ROLLBACK_FAILED"
        return small, before

    @staticmethod
    def turn(aws, event):
        """Takes the rights away and fails, when it is asked for its second turn."""
        failed = event["ResourceProperties"]["Turn"] == "2" and aws.faults.active == ()
        if failed:
            aws.faults.add(parse("access-denied@Role"))
        return {"PhysicalResourceId": "rights", "Status": "FAILED" if failed else "SUCCESS", "Reason": "no rights"}

    def test_mended(self, stuck):
        """When the rights are back the way back goes on to its end, and the next deploy converges."""
        small, before = stuck
        assert small.codes()["Role"] == "AccessDenied"
        cloudformation = small.client("cloudformation")
        cloudformation.continue_update_rollback(StackName="small")
        assert small.status == "UPDATE_ROLLBACK_FAILED"
        small.services.faults.lift()

        cloudformation.continue_update_rollback(StackName="small")

        assert small.status == "UPDATE_ROLLBACK_COMPLETE"
        (role,) = small.client("iam").list_roles()["Roles"]
        assert "Description" not in role or role["Description"] == ""
        assert small.data() == before
        small.services.faults.add(parse("throttling"))
        assert small.update(self.NEW) == "UPDATE_COMPLETE"
        assert small.data() == before

    def test_left_out(self, stuck):
        """Left out it stays changed, and the next deploy of the same finds it so."""
        small, before = stuck

        small.client("cloudformation").continue_update_rollback(StackName="small", ResourcesToSkip=["Role"])

        assert small.status == "UPDATE_ROLLBACK_COMPLETE"
        (role,) = small.client("iam").list_roles()["Roles"]
        assert role["Description"] == "new"
        assert small.client("s3").get_bucket_versioning(Bucket=BUCKET)["Status"] == "Enabled"
        small.services.faults.lift()
        small.services.faults.add(parse("throttling"))
        assert small.update(self.NEW) == "UPDATE_COMPLETE"
        assert small.data() == before


class TestKilledCommand:
    @pytest.fixture
    def answering(self):
        """An AWS that answers at once, as CloudFormation does, and not when the operation is over."""
        rehearsal = embedded(hold_seconds=0)
        yield rehearsal
        rehearsal.reset()

    def test_operation_goes_on(self, answering):
        """Whoever asked may be killed: the operation goes on to its end, and the next deploy goes on from there."""
        small = Small(answering)
        small.create(RESOURCES)

        assert small.rest() == "CREATE_COMPLETE"
        assert left(small) == ONE_OF_EACH
        small.update(updated(CHANGES))
        assert small.rest() == "UPDATE_COMPLETE"

    def test_no_second_operation(self, answering):
        """While it goes on a second deploy is refused, and has to wait for it."""
        small = Small(answering)
        with answering.application._one_at_a_time:  # the services answer nobody else meanwhile
            small.create(RESOURCES)
            refused = small.client("cloudformation").exceptions.ClientError
            with pytest.raises(refused, match="is in CREATE_IN_PROGRESS state and can not be updated"):
                small.update(updated(CHANGES))
        assert small.rest() == "CREATE_COMPLETE"
