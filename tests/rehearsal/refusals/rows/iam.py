"""What IAM refuses of roles and policies."""

from typing import Any

from tests.rehearsal.refusals.harness import Resources, Row, changed, ref, resource

_MEASURED = "badmintoncryer/cdk-preflight, rules/iam, pf-iam-"
_MALFORMED, _EXCEEDED = "MalformedPolicyDocument", "LimitExceeded"


def trusting(**members: Any) -> dict[str, Any]:
    """A trust policy of one statement."""
    service = {"Service": "ec2.amazonaws.com"}
    statement = {"Effect": "Allow", "Principal": service, "Action": "sts:AssumeRole", **members}
    return {"Version": "2012-10-17", "Statement": [statement]}


def role(**properties: Any) -> Resources:
    """A role that EC2 may take."""
    return {"Role": resource("AWS::IAM::Role", **{"AssumeRolePolicyDocument": trusting(), **properties})}


def allowing(count: int) -> dict[str, Any]:
    """A policy that allows to read as many buckets."""
    buckets = [f"arn:aws:s3:::bucket-with-a-rather-long-name-{number:05}" for number in range(count)]
    statement = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": buckets}
    return {"Version": "2012-10-17", "Statement": [statement]}


def managed(count: int) -> Resources:
    """As many managed policies, attached to a role."""
    names = [f"Policy{number:02}" for number in range(count)]
    policies = {name: resource("AWS::IAM::ManagedPolicy", PolicyDocument=allowing(1)) for name in names}
    return {**policies, **role(ManagedPolicyArns=[ref(name) for name in names])}


def trust_row(name: str, words: str, source: str, *, code: str = _MALFORMED, **mistake: Any) -> Row:
    """Gives a row of a trust policy."""
    good = role()
    bad = changed(good, "Role", AssumeRolePolicyDocument=trusting(**mistake))
    return Row(name=f"role-{name}", good=good, bad=bad, refused="Role", code=code, words=words, source=source)


def inline(count: int) -> list[dict[str, Any]]:
    """A role's own policies: two that allow to read as many buckets each."""
    return [{"PolicyName": name, "PolicyDocument": allowing(count)} for name in ("first", "second")]


ROWS = (
    trust_row(
        "that-trusts-a-role-that-is-not-there",
        'Invalid principal in policy: "AWS":"arn:aws:iam::123456789012:role/nobody"',
        "opstrace/opstrace issue 88; hashicorp/terraform-provider-aws issue 8905",
        Principal={"AWS": "arn:aws:iam::123456789012:role/nobody"},
    ),
    trust_row(
        "that-trusts-what-is-no-service",
        'Invalid principal in policy: "SERVICE":"ec2.amazon.com"',
        f"{_MEASURED}trust-policy-service-principal",
        Principal={"Service": "ec2.amazon.com"},
    ),
    trust_row(
        "that-trusts-roles-by-a-pattern",
        'Invalid principal in policy: "AWS":"arn:aws:iam::123456789012:role/*"',
        f"{_MEASURED}trust-policy-aws-principal-format",
        Principal={"AWS": "arn:aws:iam::123456789012:role/*"},
    ),
    trust_row(
        "that-trusts-everybody-untyped",
        "AssumeRolepolicy contained an invalid principal",
        f"{_MEASURED}trust-policy-principal-star-string",
        Principal="*",
    ),
    trust_row(
        "trust-about-a-resource",
        "Has prohibited field Resource",
        f"{_MEASURED}trust-policy-no-resource; terraform-aws-modules/terraform-aws-eks-pod-identity issue 34",
        Resource="*",
    ),
    trust_row(
        "trust-to-do-something-else",
        "AssumeRole policy may only specify STS AssumeRole actions.",
        f"{_MEASURED}trust-policy-action-sts-only",
        Action="s3:GetObject",
    ),
    trust_row(
        "trust-too-long",
        "Cannot exceed quota for ACLSizePerRole: 2048",
        "aws/aws-cdk issue 18564; IAM user guide, IAM and AWS STS quotas",
        code=_EXCEEDED,
        Condition={"StringEquals": {"aws:PrincipalOrgID": [f"o-{number:020}" for number in range(90)]}},
    ),
    Row(
        name="role-that-trusts-nobody",
        good=role(),
        bad=role(AssumeRolePolicyDocument={"Version": "2012-10-17", "Statement": []}),
        refused="Role",
        code=_MALFORMED,
        words="Syntax errors in policy.",
        source=f"{_MEASURED}policy-statement-required",
    ),
    Row(
        name="role-with-too-long-policies",
        good=role(Policies=inline(90)),
        bad=role(Policies=inline(130)),
        refused="Role",
        code=_EXCEEDED,
        words="Maximum policy size of 10240 bytes exceeded for role",
        source="kubernetes/kops issue 12558; IAM user guide, IAM and AWS STS quotas",
    ),
    Row(
        name="role-with-too-many-policies",
        good=managed(20),
        bad=managed(21),
        refused="Role",
        code=_EXCEEDED,
        words="Cannot exceed quota for PoliciesPerRole: 20",
        source=f"{_MEASURED}managed-policy-count; IAM user guide, IAM and AWS STS quotas",
    ),
    Row(
        name="managed-policy-too-long",
        good={"Policy": resource("AWS::IAM::ManagedPolicy", PolicyDocument=allowing(100))},
        bad={"Policy": resource("AWS::IAM::ManagedPolicy", PolicyDocument=allowing(140))},
        refused="Policy",
        code=_EXCEEDED,
        words="Cannot exceed quota for PolicySize: 6144",
        source="IAM user guide, IAM and AWS STS quotas; users who quote it",
    ),
)
