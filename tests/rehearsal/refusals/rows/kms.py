"""What KMS refuses of a key's policy."""

from typing import Any

from tests.rehearsal.refusals.harness import Resources, Row, att, resource

_ROOT = "arn:aws:iam::123456789012:root"


def key(*statements: dict[str, Any], **properties: Any) -> Resources:
    """A key whose policy has some statements."""
    policy = {"Version": "2012-10-17", "Statement": list(statements)}
    return {"Key": resource("AWS::KMS::Key", KeyPolicy=policy, **properties)}


def allows(principal: Any, action: str) -> dict[str, Any]:
    """A statement that allows somebody something."""
    return {"Effect": "Allow", "Principal": principal, "Action": action, "Resource": "*"}


_ALL = allows({"AWS": _ROOT}, "kms:*")
_LOGS = {"Service": "logs.us-east-2.amazonaws.com"}


def key_row(
    name: str,
    words: str,
    source: str,
    *,
    code: str = "MalformedPolicyDocumentException",
    **mistake: Any,
) -> Row:
    """Gives a row of a key whose second statement has a mistake; a member that is None is left out."""
    good = allows(_LOGS, "kms:Encrypt")
    bad = {member: value for member, value in {**good, **mistake}.items() if value is not None}
    return Row(
        name=f"key-{name}",
        good=key(_ALL, good),
        bad=key(_ALL, bad),
        refused="Key",
        code=code,
        words=words,
        source=source,
    )


def encrypted_logs(service: str) -> Resources:
    """A log group with a key that a service may use."""
    made = key(_ALL, allows({"Service": service}, "kms:*"))
    return {**made, "Logs": resource("AWS::Logs::LogGroup", KmsKeyId=att("Key", "Arn"))}


ROWS = (
    Row(
        name="key-that-nobody-can-change",
        good=key(_ALL, allows({"Service": "logs.us-east-2.amazonaws.com"}, "kms:Encrypt")),
        bad=key(allows({"Service": "logs.us-east-2.amazonaws.com"}, "kms:Encrypt")),
        refused="Key",
        code="MalformedPolicyDocumentException",
        words="The new key policy will not allow you to update the key policy in the future.",
        source="aws-solutions/innovation-sandbox-on-aws issue 31; badmintoncryer/cdk-preflight, rules/kms, "
        "pf-kms-key-policy-lockout",
    ),
    Row(
        name="key-that-nobody-could-change-any-more",
        good=key(_ALL),
        bad=key(allows({"AWS": _ROOT}, "kms:Decrypt")),
        refused="Key",
        code="MalformedPolicyDocumentException",
        words="The new key policy will not allow you to update the key policy in the future.",
        source="KMS API reference, PutKeyPolicy; aws-solutions/innovation-sandbox-on-aws issue 31",
        update=True,
    ),
    Row(
        name="key-for-a-role-that-is-not-there",
        good=key(_ALL),
        bad=key(_ALL, allows({"AWS": "arn:aws:iam::123456789012:role/nobody"}, "kms:Decrypt")),
        refused="Key",
        code="MalformedPolicyDocumentException",
        words="Policy contains a statement with one or more invalid principals.",
        source="awslabs/minimum-viable-dataspace-on-aws issue 5",
    ),
    Row(
        name="key-for-nobody",
        good=key(_ALL),
        bad=key(_ALL, {"Effect": "Allow", "Action": "kms:Decrypt", "Resource": "*"}),
        refused="Key",
        code="MalformedPolicyDocumentException",
        words="Policy contains a statement with no principal.",
        source="badmintoncryer/cdk-preflight, rules/kms, pf-kms-key-policy-statement",
    ),
    key_row(
        "that-says-not-what",
        "Missing required field Action",
        "ministryofjustice/analytical-platform issue 7691; words: badmintoncryer/cdk-preflight, rules/kms, "
        "pf-kms-key-policy-statement, rule.rego",
        Action=None,
    ),
    key_row(
        "that-says-not-of-what",
        "Missing required field Resource",
        "ministryofjustice/analytical-platform issue 7691; words: badmintoncryer/cdk-preflight, rules/kms, "
        "pf-kms-key-policy-statement, rule.rego",
        Resource=None,
    ),
    key_row(
        "for-no-principal",
        "Policy contains a statement with one or more invalid principals.",
        "badmintoncryer/cdk-preflight, rules/kms, pf-kms-key-policy-statement",
        Principal={"AWS": "somebody"},
    ),
    key_row(
        "with-a-wrong-effect",
        "Invalid effect: allow",
        "KMS developer guide, Creating a key policy; the words are inferred from S3's",
        Effect="allow",
    ),
    key_row(
        "in-foreign-letters",
        "Member must satisfy regular expression pattern: [\\u0009\\u000A\\u000D\\u0020-\\u00FF]+",
        "badmintoncryer/cdk-preflight, rules/kms, pf-kms-key-policy-charset",
        code="ValidationException",
        Sid="ключ",
    ),
    Row(
        name="log-group-with-a-key-for-others",
        good=encrypted_logs("logs.us-east-2.amazonaws.com"),
        bad=encrypted_logs("logs.us-west-2.amazonaws.com"),
        refused="Logs",
        code="AccessDeniedException",
        words="The specified KMS key does not exist or is not allowed to be used with Arn 'arn:aws:logs:us-east-2:",
        source="hashicorp/terraform-provider-aws issue 29282; CloudWatch Logs user guide, Encrypt log data",
    ),
    Row(
        name="key-of-two-halves-that-rotates",
        good=key(_ALL, EnableKeyRotation=True),
        bad=key(_ALL, EnableKeyRotation=True, KeySpec="RSA_4096", KeyUsage="SIGN_VERIFY"),
        refused="Key",
        code="InvalidRequest",
        words="You cannot set the EnableKeyRotation property to true on asymmetric or external keys.",
        source="badmintoncryer/cdk-preflight, rules/kms, pf-kms-key-rotation",
        uncounted="CloudFormation's handler refuses it, not KMS",
    ),
)
