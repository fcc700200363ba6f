"""Drift in environments that stand: none after a deploy, and what a person changes by hand afterwards."""

import pytest

#: The types that a person is likely to change by hand.
CHECKED = {
    "AWS::EC2::LaunchTemplate",
    "AWS::EC2::SecurityGroup",
    "AWS::EC2::VPC",
    "AWS::EKS::Cluster",
    "AWS::EKS::Nodegroup",
    "AWS::FSx::FileSystem",
    "AWS::IAM::Role",
    "AWS::KMS::Key",
    "AWS::S3::Bucket",
}


@pytest.fixture
def stands(services, planned, deployed):
    """Deploys an environment; gives the client of a service, and a look at every stack of it by resource type."""

    def deploy(name):
        plan = planned(name)
        deployed(plan, name)

        def client(service):
            return services.transport.client(service, "123456789012", plan.region)

        def look() -> list[dict]:
            cloudformation, found = client("cloudformation"), []
            for stack in plan.stacks:
                look_id = cloudformation.detect_stack_drift(StackName=stack.name)["StackDriftDetectionId"]
                done = cloudformation.describe_stack_drift_detection_status(StackDriftDetectionId=look_id)
                assert done["DetectionStatus"] == "DETECTION_COMPLETE"
                found += cloudformation.describe_stack_resource_drifts(StackName=stack.name)["StackResourceDrifts"]
            return found

        return client, look

    return deploy


def first(rows, resource_type, **has: object) -> dict:
    """Gives the first resource of a type whose expected properties have some value."""
    return next(
        row
        for row in rows
        if row["ResourceType"] == resource_type and all(text in row["ExpectedProperties"] for text in has.values())
    )


def differences(rows) -> set[tuple[str, str, str]]:
    return {
        (row["ResourceType"], one["PropertyPath"], one["DifferenceType"])
        for row in rows
        for one in row["PropertyDifferences"]
    }


@pytest.mark.parametrize("name", ["adopted-storage-trn1", "llama3-8b-trn2-block"])
def test_none_after_a_deploy(stands, name):
    """What was deployed is as its templates ask for, whatever could be looked at."""
    _, look = stands(name)

    found = look()

    assert differences(found) == set()
    assert {row["StackResourceDriftStatus"] for row in found} == {"IN_SYNC"}


def test_what_was_changed_by_hand(stands):
    """Each change by hand shows at its resource and its property, and what was deleted shows as such."""
    client, look = stands("llama3-8b-trn1")
    before = look()
    assert {row["ResourceType"] for row in before} >= CHECKED

    bucket = first(before, "AWS::S3::Bucket", versioning="VersioningConfiguration")["PhysicalResourceId"]
    client("s3").put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
    client("s3").delete_bucket_encryption(Bucket=bucket)
    client("s3").delete_bucket_lifecycle(Bucket=bucket)
    group = first(before, "AWS::EC2::SecurityGroup", rules="SecurityGroupEgress")["PhysicalResourceId"]
    world = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    client("ec2").authorize_security_group_egress(GroupId=group, IpPermissions=[world])
    vpc = first(before, "AWS::EC2::VPC")["PhysicalResourceId"]
    client("ec2").create_tags(Resources=[vpc], Tags=[{"Key": "managed-by", "Value": "somebody"}])
    key = first(before, "AWS::KMS::Key", rotated='"EnableKeyRotation": true')["PhysicalResourceId"]
    client("kms").disable_key_rotation(KeyId=key)
    role = first(before, "AWS::IAM::Role", attached="ManagedPolicyArns")["PhysicalResourceId"]
    attached = client("iam").list_attached_role_policies(RoleName=role)["AttachedPolicies"][0]["PolicyArn"]
    client("iam").detach_role_policy(RoleName=role, PolicyArn=attached)
    cluster, nodes = first(before, "AWS::EKS::Nodegroup", labels="Labels")["PhysicalResourceId"].split("/")
    client("eks").update_nodegroup_config(clusterName=cluster, nodegroupName=nodes, scalingConfig={"maxSize": 99})
    client("eks").update_cluster_config(
        name=cluster, logging={"clusterLogging": [{"types": ["audit"], "enabled": False}]}
    )
    template = first(before, "AWS::EC2::LaunchTemplate")
    client("ec2").delete_launch_template(LaunchTemplateId=template["PhysicalResourceId"])

    after = look()

    changed = differences(after)
    assert changed >= {
        ("AWS::S3::Bucket", "/VersioningConfiguration/Status", "NOT_EQUAL"),
        ("AWS::KMS::Key", "/EnableKeyRotation", "NOT_EQUAL"),
        ("AWS::EKS::Nodegroup", "/ScalingConfig/MaxSize", "NOT_EQUAL"),
    }
    told = {(resource_type, path.split("/")[1]) for resource_type, path, _ in changed}
    assert told == {
        ("AWS::S3::Bucket", "VersioningConfiguration"),
        ("AWS::S3::Bucket", "BucketEncryption"),
        ("AWS::S3::Bucket", "LifecycleConfiguration"),
        ("AWS::EC2::SecurityGroup", "SecurityGroupEgress"),
        ("AWS::EC2::VPC", "Tags"),
        ("AWS::KMS::Key", "EnableKeyRotation"),
        ("AWS::IAM::Role", "ManagedPolicyArns"),
        ("AWS::EKS::Nodegroup", "ScalingConfig"),
        ("AWS::EKS::Cluster", "Logging"),
    }
    (gone,) = (row for row in after if row["StackResourceDriftStatus"] == "DELETED")
    assert gone["PhysicalResourceId"] == template["PhysicalResourceId"]
    assert "ActualProperties" not in gone
