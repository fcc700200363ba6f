"""What else has to be there when an operation begins: CloudFormation makes the stack, looks, and leads it back."""

import json

import pytest
from botocore.exceptions import ClientError

THING = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "x"}}


@pytest.fixture
def cloudformation(client):
    return client("cloudformation")


@pytest.fixture
def create(cloudformation):
    """Makes a stack whose parameters are of some types, and gives its statuses with their reasons, oldest first."""

    def create(**parameters: tuple[str, str]) -> list[tuple[str, str | None]]:
        body = {
            "Parameters": {name: {"Type": declared} for name, (declared, _) in parameters.items()},
            "Resources": {"A": THING},
        }
        given = [{"ParameterKey": name, "ParameterValue": value} for name, (_, value) in parameters.items()]
        cloudformation.create_stack(StackName="main", TemplateBody=json.dumps(body), Parameters=given)
        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        return [(event["ResourceStatus"], event.get("ResourceStatusReason")) for event in reversed(events)]

    return create


class TestParameters:
    @pytest.mark.parametrize(
        ("declared", "value"),
        [
            ("AWS::EC2::AvailabilityZone::Name", "us-east-2z"),
            ("AWS::EC2::Image::Id", "my-image"),
            ("AWS::EC2::Instance::Id", "i-0123456789abcdef0"),
            ("AWS::EC2::KeyPair::KeyName", ""),
            ("AWS::EC2::SecurityGroup::GroupName", "nobody"),
            ("AWS::EC2::SecurityGroup::Id", "sg-0123456789abcdef0"),
            ("AWS::EC2::Subnet::Id", "subnet-0123456789abcdef0"),
            ("AWS::EC2::VPC::Id", "vpc-0123456789abcdef0"),
            ("AWS::EC2::Volume::Id", "vol-0123456789abcdef0"),
            ("AWS::Route53::HostedZone::Id", "Z0123456789"),
            ("AWS::SSM::Parameter::Name", "/nobody"),
        ],
    )
    def test_missing(self, create, declared, value):
        """A parameter that names what is not there leads the stack back, with nothing made."""
        words = f"Parameter validation failed: parameter value {value} for parameter name P does not exist"

        assert create(P=(declared, value)) == [
            ("CREATE_IN_PROGRESS", "User Initiated"),
            ("ROLLBACK_IN_PROGRESS", f"{words}. Rollback requested by user."),
            ("ROLLBACK_COMPLETE", None),
        ]

    def test_several(self, create):
        """All that is missing is told at once, each member of a list by itself."""
        (_, (_, reason), _) = create(
            Zones=("List<AWS::EC2::AvailabilityZone::Name>", "us-east-2a,us-east-2x, us-east-2y"),
            Vpc=("AWS::EC2::VPC::Id", "vpc-1"),
        )

        assert reason == (
            "Parameter validation failed: parameter value us-east-2x for parameter name Zones does not exist, "
            "parameter value us-east-2y for parameter name Zones does not exist, parameter value vpc-1 for parameter "
            "name Vpc does not exist. Rollback requested by user."
        )

    def test_there(self, client, create):
        """What is there is taken."""
        ec2, ssm = client("ec2"), client("ssm")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        subnets = [ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{n}.0/24")["Subnet"]["SubnetId"] for n in (0, 1)]
        group = ec2.create_security_group(GroupName="mine", Description="mine", VpcId=vpc)["GroupId"]
        ec2.create_key_pair(KeyName="me")
        ssm.put_parameter(Name="/hidden", Value="x", Type="SecureString")
        zone = client("route53").create_hosted_zone(Name="a.example", CallerReference="1")["HostedZone"]["Id"]

        history = create(
            Vpc=("AWS::EC2::VPC::Id", vpc),
            Subnets=("List<AWS::EC2::Subnet::Id>", ",".join(subnets)),
            Group=("AWS::EC2::SecurityGroup::Id", group),
            Name=("AWS::EC2::SecurityGroup::GroupName", "mine"),
            Key=("AWS::EC2::KeyPair::KeyName", "me"),
            Image=("AWS::EC2::Image::Id", "ami-0123456789abcdef0"),
            Stored=("AWS::SSM::Parameter::Name", "/hidden"),
            Zone=("AWS::Route53::HostedZone::Id", zone.removeprefix("/hostedzone/")),
        )

        assert history[-1] == ("CREATE_COMPLETE", None)


class TestStored:
    @pytest.mark.parametrize(
        ("names", "words"),
        [
            ("/none", r"Unable to fetch parameters \[/none\] from parameter store for this account."),
            ("/hidden", r"Parameters \[/hidden\] referenced by template have types not supported by CloudFormation."),
        ],
    )
    def test_refused(self, client, create, names, words):
        """A stored value that is not there, or is a secret, ends the request."""
        client("ssm").put_parameter(Name="/hidden", Value="x", Type="SecureString")

        with pytest.raises(ClientError, match=words):
            create(P=("AWS::SSM::Parameter::Value<String>", names))


class TestImports:
    def test_missing(self, cloudformation):
        """An export that nobody has leads the stack back before anything is made."""
        body = {"Resources": {"A": {**THING, "Properties": {"Type": "String", "Value": {"Fn::ImportValue": "none"}}}}}
        cloudformation.create_stack(StackName="main", TemplateBody=json.dumps(body))
        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]

        assert [event.get("ResourceStatusReason") for event in events] == [
            None,
            "No export named none found. Rollback requested by user.",
            "User Initiated",
        ]


class TestHidden:
    def test_events(self, cloudformation):
        """A secret parameter's value is hidden in a stack, in its events and in its change sets."""
        value = {"Fn::Sub": "x-${Secret}"}
        body = json.dumps(
            {
                "Parameters": {"Secret": {"Type": "String", "NoEcho": True}},
                "Resources": {"A": {**THING, "Properties": {"Type": "String", "Value": value}}},
            }
        )
        old, new = ([{"ParameterKey": "Secret", "ParameterValue": one}] for one in ("s3cret", "n3wer"))
        cloudformation.create_stack(StackName="main", TemplateBody=body, Parameters=old)
        cloudformation.create_change_set(StackName="main", ChangeSetName="c", TemplateBody=body, Parameters=new)
        found = cloudformation.describe_change_set(StackName="main", ChangeSetName="c", IncludePropertyValues=True)
        cloudformation.execute_change_set(StackName="main", ChangeSetName="c")
        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        shown = json.dumps([found, events, cloudformation.describe_stacks(StackName="main")], default=str)

        assert not {"s3cret", "n3wer"} & {word for word in ("s3cret", "n3wer") if word in shown}
        (change,) = found["Changes"]
        hidden = {"Properties": {"Type": "String", "Value": "x-****"}}
        change = change["ResourceChange"]
        assert [json.loads(change[name]) for name in ("BeforeContext", "AfterContext")] == [hidden] * 2
        values = [json.loads(event["ResourceProperties"])["Value"] for event in events if "ResourceProperties" in event]
        assert values == ["x-****"] * 3
