"""Field cases of Capacity Blocks and UltraServers: when nodes start and end, and who may do what."""

import datetime as dt
import json
from typing import Any

import pytest

from trnstack.findings import InvalidEnvironmentError

STACK = "llama3-8b-trn2-block-nodes-trn2"
ENVIRONMENT = "llama3-8b-trn2-block"
GROUP_ARN = "arn:aws:resource-groups:us-east-2:111122223333:group/blocks"
#: What an edit of a block's times may touch.
TIMED = "AWS::Scheduler::Schedule"


def at(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


@pytest.fixture
def template(every):
    """The node group of 16 x trn2.48xlarge in a block."""
    return every[STACK]


def launch(template):
    return template.one("AWS::EC2::LaunchTemplate")["LaunchTemplateData"]


def schedules(template) -> dict[str, Any]:
    return {made["Name"]: made for made in template.properties(TIMED)}


def changed(before, after) -> set[str]:
    """Returns the types of the resources that differ between two templates."""
    names = {*before["Resources"], *after["Resources"]}
    pairs = {name: (before["Resources"].get(name), after["Resources"].get(name)) for name in names}
    return {(one or other)["Type"] for one, other in pairs.values() if one != other}


class TestNodeGroup:
    def test_no_node_before_the_block(self, template):
        """CAP-03: A group in a block is made without nodes, whatever the date, and never larger than the block."""
        assert template.one("AWS::EKS::Nodegroup")["ScalingConfig"] == {"MinSize": 0, "DesiredSize": 0, "MaxSize": 16}
        assert template.one("AWS::EKS::Nodegroup")["CapacityType"] == "CAPACITY_BLOCK"

    def test_updates_stop_first(self, template):
        """NG-06: There is nothing to surge into."""
        assert template.one("AWS::EKS::Nodegroup")["UpdateConfig"] == {"MaxUnavailable": 1, "UpdateStrategy": "MINIMAL"}

    def test_launch_template(self, template):
        """CAP-03: The template says that it is a block and which, and brings no placement group."""
        assert launch(template)["InstanceMarketOptions"] == {"MarketType": "capacity-block"}
        assert launch(template)["CapacityReservationSpecification"] == {
            "CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}
        }
        assert "Placement" not in launch(template)
        assert not template.of("AWS::EC2::PlacementGroup")

    def test_resource_group(self, variant):
        """Several reservations go by their resource group."""
        capacity = {"capacity_reservation_id": None, "capacity_reservation_resource_group_arn": GROUP_ARN}
        template = variant(ENVIRONMENT, node_group={"capacity": capacity})[STACK]

        assert launch(template)["CapacityReservationSpecification"] == {
            "CapacityReservationTarget": {"CapacityReservationResourceGroupArn": GROUP_ARN}
        }
        assert {made["Namespace"] for made in template.properties("AWS::CloudWatch::Alarm")} == {"AWS/Scheduler"}

    def test_spot_and_on_demand_say_nothing_of_a_market(self, every):
        """CAP-02: Only a block's template names a market; EKS refuses others in it."""
        markets = {
            stack
            for stack, template in every.items()
            for made in template.properties("AWS::EC2::LaunchTemplate")
            if "InstanceMarketOptions" in made["LaunchTemplateData"]
        }

        assert markets == {STACK, "ultraserver-trn2u-nodes-trn2u"}


class TestSchedules:
    def test_times(self, template):
        """CAP-03, CAP-04: The block starts its nodes; jobs are told, and nodes go, before EC2 terminates them."""
        assert {name: made["ScheduleExpression"] for name, made in schedules(template).items()} == {
            "scale-up": "at(2027-09-06T11:30:00)",
            "notice": "at(2027-09-13T10:00:00)",
            "event": "at(2027-09-13T10:00:00)",
            "scale-down": "at(2027-09-13T10:50:00)",
        }

    def test_form(self, template):
        """Each runs once, at its minute, in UTC, and is tried again when it fails."""
        for made in schedules(template).values():
            assert made["FlexibleTimeWindow"] == {"Mode": "OFF"}
            assert (made["ScheduleExpressionTimezone"], made["State"]) == ("UTC", "ENABLED")
            assert made["Target"]["RetryPolicy"] == {"MaximumEventAgeInSeconds": 3600, "MaximumRetryAttempts": 10}

    def test_targets(self, template):
        """The calls go to EKS as universal targets with the SDK's capitals; notices go to the topic and the bus."""
        made = schedules(template)
        call = {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, ":scheduler:::aws-sdk:eks:updateNodegroupConfig"]]}
        (topic,) = template.of("AWS::SNS::Topic")

        assert made["scale-up"]["Target"]["Arn"] == made["scale-down"]["Target"]["Arn"] == call
        assert json.loads(made["scale-up"]["Target"]["Input"]) == {
            "ClusterName": "llama3-8b-trn2-block",
            "NodegroupName": "trn2",
            "ScalingConfig": {"DesiredSize": 16},
        }
        assert json.loads(made["scale-down"]["Target"]["Input"])["ScalingConfig"] == {"DesiredSize": 0}
        assert made["notice"]["Target"]["Arn"] == {"Ref": topic}
        assert made["event"]["Target"]["EventBridgeParameters"] == {
            "DetailType": "Capacity block is ending",
            "Source": "trnstack",
        }

    def test_extension_touches_schedules_alone(self, template, variant):
        """CAP-04: A block that is extended moves its schedules, and neither node group nor launch template."""
        longer = variant(ENVIRONMENT, node_group={"capacity": {"ends_at": at("2027-09-20T11:30:00Z")}})[STACK]

        assert changed(template, longer) == {TIMED}
        assert schedules(longer)["scale-up"] == schedules(template)["scale-up"]
        assert schedules(longer)["scale-down"]["ScheduleExpression"] == "at(2027-09-20T10:50:00)"

    def test_an_edit_of_the_count_leaves_running_nodes_alone(self, template, variant):
        """NG-04: A count that changes in the middle of a block does not send desired 0 to the group."""
        fewer = variant(ENVIRONMENT, node_group={"node_count": 12})[STACK]

        assert changed(template, fewer) == {TIMED, "AWS::CloudWatch::Alarm"}

    def test_deploy_in_the_middle_of_a_block(self, template, variant):
        """CAP-03: With the start left to a person nothing lies in the past, and nothing else of the stack differs."""
        by_hand = variant(ENVIRONMENT, node_group={"capacity": {"scale_up": "by_hand"}})[STACK]

        assert set(schedules(by_hand)) == {"notice", "event", "scale-down"}
        assert changed(template, by_hand) == {TIMED}
        assert by_hand.printed()["ScaleUpCommand"].endswith("--scaling-config desiredSize=16")

    def test_others_have_none(self, every):
        """Nothing happens by itself where there is no block."""
        assert {stack for stack, template in every.items() if template.of(TIMED)} == {
            STACK,
            "ultraserver-trn2u-nodes-trn2u",
        }


