"""Roles, policies and instance profiles."""

import pytest
from botocore.exceptions import ClientError

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}],
}
READ = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:Get*", "Resource": "*"}]}
WRITE = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:Put*", "Resource": "*"}]}
AWS_POLICY = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"


@pytest.fixture
def role(make):
    return make(
        "AWS::IAM::Role",
        "NodeRole",
        AssumeRolePolicyDocument=TRUST,
        ManagedPolicyArns=[AWS_POLICY],
        Policies=[{"PolicyName": "read", "PolicyDocument": READ}],
        MaxSessionDuration="7200",
    )


class TestRole:
    def test_with_its_policies(self, client, role):
        """An AWS-managed policy is attached though nothing was loaded, and inline policies are written."""
        iam, name = client("iam"), {"RoleName": role.physical_id}

        assert iam.list_attached_role_policies(**name)["AttachedPolicies"][0]["PolicyArn"] == AWS_POLICY
        assert iam.list_role_policies(**name)["PolicyNames"] == ["read"]
        assert iam.get_role(**name)["Role"]["Tags"] == [{"Key": "team", "Value": "ml"}]
        assert role.physical_id.startswith("demo-NodeRole-")
        assert role.attributes["Arn"].endswith(role.physical_id)

    def test_unknown_aws_policy(self, make):
        """A managed policy that AWS doesn't have can't be attached."""
        with pytest.raises(ClientError, match="NoSuchEntity"):
            make("AWS::IAM::Role", AssumeRolePolicyDocument=TRUST, ManagedPolicyArns=[f"{AWS_POLICY}Nope"])

    def test_policies_change(self, client, role, change):
        """Policies that left the template are detached and removed, new ones come."""
        change(role, ManagedPolicyArns=None, Policies=[{"PolicyName": "write", "PolicyDocument": WRITE}])

        assert client("iam").list_attached_role_policies(RoleName=role.physical_id)["AttachedPolicies"] == []
        assert client("iam").list_role_policies(RoleName=role.physical_id)["PolicyNames"] == ["write"]

    def test_foreign_attachment_keeps_it(self, client, role, drop):
        """A role with a policy that its template doesn't attach is not deleted."""
        policy = client("iam").create_policy(
            PolicyName="other",
            PolicyDocument='{"Version":"2012-10-17","Statement":[]}'.replace(
                "[]", '[{"Effect":"Allow","Action":"*","Resource":"*"}]'
            ),
        )
        client("iam").attach_role_policy(RoleName=role.physical_id, PolicyArn=policy["Policy"]["Arn"])

        with pytest.raises(ClientError, match="DeleteConflict"):
            drop(role)


def test_inline_policy_moves_between_roles(client, make, change, drop, role):
    """A policy is removed from a role that its template no longer names."""
    other = make("AWS::IAM::Role", "Other", AssumeRolePolicyDocument=TRUST)
    policy = make("AWS::IAM::Policy", PolicyName="p", PolicyDocument=WRITE, Roles=[role.physical_id])

    change(policy, Roles=[other.physical_id])

    assert client("iam").list_role_policies(RoleName=role.physical_id)["PolicyNames"] == ["read"]
    assert client("iam").list_role_policies(RoleName=other.physical_id)["PolicyNames"] == ["p"]
    drop(policy)
    assert client("iam").list_role_policies(RoleName=other.physical_id)["PolicyNames"] == []


def test_managed_policy_gets_a_new_default_version(client, make, change, drop, role):
    """A changed document makes a new default version, and deletion takes all versions along."""
    policy = make("AWS::IAM::ManagedPolicy", PolicyDocument=READ, Roles=[role.physical_id])
    for number in range(6):
        change(policy, PolicyDocument=WRITE if number % 2 else {**READ, "Id": str(number)})

    assert len(client("iam").list_policy_versions(PolicyArn=policy.physical_id)["Versions"]) == 5
    drop(policy)
    with pytest.raises(ClientError, match="NoSuchEntity"):
        client("iam").get_policy(PolicyArn=policy.physical_id)


def test_instance_profile(client, make, drop, role):
    """The profile has its role, and both can go again."""
    profile = make("AWS::IAM::InstanceProfile", Roles=[role.physical_id])

    found = client("iam").get_instance_profile(InstanceProfileName=profile.physical_id)["InstanceProfile"]
    assert [one["RoleName"] for one in found["Roles"]] == [role.physical_id]
    drop(profile)
    drop(role)
