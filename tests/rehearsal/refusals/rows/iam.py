"""What IAM refuses of roles and policies."""

from typing import Any

from tests.rehearsal.refusals.harness import Resources, Row, changed, ref, resource

MEASURED = "badmintoncryer/cdk-preflight, rules/iam, pf-iam-"
MALFORMED, _EXCEEDED = "MalformedPolicyDocument", "LimitExceeded"


def trusting(**members: Any) -> dict[str, Any]:
    """A trust policy of one statement; a member that is None is left out."""
    service = {"Service": "ec2.amazonaws.com"}
    statement = {"Effect": "Allow", "Principal": service, "Action": "sts:AssumeRole", **members}
    kept = {name: value for name, value in statement.items() if value is not None}
    return {"Version": "2012-10-17", "Statement": [kept]}


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


def trust_row(name: str, words: str, source: str, *, code: str = MALFORMED, **mistake: Any) -> Row:
    """Gives a row of a trust policy."""
    good = role()
    bad = changed(good, "Role", AssumeRolePolicyDocument=trusting(**mistake))
    return Row(name=f"role-{name}", good=good, bad=bad, refused="Role", code=code, words=words, source=source)


def inline(count: int) -> list[dict[str, Any]]:
    """A role's own policies: two that allow to read as many buckets each."""
    return [{"PolicyName": name, "PolicyDocument": allowing(count)} for name in ("first", "second")]


def identity(**members: Any) -> dict[str, Any]:
    """A policy of one statement; a member that is None is left out."""
    statement = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*", **members}
    kept = {name: value for name, value in statement.items() if value is not None}
    return {"Version": "2012-10-17", "Statement": [kept]}


ROWS = (
    Row(
        name="managed-policy-of-no-version",
        good={"Policy": resource("AWS::IAM::ManagedPolicy", PolicyDocument=identity())},
        bad={"Policy": resource("AWS::IAM::ManagedPolicy", PolicyDocument={"Statement": identity()["Statement"]})},
        refused="Policy",
        code=MALFORMED,
        words="Policy document must be version 2012-10-17 or greater.",
        source="Meteor-Community-Packages/Meteor-CollectionFS issue 630; wercker/step-s3sync pull request 25",
        uncounted="moto looks at it too",
    ),
    Row(
        name="role-of-a-foreign-name",
        good=role(RoleName="trainer"),
        bad=role(RoleName="träiner"),
        refused="Role",
        code="ValidationError",
        words="The specified value for roleName is invalid.",
        source=f"{MEASURED}name-format",
    ),
    Row(
        name="role-where-services-are",
        good=role(Path="/service-role/"),
        bad=role(Path="/aws-service-role/"),
        refused="Role",
        code="InvalidInput",
        words="Paths beginning with '/aws-service-role' are reserved for AWS Service Linked Roles",
        source=f"{MEASURED}path-service-role-reserved",
    ),
    Row(
        name="role-bound-by-a-role",
        good=role(PermissionsBoundary="arn:aws:iam::aws:policy/ReadOnlyAccess"),
        bad=role(PermissionsBoundary="arn:aws:iam::123456789012:role/boundary"),
        refused="Role",
        code="InvalidInput",
        words="ARN arn:aws:iam::123456789012:role/boundary is not valid.",
        source=f"{MEASURED}permissions-boundary-policy-arn",
        uncounted="moto refuses it with another code, and knows no AWS-managed policy",
    ),
    Row(
        name="role-with-a-policy-of-china",
        good=role(ManagedPolicyArns=["arn:aws:iam::aws:policy/ReadOnlyAccess"]),
        bad=role(ManagedPolicyArns=["arn:aws-cn:iam::aws:policy/ReadOnlyAccess"]),
        refused="Role",
        code="ValidationError",
        words="Invalid ARN partition",
        source=f"{MEASURED}policy-arn-partition",
        uncounted="moto knows no AWS-managed policy",
    ),
    trust_row(
        "that-trusts-in-lower-case",
        "Syntax errors in policy.",
        "IAM user guide, IAM JSON policy elements: Effect; the words are inferred",
        Effect="allow",
    ),
    trust_row(
        "that-names-nobody",
        "AssumeRole policy must contain principals.",
        "hashicorp/terraform issue 1882",
        Principal=None,
    ),
    trust_row(
        "that-trusts-an-empty-list",
        "The passed in policy has a statement with no principals!",
        "terraform-aws-modules/terraform-aws-iam issue 47",
        Principal={"AWS": []},
    ),
    trust_row(
        "that-trusts-a-part-of-an-account",
        'Invalid principal in policy: "AWS":"12345"',
        f"{MEASURED}trust-policy-aws-principal-format",
        Principal={"AWS": "12345"},
    ),
    trust_row(
        "that-trusts-every-service",
        'Invalid principal in policy: "SERVICE":"*"',
        f"{MEASURED}trust-policy-service-wildcard",
        Principal={"Service": "*"},
    ),
    trust_row(
        "that-trusts-cognito-as-it-comes",
        "A condition block must be present for the Cognito provider",
        f"{MEASURED}trust-policy-cognito-condition",
        Principal={"Federated": "cognito-identity.amazonaws.com"},
    ),
    trust_row(
        "trust-to-do-all-of-sts",
        "AssumeRole policy may only specify STS AssumeRole actions.",
        f"{MEASURED}trust-policy-action-sts-only",
        Action="sts:*",
    ),
    trust_row(
        "that-trusts-a-role-that-is-not-there",
        'Invalid principal in policy: "AWS":"arn:aws:iam::123456789012:role/nobody"',
        "opstrace/opstrace issue 88; hashicorp/terraform-provider-aws issue 8905",
        Principal={"AWS": "arn:aws:iam::123456789012:role/nobody"},
    ),
    trust_row(
        "that-trusts-what-is-no-service",
        'Invalid principal in policy: "SERVICE":"ec2.amazon.com"',
        f"{MEASURED}trust-policy-service-principal",
        Principal={"Service": "ec2.amazon.com"},
    ),
    trust_row(
        "that-trusts-roles-by-a-pattern",
        'Invalid principal in policy: "AWS":"arn:aws:iam::123456789012:role/*"',
        f"{MEASURED}trust-policy-aws-principal-format",
        Principal={"AWS": "arn:aws:iam::123456789012:role/*"},
    ),
    trust_row(
        "that-trusts-everybody-untyped",
        "AssumeRolepolicy contained an invalid principal",
        f"{MEASURED}trust-policy-principal-star-string",
        Principal="*",
    ),
    trust_row(
        "trust-about-a-resource",
        "Has prohibited field Resource",
        f"{MEASURED}trust-policy-no-resource; terraform-aws-modules/terraform-aws-eks-pod-identity issue 34",
        Resource="*",
    ),
    trust_row(
        "trust-to-do-something-else",
        "AssumeRole policy may only specify STS AssumeRole actions.",
        f"{MEASURED}trust-policy-action-sts-only",
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
        code=MALFORMED,
        words="Syntax errors in policy.",
        source=f"{MEASURED}policy-statement-required",
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
        source=f"{MEASURED}managed-policy-count; IAM user guide, IAM and AWS STS quotas",
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
