"""Networks, security groups, launch templates and placement groups."""

import base64

import pytest
from botocore.exceptions import ClientError

from rehearsal.handlers.base import ResourceError


class TestVpcAndSubnet:
    def test_dns_switches_and_attributes(self, client, make):
        """DNS host names are switched on, and the default security group can be read."""
        vpc = make("AWS::EC2::VPC", CidrBlock="10.0.0.0/16", EnableDnsHostnames="true", EnableDnsSupport="true")

        found = client("ec2").describe_vpc_attribute(VpcId=vpc.physical_id, Attribute="enableDnsHostnames")
        assert found["EnableDnsHostnames"]["Value"] is True
        assert vpc.attributes["DefaultSecurityGroup"].startswith("sg-")
        assert len(vpc.attributes["CidrBlockAssociations"]) == 1

    def test_tags(self, client, network):
        """Own tags, the stack's tags and CloudFormation's own reach a VPC."""
        (vpc,) = client("ec2").describe_vpcs(VpcIds=[network.vpc.physical_id])["Vpcs"]
        tags = {tag["Key"]: tag["Value"] for tag in vpc["Tags"]}

        assert (tags["Name"], tags["team"]) == ("demo", "ml")
        assert tags["aws:cloudformation:logical-id"] == "Vpc"

    def test_subnet_is_in_the_zone_asked_for(self, client, make, change, network):
        """A subnet lands in the zone with the id that the template gives; public addresses are switched in place."""
        subnet = make(
            "AWS::EC2::Subnet",
            VpcId=network.vpc.physical_id,
            CidrBlock="10.0.64.0/20",
            AvailabilityZoneId="use2-az2",
            MapPublicIpOnLaunch=True,
        )
        assert subnet.attributes["AvailabilityZoneId"] == "use2-az2"

        change(subnet, MapPublicIpOnLaunch=None)
        (found,) = client("ec2").describe_subnets(SubnetIds=[subnet.physical_id])["Subnets"]
        assert found["MapPublicIpOnLaunch"] is False


class TestRouting:
    @pytest.fixture
    def gateway(self, make, network):
        gateway = make("AWS::EC2::InternetGateway", "Gateway")
        make("AWS::EC2::VPCGatewayAttachment", VpcId=network.vpc.physical_id, InternetGatewayId=gateway.physical_id)
        return gateway

    def test_references(self, make, network, gateway):
        """Ref is the type's own: an address for an EIP, a table and its destination for a route."""
        table = make("AWS::EC2::RouteTable", VpcId=network.vpc.physical_id)
        route = make(
            "AWS::EC2::Route",
            RouteTableId=table.physical_id,
            DestinationCidrBlock="0.0.0.0/0",
            GatewayId=gateway.physical_id,
        )
        address = make("AWS::EC2::EIP", Domain="vpc")

        assert route.physical_id == f"{table.physical_id}|0.0.0.0/0"
        assert address.physical_id == address.attributes["PublicIp"]
        assert address.attributes["AllocationId"].startswith("eipalloc-")

    @pytest.mark.usefixtures("gateway")
    def test_nat_gateway_leaves_nothing(self, client, make, drop, network):
        """A NAT gateway's interface and address are free after it is gone."""
        address = make("AWS::EC2::EIP", Domain="vpc")
        gateway = make(
            "AWS::EC2::NatGateway", AllocationId=address.attributes["AllocationId"], SubnetId=network.subnet_ids[0]
        )
        assert gateway.attributes["EniId"].startswith("eni-")

        for resource in (gateway, address, *network.subnets):
            drop(resource)
        assert client("ec2").describe_network_interfaces()["NetworkInterfaces"] == []

    def test_route_moves_in_place(self, client, make, change, network, gateway):
        """A route's target is replaced, by one of another kind too."""
        table = make("AWS::EC2::RouteTable", VpcId=network.vpc.physical_id)
        address = make("AWS::EC2::EIP", Domain="vpc")
        nat = make(
            "AWS::EC2::NatGateway", AllocationId=address.attributes["AllocationId"], SubnetId=network.subnet_ids[0]
        )
        route = make(
            "AWS::EC2::Route",
            RouteTableId=table.physical_id,
            DestinationCidrBlock="0.0.0.0/0",
            GatewayId=gateway.physical_id,
        )
        change(route, GatewayId=None, NatGatewayId=nat.physical_id)

        (found,) = client("ec2").describe_route_tables(RouteTableIds=[table.physical_id])["RouteTables"]
        assert found["Routes"][-1]["NatGatewayId"] == nat.physical_id


