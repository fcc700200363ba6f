"""Whatever fails, wherever: the stack that is left is one from which the next deploy converges."""

import json
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rehearsal.embedded import embedded
from rehearsal.faults import parse

ACCOUNT, REGION, STACK = "123456789012", "us-east-2", "small"

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}],
}
RESOURCES = {
    "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
    "Subnet": {
        "Type": "AWS::EC2::Subnet",
        "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.0.0.0/20", "AvailabilityZone": f"{REGION}a"},
    },
    "Group": {
        "Type": "AWS::EC2::SecurityGroup",
        "Properties": {"GroupDescription": "lustre", "VpcId": {"Ref": "Vpc"}},
    },
    "In": {
        "Type": "AWS::EC2::SecurityGroupIngress",
        "Properties": {
            "GroupId": {"Ref": "Group"},
            "IpProtocol": "tcp",
            "FromPort": 988,
            "ToPort": 1023,
            "SourceSecurityGroupId": {"Ref": "Group"},
        },
    },
    "Role": {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": TRUST}},
    "Bucket": {
        "Type": "AWS::S3::Bucket",
        "DeletionPolicy": "RetainExceptOnCreate",
        "UpdateReplacePolicy": "Retain",
        "Properties": {"BucketName": "small-data", "VersioningConfiguration": {"Status": "Enabled"}},
    },
    "Lustre": {
        "Type": "AWS::FSx::FileSystem",
        "DependsOn": "In",
        "DeletionPolicy": "RetainExceptOnCreate",
        "UpdateReplacePolicy": "Retain",
        "Properties": {
            "FileSystemType": "LUSTRE",
            "StorageCapacity": 1200,
            "SubnetIds": [{"Ref": "Subnet"}],
            "SecurityGroupIds": [{"Ref": "Group"}],
            "LustreConfiguration": {"DeploymentType": "SCRATCH_2"},
        },
    },
    "Topic": {"Type": "AWS::SNS::Topic", "Properties": {}},
    "Log": {"Type": "AWS::Logs::LogGroup", "Properties": {"RetentionInDays": 30}},
}
#: A change of one property of each resource that has one to change in place.
CHANGES = {
    "Vpc": {"EnableDnsHostnames": True},
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
    changed = draw(st.sets(st.sampled_from(sorted(CHANGES)), min_size=1))
    one = draw(st.sampled_from(sorted(changed)))
    return draw(st.sampled_from([f"access-denied@{one}", f"api-down@{CHANGED_BY[one]}", "throttling"])), changed


class Small:
    """An account with one small stack."""

    def __init__(self, services) -> None:
        services.reset()
        self.services = services
        self.client = lambda service: services.transport.client(service, ACCOUNT, REGION)

    @property
    def status(self) -> str:
        return self.services.world.find(STACK, account=ACCOUNT, region=REGION).status

    def create(self) -> None:
        self.client("cloudformation").create_stack(
            StackName=STACK, TemplateBody=json.dumps({"Resources": RESOURCES}), Capabilities=["CAPABILITY_IAM"]
        )

    def update(self, changes) -> None:
        resources = {
            name: {**one, "Properties": {**one["Properties"], **changes.get(name, {})}}
            for name, one in RESOURCES.items()
        }
        self.client("cloudformation").update_stack(
            StackName=STACK, TemplateBody=json.dumps({"Resources": resources}), Capabilities=["CAPABILITY_IAM"]
        )

    def rest(self) -> str:
        """Waits until no operation is under way, 30 seconds at most, and gives the status."""
        for _ in range(600):
            if not self.status.endswith("_IN_PROGRESS"):
                break
            time.sleep(0.05)
        return self.status

    def left(self) -> dict[str, int]:
        """Counts what stands of each kind, which no failure may leave twice."""
        return {
            "vpcs": len(
                self.client("ec2").describe_vpcs(Filters=[{"Name": "cidr", "Values": ["10.0.0.0/16"]}])["Vpcs"]
            ),
            "buckets": len(self.client("s3").list_buckets()["Buckets"]),
            "file systems": len(self.client("fsx").describe_file_systems()["FileSystems"]),
            "roles": len(self.client("iam").list_roles()["Roles"]),
            "topics": len(self.client("sns").list_topics()["Topics"]),
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
        small.create()

        if small.status != "CREATE_COMPLETE":
            assert small.status == "ROLLBACK_COMPLETE", fault
            services.faults.lift()
            assert set(small.left().values()) == {0}
            small.client("cloudformation").delete_stack(StackName=STACK)
            small.create()
        services.faults.lift()

        assert small.status == "CREATE_COMPLETE"
        assert small.left() == ONE_OF_EACH

    @SETTINGS
    @given(drawn=updates())
    def test_update(self, services, drawn):
        """An update that fails leaves the stack as it was, or a way back that leads there once the fault is lifted."""
        fault, changed = drawn
        small = Small(services)
        small.create()
        assert small.status == "CREATE_COMPLETE"
        services.faults.add(parse(fault))
        small.update({name: CHANGES[name] for name in changed})
        assert sum(services.faults.refused().values()) > 0, fault
        services.faults.lift()

        if small.status == "UPDATE_ROLLBACK_FAILED":
            small.client("cloudformation").continue_update_rollback(StackName=STACK)
        assert small.status in {"UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"}, fault
        if small.status == "UPDATE_ROLLBACK_COMPLETE":
            small.update({name: CHANGES[name] for name in changed})

        assert small.status == "UPDATE_COMPLETE"
        assert small.left() == ONE_OF_EACH


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
        small.create()

        assert small.rest() == "CREATE_COMPLETE"
        assert small.left() == ONE_OF_EACH
        small.update(CHANGES)
        assert small.rest() == "UPDATE_COMPLETE"

    def test_no_second_operation(self, answering):
        """While it goes on a second deploy is refused, and has to wait for it."""
        small = Small(answering)
        with answering.application._one_at_a_time:  # the services answer nobody else meanwhile
            small.create()
            refused = small.client("cloudformation").exceptions.ClientError
            with pytest.raises(refused, match="is in CREATE_IN_PROGRESS state and can not be updated"):
                small.update(CHANGES)
        assert small.rest() == "CREATE_COMPLETE"
