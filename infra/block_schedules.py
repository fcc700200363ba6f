"""What starts and ends the nodes of a Capacity Block, and tells when that goes wrong."""

from constructs import Construct

from infra.notices import Notices
from infra.resource import ACCOUNT_ID, PARTITION, REGION, Properties, Value, assumed_by, attribute, policy, resource
from trnstack.plan.model.capacity import EVENT_DETAIL_TYPE, EVENT_SOURCE, BlockPlan, SchedulePlan

#: A call that fails is tried again for an hour, in which a block's nodes still gain.
_RETRY = {"MaximumEventAgeInSeconds": 3600, "MaximumRetryAttempts": 10}
_FIVE_MINUTES = 300
_PERIODS_IN_AN_HOUR = 12


class BlockSchedules(Construct):
    """Defines the schedules of a block in a group of their own, the role that they act in, and two alarms."""

    def __init__(
        self, scope: Construct, construct_id: str, *, block: BlockPlan, node_group_arn: Value, notices: Notices
    ) -> None:
        super().__init__(scope, construct_id)
        bus = {"Fn::Join": ["", ["arn:", PARTITION, ":events:", REGION, ":", ACCOUNT_ID, ":event-bus/default"]]}
        self._targets = {
            "nodes": {"Fn::Join": ["", ["arn:", PARTITION, ":scheduler:::aws-sdk:eks:updateNodegroupConfig"]]},
            "topic": notices.topic_arn,
            "events": bus,
        }
        group = resource(self, "Group", "AWS::Scheduler::ScheduleGroup", {})
        role = self._role(attribute(group, "Arn"), node_group_arn, bus, notices)
        for schedule in block.schedules:
            self._schedule(schedule, group.ref, role)
        self._failed(group.ref, notices.topic_arn)
        if block.capacity_reservation_id is not None:
            self._idle(block, block.capacity_reservation_id, notices.topic_arn)

    def _role(self, group_arn: Value, node_group_arn: Value, bus: Value, notices: Notices) -> Value:
        """Defines the role: resize this node group, publish to this topic, put events on the default bus.

        Source: EventBridge Scheduler user guide, "Prevent confused deputy": the source is the schedule group.
        """
        condition = {"StringEquals": {"aws:SourceAccount": ACCOUNT_ID, "aws:SourceArn": group_arn}}
        statements = [
            {"Action": "eks:UpdateNodegroupConfig", "Resource": node_group_arn},
            {"Action": "sns:Publish", "Resource": notices.topic_arn},
            {"Action": ["kms:Decrypt", "kms:GenerateDataKey"], "Resource": notices.key_arn},
            {"Action": "events:PutEvents", "Resource": bus},
        ]
        properties = {
            "AssumeRolePolicyDocument": assumed_by("scheduler.amazonaws.com", condition=condition),
            "Policies": [policy("schedules", statements)],
        }
        return attribute(resource(self, "Role", "AWS::IAM::Role", properties), "Arn")

    def _schedule(self, schedule: SchedulePlan, group_name: Value, role_arn: Value) -> None:
        target: dict[str, Value] = {
            "Arn": self._targets[schedule.target],
            "RoleArn": role_arn,
            "Input": schedule.input,
            "RetryPolicy": _RETRY,
        }
        if schedule.target == "events":
            target["EventBridgeParameters"] = {"DetailType": EVENT_DETAIL_TYPE, "Source": EVENT_SOURCE}
        properties = {
            "Name": schedule.name,
            "GroupName": group_name,
            "Description": schedule.reason,
            "ScheduleExpression": f"at({schedule.at})",
            "ScheduleExpressionTimezone": "UTC",
            "FlexibleTimeWindow": {"Mode": "OFF"},
            "State": "ENABLED",
            "Target": target,
        }
        resource(self, f"Schedule-{schedule.name}", "AWS::Scheduler::Schedule", properties)

    def _failed(self, group_name: Value, topic_arn: Value) -> None:
        """Defines the alarm that tells of a schedule whose call was refused or never came through.

        Source: EventBridge Scheduler user guide, "Monitoring with CloudWatch": TargetErrorCount by ScheduleGroup.
        """
        self._alarm(
            "Failed",
            topic_arn,
            {
                "AlarmDescription": "A schedule of the capacity block failed: see docs/capacity.md, By hand",
                "Namespace": "AWS/Scheduler",
                "MetricName": "TargetErrorCount",
                "Dimensions": [{"Name": "ScheduleGroup", "Value": group_name}],
                "Statistic": "Sum",
                "Threshold": 0,
                "EvaluationPeriods": 1,
            },
        )

    def _idle(self, block: BlockPlan, reservation_id: str, topic_arn: Value) -> None:
        """Defines the alarm that tells of instances that are paid for and have not run for an hour.

        Before a block starts its available capacity is zero, and after it ends there are no figures.

        Source: EC2 user guide, "Monitor Capacity Reservations usage with CloudWatch metrics"; "View Capacity Blocks".
        """
        self._alarm(
            "Idle",
            topic_arn,
            {
                "AlarmDescription": f"The capacity block stands idle; to start its nodes: {block.scale_up_command}",
                "Namespace": "AWS/EC2CapacityReservations",
                "MetricName": "AvailableInstanceCount",
                "Dimensions": [{"Name": "CapacityReservationId", "Value": reservation_id}],
                "Statistic": "Minimum",
                "Threshold": block.unused_instances,
                "EvaluationPeriods": _PERIODS_IN_AN_HOUR,
            },
        )

    def _alarm(self, name: str, topic_arn: Value, properties: Properties) -> None:
        always = {
            "ComparisonOperator": "GreaterThanThreshold",
            "Period": _FIVE_MINUTES,
            "TreatMissingData": "notBreaching",
            "AlarmActions": [topic_arn],
        }
        resource(self, name, "AWS::CloudWatch::Alarm", {**properties, **always})
