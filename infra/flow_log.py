"""The log of the VPC's traffic."""

from constructs import Construct

from infra.resource import assumed_by, attribute, policy, resource


class FlowLog(Construct):
    """Defines the flow log of a VPC and the log group that it writes to."""

    def __init__(self, scope: Construct, construct_id: str, *, vpc_id: str, retention_days: int) -> None:
        super().__init__(scope, construct_id)
        group = resource(self, "LogGroup", "AWS::Logs::LogGroup", {"RetentionInDays": retention_days})
        group_arn = attribute(group, "Arn")
        write = ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogStreams"]
        role = resource(
            self,
            "Role",
            "AWS::IAM::Role",
            {
                "AssumeRolePolicyDocument": assumed_by("vpc-flow-logs.amazonaws.com"),
                "Policies": [policy("write", [{"Action": write, "Resource": group_arn}])],
            },
        )
        properties = {
            "ResourceId": vpc_id,
            "ResourceType": "VPC",
            "TrafficType": "ALL",
            "LogDestinationType": "cloud-watch-logs",
            # By name: the ARN that a log group gives ends in :*, which is no destination; delivery would be refused.
            "LogGroupName": group.ref,
            "DeliverLogsPermissionArn": attribute(role, "Arn"),
        }
        resource(self, "FlowLog", "AWS::EC2::FlowLog", properties)
