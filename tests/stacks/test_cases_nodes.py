"""Field cases of launch templates, node groups, their roles and what a node does on its first boot."""

import email
import itertools
import json
import re
from pathlib import Path

import pytest

from ami.fit import driver_misfit
from ami.lock import path_for
from ami.lock import read as read_lock
from ami.pins import SYSTEM
from bench.locks import resolved
from trnstack.findings import InvalidEnvironmentError
from trnstack.layout.user_data import RESERVED_BYTES
from trnstack.source import parse

ENVIRONMENTS = Path(__file__).parents[2] / "environments"
USER_DATA_LIMIT = 16_384
RESERVED = {
    "type": "capacity_reservation",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 32,
    "availability_zone_id": "use2-az3",
}


def as_text(launch):
    """Returns a launch template's user data, where values are imported with the exports' names in their place."""
    text = launch.get("UserData", {}).get("Fn::Base64", "")
    if isinstance(text, str):
        return text
    return "".join(part if isinstance(part, str) else part["Fn::ImportValue"] for part in text["Fn::Join"][1])


def all_of(every, resource_type):
    """Returns the properties of all resources of a type in all templates."""
    return list(itertools.chain.from_iterable(template.properties(resource_type) for template in every.values()))


@pytest.fixture
def groups(every):
    """The properties of every node group, the systems' among them."""
    return all_of(every, "AWS::EKS::Nodegroup")


@pytest.fixture
def accelerated(every):
    """The properties of every node group of accelerators."""
    return [template.one("AWS::EKS::Nodegroup") for name, template in every.items() if "-nodes-" in name]


@pytest.fixture
def of_eks(groups):
    """The properties of every node group that starts from an EKS-optimized image."""
    return [group for group in groups if "AmiType" in group]


@pytest.fixture
def launches(every):
    """The data of every launch template."""
    return [made["LaunchTemplateData"] for made in all_of(every, "AWS::EC2::LaunchTemplate")]


class TestLaunchTemplate:
    def test_what_belongs_to_it_is_in_it(self, groups, launches):
        """LT-04: Disk size and type stand in the launch template; beside one EKS refuses them in the node group."""
        for group in groups:
            assert not {"RemoteAccess", "DiskSize", "InstanceTypes"} & set(group)
        for launch in launches:
            (root,) = launch["BlockDeviceMappings"]
            assert launch["InstanceType"]
            assert root["Ebs"]["VolumeSize"] >= 50
            assert root["Ebs"]["Encrypted"] is True

    def test_what_belongs_to_eks_is_not_in_it(self, launches):
        """LT-04: Instance profile and subnets are EKS's to add."""
        for launch in launches:
            assert not {"IamInstanceProfile", "KeyName", "SecurityGroupIds"} & set(launch)
            assert all("SubnetId" not in interface for interface in launch["NetworkInterfaces"])

    def test_image_type_and_release(self, every):
        """LT-07: A node group names image type, release and their version, or its launch template an image id."""
        for template in every.values():
            for group in template.properties("AWS::EKS::Nodegroup"):
                launch = template["Resources"][group["LaunchTemplate"]["Id"]["Ref"]]["Properties"]["LaunchTemplateData"]
                if "ImageId" in launch:
                    assert not {"AmiType", "ReleaseVersion", "Version"} & set(group)
                else:
                    assert group["AmiType"].startswith("AL2023_x86_64_")
                    assert group["ReleaseVersion"].startswith(f"{group['Version']}.")

    def test_version_is_a_reference(self, every):
        """LT-09: The node group refers to its launch template's latest version, so every edit reaches nodes."""
        for template in every.values():
            launch_templates = template.of("AWS::EC2::LaunchTemplate")
            for group in template.properties("AWS::EKS::Nodegroup"):
                name = group["LaunchTemplate"]["Id"]["Ref"]
                assert name in launch_templates
                assert group["LaunchTemplate"]["Version"] == {"Fn::GetAtt": [name, "LatestVersionNumber"]}

    def test_user_data_fits(self, launches):
        """LT-10: User data is text of less than 16 KB, with room for what the cluster tells of itself."""
        texts = [as_text(launch) for launch in launches if "UserData" in launch]

        assert texts
        assert all(len(text.encode()) + RESERVED_BYTES < USER_DATA_LIMIT for text in texts)

    def test_metadata_service(self, launches):
        """IAM-03: Instance metadata answers to version 2 alone, and to pods that need it."""
        expected = {"HttpEndpoint": "enabled", "HttpTokens": "required", "HttpPutResponseHopLimit": 2}

        assert all(launch["MetadataOptions"] == expected for launch in launches)


