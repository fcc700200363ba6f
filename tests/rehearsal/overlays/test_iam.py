"""IAM's API: whom roles may trust, what its quotas allow, and what is taken that moto refuses."""

import json

import pytest
from botocore.exceptions import ClientError

ACCOUNT = "123456789012"
EC2 = {"Service": "ec2.amazonaws.com"}
ALL = {"Effect": "Allow", "Action": "*", "Resource": "*"}


def trust(version="2012-10-17", **members):
    statement = {"Effect": "Allow", "Principal": EC2, "Action": "sts:AssumeRole", **members}
    kept = {name: value for name, value in statement.items() if value is not None}
    return json.dumps({"Version": version, "Statement": [kept]})


def written(**members):
    return json.dumps({"Version": "2012-10-17", "Statement": [{**ALL, **members}]})


@pytest.fixture
def iam(client):
    return client("iam")


@pytest.fixture
def role(iam):
    """Makes a role from its trust and gives its name."""

    def make(document=None, name="taken", **members: object):
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=document or trust(), **members)
        return name

    return make


class TestTrust:
    @pytest.mark.parametrize(
        "members",
        [
            {"Action": ["sts:AssumeRole", "sts:TagSession", "sts:SetContext"]},
            {"Principal": {"AWS": "*"}},
            {"Principal": {"AWS": ACCOUNT}},
            {"Principal": {"AWS": "1234-5678-9012"}},
            {"Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}},
            {"Principal": {"AWS": "arn:aws:iam::111122223333:role/somebody"}},
            {"Principal": {"AWS": "AROACKCEVSQ6C2EXAMPLE"}},
            {"Principal": {"Service": ["ec2.amazonaws.com", "states.us-east-2.amazonaws.com"]}},
            {"Principal": {"Federated": f"arn:aws:iam::{ACCOUNT}:oidc-provider/x"}, "Action": "sts:AssumeRoleWithSAML"},
            {"Principal": {"Federated": "cognito-identity.amazonaws.com"}, "Condition": {"StringEquals": {"a": "b"}}},
            {"Effect": "Deny"},
            {"Sid": ""},
            {"version": "2008-10-17"},
        ],
        ids=str,
    )
    def test_taken(self, iam, role, members):
        """Whoever may be named is taken, at creation and when the trust changes."""
        name = role(trust(**members))
        iam.update_assume_role_policy(RoleName=name, PolicyDocument=trust(**members))

        assert iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"] == json.loads(trust(**members))

    def test_without_a_version(self, role):
        """Older templates have no version in what a role trusts."""
        statement = {"Effect": "Allow", "Principal": EC2, "Action": "sts:AssumeRole"}
        role(json.dumps({"Statement": [statement]}))

    @pytest.mark.parametrize(
        ("members", "words"),
        [
            ({"Action": "sts:*"}, "AssumeRole policy may only specify STS AssumeRole actions."),
            ({"Action": "*"}, "AssumeRole policy may only specify STS AssumeRole actions."),
            ({"Action": "sts:assumerole"}, "AssumeRole policy may only specify STS AssumeRole actions."),
            ({"Action": None}, "Syntax errors in policy."),
            ({"Effect": "allow"}, "Syntax errors in policy."),
            ({"Effects": "Allow"}, "Syntax errors in policy."),
            ({"version": "2012-10-18"}, "Syntax errors in policy."),
            ({"Principal": None}, "AssumeRole policy must contain principals."),
            ({"Principal": {"AWS": []}}, "The passed in policy has a statement with no principals!"),
            ({"Principal": {"Services": "ec2.amazonaws.com"}}, 'Invalid principal in policy: "SERVICES"'),
            ({"Principal": {"Service": "*"}}, r'Invalid principal in policy: "SERVICE":"\*"'),
            ({"Principal": {"AWS": "12345"}}, 'Invalid principal in policy: "AWS":"12345"'),
            ({"Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:*"}}, "Invalid principal in policy"),
            ({"Principal": {"AWS": f"arn:aws:sts::{ACCOUNT}:assumed-role/nobody/x"}}, "Invalid principal in policy"),
            ({"Principal": {"Federated": "cognito-identity.amazonaws.com"}}, "A condition block must be present"),
            ({"Resource": "*"}, "Has prohibited field Resource"),
        ],
        ids=str,
    )
    def test_refused(self, iam, role, members, words):
        """Nobody and nothing else is taken, neither at creation nor when the trust changes."""
        with pytest.raises(ClientError, match=f"MalformedPolicyDocument.*CreateRole.*{words}"):
            role(trust(**members))
        role(name="standing")
        with pytest.raises(ClientError, match=words):
            iam.update_assume_role_policy(RoleName="standing", PolicyDocument=trust(**members))

    def test_sessions_of_a_role_that_is_there(self, role):
        """The sessions of a role that stands may be named."""
        role(name="first")
        role(trust(Principal={"AWS": f"arn:aws:sts::{ACCOUNT}:assumed-role/first/session"}), name="second")