class TestEndpoints:
    def test_gateway_and_interface(self, client, make, change, network):
        """Endpoints have their policy and their lists, and both change in place."""
        table = make("AWS::EC2::RouteTable", VpcId=network.vpc.physical_id)
        document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:*"}]}
        make(
            "AWS::EC2::VPCEndpoint",
            VpcId=network.vpc.physical_id,
            ServiceName="com.amazonaws.us-east-2.s3",
            VpcEndpointType="Gateway",
            RouteTableIds=[table.physical_id],
            PolicyDocument=document,
        )
        change(network.vpc, EnableDnsHostnames=True)
        interface = make(
            "AWS::EC2::VPCEndpoint",
            VpcId=network.vpc.physical_id,
            ServiceName="com.amazonaws.us-east-2.eks",
            VpcEndpointType="Interface",
            SubnetIds=network.subnet_ids,
            SecurityGroupIds=[network.group.physical_id],
            PrivateDnsEnabled=True,
        )
        change(interface, SubnetIds=network.subnet_ids[:1])

        assert len(interface.attributes["DnsEntries"]) == 1
        found = client("ec2").describe_vpc_endpoints(VpcEndpointIds=[interface.physical_id])["VpcEndpoints"]
        assert found[0]["SubnetIds"] == network.subnet_ids[:1]

    def test_flow_log(self, client, make, drop, network):
        """A VPC's flow log goes to a log group."""
        group = make("AWS::Logs::LogGroup")
        log = make(
            "AWS::EC2::FlowLog",
            ResourceId=network.vpc.physical_id,
            ResourceType="VPC",
            TrafficType="ALL",
            LogDestinationType="cloud-watch-logs",
            LogGroupName=group.physical_id,
            DeliverLogsPermissionArn=network.role_arn,
        )
        assert client("ec2").describe_flow_logs()["FlowLogs"][0]["FlowLogId"] == log.physical_id
        drop(log)
        assert client("ec2").describe_flow_logs()["FlowLogs"] == []


class TestSecurityGroup:
    @staticmethod
    def group(client, resource) -> dict:
        return client("ec2").describe_security_groups(GroupIds=[resource.physical_id])["SecurityGroups"][0]

    def test_egress_rules_replace_the_default(self, client, make, change, network):
        """Rules for outgoing traffic take the place of the one that allows all; without them it is back."""
        rule = {"IpProtocol": "tcp", "FromPort": "443", "ToPort": 443, "CidrIp": "10.0.0.0/8", "Description": "tls"}
        group = make(
            "AWS::EC2::SecurityGroup",
            GroupDescription="d",
            VpcId=network.vpc.physical_id,
            SecurityGroupEgress=[rule],
        )
        (egress,) = self.group(client, group)["IpPermissionsEgress"]
        assert (egress["FromPort"], egress["IpRanges"]) == (443, [{"CidrIp": "10.0.0.0/8", "Description": "tls"}])

        change(group, SecurityGroupEgress=None)
        (egress,) = self.group(client, group)["IpPermissionsEgress"]
        assert egress["IpRanges"] == [{"CidrIp": "0.0.0.0/0"}]

    def test_protocols_without_ports(self, client, make, change, network):
        """Of a protocol that has no ports none need be said, whether its rule comes or goes."""
        rules = [{"IpProtocol": "50", "CidrIp": "10.0.0.0/8"}, {"IpProtocol": "icmpv6", "CidrIpv6": "::/0"}]
        group = make(
            "AWS::EC2::SecurityGroup",
            GroupDescription="d",
            VpcId=network.vpc.physical_id,
            SecurityGroupIngress=rules,
        )
        assert {one["IpProtocol"] for one in self.group(client, group)["IpPermissions"]} == {"50", "icmpv6"}

        change(group, SecurityGroupIngress=rules[:1])
        assert [one["IpProtocol"] for one in self.group(client, group)["IpPermissions"]] == ["50"]

    def test_rules_of_their_own(self, client, make, drop, network):
        """A rule from a group to itself is made and revoked by its own id."""
        group = make("AWS::EC2::SecurityGroup", GroupDescription="d", VpcId=network.vpc.physical_id)
        group_id = group.physical_id
        rules = [
            make("AWS::EC2::SecurityGroupIngress", GroupId=group_id, IpProtocol="-1", SourceSecurityGroupId=group_id),
            make(
                "AWS::EC2::SecurityGroupEgress",
                GroupId=group_id,
                IpProtocol="-1",
                DestinationSecurityGroupId=group_id,
            ),
        ]
        assert all(rule.physical_id.startswith("sgr-") for rule in rules)
        (ingress,) = self.group(client, group)["IpPermissions"]
        assert ingress["UserIdGroupPairs"][0]["GroupId"] == group_id

        for rule in rules:
            drop(rule)
        assert self.group(client, group)["IpPermissions"] == []

    def test_unknown_rule_property(self, make, network):
        """A rule's property without a place in EC2's form is refused by name."""
        with pytest.raises(ResourceError, match="does not model property Colour"):
            make("AWS::EC2::SecurityGroupIngress", GroupId=network.group.physical_id, IpProtocol="-1", Colour="red")

    def test_in_use(self, make, drop, network):
        """A group that another group's rule names is not deleted."""
        other = make("AWS::EC2::SecurityGroup", "Other", GroupDescription="o", VpcId=network.vpc.physical_id)
        make(
            "AWS::EC2::SecurityGroupIngress",
            GroupId=other.physical_id,
            IpProtocol="-1",
            SourceSecurityGroupId=network.group.physical_id,
        )
        with pytest.raises(ClientError, match="DependencyViolation"):
            drop(network.group)


