"""The nodes of a managed node group are instances with every interface of their template."""

import time

import pytest

RUNNING = [{"Name": "instance-state-name", "Values": ["running"]}]


def running(client):
    pages = client("ec2").get_paginator("describe_instances").paginate(Filters=RUNNING)
    return [instance for page in pages for reservation in page["Reservations"] for instance in reservation["Instances"]]


def scale(client, wanted):
    client("eks").update_nodegroup_config(
        clusterName="demo", nodegroupName="trn1", scalingConfig={"desiredSize": wanted}
    )


@pytest.mark.usefixtures("node_group")
class TestNodes:
    def test_every_interface_on_its_card(self, client):
        """Each node shows its interfaces with network card, device index and type; EFA-only ones have no address."""
        for node in running(client):
            found = [
                (one["Attachment"]["NetworkCardIndex"], one["Attachment"]["DeviceIndex"], one["InterfaceType"])
                for one in node["NetworkInterfaces"]
            ]
            assert found == [(0, 0, "efa"), *((card, 1, "efa-only") for card in range(1, 8))]
            assert [one["NetworkInterfaceId"] for one in node["NetworkInterfaces"] if "PrivateIpAddress" in one]
            assert sum("PrivateIpAddress" in one for one in node["NetworkInterfaces"]) == 1

    def test_as_the_template_says(self, client, network):
        """Type, subnet, placement, metadata options, encryption and tags are the template's and the group's."""
        node, _ = running(client)
        tags = {tag["Key"]: tag["Value"] for tag in node["Tags"]}
        volume = node["BlockDeviceMappings"][0]["Ebs"]["VolumeId"]

        assert (node["InstanceType"], node["SubnetId"]) == ("trn1.32xlarge", network.subnet_ids[0])
        assert node["Placement"]["GroupName"].startswith("demo-Placement-")
        assert node["MetadataOptions"]["HttpTokens"] == "required"
        assert client("ec2").describe_volumes(VolumeIds=[volume])["Volumes"][0]["Encrypted"] is True
        assert (tags["Name"], tags["eks:cluster-name"], tags["eks:nodegroup-name"]) == ("node", "demo", "trn1")

    def test_scaling(self, client):
        """Another desired size starts nodes, or ends the newest with their interfaces."""
        first = {node["InstanceId"] for node in running(client)}
        scale(client, 5)
        assert len(running(client)) == 5

        scale(client, 2)
        assert {node["InstanceId"] for node in running(client)} == first
        attached = [
            one for one in client("ec2").describe_network_interfaces()["NetworkInterfaces"] if one.get("Attachment")
        ]
        assert len(attached) == 2 * 8

    def test_new_release_replaces_nodes(self, client):
        """A new release comes with new nodes on another image."""
        before = running(client)
        client("eks").update_nodegroup_version(
            clusterName="demo", nodegroupName="trn1", releaseVersion="1.34.9-20260815"
        )
        after = running(client)

        assert len(after) == len(before)
        assert not {node["InstanceId"] for node in before} & {node["InstanceId"] for node in after}
        assert before[0]["ImageId"] != after[0]["ImageId"]

    def test_thirty_two_nodes_are_quick(self, client):
        """32 nodes with 8 interfaces each start in well under a second."""
        began = time.perf_counter()
        scale(client, 32)

        assert time.perf_counter() - began < 1
        assert len(running(client)) == 32


class TestVolumes:
    @pytest.mark.parametrize(
        "wanted",
        [
            {"VolumeType": "io1", "Iops": 4000},
            {"VolumeType": "io2", "Iops": 64000},
            {"VolumeType": "gp3", "Iops": 6000, "Throughput": 500},
            {"VolumeType": "gp3"},
            {"VolumeType": "gp2"},
        ],
    )
    def test_performance(self, client, make, network, cluster, wanted):
        """A node's volume has the type, the operations and the throughput of its template."""
        volume = {"VolumeSize": 200, "Encrypted": True, **wanted}
        template = make(
            "AWS::EC2::LaunchTemplate",
            "Fast",
            LaunchTemplateData={
                "InstanceType": "trn1.32xlarge",
                "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": volume}],
            },
        )
        make(
            "AWS::EKS::Nodegroup",
            "Nodes",
            ClusterName=cluster.physical_id,
            NodeRole=network.role_arn,
            Subnets=network.subnet_ids[:1],
            AmiType="AL2023_x86_64_NEURON",
            ScalingConfig={"MinSize": 0, "MaxSize": 1, "DesiredSize": 1},
            LaunchTemplate={"Id": template.physical_id, "Version": template.attributes["LatestVersionNumber"]},
        )
        (node,) = running(client)
        (found,) = client("ec2").describe_volumes(VolumeIds=[node["BlockDeviceMappings"][0]["Ebs"]["VolumeId"]])[
            "Volumes"
        ]

        assert {name: found[name] for name in wanted} == wanted


class TestAddresses:
    @pytest.fixture
    def small_subnet(self, make, network):
        return make(
            "AWS::EC2::Subnet",
            "Small",
            VpcId=network.vpc.physical_id,
            CidrBlock="10.0.255.0/28",
            AvailabilityZoneId="use2-az3",
        )

    def start(self, client, network, template, small_subnet, wanted):
        return client("eks").create_nodegroup(
            clusterName="demo",
            nodegroupName="small",
            nodeRole=network.role_arn,
            subnets=[small_subnet.physical_id],
            scalingConfig={"minSize": 0, "maxSize": 20, "desiredSize": wanted},
            launchTemplate={"id": template.physical_id, "version": "1"},
        )

    @pytest.mark.usefixtures("cluster")
    def test_as_many_nodes_as_addresses(self, client, network, template, small_subnet):
        """A /28 has eleven addresses for nodes, since EFA-only interfaces need none."""
        self.start(client, network, template, small_subnet, 11)

        assert len(running(client)) == 11

    @pytest.mark.usefixtures("cluster")
    def test_too_few_addresses(self, client, network, template, small_subnet):
        """One node more fails the node group, and no node of it is left."""
        self.start(client, network, template, small_subnet, 12)

        found = client("eks").describe_nodegroup(clusterName="demo", nodegroupName="small")["nodegroup"]
        assert (found["status"], found["health"]["issues"][0]["code"]) == ("CREATE_FAILED", "InsufficientFreeAddresses")
        assert running(client) == []


@pytest.mark.usefixtures("cluster")
def test_without_a_launch_template(client, network):
    """Nodes without a template have one ordinary interface in the cluster's security group."""
    client("eks").create_nodegroup(
        clusterName="demo",
        nodegroupName="plain",
        nodeRole=network.role_arn,
        subnets=network.subnet_ids,
        instanceTypes=["m5.large"],
        scalingConfig={"minSize": 1, "maxSize": 2, "desiredSize": 2},
        capacityType="SPOT",
    )
    nodes = running(client)

    assert {node["SubnetId"] for node in nodes} == set(network.subnet_ids)
    assert {node["InstanceLifecycle"] for node in nodes} == {"spot"}
    assert [len(node["NetworkInterfaces"]) for node in nodes] == [1, 1]
    group = client("eks").describe_cluster(name="demo")["cluster"]["resourcesVpcConfig"]["clusterSecurityGroupId"]
    assert [one["GroupId"] for one in nodes[0]["SecurityGroups"]] == [group]