class TestPermissions:
    @pytest.fixture
    def role(self, template):
        """The role that the schedules act in."""
        return template.one("AWS::IAM::Role")

    def test_only_schedules_of_the_group_take_it(self, template, role):
        """The role is EventBridge Scheduler's for this account and this schedule group."""
        (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
        (group,) = template.of("AWS::Scheduler::ScheduleGroup")

        assert statement["Principal"] == {"Service": "scheduler.amazonaws.com"}
        assert statement["Condition"] == {
            "StringEquals": {
                "aws:SourceAccount": {"Ref": "AWS::AccountId"},
                "aws:SourceArn": {"Fn::GetAtt": [group, "Arn"]},
            }
        }

    def test_it_may_do_what_the_schedules_do(self, template, role):
        """This node group, this topic and its key, the default bus, and nothing else."""
        (policy,) = role["Policies"]
        allowed = {json.dumps(each["Action"]): each["Resource"] for each in policy["PolicyDocument"]["Statement"]}
        (nodes,), (topic,), (key,) = (
            template.of(kind) for kind in ("AWS::EKS::Nodegroup", "AWS::SNS::Topic", "AWS::KMS::Key")
        )

        assert allowed['"eks:UpdateNodegroupConfig"'] == {"Fn::GetAtt": [nodes, "Arn"]}
        assert allowed['"sns:Publish"'] == {"Ref": topic}
        assert allowed['["kms:Decrypt", "kms:GenerateDataKey"]'] == {"Fn::GetAtt": [key, "Arn"]}
        assert allowed['"events:PutEvents"']["Fn::Join"][1][-1] == ":event-bus/default"
        assert len(allowed) == 4
        assert "*" not in json.dumps(list(allowed.values()))


class TestNotices:
    def test_topic(self, template):
        """Messages are encrypted with a rotated key, and are taken by TLS alone."""
        (key,) = template.of("AWS::KMS::Key")
        deny = next(
            each
            for each in template.one("AWS::SNS::TopicPolicy")["PolicyDocument"]["Statement"]
            if each["Effect"] == "Deny"
        )

        assert template.one("AWS::SNS::Topic")["KmsMasterKeyId"] == {"Fn::GetAtt": [key, "Arn"]}
        assert template.one("AWS::KMS::Key")["EnableKeyRotation"] is True
        assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}

    def test_who_is_told(self, template, variant):
        """The environment's addresses are subscribed; without any the topic is printed for whoever wants it."""
        emails = ("one@example.com", "two@example.com")
        told = variant(ENVIRONMENT, observability={"alarm_emails": emails})[STACK]

        assert [made["Endpoint"] for made in told.properties("AWS::SNS::Subscription")] == list(emails)
        assert not template.of("AWS::SNS::Subscription")
        assert "NoticesTopic" in template.printed()

    def test_paid_nodes_that_are_off(self, template):
        """CAP-03: Instances of the block that have not run for an hour, and calls that failed, are told."""
        alarms = {made["MetricName"]: made for made in template.properties("AWS::CloudWatch::Alarm")}
        idle, failed = alarms["AvailableInstanceCount"], alarms["TargetErrorCount"]

        assert idle["Dimensions"] == [{"Name": "CapacityReservationId", "Value": "cr-0123456789abcdef0"}]
        assert (idle["Threshold"], idle["Period"] * idle["EvaluationPeriods"]) == (0, 3600)
        assert "aws eks update-nodegroup-config" in idle["AlarmDescription"]
        assert failed["Dimensions"][0]["Name"] == "ScheduleGroup"
        assert all(made["AlarmActions"] for made in alarms.values())