class TestLaunchTemplate:
    def test_interfaces_are_kept(self, client, template):
        """Network cards, device indexes and interface types stand in the template."""
        versions = client("ec2").describe_launch_template_versions(
            LaunchTemplateId=template.physical_id, Versions=["1"]
        )
        interfaces = versions["LaunchTemplateVersions"][0]["LaunchTemplateData"]["NetworkInterfaces"]

        assert [one["InterfaceType"] for one in interfaces] == ["efa", *["efa-only"] * 7]
        assert [one["NetworkCardIndex"] for one in interfaces] == list(range(8))

    def test_update_makes_a_version(self, template, change):
        """A change of the data makes a new version and leaves the default version."""
        user_data = base64.b64encode(b"hello").decode()
        change(template, LaunchTemplateData={**template.properties["LaunchTemplateData"], "UserData": user_data})

        assert template.attributes["LatestVersionNumber"] == "2"
        assert template.attributes["DefaultVersionNumber"] == "1"

    def test_tags_change(self, client, template, change):
        """The template's own tags change in place, without a new version."""
        tag = {"Key": "pool", "Value": "trn"}
        change(template, TagSpecifications=[{"ResourceType": "launch-template", "Tags": [tag]}])

        found = client("ec2").describe_tags(Filters=[{"Name": "resource-id", "Values": [template.physical_id]}])["Tags"]
        assert ("pool", "trn") in {(one["Key"], one["Value"]) for one in found}
        assert template.attributes["LatestVersionNumber"] == "1"

    def test_unknown_property(self, make):
        """A property that EC2 doesn't know is refused with its path."""
        with pytest.raises(ResourceError, match=r"LaunchTemplateData\.Placement\.Colour"):
            make("AWS::EC2::LaunchTemplate", LaunchTemplateData={"Placement": {"Colour": "red"}})


def test_placement_group(client, make, drop):
    """Ref is the group's name; deleting it twice is no error."""
    group = make("AWS::EC2::PlacementGroup", "Trn", Strategy="cluster")

    (found,) = client("ec2").describe_placement_groups()["PlacementGroups"]
    assert (found["GroupName"], found["GroupId"]) == (group.physical_id, group.attributes["GroupId"])
    drop(group)
    drop(group)
    assert client("ec2").describe_placement_groups()["PlacementGroups"] == []


class TestAssociation:
    def table_of(self, client, subnet_id):
        of_subnet = {"Name": "association.subnet-id", "Values": [subnet_id]}
        return [one["RouteTableId"] for one in client("ec2").describe_route_tables(Filters=[of_subnet])["RouteTables"]]

    def test_moved(self, client, make, drop, network):
        """A subnet that gets another table, by a second association, keeps that one when the first goes."""
        vpc_id, subnet_id = network.vpc.physical_id, network.subnet_ids[0]
        old, new = (make("AWS::EC2::RouteTable", name, VpcId=vpc_id).physical_id for name in ("Old", "New"))
        kind = "AWS::EC2::SubnetRouteTableAssociation"
        first = make(kind, "First", SubnetId=subnet_id, RouteTableId=old)
        second = make(kind, "Second", SubnetId=subnet_id, RouteTableId=new)
        drop(first)

        assert first.physical_id != second.physical_id == second.attributes["Id"]
        assert self.table_of(client, subnet_id) == [new]

        drop(second)

        assert self.table_of(client, subnet_id) == []
