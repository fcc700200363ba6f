"""A cluster with the two functions of the CDK beside it, in a private network with a way out."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from moto.eks.models import eks_backends

from rehearsal.handlers.base import Resource
from rehearsal.kubernetes import ApiServer
from tests.rehearsal.assets import FRAMEWORK, HANDLER, layer, stand_in, zipped

BUCKET = "assets"
ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
TRUST = {
    "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}]
}


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


class Provider:
    """The functions, and what a test changes of what they stand on.

    Attributes:
        handler, framework: The functions.
        layer: The layer with helm.
        trust: What a role says that Lambda may take.
        entry: The access entry of the first one's role.
    """

    zipped, stand_in = staticmethod(zipped), staticmethod(stand_in)
    trust = TRUST

    def __init__(self, make, client, network, cluster, helm) -> None:
        self._make, self._client = make, client
        s3 = client("s3")
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-east-2"})
        self.put("layer.zip", layer(helm))
        self.put("handler.zip", zipped(HANDLER))
        self.put("framework.zip", zipped(FRAMEWORK))
        role = make(
            "AWS::IAM::Role",
            "HandlerRole",
            AssumeRolePolicyDocument=TRUST,
            ManagedPolicyArns=["arn:aws:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole"],
        )
        version = make("AWS::Lambda::LayerVersion", "Layer", Content={"S3Bucket": BUCKET, "S3Key": "layer.zip"})
        self.layer = version
        vpc = {"SubnetIds": network.subnet_ids, "SecurityGroupIds": [cluster.attributes["ClusterSecurityGroupId"]]}
        self.handler = self.function(
            "Handler", "handler.zip", role, Layers=[version.physical_id], VpcConfig=vpc, Timeout=900
        )
        arn = {"Variables": {"USER_ON_EVENT_FUNCTION_ARN": self.handler.attributes["Arn"]}}
        self.framework = self.function("Framework", "framework.zip", role, Environment=arn)
        self.entry = make(
            "AWS::EKS::AccessEntry",
            "Entry",
            ClusterName=cluster.physical_id,
            PrincipalArn=role.attributes["Arn"],
            AccessPolicies=[{"PolicyArn": ADMIN, "AccessScope": {"Type": "cluster"}}],
        )

    def put(self, key: str, content: bytes) -> None:
        """Puts a file into the bucket of assets."""
        self._client("s3").put_object(Bucket=BUCKET, Key=key, Body=content)

    def put_chart(self, key: str, chart: Mapping[str, str | bytes]) -> None:
        """Puts a chart, given by its files, into the bucket of assets."""
        self.put(key, zipped(chart))

    def function(self, name: str, key: str, role: Resource, **properties: object) -> Resource:
        """Makes a function."""
        return self._make(
            "AWS::Lambda::Function",
            name,
            Code={"S3Bucket": BUCKET, "S3Key": key},
            Handler="index.handler",
            Role=role.attributes["Arn"],
            Runtime="python3.13",
            **properties,
        )

    def objects(self, *objects: Mapping[str, Any], logical_id: str = "Objects", **properties: object) -> Resource:
        """Makes a resource with objects."""
        return self._make(
            "Custom::AWSCDK-EKS-KubernetesResource",
            logical_id,
            **self.properties(Manifest=json.dumps(objects), **properties),
        )

    def release(
        self, name: str, chart: Mapping[str, str | bytes], logical_id: str = "Release", **properties: object
    ) -> Resource:
        """Makes a release of a chart, given by its files."""
        self.put_chart(f"{name}.zip", chart)
        given = {"Release": name, "ChartAssetURL": f"s3://{BUCKET}/{name}.zip", "Namespace": "default", **properties}
        return self._make("Custom::AWSCDK-EKS-HelmChart", logical_id, **self.properties(**given))

    def properties(self, **properties: object) -> dict[str, object]:
        """Returns properties with the function and the cluster, which None takes away."""
        given = {"ServiceToken": self.framework.attributes["Arn"], "ClusterName": "demo", **properties}
        return {name: value for name, value in given.items() if value is not None}


@pytest.fixture
def gateway(make, network):
    """A way out for the private subnets."""
    internet = make("AWS::EC2::InternetGateway", "Internet")
    make(
        "AWS::EC2::VPCGatewayAttachment",
        "Attachment",
        VpcId=network.vpc.physical_id,
        InternetGatewayId=internet.physical_id,
    )
    address = make("AWS::EC2::EIP", "Address", Domain="vpc")
    nat = make(
        "AWS::EC2::NatGateway", "Nat", SubnetId=network.subnet_ids[0], AllocationId=address.attributes["AllocationId"]
    )
    table = make("AWS::EC2::RouteTable", "Routes", VpcId=network.vpc.physical_id)
    route = make(
        "AWS::EC2::Route",
        "Out",
        RouteTableId=table.physical_id,
        DestinationCidrBlock="0.0.0.0/0",
        NatGatewayId=nat.physical_id,
    )
    for number, subnet_id in enumerate(network.subnet_ids):
        make(
            "AWS::EC2::SubnetRouteTableAssociation",
            f"Route{number}",
            SubnetId=subnet_id,
            RouteTableId=table.physical_id,
        )
    return route


@pytest.fixture
def provider(request, make, client, network, cluster, helm):
    """The functions, with everything right."""
    request.getfixturevalue("gateway")
    return Provider(make, client, network, cluster, helm)


@pytest.fixture
def inside() -> Callable[[], ApiServer]:
    """Returns what gives the API server of the cluster."""
    return lambda: eks_backends["123456789012"]["us-east-2"].clusters["demo"].kubernetes