class TestRefusals:
    @pytest.mark.parametrize(
        ("changes", "code"),
        [
            ({"capacity": {"availability_zone_id": "use2-az1"}}, "CAP002"),
            ({"node_count": 17}, "CAP003"),
            ({"capacity": {"ends_at": at("2027-09-06T11:30:00Z")}}, "CAP011"),
            ({"capacity": {"instance_count": 65}, "node_count": 65}, "CAP018"),
        ],
    )
    def test_blocks_that_nodes_do_not_fit(self, variant, changes, code):
        """CAP-04, CAP-05: Another zone, too many nodes, reversed times and unsold sizes are findings."""
        with pytest.raises(InvalidEnvironmentError, match=code):
            variant(ENVIRONMENT, node_group=changes)

    @pytest.mark.parametrize("name", ["trn1.2xlarge", "trn1n.32xlarge"])
    def test_types_that_are_not_sold_in_blocks(self, variant, name):
        """CAP-06: trn1.2xlarge and trn1n.32xlarge can't be had as a block."""
        with pytest.raises(InvalidEnvironmentError, match="CAP001"):
            variant(ENVIRONMENT, node_group={"instance_type": name, "logical_neuroncore_config": None})

    def test_reservation_without_efa(self, variant):
        """CAP-07: A block is named whether the nodes have EFA or not."""
        template = variant(ENVIRONMENT, node_group={"efa": False})[STACK]

        assert len(launch(template)["NetworkInterfaces"]) == 1
        assert "CapacityReservationTarget" in launch(template)["CapacityReservationSpecification"]


class TestUltraserver:
    def test_nodes_say_which_one(self, every):
        """The nodes of one UltraServer carry its group's name and how many of them work as one."""
        group = every["ultraserver-trn2u-nodes-trn2u"].one("AWS::EKS::Nodegroup")

        assert group["Labels"]["trnstack/ultraserver"] == "trn2u"
        assert group["Labels"]["trnstack/ultraserver-config"] == "4"
        assert group["ScalingConfig"] == {"MinSize": 0, "DesiredSize": 0, "MaxSize": 4}

    def test_a_second_one_is_a_second_group(self, variant):
        """Each UltraServer has its own stack, schedules and reservation."""
        second = {
            "name": "second",
            "instance_type": "trn2u.48xlarge",
            "node_count": 4,
            "ultraserver": {"config": 4},
            "capacity": {
                "type": "capacity_block",
                "capacity_reservation_id": "cr-0aaaaaaaaaaaaaaa0",
                "instance_count": 4,
                "availability_zone_id": "aps2-az1",
                "starts_at": at("2027-10-04T11:30:00Z"),
                "ends_at": at("2027-10-18T11:30:00Z"),
            },
        }
        stacks = variant("ultraserver-trn2u", more_node_groups=(second,), training=None)

        labels = stacks["ultraserver-trn2u-nodes-second"].one("AWS::EKS::Nodegroup")["Labels"]
        assert labels["trnstack/ultraserver"] == "second"
        assert len(schedules(stacks["ultraserver-trn2u-nodes-second"])) == 4
