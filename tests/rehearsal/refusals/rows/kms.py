"""What KMS refuses of a key's policy."""

from typing import Any

from tests.rehearsal.refusals.harness import Resources, Row, resource

_ROOT = "arn:aws:iam::123456789012:root"


def key(*statements: dict[str, Any], **properties: Any) -> Resources:
    """A key whose policy has some statements."""
    policy = {"Version": "2012-10-17", "Statement": list(statements)}
    return {"Key": resource("AWS::KMS::Key", KeyPolicy=policy, **properties)}


def allows(principal: Any, action: str) -> dict[str, Any]:
    """A statement that allows somebody something."""
    return {"Effect": "Allow", "Principal": principal, "Action": action, "Resource": "*"}


_ALL = allows({"AWS": _ROOT}, "kms:*")

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
