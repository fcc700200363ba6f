"""A template of nothing but managed node groups, and what they stand on."""

import json
from typing import Any

_ZONES = ("use2-az1", "use2-az2")


def template(count: int) -> str:
    """Returns a template of a network, a cluster and so many node groups without nodes, as JSON.

    Args:
        count: How many node groups; with the seven resources that they stand on there may be 500 resources.
    """
    subnets = {
        f"Subnet{number}": _resource(
            "AWS::EC2::Subnet",
            VpcId={"Ref": "Vpc"},
            CidrBlock=f"10.0.{number * 64}.0/18",
            AvailabilityZoneId=zone,
        )
        for number, zone in enumerate(_ZONES)
    }
    placed = [{"Ref": name} for name in subnets]
    resources = {
        "Vpc": _resource("AWS::EC2::VPC", CidrBlock="10.0.0.0/16"),
        **subnets,
        "ClusterRole": _role("eks.amazonaws.com", "AmazonEKSClusterPolicy"),
        "NodeRole": _role(
            "ec2.amazonaws.com",
            "AmazonEKSWorkerNodePolicy",
            "AmazonEKS_CNI_Policy",
            "AmazonEC2ContainerRegistryReadOnly",
        ),
        "Cluster": _resource(
            "AWS::EKS::Cluster",
            RoleArn={"Fn::GetAtt": ["ClusterRole", "Arn"]},
            Version="1.35",
            ResourcesVpcConfig={"SubnetIds": placed},
        ),
        "Template": _resource("AWS::EC2::LaunchTemplate", LaunchTemplateData={"InstanceType": "m7i.large"}),
    }
    for number in range(count):
        resources[f"Nodes{number}"] = _resource(
            "AWS::EKS::Nodegroup",
            ClusterName={"Ref": "Cluster"},
            NodeRole={"Fn::GetAtt": ["NodeRole", "Arn"]},
            Subnets=placed,
            AmiType="AL2023_x86_64_STANDARD",
            ScalingConfig={"MinSize": 0, "DesiredSize": 0, "MaxSize": 2},
            LaunchTemplate={
                "Id": {"Ref": "Template"},
                "Version": {"Fn::GetAtt": ["Template", "LatestVersionNumber"]},
            },
        )
    return json.dumps({"Resources": resources})


def _resource(resource_type: str, **properties: Any) -> dict[str, Any]:
    return {"Type": resource_type, "Properties": properties}


def _role(service: str, *policies: str) -> dict[str, Any]:
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    arns = [{"Fn::Sub": f"arn:${{AWS::Partition}}:iam::aws:policy/{name}"} for name in policies]
    trust = {"Version": "2012-10-17", "Statement": [statement]}
    return _resource("AWS::IAM::Role", AssumeRolePolicyDocument=trust, ManagedPolicyArns=arns)
