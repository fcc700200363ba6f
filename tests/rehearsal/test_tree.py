"""A survey is rendered as a text tree."""

import dataclasses

import pytest

from rehearsal.survey.image_records import (
    BuildInfrastructure,
    BuiltAmi,
    BuiltImage,
    Distribution,
    ImageDistribution,
    ImagePipeline,
    ImageRecipe,
    Images,
)
from rehearsal.survey.kubernetes_records import HelmRelease, KubernetesObject
from rehearsal.survey.records import (
    AccessEntry,
    Addon,
    Association,
    Bucket,
    Cluster,
    Endpoint,
    FileSystem,
    FlowLog,
    Interface,
    Key,
    NatGateway,
    NodeGroup,
    PodIdentity,
    Rule,
    SecurityGroup,
    Stack,
    Subnet,
    SubnetPlace,
    Survey,
    Vpc,
)
from rehearsal.survey.schedule_records import Alarm, Schedule, Topic
from rehearsal.tree import tree

NODES = NodeGroup(
    name="trn1",
    status="ACTIVE",
    ami_type="AL2023_x86_64_NEURON",
    release_version="1.34.9-20260714",
    instance_type="trn1.32xlarge",
    capacity_type="ON_DEMAND",
    wanted=32,
    smallest=0,
    largest=32,
    subnets=(SubnetPlace("subnet-1", "use2-az3"),),
    interfaces=(Interface(0, 0, "efa"), *(Interface(card, 1, "efa-only") for card in range(1, 8))),
    http_tokens="required",
    http_hop_limit=2,
    root_volume_encrypted=True,
    placement_group="demo-trn1",
    capacity_reservation_id=None,
    labels={},
    taints=("aws.amazon.com/neuron=true:NO_SCHEDULE",),
    instances=32,
)
CLUSTER = Cluster(
    name="demo",
    version="1.34",
    status="ACTIVE",
    support_type="STANDARD",
    endpoint_public=False,
    endpoint_private=True,
    public_access_cidrs=(),
    authentication_mode="API",
    deletion_protection=True,
    secrets_key_arn="arn:key",
    log_types=("api", "audit"),
    access_entries=(AccessEntry("arn:aws:iam::123456789012:role/Admin", "STANDARD", ("AmazonEKSClusterAdminPolicy",)),),
    addons=(Addon("coredns", "v1.12.1", "ACTIVE"), Addon("vpc-cni", "v1.22.4", "ACTIVE")),
    pod_identities=(PodIdentity("kube-system", "fsx-csi", "arn:aws:iam::123456789012:role/Fsx"),),
    node_groups=(NODES,),
)
VPC = Vpc(
    vpc_id="vpc-1",
    name="demo",
    cidr="10.0.0.0/16",
    subnets=(
        Subnet("subnet-1", "private-1", "10.0.0.0/20", "use2-az3", public=False),
        Subnet("subnet-2", "public-1", "10.0.240.0/24", "use2-az3", public=True),
    ),
    nat_gateways=(NatGateway("nat-1", "subnet-2", "use2-az3"),),
    endpoints=(Endpoint("s3", "Gateway"),),
    flow_logs=(FlowLog("ALL", "/demo/flow"),),
    security_groups=(
        SecurityGroup("sg-1", "nodes", (Rule("in", "all", "all", "itself"), Rule("out", "tcp", "443", "0.0.0.0/0"))),
    ),
)
SURVEY = Survey(
    region="us-east-2",
    stacks=(
        Stack("demo-network", "CREATE_COMPLETE", termination_protection=False),
        Stack("demo-storage", "CREATE_COMPLETE", termination_protection=True),
    ),
    vpcs=(VPC,),
    clusters=(CLUSTER,),
    file_systems=(
        FileSystem(
            file_system_id="fs-1",
            type="LUSTRE",
            deployment_type="PERSISTENT_2",
            storage_gib=4800,
            throughput_mbps_per_tib=250,
            version="2.15",
            mount_name="abcdefgh",
            efa_enabled=True,
            subnet=SubnetPlace("subnet-1", "use2-az3"),
            associations=(Association("/data", "s3://training-data", ("NEW",), ()),),
        ),
    ),
    buckets=(
        Bucket(
            name="training-data",
            versioning=True,
            encryption="aws:kms",
            key="arn:key",
            bucket_key=True,
            public_access_blocked=True,
            tls_only=True,
            lifecycle_rules=("abort",),
        ),
    ),
    keys=(Key("1", ("alias/data",), rotation=True, state="Enabled"),),
)
WHOLE = """\
us-east-2
├─ stacks
│  ├─ demo-network  CREATE_COMPLETE
│  └─ demo-storage  CREATE_COMPLETE · termination protection
├─ VPC demo · 10.0.0.0/16
│  ├─ subnets
│  │  ├─ private-1  10.0.0.0/20    use2-az3  private
│  │  └─ public-1   10.0.240.0/24  use2-az3  public
│  ├─ NAT gateways  use2-az3
│  ├─ endpoints     s3 (gateway)
│  ├─ flow logs     all traffic to /demo/flow
│  └─ security groups
│     └─ nodes
│        ├─ in   all       itself
│        └─ out  tcp  443  0.0.0.0/0
├─ cluster demo · Kubernetes 1.34 · ACTIVE · standard support
│  ├─ endpoint    private
│  ├─ protection  deletion protection · secrets encrypted with a key of yours
│  ├─ logs        api, audit
│  ├─ access (API)
│  │  └─ role/Admin  AmazonEKSClusterAdminPolicy
│  ├─ add-ons
│  │  ├─ coredns  v1.12.1 · ACTIVE
│  │  └─ vpc-cni  v1.22.4 · ACTIVE
│  ├─ pod identities
│  │  └─ kube-system/fsx-csi  Fsx
│  └─ node groups
│     └─ trn1  32 nodes wanted · trn1.32xlarge · 8 EFA interfaces each (1 efa, 7 efa-only) · use2-az3 · placement group demo-trn1
│        ├─ nodes     32 running, 0 to 32 allowed
│        ├─ image     AL2023_x86_64_NEURON · 1.34.9-20260714
│        ├─ capacity  ON_DEMAND
│        ├─ metadata  tokens required, hop limit 2
│        ├─ storage   root volume encrypted
│        └─ taints    aws.amazon.com/neuron=true:NO_SCHEDULE
├─ file systems
│  └─ fs-1  Lustre 2.15 PERSISTENT_2 · 4800 GiB at 250 MB/s per TiB · use2-az3 · mount name abcdefgh · EFA
│     └─ /data  s3://training-data  imports new
├─ buckets
│  └─ training-data  aws:kms · versioned · public access blocked · TLS only · lifecycle: abort
└─ keys
   └─ alias/data  Enabled · rotated
"""  # noqa: E501  # a line of the tree is as long as what it says


