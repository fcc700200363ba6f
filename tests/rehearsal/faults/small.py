"""A small cluster with data in a few plain resources, deployed in process, for faults to meet."""

import json
import time
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

ACCOUNT, REGION = "123456789012", "us-east-2"
BUCKET, KEY, DATA = "small-data", "run/step-100", b"weights"
RESERVATION = "cr-0123456789abcdef0"
KEPT = {"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"}

Resources = Mapping[str, Mapping[str, Any]]


def resource(kind: str, policies: Mapping[str, str] | None = None, **properties: Any) -> dict[str, Any]:
    return {"Type": f"AWS::{kind}", "Properties": properties, **(policies or {})}


def ref(name: str) -> dict[str, str]:
    return {"Ref": name}


def att(name: str, attribute: str) -> dict[str, list[str]]:
    return {"Fn::GetAtt": [name, attribute]}


def trust(*services: str) -> dict[str, Any]:
    principals = [f"{name}.amazonaws.com" for name in services]
    statement = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": principals}}
    return {"Version": "2012-10-17", "Statement": [statement]}


def network() -> dict[str, Any]:
    """A VPC with a subnet in each of two zones, and a security group that lets Lustre in."""
    return {
        "Vpc": resource("EC2::VPC", CidrBlock="10.0.0.0/16", EnableDnsHostnames=True),
        "Subnet": resource("EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.0.0.0/20", AvailabilityZone=f"{REGION}c"),
        "Beside": resource("EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.0.16.0/20", AvailabilityZone=f"{REGION}a"),
        "Group": resource("EC2::SecurityGroup", GroupDescription="lustre", VpcId=ref("Vpc")),
        "In": resource(
            "EC2::SecurityGroupIngress",
            GroupId=ref("Group"),
            IpProtocol="tcp",
            FromPort=988,
            ToPort=1023,
            SourceSecurityGroupId=ref("Group"),
        ),
    }


def lustre(subnet: str = "Subnet", **settings: Any) -> dict[str, Any]:
    """A file system that is retained, in the network."""
    return {
        "DependsOn": "In",
        **resource(
            "FSx::FileSystem",
            KEPT,
            FileSystemType="LUSTRE",
            StorageCapacity=1200,
            SubnetIds=[ref(subnet)],
            SecurityGroupIds=[ref("Group")],
            LustreConfiguration={"DeploymentType": "SCRATCH_2", **settings},
        ),
    }


def bucket(name: str | None, policies: Mapping[str, str] = KEPT) -> dict[str, Any]:
    """A bucket that is retained; CloudFormation names it where it has no name."""
    named = {} if name is None else {"BucketName": name}
    return resource("S3::Bucket", policies, **named, VersioningConfiguration={"Status": "Enabled"})


def nodes(subnet: str = "Subnet", template: str = "Template", **more: Any) -> dict[str, Any]:
    """A node group of one node from a launch template."""
    return resource(
        "EKS::Nodegroup",
        **{
            "ClusterName": ref("Cluster"),
            "NodeRole": att("Role", "Arn"),
            "Subnets": [ref(subnet)],
            "AmiType": "AL2023_x86_64_NEURON",
            "ScalingConfig": {"MinSize": 0, "DesiredSize": 1, "MaxSize": 4},
            "LaunchTemplate": {"Id": ref(template), "Version": att(template, "LatestVersionNumber")},
            **more,
        },
    )


def launch_template(instance_type: str = "trn1.2xlarge", reservation: str = RESERVATION) -> dict[str, Any]:
    """A launch template whose nodes start in a capacity reservation."""
    target = {"CapacityReservationTarget": {"CapacityReservationId": reservation}}
    data = {
        "InstanceType": instance_type,
        "CapacityReservationSpecification": target,
        "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 100}}],
    }
    return resource("EC2::LaunchTemplate", LaunchTemplateData=data)


def cluster() -> dict[str, Any]:
    """An EKS cluster in the network, and a role for it and its nodes."""
    return {
        "Role": resource("IAM::Role", AssumeRolePolicyDocument=trust("ec2", "eks")),
        "Cluster": resource(
            "EKS::Cluster",
            Name="small",
            Version="1.34",
            RoleArn=att("Role", "Arn"),
            ResourcesVpcConfig={"SubnetIds": [ref("Subnet"), ref("Beside")]},
        ),
    }


