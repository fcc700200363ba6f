"""Resources made by their handlers against the in-process services, one empty AWS for each test."""

from dataclasses import replace

import pytest

from ami.pins import BuiltImage, ChartPin, ContainerPin, ImagePin, Inputs, Lock, NeuronPin, Toolkit
from rehearsal import clock
from rehearsal.embedded import embedded
from rehearsal.handlers import handler_for
from rehearsal.handlers.base import Resource, Scope
from rehearsal.pins import publish
from tests.rehearsal.assets import unpack_helm

ACCOUNT, REGION = "123456789012", "us-east-2"


@pytest.fixture(autouse=True)
def _day_of_the_tests(monkeypatch):
    """Lets the embedded AWS stand at one day, so that the environments' schedules never come to lie in the past."""
    monkeypatch.setenv(clock.VARIABLE, "2026-12-01T00:00:00Z")
    clock.reset()


@pytest.fixture(scope="session")
def services():
    """The services, made once: their clients take longer to make than to call."""
    return embedded()


@pytest.fixture(scope="session")
def helm(tmp_path_factory):
    """The helm of the layer that is deployed for Kubernetes 1.35, unpacked once."""
    return unpack_helm(tmp_path_factory.mktemp("helm"))


@pytest.fixture
def client(services):
    """Gives the client of a service in an account that has nothing yet."""
    services.reset()
    return lambda service: services.transport.client(service, ACCOUNT, REGION)


@pytest.fixture
def scope(client):
    return Scope(
        account=ACCOUNT,
        region=REGION,
        partition="aws",
        stack_name="demo",
        stack_id=f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/demo/1",
        tags={"team": "ml"},
        client=client,
    )


@pytest.fixture
def make(scope):
    """Makes a resource of a type from its properties."""

    def make(resource_type, logical_id="Thing", **properties: object) -> Resource:
        resource = Resource(logical_id, resource_type, properties)
        handler_for(resource_type).create(scope, resource)
        return resource

    return make


@pytest.fixture
def change(scope):
    """Changes some properties of a resource; None takes one away."""

    def change(resource, **properties: object) -> None:
        merged = {**resource.properties, **properties}
        new = {name: value for name, value in merged.items() if value is not None}
        handler_for(resource.type).update(scope, resource, new)
        resource.properties = new

    return change


@pytest.fixture
def drop(scope):
    """Deletes a resource."""

    def drop(resource) -> None:
        handler_for(resource.type).delete(scope, resource)

    return drop


#: Twelve hexadecimal digits, sixty-four, and seventeen: a version, a digest and an AMI that no table has.
VERSION, DIGEST, AMI = "0a1b2c3d4e5f", f"sha256:{'5' * 64}", "ami-0123456789abcdef0"
SYSTEM_AMI = "ami-0fedcba9876543210"


@pytest.fixture
def lock():
    """Makes a lock for Kubernetes 1.34 in us-east-2 whose pins are newer than the tables."""

    def build(*, image_id=AMI, custom_ids=None, digest=DIGEST) -> Lock:
        custom = BuiltImage(
            recipe="neuron", version=VERSION, neuron_driver="2.30.2.0", image_ids=custom_ids or {}, owner="444455556666"
        )
        image = ImagePin(
            ami_type="AL2023_x86_64_NEURON",
            release="v20261130",
            release_version="1.34.12-20261130",
            image_id=image_id,
            owner="602401143452",
            neuron_driver="2.31.0.0",
            kernel="6.12",
            custom=custom if custom_ids else None,
        )
        system = replace(
            image,
            ami_type="AL2023_x86_64_STANDARD",
            image_id=SYSTEM_AMI if image_id == AMI else image_id,
            neuron_driver=None,
            custom=None,
        )
        chart = ChartPin(
            version="9.9.9",
            location="oci://registry.k8s.io/kueue/charts/kueue",
            digest=digest,
            archive=digest,
            images={"registry.k8s.io/kueue/kueue:v9.9.9": digest},
        )
        archive = ChartPin(
            version="v9.9.9",
            location="https://aws.github.io/eks-charts/aws-efa-k8s-device-plugin",
            digest=digest,
            archive=digest,
            images={},
        )
        return Lock(
            toolkit=Toolkit(trnstack="0.1.0", aws_cdk_lib="2.0.0", aws_cdk_cli="2.0.0"),
            inputs=Inputs(
                environment="demo",
                region=REGION,
                kubernetes_version="1.34",
                neuron_sdk="2.33.0",
                framework="pytorch",
                images={"system": "eks_optimized", "trn": "custom neuron 0" if custom_ids else "eks_optimized"},
                image_regions=(),
                add_ons=("vpc-cni",),
                charts=("aws-efa-k8s-device-plugin", "kueue"),
                chart_settings=(),
            ),
            made_from="AWS",
            rehearsal_account=None,
            neuron=NeuronPin(
                sdk="2.33.0",
                driver="2.31.0.0",
                components={},
                container=ContainerPin(image="public.ecr.aws/neuron/training:9.9.9", digest=digest),
            ),
            images={"system": system, "trn": image},
            add_ons={"vpc-cni": "v9.9.9-eksbuild.1"},
            charts={"kueue": chart, "aws-efa-k8s-device-plugin": archive},
        )

    return build


@pytest.fixture
def published_lock(client, lock):
    """A lock whose pins are published beside the tables'."""
    client("ec2")
    made = lock()
    publish(made)
    return made