class TestNodeGroup:
    def test_neuron_image(self, accelerated):
        """NG-01: Every trn node group has the Neuron image type, which CDK's construct refuses, or its own image."""
        assert {group.get("AmiType") for group in accelerated} == {"AL2023_x86_64_NEURON", None}

    def test_repair(self, accelerated, every):
        """One unhealthy node is replaced at a time, and none while many are: what they share may have failed."""
        for group in accelerated:
            repair = group["NodeRepairConfig"]
            overrides = repair["NodeRepairConfigOverrides"]
            assert repair["Enabled"] is True
            assert repair["MaxParallelNodesRepairedCount"] == 1
            assert 1 <= repair["MaxUnhealthyNodeThresholdCount"] <= max(group["ScalingConfig"]["MaxSize"] // 5, 1)
            assert {each["NodeMonitoringCondition"] for each in overrides} == {"AcceleratedHardwareReady"}
            assert all(len(each) == 4 for each in overrides), "EKS wants all four or none"
        for name, template in every.items():
            if name.endswith("-cluster"):
                assert "NodeRepairConfigOverrides" not in template.one("AWS::EKS::Nodegroup")["NodeRepairConfig"]

    def test_size_is_asked_for(self, variant):
        """NG-03: A node group without a size is a finding; there is no default that starts expensive nodes."""
        with pytest.raises(InvalidEnvironmentError, match="SPEC011"):
            variant("llama3-8b-trn1", node_group={"node_count": None})

    def test_size_is_the_environments(self, every):
        """NG-03: The sizes in the template are those of the environment file."""
        sizes = {
            name: tuple(template.one("AWS::EKS::Nodegroup")["ScalingConfig"].values())
            for name, template in every.items()
            if "-nodes-" in name
        }

        assert sizes["llama3-8b-nodes-trn1"] == (32, 32, 32)
        assert sizes["llama2-7b-nodes-trn1"] == (4, 4, 8)
        assert sizes["dev-nodes-spot"] == (1, 1, 1)

    def test_fixed_fleet(self, every):
        """NG-04: A fixed fleet has one size, so a deploy never changes what runs."""
        assert len(set(every["llama3-8b-nodes-trn1"].one("AWS::EKS::Nodegroup")["ScalingConfig"].values())) == 1

    def test_scaled_fleet_says_what_a_deploy_does(self, plans):
        """NG-04: A fleet between two sizes says that a deploy of new sizes sets the desired one back."""
        (decision,) = (each for each in plans["llama2-7b-trn1"].decisions if each.path == "node_groups[0].desired")

        assert decision.value == "4"
        assert "sets the desired size back" in decision.reason

    def test_reserved_fleets_update_in_place(self, variant):
        """NG-06: A reserved fleet stops old nodes before it starts new ones, for which there would be no capacity."""
        template = variant("llama3-8b-trn1", node_group={"capacity": RESERVED})["llama3-8b-nodes-trn1"]

        assert template.one("AWS::EKS::Nodegroup")["UpdateConfig"] == {"MaxUnavailable": 1, "UpdateStrategy": "MINIMAL"}

    def test_updates_are_not_forced(self, groups):
        """NG-07: Updates keep to pods' disruption budgets."""
        assert all(group["ForceUpdateEnabled"] is False for group in groups)

    def test_cluster_group(self, every):
        """NG-08: The interface with the address is in the cluster's group, which EKS adds only where none is named."""
        for name, template in every.items():
            for made in template.properties("AWS::EC2::LaunchTemplate"):
                groups = made["LaunchTemplateData"]["NetworkInterfaces"][0]["Groups"]
                if name.endswith("-cluster"):
                    (cluster,) = template.of("AWS::EKS::Cluster")
                    assert groups[1] == {"Fn::GetAtt": [cluster, "ClusterSecurityGroupId"]}
                else:
                    environment = name.split("-nodes-")[0]
                    assert groups[1] == {"Fn::ImportValue": f"{environment}-cluster:ClusterSecurityGroup"}

    def test_zone_offers_the_type(self, variant):
        """NG-10: A node group in a zone that does not offer its type is a finding."""
        with pytest.raises(InvalidEnvironmentError, match="CAT004"):
            variant("llama3-8b-trn1", node_group={"availability_zone_id": "use2-az1"})

    def test_subnet_is_in_the_groups_zone(self, every, plans):
        """NG-10: The subnet that a node group names is in the zone, by id, that the plan says."""
        for plan in plans.values():
            network = every[f"{plan.name}-network"]
            for group in plan.node_groups:
                (subnet,) = every[group.stack].one("AWS::EKS::Nodegroup")["Subnets"]
                exported = network.exports()[subnet["Fn::ImportValue"]]
                if plan.network.existing_vpc:
                    zones = {each.subnet_id: each.availability_zone_id for each in plan.network.existing_vpc.subnets}
                    zone = zones[exported]
                else:
                    zone = network["Resources"][exported["Ref"]]["Properties"]["AvailabilityZoneId"]
                assert (zone,) == group.availability_zone_ids

    def test_release_is_pinned(self, every, plans):
        """NG-11: Every node group's image release, or the image's id, is the one in the lock file."""
        for name, plan in plans.items():
            lock = resolved(read_lock(path_for(ENVIRONMENTS / f"{name}.yaml")))
            for group in plan.node_groups:
                made, pin = every[group.stack].one("AWS::EKS::Nodegroup"), lock.images[group.name]
                launch = every[group.stack].one("AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
                if pin.custom:
                    assert launch["ImageId"] == pin.custom.image_ids[plan.region]
                else:
                    assert made["ReleaseVersion"] == pin.release_version

    def test_release_knows_the_types(self, of_eks):
        """NG-12: Releases are younger than trn2, so that the image knows how many pods every type holds."""
        assert all(group["ReleaseVersion"].split("-")[1] > "20250101" for group in of_eks)


class TestFirstBoot:
    @pytest.fixture
    def node_configs(self, every):
        """The NodeConfig of each node group of accelerators, as nodeadm reads it."""
        configs = {}
        for name, template in every.items():
            for made in template.properties("AWS::EC2::LaunchTemplate"):
                message = email.message_from_string(as_text(made["LaunchTemplateData"]))
                for part in message.walk():
                    if part.get_content_type() == "application/node.eks.aws":
                        configs[name] = parse(part.get_payload().removeprefix("---\n"), name).data
        return configs

    def test_local_disks_are_used(self, node_configs, every):
        """HOST-04: Nodes whose type has local disks join them into one volume, and the root volume has room."""
        fleets = {name for name in every if "-nodes-" in name}

        assert set(node_configs) == fleets
        for name in fleets:
            assert node_configs[name]["kind"] == "NodeConfig"
            assert node_configs[name]["spec"]["instance"]["localStorage"] == {"strategy": "RAID0"}
            launch = every[name].one("AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
            assert launch["BlockDeviceMappings"][0]["Ebs"]["VolumeSize"] >= 200

    def test_locked_memory(self, node_configs, every):
        """HOST-01: Containers may lock memory without limit exactly where nodes have EFA, which registers it."""
        for name, config in node_configs.items():
            launch = every[name].one("AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
            efa = any(interface["InterfaceType"] != "interface" for interface in launch["NetworkInterfaces"])
            limits = (
                config["spec"].get("containerd", {}).get("baseRuntimeSpec", {}).get("process", {}).get("rlimits", ())
            )
            locked = [limit["hard"] for limit in limits if limit["type"] == "RLIMIT_MEMLOCK"]
            assert bool(locked) == efa
            assert all(hard > 2**50 for hard in locked)

    def test_eks_adds_the_cluster(self, node_configs, every):
        """LT-07: With EKS's own image the NodeConfig leaves out the cluster's part, which EKS merges in."""
        of_eks = [name for name in node_configs if "AmiType" in every[name].one("AWS::EKS::Nodegroup")]

        assert of_eks
        assert all("cluster" not in node_configs[name]["spec"] for name in of_eks)

    def test_nodes_of_own_images_are_told_the_cluster(self, node_configs, every):
        """LT-06: With an image of one's own the NodeConfig says all that a node needs to join, from the cluster itself.

        Endpoint and certificate are what the cluster's stack exports; name and range of services are what it is made
        with.
        """
        own = [name for name in node_configs if "AmiType" not in every[name].one("AWS::EKS::Nodegroup")]

        assert own
        for name in own:
            cluster_stack = f"{name.partition('-nodes-')[0]}-cluster"
            cluster = every[cluster_stack].one("AWS::EKS::Cluster")
            assert node_configs[name]["spec"]["cluster"] == {
                "name": cluster["Name"],
                "apiServerEndpoint": f"{cluster_stack}:ClusterEndpoint",
                "certificateAuthority": f"{cluster_stack}:ClusterCertificateAuthority",
                "cidr": cluster["KubernetesNetworkConfig"]["ServiceIpv4Cidr"],
            }
            exports = every[cluster_stack].exports()
            assert exports[f"{cluster_stack}:ClusterEndpoint"]["Fn::GetAtt"][1] == "Endpoint"
            authority = exports[f"{cluster_stack}:ClusterCertificateAuthority"]
            assert authority["Fn::GetAtt"][1] == "CertificateAuthorityData"


class TestImages:
    def test_none_is_named_by_its_id(self, templates, plans):
        """AMI-02: No template names an image id, which is one region's, but a custom image's and its parent's."""
        for name, stacks in templates.items():
            own = {image_id for image in plans[name].images for image_id in (image.image_id, image.parent_image_id)}
            for template in stacks.values():
                assert set(re.findall(r"ami-[0-9a-f]{17}", json.dumps(template))) <= own

    def test_all_are_of_al2023(self, of_eks):
        """AMI-03: Every node group that starts from EKS's images, the systems' too, starts from AL2023."""
        assert {group["AmiType"] for group in of_eks} == {
            "AL2023_x86_64_NEURON",
            "AL2023_x86_64_STANDARD",
        }

    def test_driver_serves_the_containers(self, plans):
        """NRN-01: The image that nodes start from and the training container are of one SDK release, in every lock."""
        for name in plans:
            lock = read_lock(path_for(ENVIRONMENTS / f"{name}.yaml"))
            drivers = {pin.nodes_driver for group, pin in lock.images.items() if group != SYSTEM}
            assert drivers == {lock.neuron.driver}
            assert driver_misfit(lock.neuron.driver, lock.neuron) == ""


class TestReservations:
    def test_none_is_made(self, every):
        """CAP-08: No stack makes a reservation, so that no edit can replace one: they are named by id."""
        assert not all_of(every, "AWS::EC2::CapacityReservation")


class TestLabels:
    def test_efa(self, every):
        """K8S-02: Nodes bear the EFA label exactly where they have EFA interfaces, for the plugin to select."""
        for name, template in every.items():
            if "-nodes-" in name:
                launch = template.one("AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
                efa = any(interface["InterfaceType"] != "interface" for interface in launch["NetworkInterfaces"])
                labels = template.one("AWS::EKS::Nodegroup").get("Labels", {})
                assert (labels.get("trnstack/efa") == "true") == efa


class TestNodeRole:
    def test_policies(self, every):
        """IAM-02: The node role may join and pull images; the network plugin's permissions are its pods' own."""
        for name, template in every.items():
            if name.endswith("-cluster"):
                role = template["Resources"]["NodeRole"]["Properties"]
                names = {arn["Fn::Join"][1][-1].rsplit("/", 1)[1] for arn in role["ManagedPolicyArns"]}
                assert {"AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly"} <= names
                assert "AmazonEKS_CNI_Policy" not in names
                (cni,) = (a for a in template.properties("AWS::EKS::Addon") if a["AddonName"] == "vpc-cni")
                assert [identity["ServiceAccount"] for identity in cni["PodIdentityAssociations"]] == ["aws-node"]

    def test_access_entries_are_peoples(self, every):
        """IAM-02: Managed node groups enter themselves, so access entries are for administrators alone."""
        assert {entry["Type"] for entry in all_of(every, "AWS::EKS::AccessEntry")} == {"STANDARD"}