class Small:
    """An account with small stacks, empty at first.

    Attributes:
        services: The embedded AWS.
        client: Gives a client of a service.
    """

    def __init__(self, services: Any) -> None:
        services.reset()
        self.services = services
        self.client = lambda service: services.transport.client(service, ACCOUNT, REGION)

    def stack(self, name: str = "small") -> Any:
        return self.services.world.find(name, account=ACCOUNT, region=REGION)

    @property
    def status(self) -> str:
        """The status of the stack ``small``."""
        return self.stack().status

    def create(self, resources: Resources, name: str = "small", **options: Any) -> str:
        self.client("cloudformation").create_stack(**_asked(resources, name), **options)
        return self.stack(name).status

    def update(self, resources: Resources, name: str = "small", **options: Any) -> str:
        self.client("cloudformation").update_stack(**_asked(resources, name), **options)
        return self.stack(name).status

    def delete(self, name: str = "small") -> str:
        stack = self.stack(name)
        self.client("cloudformation").delete_stack(StackName=name)
        return stack.status

    def again(self, resources: Resources, name: str = "small") -> str:
        """Deploys a stack as the CDK CLI does: one whose creation failed is deleted first."""
        stack = self.stack(name)
        if stack is not None and stack.status in {"ROLLBACK_COMPLETE", "ROLLBACK_FAILED"}:
            self.delete(name)
            stack = None
        return self.create(resources, name) if stack is None else self.update(resources, name)

    def rest(self, name: str = "small") -> str:
        """Waits until no operation is under way, 30 seconds at most, and gives the status."""
        for _ in range(600):
            if not self.stack(name).status.endswith("_IN_PROGRESS"):
                break
            time.sleep(0.05)
        return self.stack(name).status

    def ids(self, name: str = "small") -> dict[str, str]:
        """Gives the physical ids of a stack's resources."""
        return {logical_id: one.physical_id for logical_id, one in self.stack(name).resources.items()}

    def ends(self, name: str = "small") -> dict[str, str]:
        """Gives the last status of each resource of a stack."""
        return {logical_id: record.status for logical_id, record in self.stack(name).records.items()}

    def codes(self, name: str = "small") -> dict[str, str | None]:
        """Gives the error codes of the resources that failed in a stack's last operation."""
        stack = self.stack(name)
        mine = [event for event in stack.events if event.operation_id == stack.operation_id]
        return {
            event.subject.logical_id: event.code
            for event in reversed(mine)
            if event.status.endswith("_FAILED") and event.subject.physical_id != stack.id
        }

    def put_data(self, name: str = BUCKET) -> None:
        self.client("s3").put_object(Bucket=name, Key=KEY, Body=DATA)

    def data(self) -> dict[str, Any]:
        """Tells everything of what holds data, by physical id: a bucket made anew under its name would be another."""
        s3 = self.client("s3")
        found: dict[str, Any] = {}
        for one in s3.list_buckets()["Buckets"]:
            versions = s3.list_object_versions(Bucket=one["Name"]).get("Versions", [])
            objects = {
                version["VersionId"]: s3.get_object(
                    Bucket=one["Name"], Key=version["Key"], VersionId=version["VersionId"]
                )["Body"].read()
                for version in versions
            }
            found[one["Name"]] = (one["CreationDate"], objects)
        for one in self.client("fsx").describe_file_systems()["FileSystems"]:
            found[one["FileSystemId"]] = (one["CreationTime"], one["ResourceARN"], one["Lifecycle"])
        return found


def changed(resources: Resources, name: str, **properties: Any) -> dict[str, Any]:
    """Gives the resources with some properties of one of them changed."""
    made = deepcopy(dict(resources))
    made[name]["Properties"] |= properties
    return made


def _asked(resources: Resources, name: str) -> dict[str, Any]:
    template = json.dumps({"Resources": resources})
    return {"StackName": name, "TemplateBody": template, "Capabilities": ["CAPABILITY_IAM"]}
