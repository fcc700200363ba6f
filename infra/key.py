"""KMS keys. They outlive everything, since data without its key is lost."""

from collections.abc import Sequence

from constructs import Construct

from infra.resource import ACCOUNT_ID, PARTITION, Properties, attribute, resource


class Key(Construct):
    """Defines a rotated key and its alias.

    Attributes:
        arn: The key's ARN.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        alias: str,
        description: str,
        statements: Sequence[Properties] = (),
    ) -> None:
        super().__init__(scope, construct_id)
        root = {"Fn::Join": ["", ["arn:", PARTITION, ":iam::", ACCOUNT_ID, ":root"]]}
        account = {
            "Sid": "AccountDecidesByIam",
            "Effect": "Allow",
            "Principal": {"AWS": root},
            "Action": "kms:*",
            "Resource": "*",
        }
        properties = {
            "Description": description,
            "EnableKeyRotation": True,
            "PendingWindowInDays": 30,
            "KeyPolicy": {"Version": "2012-10-17", "Statement": [account, *statements]},
        }
        key = resource(self, "Key", "AWS::KMS::Key", properties, retain=True)
        self.arn = attribute(key, "Arn")
        resource(self, "Alias", "AWS::KMS::Alias", {"AliasName": f"alias/{alias}", "TargetKeyId": key.ref})


def fsx_link_statements(region: str) -> list[Properties]:
    """Returns what lets FSx move data between a file system and a bucket that this key encrypts.

    FSx does it by a service-linked role whose name ends in the file system's id, which is not known when the key is
    made, and a role that does not exist yet can't be named as a principal: hence a condition.

    Source: FSx for Lustre user guide, "Using service-linked roles for Amazon FSx" and "Working with server-side
    encrypted Amazon S3 buckets".
    """
    roles = ":role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/AWSServiceRoleForFSxS3Access_*"
    linked = {"aws:PrincipalArn": {"Fn::Join": ["", ["arn:", PARTITION, ":iam::", ACCOUNT_ID, roles]]}}
    own = {"kms:CallerAccount": ACCOUNT_ID}
    return [
        {
            "Sid": "FsxLinkedRoleMovesData",
            "Effect": "Allow",
            "Principal": {"AWS": "*"},
            "Action": ["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"],
            "Resource": "*",
            "Condition": {
                "StringEquals": {**own, "kms:ViaService": f"s3.{region}.amazonaws.com"},
                "ArnLike": linked,
            },
        },
        {
            # Looking at the key may come from FSx itself, and not by way of S3.
            "Sid": "FsxLinkedRoleLooks",
            "Effect": "Allow",
            "Principal": {"AWS": "*"},
            "Action": "kms:DescribeKey",
            "Resource": "*",
            "Condition": {"StringEquals": own, "ArnLike": linked},
        },
    ]
