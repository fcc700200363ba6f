"""A survey reads back what stands."""

import json

import pytest

from rehearsal.pins.records import image_id_of
from rehearsal.survey import survey, to_json
from rehearsal.survey.image_records import (
    BuildInfrastructure,
    BuiltAmi,
    Distribution,
    ImageDistribution,
    ImagePipeline,
    ImageRecipe,
    Images,
)
from rehearsal.survey.records import Interface, Rule, SubnetPlace

TLS_ONLY = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Deny",
            "Principal": "*",
            "Action": "s3:*",
            "Resource": "*",
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        }
    ],
}
ADMINISTRATORS = {"Effect": "Allow", "Principal": {"AWS": "123456789012"}, "Action": "kms:*", "Resource": "*"}
KEY_POLICY = {"Version": "2012-10-17", "Statement": [ADMINISTRATORS]}
BLOCKS = dict.fromkeys(("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"), True)


def test_nothing(client):
    """An empty account has nothing: moto's default VPC was deployed by nobody."""
    found = survey(client)

    assert (found.vpcs, found.clusters, found.file_systems, found.buckets, found.keys) == ((), (), (), (), ())
    assert found.images == Images()


class TestInTheCluster:
    def test_contents(self, client, cluster):
        """Releases are counted with their objects; objects are those that belong to none, and were not there before."""
        contents = {
            "releases": [
                {
                    "name": "mine",
                    "namespace": "apps",
                    "chart": "small",
                    "version": "1.2.3",
                    "revision": 1,
                    "values_hash": "0",
                    "images": ["example.com/x:1"],
                    "unrendered": "",
                }
            ],
            "objects": [
                {"release": release, "content": {"kind": kind, "metadata": {"name": name, "namespace": "apps"}}}
                for release, kind, name in (
                    (None, "Namespace", "default"),
                    (None, "ConfigMap", "own"),
                    ("apps/mine", "ConfigMap", "of the release"),
                )
            ],
        }
        asked = []
        (found,) = survey(client, lambda endpoint: asked.append(endpoint) or contents).clusters

        assert asked == [cluster.attributes["Endpoint"]]
        assert [(one.name, one.objects, one.images) for one in found.releases] == [("mine", 1, ("example.com/x:1",))]
        assert [(one.kind, one.namespace, one.name) for one in found.objects] == [("ConfigMap", "apps", "own")]

    @pytest.mark.usefixtures("cluster")
    def test_not_looked_into(self, client):
        """Clusters that nobody can look into are told without what they hold."""
        (found,) = survey(client).clusters

        assert (found.releases, found.objects) == ((), ())


@pytest.mark.usefixtures("node_group")
class TestCluster:
    def test_cluster(self, client, make, network):
        """A cluster with its access, its add-ons and its pod identities."""
        cluster = {"ClusterName": "demo"}
        make("AWS::EKS::Addon", **cluster, AddonName="vpc-cni", AddonVersion="v1.22.4-eksbuild.3")
        policy = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"
        make(
            "AWS::EKS::AccessEntry",
            **cluster,
            PrincipalArn=network.role_arn,
            AccessPolicies=[{"PolicyArn": policy, "AccessScope": {"Type": "cluster"}}],
        )
        identity = {"Namespace": "n", "ServiceAccount": "s", "RoleArn": network.role_arn}
        make("AWS::EKS::PodIdentityAssociation", **cluster, **identity)

        (found,) = survey(client).clusters
        assert (found.name, found.version, found.support_type) == ("demo", "1.34", "STANDARD")
        assert (found.endpoint_public, found.endpoint_private) == (False, True)
        assert found.log_types == ("api", "audit")
        assert [(addon.name, addon.version) for addon in found.addons] == [("vpc-cni", "v1.22.4-eksbuild.3")]
        assert found.access_entries[0].policies == ("AmazonEKSViewPolicy",)
        assert found.pod_identities[0].service_account == "s"

    def test_node_group(self, client, network):
        """A node group with what its template and its nodes say."""
        ((group,),) = (cluster.node_groups for cluster in survey(client).clusters)

        assert (group.wanted, group.instances, group.instance_type) == (2, 2, "trn1.32xlarge")
        assert group.subnets == (SubnetPlace(network.subnet_ids[0], "use2-az3"),)
        assert group.interfaces[0] == Interface(0, 0, "efa")
        assert group.interfaces[7] == Interface(7, 1, "efa-only")
        assert (group.http_tokens, group.http_hop_limit) == ("required", 2)
        assert group.root_volume_encrypted is True
        assert group.placement_group.startswith("demo-Placement-")

    def test_no_nodes(self, client):
        """While a group has no nodes the launch template tells."""
        client("eks").update_nodegroup_config(
            clusterName="demo", nodegroupName="trn1", scalingConfig={"desiredSize": 0}
        )
        ((group,),) = (cluster.node_groups for cluster in survey(client).clusters)

        assert (group.instances, len(group.interfaces), group.root_volume_encrypted) == (0, 8, True)


