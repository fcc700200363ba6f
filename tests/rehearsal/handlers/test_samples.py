"""The types that samples have and the project's environments lack: what changes of them, and what is refused."""

import base64

import pytest
from botocore.exceptions import ClientError

from rehearsal.handlers import handlers_with
from rehearsal.handlers.base import NOT_MODELLED, Resource, ResourceError
from rehearsal.handlers.cdk_providers import PROVIDERS


@pytest.fixture
def instance(make, network):
    """Makes an instance in the first subnet."""

    def build(**properties: object):
        wanted = {"ImageId": "ami-12345678", "InstanceType": "t3.micro", "SubnetId": network.subnet_ids[0]}
        return make("AWS::EC2::Instance", "Bastion", **{**wanted, **properties})

    return build


def described(client, resource):
    (found,) = client("ec2").describe_instances(InstanceIds=[resource.physical_id])["Reservations"]
    return found["Instances"][0]


def encoded(text):
    return base64.b64encode(text.encode()).decode()


class TestInstance:
    def test_create(self, client, instance, network):
        """Placement, profile and monitoring reach EC2 in its own form, and attributes are read back."""
        made = instance(
            AvailabilityZone="us-east-2c",
            Monitoring=True,
            SourceDestCheck="false",
            SecurityGroupIds=[network.group.physical_id],
            Tags=[{"Key": "Name", "Value": "bastion"}],
        )
        found = described(client, made)

        assert made.physical_id == made.attributes["InstanceId"] == found["InstanceId"]
        assert made.attributes["PrivateIp"] == found["PrivateIpAddress"]
        assert made.attributes["VpcId"] == network.vpc.physical_id
        assert found["Placement"]["AvailabilityZone"] == made.attributes["AvailabilityZone"]
        assert found["SourceDestCheck"] is False
        assert {"Key": "Name", "Value": "bastion"} in found["Tags"]

    def test_update(self, client, instance, change):
        """Its type changes while it is stopped, and it runs again afterwards, the same one."""
        made = instance()
        change(made, InstanceType="t3.small", DisableApiTermination=True, UserData=encoded("#!/bin/sh\n"))
        found = described(client, made)
        wish = {"InstanceId": made.physical_id, "Attribute": "userData"}

        assert (found["InstanceType"], found["State"]["Name"]) == ("t3.small", "running")
        told = client("ec2").describe_instance_attribute(**wish)["UserData"]["Value"]
        assert base64.b64decode(told) == b"#!/bin/sh\n"

    def test_delete(self, client, instance, drop):
        """What EC2 made with it goes with it."""
        made = instance()
        drop(made)

        assert described(client, made)["State"]["Name"] == "terminated"
        assert client("ec2").describe_network_interfaces()["NetworkInterfaces"] == []

    @pytest.mark.parametrize(
        ("user_data", "code"),
        [
            ("#!/bin/sh", "InvalidUserData.Malformed"),
            (base64.b64encode(b"\xff\xfe").decode(), NOT_MODELLED),
        ],
    )
    def test_user_data(self, instance, user_data, code):
        """User data without Base64 is refused by EC2's code; what is no text is not modelled."""
        with pytest.raises(ResourceError) as refused:
            instance(UserData=user_data)

        assert refused.value.code == code


class TestAutoScalingGroup:
    @pytest.fixture
    def group(self, make, network):
        data = {"ImageId": "ami-12345678", "InstanceType": "t3.micro"}
        launches = make("AWS::EC2::LaunchTemplate", "Launches", LaunchTemplateData=data)
        version = launches.attributes["LatestVersionNumber"]
        return make(
            "AWS::AutoScaling::AutoScalingGroup",
            "Own",
            MinSize="0",
            MaxSize="3",
            DesiredCapacity="1",
            VPCZoneIdentifier=network.subnet_ids,
            LaunchTemplate={"LaunchTemplateId": launches.physical_id, "Version": version},
            Tags=[
                {"Key": "a", "Value": "1", "PropagateAtLaunch": "true"},
                {"Key": "b", "Value": "2", "PropagateAtLaunch": False},
            ],
            MetricsCollection=[{"Granularity": "1Minute", "Metrics": ["GroupTotalInstances"]}],
        )

    def test_create(self, client, group, network):
        """Subnets, tags and metrics reach the group, and its instances get the tags that say so."""
        found = group_of(client, group)

        assert found["AutoScalingGroupARN"] == group.attributes["AutoScalingGroupARN"]
        assert found["VPCZoneIdentifier"] == ",".join(network.subnet_ids)
        assert {tag["Key"]: tag["PropagateAtLaunch"] for tag in found["Tags"]}.items() >= {
            "a": True,
            "b": False,
        }.items()
        assert [metric["Metric"] for metric in found["EnabledMetrics"]] == ["GroupTotalInstances"]
        (instance,) = found["Instances"]
        (reserved,) = client("ec2").describe_instances(InstanceIds=[instance["InstanceId"]])["Reservations"]
        keys = {tag["Key"] for tag in reserved["Instances"][0]["Tags"]}
        assert "a" in keys
        assert "b" not in keys

    def test_update(self, client, group, change, network):
        """Sizes, subnets and tags change in place."""
        change(
            group,
            DesiredCapacity="2",
            VPCZoneIdentifier=network.subnet_ids[:1],
            Tags=[{"Key": "a", "Value": "3", "PropagateAtLaunch": True}],
        )
        found = group_of(client, group)

        assert (found["DesiredCapacity"], len(found["Instances"])) == (2, 2)
        assert found["VPCZoneIdentifier"] == network.subnet_ids[0]
        assert {tag["Key"]: tag["Value"] for tag in found["Tags"] if len(tag["Key"]) == 1} == {"a": "3"}

    def test_delete(self, client, group, drop):
        """Its instances end with it, and hold neither subnet nor security group."""
        drop(group)

        assert client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"] == []
        assert client("ec2").describe_network_interfaces()["NetworkInterfaces"] == []