class Network:
    """A VPC with two private subnets, a security group that lets Lustre in, and a role that every service may take.

    The role may do everything.
    """

    def __init__(self, make) -> None:
        services = [f"{name}.amazonaws.com" for name in ("ec2", "eks", "pods.eks", "scheduler")]
        may = {"Effect": "Allow", "Action": ["sts:AssumeRole", "sts:TagSession"], "Principal": {"Service": services}}
        trust = {"Version": "2012-10-17", "Statement": [may]}
        self.vpc = make(
            "AWS::EC2::VPC",
            "Vpc",
            CidrBlock="10.0.0.0/16",
            EnableDnsHostnames=True,
            Tags=[{"Key": "Name", "Value": "demo"}],
        )
        vpc_id = self.vpc.physical_id
        self.subnets = [
            make("AWS::EC2::Subnet", zone, VpcId=vpc_id, CidrBlock=cidr, AvailabilityZoneId=zone)
            for zone, cidr in (("use2-az3", "10.0.0.0/20"), ("use2-az1", "10.0.16.0/20"))
        ]
        self.subnet_ids = [subnet.physical_id for subnet in self.subnets]
        lustre = {"IpProtocol": "tcp", "FromPort": 988, "ToPort": 1023, "CidrIp": "10.0.0.0/16"}
        self.group = make(
            "AWS::EC2::SecurityGroup",
            "NodeGroup",
            GroupDescription="nodes",
            VpcId=vpc_id,
            SecurityGroupIngress=[lustre],
        )
        anything = {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
        }
        role = make(
            "AWS::IAM::Role",
            "Role",
            AssumeRolePolicyDocument=trust,
            Policies=[{"PolicyName": "anything", "PolicyDocument": anything}],
        )
        self.role_arn = role.attributes["Arn"]


@pytest.fixture
def network(make):
    return Network(make)


@pytest.fixture
def cluster(make, network):
    """A private cluster named demo."""
    endpoint = {"EndpointPublicAccess": False, "EndpointPrivateAccess": True}
    return make(
        "AWS::EKS::Cluster",
        "Cluster",
        Name="demo",
        Version="1.34",
        RoleArn=network.role_arn,
        ResourcesVpcConfig={"SubnetIds": network.subnet_ids, **endpoint},
        AccessConfig={"AuthenticationMode": "API", "BootstrapClusterCreatorAdminPermissions": False},
        BootstrapSelfManagedAddons=False,
        UpgradePolicy={"SupportType": "STANDARD"},
        Logging={"ClusterLogging": {"EnabledTypes": [{"Type": "api"}, {"Type": "audit"}]}},
    )


@pytest.fixture
def template(make, network):
    """A launch template of trn1.32xlarge with one EFA interface a network card."""
    placement = make("AWS::EC2::PlacementGroup", "Placement", Strategy="cluster")
    groups = {"Groups": [network.group.physical_id], "DeleteOnTermination": True}
    first = {"NetworkCardIndex": 0, "DeviceIndex": 0, "InterfaceType": "efa", **groups}
    others = [
        {"NetworkCardIndex": card, "DeviceIndex": 1, "InterfaceType": "efa-only", **groups} for card in range(1, 8)
    ]
    volume = {"VolumeSize": 200, "VolumeType": "gp3", "Encrypted": True, "DeleteOnTermination": True}
    return make(
        "AWS::EC2::LaunchTemplate",
        "Template",
        LaunchTemplateData={
            "InstanceType": "trn1.32xlarge",
            "NetworkInterfaces": [first, *others],
            "Placement": {"GroupName": placement.physical_id},
            "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 2},
            "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": volume}],
            "TagSpecifications": [{"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": "node"}]}],
        },
    )


@pytest.fixture
def node_group(make, network, cluster, template):
    """Two nodes of the launch template in the first subnet."""
    return make(
        "AWS::EKS::Nodegroup",
        "Nodes",
        ClusterName=cluster.physical_id,
        NodegroupName="trn1",
        NodeRole=network.role_arn,
        Subnets=network.subnet_ids[:1],
        AmiType="AL2023_x86_64_NEURON",
        ReleaseVersion="1.34.9-20260714",
        ScalingConfig={"MinSize": 0, "MaxSize": 64, "DesiredSize": 2},
        LaunchTemplate={"Id": template.physical_id, "Version": template.attributes["LatestVersionNumber"]},
        Labels={"role": "trn"},
    )


@pytest.fixture
def block_template(make, network):
    """A launch template of two trn2.48xlarge in a capacity block, with one interface."""
    return make(
        "AWS::EC2::LaunchTemplate",
        "BlockTemplate",
        LaunchTemplateData={
            "InstanceType": "trn2.48xlarge",
            "NetworkInterfaces": [{"NetworkCardIndex": 0, "DeviceIndex": 0, "Groups": [network.group.physical_id]}],
            "InstanceMarketOptions": {"MarketType": "capacity-block"},
            "CapacityReservationSpecification": {
                "CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}
            },
        },
    )


@pytest.fixture
def block_group(make, network, cluster, block_template):
    """Returns what makes a node group in a capacity block."""

    def build(*, desired=0, capacity_type="CAPACITY_BLOCK", template=block_template):
        return make(
            "AWS::EKS::Nodegroup",
            "BlockNodes",
            ClusterName=cluster.physical_id,
            NodegroupName="trn2",
            NodeRole=network.role_arn,
            Subnets=network.subnet_ids[:1],
            AmiType="AL2023_x86_64_NEURON",
            CapacityType=capacity_type,
            ScalingConfig={"MinSize": 0, "MaxSize": 2, "DesiredSize": desired},
            LaunchTemplate={"Id": template.physical_id, "Version": template.attributes["LatestVersionNumber"]},
        )

    return build
