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
            acknowledge={
                "AwsSolutions-IAM5[Resource::<FlowLogLogGroup.Arn>]": "a log group's ARN ends in :* for its streams"
            },
        )
        properties = {
            "ResourceId": vpc_id,
            "ResourceType": "VPC",
            "TrafficType": "ALL",
            "LogDestinationType": "cloud-watch-logs",
            "LogDestination": group_arn,
            "DeliverLogsPermissionArn": attribute(role, "Arn"),
        }
        resource(self, "FlowLog", "AWS::EC2::FlowLog", properties)
