"""What IAM takes and refuses of the documents of identities' policies."""

import json

import pytest
from moto.iam.aws_managed_policies import aws_managed_policies_data

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.iam_documents import check_identity

STATEMENT = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}
WITHOUT = object()


def document(**members):
    """A document of one statement, with other members of it; WITHOUT takes one away."""
    statement = {name: value for name, value in {**STATEMENT, **members}.items() if value is not WITHOUT}
    return {"Version": "2012-10-17", "Statement": [statement]}


def on(condition, **values):
    return document(Condition={condition: values})


def check(given, *, partition="aws", managed=False):
    check_identity(json.dumps(given), partition=partition, managed=managed)


def refusal(given, *, partition="aws", managed=False):
    with pytest.raises(OverlayError) as raised:
        check(given, partition=partition, managed=managed)
    assert raised.value.code == "MalformedPolicyDocument"
    return raised.value.message


@pytest.mark.parametrize("name", ["AWS's own", "in gov"])
def test_managed_policies_of_aws(name):
    """Every policy that AWS publishes is taken, where its ARNs are of the partition."""
    own = json.loads(aws_managed_policies_data)
    for policy in own.values():
        text = json.dumps(policy["Document"])
        if name == "in gov":
            text = text.replace("arn:aws:", "arn:aws-us-gov:")
        check_identity(text, partition="aws-us-gov" if name == "in gov" else "aws", managed=True)

    assert len(own) > 1000


class TestGrammar:
    @pytest.mark.parametrize(
        "given",
        [
            document(),
            {**document(), "Id": "mine"},
            {**document(), "Statement": STATEMENT},
            {**document(), "Version": "2008-10-17"},
            {"Statement": [STATEMENT]},
            document(Sid=""),
            {**document(), "Statement": [{**STATEMENT, "Sid": "A"}, {**STATEMENT, "Sid": "B"}, STATEMENT]},
            document(Action=WITHOUT, NotAction=["iam:*"]),
            document(Resource=WITHOUT, NotResource="arn:aws:s3:::mine"),
            document(Action=["*"]),
            document(Action="s3:*Object"),
            document(Effect="Deny"),
        ],
        ids=str,
    )
    def test_taken(self, given):
        """What IAM's grammar has is taken."""
        check(given)

    @pytest.mark.parametrize(
        "given",
        [
            [],
            {},
            {"Version": "2012-10-17"},
            {"Version": "2012-10-17", "Statement": []},
            {**document(), "Description": "mine"},
            {**document(), "Version": "2012-10-18"},
            document(Effect=WITHOUT),
            document(Effect="Permit"),
            document(Effects="Allow"),
            document(NotAction="s3:*"),
            document(NotResource="*"),
            document(Action={"s3": "GetObject"}),
            on("StringEqualz", a="b"),
            on("NullIfExists", a="true"),
            document(Condition={"StringEquals": {"a": {"b": "c"}}}),
        ],
        ids=str,
    )
    def test_syntax_errors(self, given):
        """What it has not is a syntax error, of which IAM says no more."""
        assert refusal(given) == "Syntax errors in policy."

    def test_no_json(self):
        """A text that is no JSON is a syntax error too."""
        with pytest.raises(OverlayError, match="Syntax errors in policy"):
            check_identity("Allow everything", partition="aws")

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            (document(Principal="*"), "Policy document should not specify a principal."),
            (document(NotPrincipal={"AWS": "1"}), "Policy document should not specify a principal."),
            (document(Effect="allow"), "The policy failed legacy parsing"),
            (document(Action=WITHOUT), "Policy statement must contain actions."),
            (document(Action=[]), "Policy statement must contain actions."),
            (document(Resource=WITHOUT), "Policy statement must contain resources."),
            (document(Resource=[]), "Policy statement must contain resources."),
            (document(Sid="let me in"), "Statement IDs (SID) must be alpha-numeric."),
            (
                {**document(), "Statement": [{**STATEMENT, "Sid": "A"}] * 2},
                "Statement IDs (SID) in a single policy must be unique.",
            ),
            (
                document(Action="GetObject"),
                "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.",
            ),
            (document(Action="s3:Get:Object"), "Actions/Condition can contain only one colon."),
            (document(Action="s3*:GetObject"), "Action vendors (e.g., aws, ec2, etc.) must not contain wildcards."),
            (document(Action="s_3:GetObject"), "Vendor s_3 is not valid"),
        ],
        ids=str,
    )
    def test_refused(self, given, words):
        """Everything else has a sentence of its own."""
        assert refusal(given).startswith(words)


class TestVersionOfManagedPolicies:
    @pytest.mark.parametrize("version", ["2008-10-17", None])
    def test_older(self, version):
        """A managed policy has to be of the newer version, which a policy in a role need not be."""
        given = {**document(), "Version": version} if version else {"Statement": [STATEMENT]}

        check(given)
        assert refusal(given, managed=True) == "Policy document must be version 2012-10-17 or greater."