def group_of(client, group):
    named = {"AutoScalingGroupNames": [group.physical_id]}
    (found,) = client("autoscaling").describe_auto_scaling_groups(**named)["AutoScalingGroups"]
    return found


class TestNetworkAcl:
    @pytest.fixture
    def acl(self, make, network):
        return make("AWS::EC2::NetworkAcl", "Acl", VpcId=network.vpc.physical_id)

    def test_entry(self, client, make, change, drop, acl):
        """A rule is replaced as a whole; one that says nothing of its direction is for what comes in."""
        entry = make(
            "AWS::EC2::NetworkAclEntry",
            "Ping",
            NetworkAclId=acl.physical_id,
            RuleNumber=90,
            Protocol=1,
            RuleAction="allow",
            CidrBlock="10.0.0.0/8",
            Icmp={"Code": -1, "Type": 8},
        )
        change(entry, RuleAction="deny")
        (found,) = (one for one in entries(client, acl) if one["RuleNumber"] == 90)

        assert (found["RuleAction"], found["Egress"], found["CidrBlock"]) == ("deny", False, "10.0.0.0/8")
        drop(entry)
        assert [one for one in entries(client, acl) if one["RuleNumber"] == 90] == []

    def test_association(self, client, make, drop, network, acl):
        """The ACL guards a subnet, and after it the VPC's default does again."""
        subnet_id = network.subnet_ids[0]
        made = make("AWS::EC2::SubnetNetworkAclAssociation", "Guard", SubnetId=subnet_id, NetworkAclId=acl.physical_id)
        assert guard(client, subnet_id) == acl.physical_id

        drop(made)
        assert guard(client, subnet_id) == network.vpc.attributes["DefaultNetworkAcl"]

    def test_no_subnet(self, make, acl):
        """A subnet that is not there is refused as EC2 refuses it."""
        with pytest.raises(ResourceError, match="'subnet-0' does not exist") as refused:
            make("AWS::EC2::SubnetNetworkAclAssociation", "Guard", SubnetId="subnet-0", NetworkAclId=acl.physical_id)

        assert refused.value.code == "InvalidSubnetID.NotFound"


def entries(client, acl):
    (found,) = client("ec2").describe_network_acls(NetworkAclIds=[acl.physical_id])["NetworkAcls"]
    return found["Entries"]


def guard(client, subnet_id):
    of_subnet = {"Name": "association.subnet-id", "Values": [subnet_id]}
    (found,) = client("ec2").describe_network_acls(Filters=[of_subnet])["NetworkAcls"]
    return found["NetworkAclId"]


class TestOidcProvider:
    def test_update(self, client, make, change, drop):
        """Clients are added and removed, thumbprints and tags set."""
        made = make("AWS::IAM::OIDCProvider", "Provider", Url="https://oidc.example.com/id", ClientIdList=["a", "b"])
        prints = ["9e99a48a9960b14926bb7f3b02e22da2b0ab7280"]
        change(made, ClientIdList=["b", "c"], ThumbprintList=prints, Tags=[{"Key": "k", "Value": "v"}])
        found = client("iam").get_open_id_connect_provider(OpenIDConnectProviderArn=made.physical_id)

        assert made.physical_id == made.attributes["Arn"]
        assert sorted(found["ClientIDList"]) == ["b", "c"]
        assert found["ThumbprintList"] == prints
        assert {"Key": "k", "Value": "v"} in found["Tags"]
        drop(made)
        with pytest.raises(ClientError, match="NoSuchEntity"):
            client("iam").get_open_id_connect_provider(OpenIDConnectProviderArn=made.physical_id)


class TestRestrictedDefaultGroup:
    def test_life(self, client, scope, network):
        """The CDK's own provider takes a default group's rules away, and gives them back in the end."""
        group_id = network.vpc.attributes["DefaultSecurityGroup"]
        handler = handlers_with(PROVIDERS)("Custom::VpcRestrictDefaultSG")
        properties = {
            "ServiceToken": f"arn:aws:lambda:us-east-2:{scope.account}:function:provider",
            "DefaultSecurityGroupId": group_id,
            "Account": scope.account,
        }
        resource = Resource("Restricted", "Custom::VpcRestrictDefaultSG", properties)

        handler.create(scope, resource)
        assert rules(client, group_id) == (0, 0)
        handler.update(scope, resource, properties)
        assert rules(client, group_id) == (0, 0)
        handler.delete(scope, resource)
        assert rules(client, group_id) == (1, 1)


def rules(client, group_id):
    """Returns how many rules a group has for what comes in, and for what goes out."""
    (found,) = client("ec2").describe_security_groups(GroupIds=[group_id])["SecurityGroups"]
    return len(found["IpPermissions"]), len(found["IpPermissionsEgress"])
