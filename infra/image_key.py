"""What the policy of a key lets others do, so that they can start instances from AMIs that it encrypts."""

from collections.abc import Sequence

from infra.resource import ACCOUNT_ID, PARTITION, Properties, Value

#: What EC2 does with the key of a snapshot when a volume is made of it, or the snapshot is copied.
_USE = ["kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncrypt*"]
_FOR_A_SERVICE = {"Bool": {"kms:GrantIsForAWSResource": "true"}}


def image_key_statements(account_ids: Sequence[str]) -> list[Properties]:
    """Returns what lets this account's Auto Scaling, and other accounts, start instances from AMIs of a key.

    The role of Auto Scaling, which starts the nodes, has no permission by IAM for a key that is not AWS's own. It may
    not exist yet, and then it can't be named as a principal: hence a condition. A grant is let through where EC2 asks
    for it to attach a volume; of another account, also where it is for its own Auto Scaling, which an administrator
    there has to make by hand.

    Source: EC2 Auto Scaling user guide, "Required AWS KMS key policy for use with encrypted volumes"; EBS user guide,
    "Share the KMS key used to encrypt a shared Amazon EBS snapshot"; KMS developer guide, ``kms:GranteePrincipal``.
    """
    role = {"aws:PrincipalArn": _auto_scaling(ACCOUNT_ID)}
    own = {"StringEquals": {"kms:CallerAccount": ACCOUNT_ID}, "ArnEquals": role}
    others = {"AWS": [_arn(account_id, ":root") for account_id in account_ids]}
    grantees = {"StringEquals": {"kms:GranteePrincipal": [_auto_scaling(account_id) for account_id in account_ids]}}
    return [
        _statement("AutoScalingStartsNodes", {"AWS": "*"}, _USE, own),
        _statement("AutoScalingAttachesVolumes", {"AWS": "*"}, ["kms:CreateGrant"], {**own, **_FOR_A_SERVICE}),
        _statement("AccountsUseImages", others, _USE),
        _statement("AccountsAttachVolumes", others, ["kms:CreateGrant"], _FOR_A_SERVICE),
        _statement("AccountsLetAutoScalingUseImages", others, ["kms:CreateGrant"], grantees),
    ]


def _statement(
    sid: str, principal: Properties, actions: Sequence[str], condition: Properties | None = None
) -> Properties:
    statement = {"Sid": sid, "Effect": "Allow", "Principal": principal, "Action": list(actions), "Resource": "*"}
    return {**statement, **({"Condition": dict(condition)} if condition else {})}


def _auto_scaling(account_id: Value) -> Value:
    return _arn(account_id, ":role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling")


def _arn(account_id: Value, what: str) -> Value:
    return {"Fn::Join": ["", ["arn:", PARTITION, ":iam::", account_id, what]]}