def test_network(client, make, network):
    """A VPC with what routes and filters in it; a public subnet is one that leads to the internet."""
    vpc_id, group_id = network.vpc.physical_id, network.group.physical_id
    gateway = make("AWS::EC2::InternetGateway")
    make("AWS::EC2::VPCGatewayAttachment", VpcId=vpc_id, InternetGatewayId=gateway.physical_id)
    table = make("AWS::EC2::RouteTable", VpcId=vpc_id).physical_id
    make("AWS::EC2::SubnetRouteTableAssociation", RouteTableId=table, SubnetId=network.subnet_ids[1])
    make("AWS::EC2::Route", RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway.physical_id)
    address = make("AWS::EC2::EIP", Domain="vpc").attributes["AllocationId"]
    make("AWS::EC2::NatGateway", AllocationId=address, SubnetId=network.subnet_ids[1])
    make("AWS::EC2::VPCEndpoint", VpcId=vpc_id, ServiceName="com.amazonaws.us-east-2.s3", RouteTableIds=[table])
    make("AWS::EC2::SecurityGroupIngress", GroupId=group_id, IpProtocol="-1", SourceSecurityGroupId=group_id)

    (found,) = survey(client).vpcs
    assert (found.name, found.cidr) == ("demo", "10.0.0.0/16")
    assert [(one.zone_id, one.public) for one in found.subnets] == [("use2-az3", False), ("use2-az1", True)]
    assert [one.zone_id for one in found.nat_gateways] == ["use2-az1"]
    assert [(one.service, one.type) for one in found.endpoints] == [("s3", "Gateway")]
    (group,) = found.security_groups
    assert group.rules == (
        Rule("in", "tcp", "988-1023", "10.0.0.0/16"),
        Rule("in", "all", "all", "itself"),
        Rule("out", "all", "all", "0.0.0.0/0"),
    )


