"""What IAM refuses of the policies that a role has of its own."""

from typing import Any

from tests.rehearsal.refusals.harness import Resources, Row
from tests.rehearsal.refusals.rows.iam import MALFORMED, MEASURED, identity, role


def with_policy(document: dict[str, Any]) -> Resources:
    """A role with a policy of its own."""
    return role(Policies=[{"PolicyName": "own", "PolicyDocument": document}])


def policy_row(name: str, words: str, rule: str, *, moto: bool = False, **mistake: Any) -> Row:
    """Gives a row of a role's own policy; ``moto`` says whether plain moto refuses it too."""
    return document_row(name, identity(**mistake), words, rule, moto=moto)


def document_row(name: str, document: dict[str, Any], words: str, rule: str, *, moto: bool = True) -> Row:
    """Gives a row of a whole document of a role's own policy."""
    return Row(
        name=f"role-policy-{name}",
        good=with_policy(identity()),
        bad=with_policy(document),
        refused="Role",
        code=MALFORMED,
        words=words,
        source=f"{MEASURED}{rule}",
        uncounted="moto looks at it too" if moto else "",
    )


_SYNTAX, _LEGACY = "Syntax errors in policy.", "The policy failed legacy parsing"
ROWS = (
    policy_row("effect-in-lower-case", _LEGACY, "policy-effect-case", moto=True, Effect="allow"),
    policy_row("without-effect", _SYNTAX, "policy-effect-required", moto=True, Effect=None),
    policy_row("unknown-element", _SYNTAX, "policy-statement-unknown-field", moto=True, Effects="Allow"),
    policy_row("action-twice", _SYNTAX, "policy-exclusive-fields", moto=True, NotAction="s3:*"),
    policy_row(
        "about-somebody",
        "Policy document should not specify a principal.",
        "identity-policy-no-principal",
        Principal={"AWS": "*"},
    ),
    policy_row(
        "without-action", "Policy statement must contain actions.", "policy-action-required", moto=True, Action=None
    ),
    policy_row(
        "without-resource",
        "Policy statement must contain resources.",
        "policy-statement-resource-required",
        moto=True,
        Resource=None,
    ),
    policy_row(
        "action-of-no-service",
        "Actions/Conditions must be prefaced by a vendor",
        "policy-action-format",
        moto=True,
        Action="GetObject",
    ),
    policy_row(
        "action-of-any-service",
        "Action vendors (e.g., aws, ec2, etc.) must not contain wildcards.",
        "policy-action-vendor-wildcard",
        moto=True,
        Action="s3*:GetObject",
    ),
    policy_row(
        "resource-by-name",
        'Resource my-bucket must be in ARN format or "*".',
        "policy-resource-format",
        moto=True,
        Resource="my-bucket",
    ),
    policy_row(
        "resource-of-china",
        'Partition "aws-cn" is not valid for resource "arn:aws-cn:s3:::my-bucket".',
        "policy-resource-partition",
        Resource="arn:aws-cn:s3:::my-bucket",
    ),
    policy_row(
        "resource-of-any-service",
        "Resource vendor must be fully qualified and cannot contain regexes.",
        "policy-resource-service-wildcard",
        Resource="arn:aws:*:::my-bucket",
    ),
    policy_row(
        "bucket-in-a-region",
        "Resource arn:aws:s3:us-east-2::my-bucket can not contain region information.",
        "policy-resource-global-service-arn",
        moto=True,
        Resource="arn:aws:s3:us-east-2::my-bucket",
    ),
    policy_row("sid-with-a-dash", "Statement IDs (SID) must be alpha-numeric.", "policy-sid-format", Sid="read-it"),
    policy_row(
        "unknown-condition", _SYNTAX, "policy-condition-operator", moto=True, Condition={"StringEqualz": {"a": "b"}}
    ),
    policy_row(
        "null-if-exists",
        _SYNTAX,
        "policy-condition-null-ifexists",
        Condition={"NullIfExists": {"aws:TokenIssueTime": "true"}},
    ),
    policy_row(
        "number-that-is-none",
        _LEGACY,
        "policy-condition-numeric-value",
        Condition={"NumericLessThan": {"s3:max-keys": "abc"}},
    ),
    policy_row(
        "arn-that-is-none", _LEGACY, "policy-condition-arn-value", Condition={"ArnLike": {"aws:SourceArn": "nope"}}
    ),
    policy_row(
        "address-that-is-none",
        _LEGACY,
        "policy-condition-ip-value",
        Condition={"IpAddress": {"aws:SourceIp": "203.0.113.999/24"}},
    ),
    policy_row(
        "date-that-is-none",
        _LEGACY,
        "policy-condition-date-value",
        moto=True,
        Condition={"DateGreaterThan": {"aws:CurrentTime": "2026-13-45"}},
    ),
    document_row("wrong-version", {**identity(), "Version": "2012-10-18"}, _SYNTAX, "policy-version"),
    document_row("unknown-member", {**identity(), "Comment": "x"}, _SYNTAX, "policy-unknown-toplevel-field"),
    document_row(
        "name-twice",
        {**identity(), "Statement": identity(Sid="Twice")["Statement"] * 2},
        "Statement IDs (SID) in a single policy must be unique.",
        "policy-duplicate-sid",
    ),
)
