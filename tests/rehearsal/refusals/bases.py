"""Good templates that rows put their one mistake into."""

from typing import Any

from tests.rehearsal.refusals.harness import Resources, att, ref, resource


def trust(service: str) -> dict[str, Any]:
    """Gives a trust policy for a service, such as ``eks.amazonaws.com``."""
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return {"Version": "2012-10-17", "Statement": [statement]}


def network() -> Resources:
    """A VPC with a subnet in each of two zones, and a security group."""
    return {
        "Vpc": resource("AWS::EC2::VPC", CidrBlock="10.0.0.0/16", EnableDnsHostnames=True, EnableDnsSupport=True),
        "SubnetA": resource(
            "AWS::EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.0.0.0/20", AvailabilityZone="us-east-2a"
        ),
        "SubnetB": resource(
            "AWS::EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.0.16.0/20", AvailabilityZone="us-east-2b"
        ),
        "Group": resource("AWS::EC2::SecurityGroup", GroupDescription="of everything", VpcId=ref("Vpc")),
    }


def internet() -> Resources:
    """The network with an internet gateway."""
    return {
        **network(),
        "Gateway": resource("AWS::EC2::InternetGateway"),
        "Attachment": resource("AWS::EC2::VPCGatewayAttachment", VpcId=ref("Vpc"), InternetGatewayId=ref("Gateway")),
    }


def cluster(**properties: Any) -> Resources:
    """The network with an EKS cluster, and a role for nodes."""
    made = {
        "Name": "demo",
        "Version": "1.34",
        "RoleArn": att("ClusterRole", "Arn"),
        "ResourcesVpcConfig": {"SubnetIds": [ref("SubnetA"), ref("SubnetB")]},
        **properties,
    }
    return {
        **network(),
        "ClusterRole": resource("AWS::IAM::Role", AssumeRolePolicyDocument=trust("eks.amazonaws.com")),
        "NodeRole": resource("AWS::IAM::Role", AssumeRolePolicyDocument=trust("ec2.amazonaws.com")),
        "Cluster": resource("AWS::EKS::Cluster", **made),
    }


def node_group(**properties: Any) -> Resources:
    """The cluster with a node group of one m5.large."""
    made = {
        "ClusterName": ref("Cluster"),
        "NodegroupName": "nodes",
        "NodeRole": att("NodeRole", "Arn"),
        "Subnets": [ref("SubnetA")],
        "ScalingConfig": {"MinSize": 1, "DesiredSize": 1, "MaxSize": 2},
        "AmiType": "AL2023_x86_64_STANDARD",
        "InstanceTypes": ["m5.large"],
        **properties,
    }
    return {**cluster(), "Nodes": resource("AWS::EKS::Nodegroup", **made)}


def launch_template(data: dict[str, Any], **properties: Any) -> Resources:
    """The cluster with a node group of one node from a launch template, which names the instance type.

    The node's subnet is in the zone of the region that has Trainium instances.
    """
    version = {"Id": ref("Template"), "Version": att("Template", "LatestVersionNumber")}
    made = {
        "AmiType": "AL2023_x86_64_NEURON",
        "InstanceTypes": None,
        "LaunchTemplate": version,
        "Subnets": [ref("SubnetC")],
        **properties,
    }
    return {
        **node_group(**made),
        "SubnetC": resource(
            "AWS::EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.0.32.0/20", AvailabilityZoneId="use2-az3"
        ),
        "Template": resource("AWS::EC2::LaunchTemplate", LaunchTemplateName="nodes", LaunchTemplateData=data),
    }


def interface(card: int, device: int, interface_type: str = "efa-only", **members: Any) -> dict[str, Any]:
    """Gives a network interface of a launch template."""
    return {"NetworkCardIndex": card, "DeviceIndex": device, "InterfaceType": interface_type, **members}