class TestTree:
    def test_whole(self):
        """Everything that stands has its line, aligned with its like."""
        assert tree(SURVEY) == WHOLE

    def test_nothing(self):
        """Where nothing stands only the region is left."""
        empty = Survey("us-east-2", (), (), (), (), (), ())

        assert tree(empty) == "us-east-2\n"

    @pytest.mark.parametrize(
        ("changed", "line"),
        [
            ({"deletion_protection": False}, "no deletion protection"),
            ({"secrets_key_arn": None}, "secrets encrypted by EKS alone"),
            ({"endpoint_public": True, "public_access_cidrs": ("192.0.2.0/24",)}, "public, open to 192.0.2.0/24"),
            ({"log_types": ()}, "logs        none"),
        ],
    )
    def test_what_is_missing_is_said(self, changed, line):
        """An unprotected or open cluster is called so."""
        cluster = dataclasses.replace(CLUSTER, **changed)

        assert line in tree(dataclasses.replace(SURVEY, clusters=(cluster,)))

    @pytest.mark.parametrize(
        ("changed", "line"),
        [
            ({"interfaces": ()}, "1 interface each"),
            ({"wanted": 1}, "1 node wanted"),
            ({"root_volume_encrypted": False}, "root volume not encrypted"),
        ],
    )
    def test_node_group(self, changed, line):
        """Ordinary interfaces, one node and unencrypted volumes are called so."""
        cluster = dataclasses.replace(CLUSTER, node_groups=(dataclasses.replace(NODES, **changed),))

        assert line in tree(dataclasses.replace(SURVEY, clusters=(cluster,)))

    def test_block(self):
        """A node group in a block names it: by its id, or by its resource group."""
        arn = "arn:aws:resource-groups:us-east-2:123456789012:group/blocks"
        block = {"capacity_type": "CAPACITY_BLOCK", "capacity_reservation_resource_group_arn": arn}
        group = dataclasses.replace(NODES, **block)
        cluster = dataclasses.replace(CLUSTER, node_groups=(group,))

        assert "capacity  CAPACITY_BLOCK · resource group/blocks" in tree(
            dataclasses.replace(SURVEY, clusters=(cluster,))
        )

    def test_in_the_cluster(self):
        """Charts with their versions and images, one that could not be rendered, objects by namespace, groups."""
        made = HelmRelease("mine", "apps", "small", "1.2.3", 2, "", 3, ("example.com/x:1",), "")
        cluster = dataclasses.replace(
            CLUSTER,
            access_entries=(AccessEntry("arn:aws:iam::123456789012:role/Trainer", "STANDARD", (), ("trainers",)),),
            releases=(dataclasses.replace(made, name="small", objects=0, unrendered="no helm"), made),
            objects=(
                KubernetesObject("ConfigMap", "training", "one", {}),
                KubernetesObject("ConfigMap", "training", "two", {}),
                KubernetesObject("Topology", "", "tree", {}),
            ),
        )

        assert """
│  ├─ access (API)
│  │  └─ role/Trainer  no access policy · groups trainers
""" in tree(dataclasses.replace(SURVEY, clusters=(cluster,)))
        assert """
│  ├─ charts
│  │  ├─ small  1.2.3        namespace apps · revision 2 · NOT RENDERED: no helm
│  │  │  └─ example.com/x:1
│  │  └─ mine   small 1.2.3  namespace apps · revision 2 · 3 objects
│  │     └─ example.com/x:1
│  ├─ objects
│  │  ├─ the cluster's
│  │  │  └─ Topology  tree
│  │  └─ training
│  │     └─ ConfigMap  one, two
""" in tree(dataclasses.replace(SURVEY, clusters=(cluster,)))

    def test_images(self):
        """Recipes with their components in order, what builds and copies images, and the images with their AMIs."""
        found = Images(
            recipes=(
                ImageRecipe(
                    "demo",
                    "1.0.0",
                    "ami-1",
                    "amazon-eks-node",
                    ("driver 1.0.0", "efa 1.0.0"),
                    root_volume_encrypted=True,
                ),
                ImageRecipe("plain", "1.0.0", "ssm:/parent", "", (), None),
            ),
            infrastructures=(
                BuildInfrastructure("demo", ("trn1.2xlarge",), "required", "use2-az3"),
                BuildInfrastructure("plain", (), "", None),
            ),
            distributions=(
                ImageDistribution(
                    "demo", (Distribution("us-east-2", ()), Distribution("us-west-2", ("111122223333", "444455556666")))
                ),
            ),
            pipelines=(ImagePipeline("demo", "ENABLED", "demo 1.0.0"),),
            built=(
                BuiltImage("demo", "1.0.0/1", "AVAILABLE", "", (BuiltAmi("us-east-2", "ami-2"),)),
                BuiltImage("demo", "1.0.0/2", "FAILED", "it can't be shared", ()),
            ),
        )

        assert tree(Survey("us-east-2", *((),) * 6, images=found)).splitlines()[1:] == [
            "└─ images",
            "   ├─ recipe demo 1.0.0     from amazon-eks-node · root volume encrypted",
            "   │  ├─ 1.  driver 1.0.0",
            "   │  └─ 2.  efa 1.0.0",
            "   ├─ recipe plain 1.0.0    from ssm:/parent",
            "   ├─ infrastructure demo   trn1.2xlarge · tokens required · use2-az3",
            "   ├─ infrastructure plain  tokens optional",
            "   ├─ distribution demo     us-east-2 · us-west-2 (shared with 111122223333, 444455556666)",
            "   ├─ pipeline demo         enabled · builds demo 1.0.0",
            "   ├─ image demo 1.0.0/1    available · us-east-2 ami-2",
            "   └─ image demo 1.0.0/2    failed · it can't be shared",
        ]

    def test_schedules(self):
        """What happens by itself, when, and who is told."""
        resize = '{"ClusterName": "demo", "ScalingConfig": {"DesiredSize": 16}}'
        topic = "arn:aws:sns:us-east-2:123456789012:notices"
        found = Survey(
            "us-east-2",
            *((),) * 6,
            schedules=(
                Schedule("block", "scale-up", "at(2027-03-01T11:30:00)", "UTC", "ENABLED", "arn:eks", resize),
                Schedule("block", "notice", "at(2027-03-08T10:00:00)", "UTC", "DISABLED", topic, "Ending"),
            ),
            topics=(Topic("notices", encrypted=True, tls_only=False, subscriptions=("email ml@example.com",)),),
            alarms=(Alarm("idle", "AWS/Scheduler TargetErrorCount", 1),),
        )

        assert tree(found).splitlines()[1:] == [
            "├─ schedules",
            "│  └─ block",
            "│     ├─ scale-up  at(2027-03-01T11:30:00) UTC  16 nodes wanted",
            "│     └─ notice    at(2027-03-08T10:00:00) UTC  notices · disabled",
            "├─ topics",
            "│  └─ notices  encrypted · plain HTTP allowed · email ml@example.com",
            "└─ alarms",
            "   └─ idle  AWS/Scheduler TargetErrorCount",
        ]