def test_storage(client, make, network):
    """A bucket, a key and a file system with what protects and connects them."""
    key = make("AWS::KMS::Key", KeyPolicy=KEY_POLICY, EnableKeyRotation=True)
    make("AWS::KMS::Alias", AliasName="alias/data", TargetKeyId=key.physical_id)
    default = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key.attributes["Arn"]}
    rule = {"ServerSideEncryptionByDefault": default, "BucketKeyEnabled": True}
    make(
        "AWS::S3::Bucket",
        BucketName="training-data",
        VersioningConfiguration={"Status": "Enabled"},
        BucketEncryption={"ServerSideEncryptionConfiguration": [rule]},
        PublicAccessBlockConfiguration=BLOCKS,
    )
    make("AWS::S3::BucketPolicy", Bucket="training-data", PolicyDocument=TLS_ONLY)
    make("AWS::S3::Bucket", BucketName="unprotected", PublicAccessBlockConfiguration={"BlockPublicAcls": False})
    file_system = make(
        "AWS::FSx::FileSystem",
        FileSystemType="LUSTRE",
        StorageCapacity=4800,
        SubnetIds=network.subnet_ids[:1],
        LustreConfiguration={"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
    )
    make(
        "AWS::FSx::DataRepositoryAssociation",
        FileSystemId=file_system.physical_id,
        FileSystemPath="/data",
        DataRepositoryPath="s3://training-data",
        S3={"AutoImportPolicy": {"Events": ["NEW"]}},
    )
    found = survey(client)

    protected, unprotected = found.buckets
    assert (protected.versioning, protected.encryption, protected.bucket_key) == (True, "aws:kms", True)
    assert protected.public_access_blocked
    assert protected.tls_only
    assert not unprotected.public_access_blocked
    assert not unprotected.tls_only
    assert [(one.aliases, one.rotation) for one in found.keys] == [(("alias/data",), True)]
    (one,) = found.file_systems
    assert (one.storage_gib, one.throughput_mbps_per_tib, one.subnet.zone_id) == (4800, 250, "use2-az3")
    assert one.associations[0].imports == ("NEW",)


@pytest.mark.usefixtures("node_group")
def test_json(client):
    """A survey prints as JSON."""
    printed = json.loads(to_json(survey(client)))

    assert printed["region"] == "us-east-2"
    assert printed["clusters"][0]["node_groups"][0]["interfaces"][0]["interface_type"] == "efa"


class TestSchedules:
    def test_block(self, client, block_group):
        """A node group in a block says so, and in which."""
        block_group()
        ((group,),) = (cluster.node_groups for cluster in survey(client).clusters)

        assert (group.capacity_type, group.market_type) == ("CAPACITY_BLOCK", "capacity-block")
        assert group.capacity_reservation_id == "cr-0123456789abcdef0"

    def test_schedules(self, client, make, network):
        """Schedules come in the order of their times, with what they do."""
        group = make("AWS::Scheduler::ScheduleGroup").physical_id
        for name, day in (("down", 8), ("up", 1)):
            make(
                "AWS::Scheduler::Schedule",
                Name=name,
                GroupName=group,
                ScheduleExpression=f"at(2027-03-0{day}T11:30:00)",
                FlexibleTimeWindow={"Mode": "OFF"},
                Target={"Arn": "arn:aws:sns:us-east-2:123456789012:x", "RoleArn": network.role_arn, "Input": name},
            )

        found = survey(client).schedules
        assert [(one.name, one.timezone, one.state, one.input) for one in found] == [
            ("up", "UTC", "ENABLED", "up"),
            ("down", "UTC", "ENABLED", "down"),
        ]

    def test_topics_and_alarms(self, client, make):
        """A topic says whether its messages are safe, and an alarm what it watches."""
        safe = make("AWS::SNS::Topic", "Safe", KmsMasterKeyId="alias/x")
        make("AWS::SNS::Topic", "Unsafe")
        make("AWS::SNS::TopicPolicy", Topics=[safe.physical_id], PolicyDocument=TLS_ONLY)
        make("AWS::SNS::Subscription", TopicArn=safe.physical_id, Protocol="email", Endpoint="ml@example.com")
        make(
            "AWS::CloudWatch::Alarm",
            Namespace="AWS/Scheduler",
            MetricName="TargetErrorCount",
            ComparisonOperator="GreaterThanThreshold",
            EvaluationPeriods=1,
            AlarmActions=[safe.physical_id],
        )
        found = survey(client)

        assert [(one.encrypted, one.tls_only) for one in found.topics] == [(True, True), (False, False)]
        assert found.topics[0].subscriptions == ("email ml@example.com",)
        assert [(one.metric, one.notifies) for one in found.alarms] == [("AWS/Scheduler TargetErrorCount", 1)]


def test_images(client, make, network):
    """Recipes, what builds and copies images, and the images with their AMIs."""
    name = "amazon-eks-node-al2023-x86_64-neuron-1.35-v20260625"
    parent = image_id_of("us-east-2", name)
    client("iam").create_instance_profile(InstanceProfileName="builder")
    step = {"name": "a", "action": "ExecuteBash"}
    document = json.dumps({"schemaVersion": "1.0", "phases": [{"name": "build", "steps": [step]}]})
    components = [
        make("AWS::ImageBuilder::Component", Name=part, Version="1.0.0", Platform="Linux", Data=document).physical_id
        for part in ("tools", "driver")
    ]
    recipe = make(
        "AWS::ImageBuilder::ImageRecipe",
        Name="demo",
        Version="1.0.0",
        ParentImage=parent,
        Components=[{"ComponentArn": arn} for arn in components],
        BlockDeviceMappings=[{"DeviceName": "/dev/xvda", "Ebs": {"Encrypted": True}}],
    ).physical_id
    infrastructure = make(
        "AWS::ImageBuilder::InfrastructureConfiguration",
        Name="demo",
        InstanceProfileName="builder",
        InstanceTypes=["trn1.2xlarge"],
        InstanceMetadataOptions={"HttpTokens": "required"},
        SubnetId=network.subnet_ids[0],
        SecurityGroupIds=[network.group.physical_id],
    ).physical_id
    shared = {"LaunchPermissionConfiguration": {"UserIds": ["111122223333"]}, "KmsKeyId": "arn:aws:kms:x:1:key/1"}
    distribution = make(
        "AWS::ImageBuilder::DistributionConfiguration",
        Name="demo",
        Distributions=[{"Region": "us-east-2"}, {"Region": "us-west-2", "AmiDistributionConfiguration": shared}],
    ).physical_id
    parts = {
        "ImageRecipeArn": recipe,
        "InfrastructureConfigurationArn": infrastructure,
        "DistributionConfigurationArn": distribution,
    }
    make("AWS::ImageBuilder::ImagePipeline", Name="demo", **parts)
    image = make("AWS::ImageBuilder::Image", **parts)
    found = survey(client).images

    assert found.recipes == (
        ImageRecipe("demo", "1.0.0", parent, name, ("tools 1.0.0", "driver 1.0.0"), root_volume_encrypted=True),
    )
    assert found.infrastructures == (BuildInfrastructure("demo", ("trn1.2xlarge",), "required", "use2-az3"),)
    assert found.distributions == (
        ImageDistribution("demo", (Distribution("us-east-2", ()), Distribution("us-west-2", ("111122223333",)))),
    )
    assert found.pipelines == (ImagePipeline("demo", "ENABLED", "demo 1.0.0"),)
    (built,) = found.built
    assert (built.name, built.version, built.status, built.reason) == ("demo", "1.0.0/1", "AVAILABLE", "")
    assert built.amis[0] == BuiltAmi("us-east-2", image.attributes["ImageId"])
    assert built.amis[1].region == "us-west-2"
