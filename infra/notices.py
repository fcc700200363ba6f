"""The topic by which people are told of a node group's capacity."""

from collections.abc import Sequence

from constructs import Construct

from infra.resource import ACCOUNT_ID, PARTITION, attribute, resource


class Notices(Construct):
    """Defines an encrypted topic that takes requests by TLS only, the key of its messages, and who is told by e-mail.

    The key goes with the stack: it protects notices on their way and no data. It is one of ours because CloudWatch, an
    AWS service, may not use AWS's own key for SNS.

    Source: SNS developer guide, "Configuring KMS permissions" (event sources from AWS services); CloudWatch user guide,
    "Alarm actions".

    Attributes:
        topic_arn: The topic.
        key_arn: The key of its messages.
    """

    def __init__(self, scope: Construct, construct_id: str, *, description: str, emails: Sequence[str]) -> None:
        super().__init__(scope, construct_id)
        self.key_arn = self._key(description)
        topic = resource(self, "Topic", "AWS::SNS::Topic", {"DisplayName": description, "KmsMasterKeyId": self.key_arn})
        self.topic_arn = topic.ref
        self._policy()
        for email in emails:
            # The id holds the address and not its place in the list. By its place, taking one person from the list
            # would move the others, and CloudFormation would end the subscription of one who stays.
            properties = {"TopicArn": self.topic_arn, "Protocol": "email", "Endpoint": email}
            resource(self, f"Subscription-{email.replace('/', ':')}", "AWS::SNS::Subscription", properties)

    def _key(self, description: str) -> str:
        root = {"Fn::Join": ["", ["arn:", PARTITION, ":iam::", ACCOUNT_ID, ":root"]]}
        account = {
            "Sid": "AccountDecidesByIam",
            "Effect": "Allow",
            "Principal": {"AWS": root},
            "Action": "kms:*",
            "Resource": "*",
        }
        alarms = {
            "Sid": "AlarmsOfTheAccount",
            "Effect": "Allow",
            "Principal": {"Service": "cloudwatch.amazonaws.com"},
            "Action": ["kms:Decrypt", "kms:GenerateDataKey*"],
            "Resource": "*",
            "Condition": {"StringEquals": {"aws:SourceAccount": ACCOUNT_ID}},
        }
        properties = {
            "Description": description,
            "EnableKeyRotation": True,
            "PendingWindowInDays": 7,
            "KeyPolicy": {"Version": "2012-10-17", "Statement": [account, alarms]},
        }
        return attribute(resource(self, "Key", "AWS::KMS::Key", properties), "Arn")

    def _policy(self) -> None:
        alarms = {
            "Sid": "AlarmsOfTheAccount",
            "Effect": "Allow",
            "Principal": {"Service": "cloudwatch.amazonaws.com"},
            "Action": "sns:Publish",
            "Resource": self.topic_arn,
            "Condition": {"StringEquals": {"aws:SourceAccount": ACCOUNT_ID}},
        }
        tls_only = {
            "Sid": "TlsOnly",
            "Effect": "Deny",
            "Principal": "*",
            "Action": "sns:Publish",
            "Resource": self.topic_arn,
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        }
        document = {"Version": "2012-10-17", "Statement": [alarms, tls_only]}
        properties = {"Topics": [self.topic_arn], "PolicyDocument": document}
        resource(self, "Policy", "AWS::SNS::TopicPolicy", properties)