class TestResources:
    @pytest.mark.parametrize(
        "resource",
        [
            "arn:aws:s3:::mine/*",
            "arn:*:s3:::mine",
            "arn:aws:s3:us-east-2:123456789012:accesspoint/mine",
            "arn:aws:s3:*:*:job/*",
            "arn:aws:iam::123456789012:role/path/${aws:username}",
            "arn:aws:iam::123456789012:*",
            "arn:aws:iam::123456789012:ro*",
            "arn:aws:iam::aws:policy/ReadOnlyAccess",
            "arn:aws:logs:*",
            "arn:aws:logs:us-east-2:123456789012:log-group:/aws/eks/*:log-stream:*",
            "arn:aws:codebuild:us-east-2:123456789012:project/a?b",
        ],
    )
    def test_taken(self, resource):
        """ARNs may have patterns in them, and end early."""
        check(document(Resource=[resource]))

    @pytest.mark.parametrize(
        ("resource", "words"),
        [
            ("mine", 'Resource mine must be in ARN format or "*".'),
            ("", 'Resource  must be in ARN format or "*".'),
            ("arn:aws-cn:s3:::b", 'Partition "aws-cn" is not valid for resource "arn:aws-cn:s3:::b".'),
            ("arn:aws:*:::b", "Resource vendor must be fully qualified and cannot contain regexes."),
            ("arn:aws:s3*:::b", "Resource vendor must be fully qualified and cannot contain regexes."),
            ("arn:aws", "Resource vendor must be fully qualified and cannot contain regexes."),
            ("arn:aws:s3::b", "The policy failed legacy parsing"),
            ("arn:aws:s3:mine", "Resource arn:aws:s3:mine:*:* can not contain region information."),
            ("arn:aws:s3:us-east-1::b", "Resource arn:aws:s3:us-east-1::b can not contain region information."),
            ("arn:aws:s3::123456789012:b", "Resource arn:aws:s3::123456789012:b cannot contain an account id."),
            (
                "arn:aws:route53:us-east-1::hostedzone/z",
                "Resource arn:aws:route53:us-east-1::hostedzone/z can not contain region information.",
            ),
            (
                "arn:aws:iam:us-east-1:123456789012:role/r",
                "IAM resource arn:aws:iam:us-east-1:123456789012:role/r cannot contain region information.",
            ),
            ("arn:aws:iam::123456789012:roles/r", 'IAM resource path must either be "*" or start with user/, '),
        ],
    )
    def test_refused(self, resource, words):
        """A resource that is no ARN, or one that there can't be, is refused in a sentence of its own."""
        assert refusal(document(Resource=resource)).startswith(words)

    def test_partition(self):
        """An ARN has to be of the partition of the account."""
        given = document(Resource="arn:aws-us-gov:s3:::mine")

        check(given, partition="aws-us-gov")
        assert refusal(given).startswith('Partition "aws-us-gov" is not valid')


class TestConditions:
    @pytest.mark.parametrize(
        ("operator", "value"),
        [
            *(("NumericLessThan", value) for value in ("10", 10, "10.5", "-1", "1e3")),
            *(("DateGreaterThan", value) for value in ("2026", "2026-01", "2026-01-01", "1767225600")),
            *(("DateLessThanIfExists", f"2026-01-01T00:00{rest}") for rest in ("Z", ":00Z", ":00.000Z", ":00+09:00")),
            *(("IpAddress", value) for value in ("203.0.113.0/24", "203.0.113.5", "2001:db8::/32", "::/0")),
            *(("ArnLike", value) for value in ("arn:*:s3:::b", "arn:aws:*:*:*:*", "*")),
            ("ForAnyValue:StringLike", ["a*", "b"]),
            ("ForAllValues:Null", "true"),
            ("Bool", False),
            ("StringEqualsIfExists", "${aws:username}"),
        ],
        ids=str,
    )
    def test_taken(self, operator, value):
        """Values of the kind that the operator compares are taken, numbers and truths too."""
        check(on(operator, **{"aws:Anything": value}))

    @pytest.mark.parametrize(
        ("operator", "value"),
        [
            *(("NumericLessThan", value) for value in ("abc", " 10", "0x10")),
            *(("DateGreaterThan", value) for value in ("tomorrow", "2026/01/01", "2026-13-45")),
            *(("NotIpAddressIfExists", value) for value in ("203.0.113.999/24", "example.com", "10.0.0.0/33", "1.2.3")),
            *(("ArnEquals", value) for value in ("nope", "arn:aws:s3:b", "${aws:PrincipalArn}")),
        ],
        ids=str,
    )
    def test_refused(self, operator, value):
        """Others can't be read, of which IAM says no more."""
        assert refusal(on(operator, **{"aws:Anything": value})) == "The policy failed legacy parsing"
