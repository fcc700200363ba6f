"""Field cases of launch templates, node groups, their roles and what a node does on its first boot."""

import email
import itertools
import json
from pathlib import Path

import pytest

from ami.fit import driver_misfits
from ami.lock import path_for
from ami.lock import read as read_lock
from trnstack.findings import InvalidEnvironmentError
from trnstack.source import parse

ENVIRONMENTS = Path(__file__).parents[2] / "environments"
USER_DATA_LIMIT = 16_384
RESERVED = {
    "type": "capacity_reservation",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 32,
    "availability_zone_id": "use2-az3",
}


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
        """LT-04: Image, instance profile and subnets are EKS's to add."""
        for launch in launches:
            assert not {"ImageId", "IamInstanceProfile", "KeyName", "SecurityGroupIds"} & set(launch)
            assert all("SubnetId" not in interface for interface in launch["NetworkInterfaces"])

    def test_image_type_and_release(self, groups):
        """LT-07: Without an own image every node group names image type and release, and the version they are of."""
        for group in groups:
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
        """LT-10: User data is plain text of less than 16 KB, so nothing in it depends on what AWS answers."""
        texts = [launch["UserData"]["Fn::Base64"] for launch in launches if "UserData" in launch]

        assert texts
        assert all(isinstance(text, str) and len(text.encode()) < USER_DATA_LIMIT for text in texts)

    def test_metadata_service(self, launches):
        """IAM-03: Instance metadata answers to version 2 alone, and to pods that need it."""
        expected = {"HttpEndpoint": "enabled", "HttpTokens": "required", "HttpPutResponseHopLimit": 2}

        assert all(launch["MetadataOptions"] == expected for launch in launches)


class TestNodeGroup:
    def test_neuron_image(self, accelerated):
        """NG-01: Every trn node group has the Neuron image type, which CDK's own construct refuses beside trn types."""
        assert {group["AmiType"] for group in accelerated} == {"AL2023_x86_64_NEURON"}

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
        """NG-11: Every node group's image release is the one in the lock file."""
        for name, plan in plans.items():
            lock = read_lock(path_for(ENVIRONMENTS / f"{name}.yaml"))
            for group in plan.node_groups:
                release = every[group.stack].one("AWS::EKS::Nodegroup")["ReleaseVersion"]
                assert release == lock.accelerator_image.release_version

    def test_release_knows_the_types(self, accelerated):
        """NG-12: Releases are younger than trn2, so that the image knows how many pods every type holds."""
        assert all(group["ReleaseVersion"].split("-")[1] > "20250101" for group in accelerated)


class TestFirstBoot:
    @pytest.fixture
    def node_configs(self, every):
        """The NodeConfig of each node group of accelerators, as nodeadm reads it."""
        configs = {}
        for name, template in every.items():
            for made in template.properties("AWS::EC2::LaunchTemplate"):
                message = email.message_from_string(
                    made["LaunchTemplateData"].get("UserData", {}).get("Fn::Base64", "")
                )
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

    def test_eks_adds_the_cluster(self, node_configs):
        """LT-07: With EKS's own image the NodeConfig leaves out the cluster's part, which EKS merges in."""
        assert all("cluster" not in config["spec"] for config in node_configs.values())


class TestImages:
    def test_none_is_named_by_its_id(self, every):
        """AMI-02: No template names an image id, which is one region's and may be gone; releases are everywhere."""
        assert not [name for name, template in every.items() if "ami-" in json.dumps(template)]

    def test_all_are_of_al2023(self, every):
        """AMI-03: Every node group of every environment, the systems' too, starts from AL2023."""
        assert {group["AmiType"] for group in all_of(every, "AWS::EKS::Nodegroup")} == {
            "AL2023_x86_64_NEURON",
            "AL2023_x86_64_STANDARD",
        }

    def test_driver_serves_the_containers(self, plans):
        """NRN-01: The image that nodes start from and the training container are of one SDK release, in every lock."""
        for name in plans:
            lock = read_lock(path_for(ENVIRONMENTS / f"{name}.yaml"))
            assert lock.accelerator_image.neuron_driver == lock.neuron.driver
            assert driver_misfits(lock) == ()


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

    def test_unknown_images_are_refused(self, variant):
        """LT-06: An own image, which needs the cluster's part in its NodeConfig, is refused and not half built."""
        with pytest.raises(InvalidEnvironmentError, match="SPEC091"):
            variant("llama3-8b-trn1", node_group={"image": {"type": "custom", "recipe": "neuron"}})