class TestDocuments:
    def test_numbers_in_conditions(self, iam, role):
        """A number in a condition, which moto refuses, is taken everywhere."""
        document = written(Condition={"NumericLessThan": {"s3:max-keys": 10}})
        name = role()
        iam.put_role_policy(RoleName=name, PolicyName="inline", PolicyDocument=document)
        arn = iam.create_policy(PolicyName="managed", PolicyDocument=document)["Policy"]["Arn"]
        iam.create_policy_version(PolicyArn=arn, PolicyDocument=document, SetAsDefault=True)

        assert iam.get_role_policy(RoleName=name, PolicyName="inline")["PolicyDocument"] == json.loads(document)
        versions = [iam.get_policy_version(PolicyArn=arn, VersionId=version) for version in ("v1", "v2")]
        assert [one["PolicyVersion"]["Document"] for one in versions] == [json.loads(document)] * 2
        assert versions[1]["PolicyVersion"]["IsDefaultVersion"]

    def test_users_and_groups(self, iam):
        """Users and groups are looked at too, each by its own quota."""
        iam.create_user(UserName="somebody")
        iam.create_group(GroupName="some")
        with pytest.raises(ClientError, match="must contain actions"):
            iam.put_user_policy(UserName="somebody", PolicyName="p", PolicyDocument=written(Action=[]))
        long = written(Resource=[f"arn:aws:s3:::bucket-{number:040}" for number in range(60)])
        iam.put_group_policy(GroupName="some", PolicyName="p", PolicyDocument=long)
        with pytest.raises(ClientError, match=r"LimitExceeded.*2048 bytes exceeded for user somebody"):
            iam.put_user_policy(UserName="somebody", PolicyName="p", PolicyDocument=long)


class TestNames:
    def test_letters(self, iam, role):
        """A name has the letters that IAM has for it."""
        role(name="a+=,.@_-9")
        with pytest.raises(ClientError, match=r"ValidationError.*for roleName is invalid"):
            role(name="rôle")
        with pytest.raises(ClientError, match=r"for policyName is invalid"):
            iam.create_policy(PolicyName="a policy", PolicyDocument=written())

    def test_path(self, iam, role):
        """The path of services' own roles is theirs."""
        role(name="mine", Path="/service-role/")
        with pytest.raises(ClientError, match=r"InvalidInput.*'/aws-service-role' are reserved"):
            role(name="theirs", Path="/aws-service-role/")
        with pytest.raises(ClientError, match=r"InvalidInput.*'/aws-service-role' are reserved"):
            iam.create_instance_profile(InstanceProfileName="theirs", Path="/aws-service-role/")


class TestArns:
    def test_boundary(self, iam, role):
        """A boundary is a policy of the partition."""
        role(name="bound", PermissionsBoundary="arn:aws:iam::aws:policy/ReadOnlyAccess")
        with pytest.raises(ClientError, match=r"InvalidInput.*ARN arn:aws:iam::123456789012:role/bound is not valid"):
            role(name="other", PermissionsBoundary=f"arn:aws:iam::{ACCOUNT}:role/bound")
        with pytest.raises(ClientError, match=r"ValidationError.*Invalid ARN partition"):
            iam.put_role_permissions_boundary(
                RoleName="bound", PermissionsBoundary="arn:aws-cn:iam::aws:policy/ReadOnlyAccess"
            )

    def test_attachment(self, iam, role):
        """A policy that is attached is one of the partition."""
        name = role()
        iam.attach_role_policy(RoleName=name, PolicyArn="arn:aws:iam::aws:policy/ReadOnlyAccess")
        with pytest.raises(ClientError, match=r"ValidationError.*Invalid ARN partition"):
            iam.attach_role_policy(RoleName=name, PolicyArn="arn:aws-cn:iam::aws:policy/ReadOnlyAccess")

    def test_attachments_of_a_user(self, iam):
        """A user may have ten managed policies, a role twenty."""
        iam.create_user(UserName="somebody")
        for number in range(11):
            arn = iam.create_policy(PolicyName=f"p{number}", PolicyDocument=written())["Policy"]["Arn"]
            if number == 10:
                with pytest.raises(ClientError, match=r"LimitExceeded.*PoliciesPerUser: 10"):
                    iam.attach_user_policy(UserName="somebody", PolicyArn=arn)
            else:
                iam.attach_user_policy(UserName="somebody", PolicyArn=arn)
