"""EKS's clusters, their updates, and what it refuses."""

import pytest
from botocore.exceptions import ClientError

from rehearsal.overlays.state import state_of
from trnstack.catalog import KUBERNETES_VERSIONS


@pytest.fixture
def eks(client):
    return client("eks")


class TestClusters:
    @pytest.mark.usefixtures("cluster")
    def test_answer_in_full(self, eks, network):
        """The answer has what moto leaves out."""
        found = eks.describe_cluster(name="demo")["cluster"]

        assert found["accessConfig"]["authenticationMode"] == "API"
        assert found["upgradePolicy"] == {"supportType": "STANDARD"}
        assert found["deletionProtection"] is False
        assert found["resourcesVpcConfig"]["vpcId"] == network.vpc.physical_id
        assert found["kubernetesNetworkConfig"]["serviceIpv4Cidr"] == "172.20.0.0/16"
        assert found["logging"]["clusterLogging"][0] == {"types": ["api", "audit"], "enabled": True}

    def test_one_zone_is_too_few(self, eks, network):
        """A cluster's subnets are in two zones at least."""
        with pytest.raises(ClientError, match="two different AZs"):
            eks.create_cluster(
                name="c", roleArn=network.role_arn, resourcesVpcConfig={"subnetIds": network.subnet_ids[:1]}
            )

    @pytest.mark.parametrize("missing", ["role", "subnet"])
    def test_missing_parts(self, eks, network, missing):
        """A role or a subnet that doesn't stand is refused."""
        role = f"{network.role_arn}x" if missing == "role" else network.role_arn
        subnets = ["subnet-0", *network.subnet_ids] if missing == "subnet" else network.subnet_ids

        with pytest.raises(ClientError, match=r"InvalidParameterException.*does not exist"):
            eks.create_cluster(name="c", roleArn=role, resourcesVpcConfig={"subnetIds": subnets})

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"roleArn": ""}, "could not be assumed"),
            ({"roleArn": "role/x"}, "could not be assumed"),
            ({"resourcesVpcConfig": {}}, "two different AZs"),
            ({"encryptionConfig": [{"resources": ["secrets"]}]}, "KeyArn"),
            ({"encryptionConfig": [{"resources": ["secrets"], "provider": {"keyArn": "x"}}]}, "KeyArn"),
        ],
    )
    def test_parts_that_say_nothing(self, eks, network, changes, message):
        """What the API's model lets a caller leave out, or spell as he likes, is refused."""
        good = {"roleArn": network.role_arn, "resourcesVpcConfig": {"subnetIds": network.subnet_ids}}

        with pytest.raises(ClientError, match=rf"InvalidParameterException.*{message}"):
            eks.create_cluster(**{"name": "c", **good, **changes})

    @pytest.mark.usefixtures("cluster")
    def test_updates_that_say_nothing(self, eks):
        """An update without logs or a mode changes nothing; a mode that is none is refused."""
        before = eks.describe_cluster(name="demo")["cluster"]
        eks.update_cluster_config(name="demo", logging={})
        eks.update_cluster_config(name="demo", accessConfig={})
        with pytest.raises(ClientError, match=r"InvalidParameterException.*authentication mode update from API to X"):
            eks.update_cluster_config(name="demo", accessConfig={"authenticationMode": "X"})

        assert eks.describe_cluster(name="demo")["cluster"] == before

    @pytest.mark.usefixtures("cluster")
    def test_one_kind_of_update_at_a_time(self, eks):
        """Two kinds of changes in one call are refused."""
        with pytest.raises(ClientError, match="one type of cluster update"):
            eks.update_cluster_config(
                name="demo", deletionProtection=True, resourcesVpcConfig={"endpointPublicAccess": True}
            )

    @pytest.mark.usefixtures("cluster")
    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"endpointPrivateAccess": False}, "Private and public endpoint access cannot be false"),
            ({"publicAccessCidrs": ["172.16.0.0/12"]}, "invalid in publicAccessCidrs"),
        ],
    )
    def test_endpoint_of_an_update(self, eks, settings, message):
        """An update is looked at together with what stands, and changes nothing when it is refused."""
        before = eks.describe_cluster(name="demo")["cluster"]["resourcesVpcConfig"]
        with pytest.raises(ClientError, match=rf"InvalidParameterException.*{message}"):
            eks.update_cluster_config(name="demo", resourcesVpcConfig=settings)

        assert eks.describe_cluster(name="demo")["cluster"]["resourcesVpcConfig"] == before

    def test_settings_that_are_taken(self, eks, network):
        """Ranges of anybody's on the internet are taken, and a range of services beside the VPC's."""
        eks.create_cluster(
            name="c",
            roleArn=network.role_arn,
            resourcesVpcConfig={
                "subnetIds": network.subnet_ids,
                "securityGroupIds": [network.group.physical_id],
                "publicAccessCidrs": ["0.0.0.0/0", "203.0.113.7/32"],
            },
            kubernetesNetworkConfig={"serviceIpv4Cidr": "10.100.0.0/16"},
        )
        assert eks.describe_cluster(name="c")["cluster"]["status"] == "ACTIVE"

    @pytest.mark.usefixtures("cluster")
    @pytest.mark.parametrize("version", ["1.33", "1.34", "1.36", "x", "1.", "1.x"])
    def test_versions_go_up_by_one(self, eks, version):
        """No minor version is skipped, and none comes back."""
        with pytest.raises(ClientError, match="Unsupported Kubernetes minor version update"):
            eks.update_cluster_version(name="demo", version=version)

    @pytest.mark.usefixtures("cluster")
    def test_update_is_described(self, eks):
        """An update is in progress when it is asked for and successful when it is described."""
        update = eks.update_cluster_version(name="demo", version="1.35")["update"]

        assert update["status"] == "InProgress"
        found = eks.describe_update(name="demo", updateId=update["id"])["update"]
        assert (found["status"], found["type"]) == ("Successful", "VersionUpdate")

    @pytest.mark.usefixtures("cluster")
    def test_authentication_mode_goes_one_way(self, eks):
        """From access entries there is no way back to the config map."""
        with pytest.raises(ClientError, match="Unsupported authentication mode update"):
            eks.update_cluster_config(name="demo", accessConfig={"authenticationMode": "CONFIG_MAP"})

    @pytest.mark.usefixtures("cluster")
    def test_deletion_protection(self, eks):
        """A protected cluster is not deleted."""
        eks.update_cluster_config(name="demo", deletionProtection=True)

        with pytest.raises(ClientError, match=r"InvalidRequestException.*deletion protection"):
            eks.delete_cluster(name="demo")

    @pytest.mark.usefixtures("node_group")
    def test_node_groups_attached(self, eks):
        """A cluster with node groups is not deleted."""
        with pytest.raises(ClientError, match="ResourceInUseException"):
            eks.delete_cluster(name="demo")

    def test_leaves_nothing(self, client, eks, cluster):
        """Security group and interfaces go with the cluster."""
        eks.delete_cluster(name="demo")

        assert client("ec2").describe_network_interfaces()["NetworkInterfaces"] == []
        with pytest.raises(ClientError, match=r"InvalidGroup\.NotFound"):
            client("ec2").describe_security_groups(GroupIds=[cluster.attributes["ClusterSecurityGroupId"]])

    def test_unknown(self, eks):
        """An unknown cluster is named in the error."""
        with pytest.raises(ClientError, match=r"ResourceNotFoundException.*name: demo"):
            eks.list_addons(clusterName="demo")


@pytest.mark.usefixtures("node_group")
class TestNodegroups:
    def test_only_what_was_given(self, eks):
        """What the launch template decides is not answered."""
        found = eks.describe_nodegroup(clusterName="demo", nodegroupName="trn1")["nodegroup"]

        assert not {"instanceTypes", "diskSize", "remoteAccess"} & set(found)
        assert found["launchTemplate"]["version"] == "1"

    @pytest.mark.parametrize(
        ("scaling", "message"),
        [({"minSize": 3}, "Minimum capacity 3"), ({"desiredSize": 65}, "desired capacity 65")],
    )
    def test_sizes_in_order(self, eks, scaling, message):
        """The desired size is between the smallest and the largest."""
        with pytest.raises(ClientError, match=message):
            eks.update_nodegroup_config(clusterName="demo", nodegroupName="trn1", scalingConfig=scaling)

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"diskSize": 200}, r"InvalidParameterException.*Disk size must be specified within the launch template"),
            ({"remoteAccess": {"ec2SshKey": "key"}}, r"InvalidParameterException.*Remote access configuration cannot"),
            ({"instanceTypes": ["trn1.2xlarge"]}, r"InvalidRequestException.*Cannot specify instance types in launch"),
        ],
    )
    def test_beside_a_launch_template(self, eks, template, given, message):
        """LT-04: What a launch template decides can't be given beside one, and no group is left behind."""
        there = eks.describe_nodegroup(clusterName="demo", nodegroupName="trn1")["nodegroup"]
        with pytest.raises(ClientError, match=message):
            eks.create_nodegroup(
                clusterName="demo",
                nodegroupName="other",
                nodeRole=there["nodeRole"],
                subnets=there["subnets"],
                scalingConfig={"minSize": 1, "desiredSize": 1, "maxSize": 1},
                launchTemplate={"id": template.physical_id, "version": "1"},
                **given,
            )
        assert eks.list_nodegroups(clusterName="demo")["nodegroups"] == ["trn1"]

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"labels": {"addOrUpdateLabels": {"k8s.io/pool": "a"}}}, "Label cannot start with reserved prefixes"),
            ({"updateConfig": {"maxUnavailable": 1, "maxUnavailablePercentage": 5}}, "Either provide max-unavailable"),
        ],
    )
    def test_settings_of_an_update(self, eks, change, message):
        """What a new group may not have is refused of an update as well."""
        with pytest.raises(ClientError, match=rf"InvalidParameterException.*{message}"):
            eks.update_nodegroup_config(clusterName="demo", nodegroupName="trn1", **change)

    def test_version_of_an_update(self, eks):
        """Nodes don't get ahead of their cluster, and stay as they were."""
        with pytest.raises(ClientError, match="supports the following Nodegroup Kubernetes versions"):
            eks.update_nodegroup_version(clusterName="demo", nodegroupName="trn1", version="1.35")

        assert eks.describe_nodegroup(clusterName="demo", nodegroupName="trn1")["nodegroup"]["version"] == "1.34"

    @pytest.mark.parametrize("version", ["x", "1", "1.", "1.x"])
    @pytest.mark.parametrize("ami_type", ["AL2_x86_64", "AL2023_x86_64_STANDARD"])
    def test_version_that_is_none(self, eks, network, version, ami_type):
        """A version that is none is refused, whatever the AMI is."""
        with pytest.raises(ClientError, match="supports the following Nodegroup Kubernetes versions"):
            eks.create_nodegroup(
                clusterName="demo",
                nodegroupName="other",
                nodeRole=network.role_arn,
                subnets=network.subnet_ids,
                amiType=ami_type,
                version=version,
            )

    def test_one_size_alone(self, eks, network):
        """What EKS makes of a group's sizes where one is not told, nobody here knows, and the rehearsal says so."""
        with pytest.raises(ClientError, match=r"The rehearsal does not model.*must say minSize"):
            eks.create_nodegroup(
                clusterName="demo",
                nodegroupName="other",
                nodeRole=network.role_arn,
                subnets=network.subnet_ids,
                scalingConfig={"desiredSize": 1, "maxSize": 1},
            )

    def test_disks_of_the_instance(self, client, eks, network):
        """A template may name an instance's own disk, which is no volume of the node."""
        disks = [{"DeviceName": "/dev/sdb", "VirtualName": "ephemeral0"}]
        data = {"InstanceType": "m5.large", "BlockDeviceMappings": disks}
        client("ec2").create_launch_template(LaunchTemplateName="disks", LaunchTemplateData=data)
        eks.create_nodegroup(
            clusterName="demo",
            nodegroupName="other",
            nodeRole=network.role_arn,
            subnets=network.subnet_ids,
            launchTemplate={"name": "disks"},
        )

        assert eks.describe_nodegroup(clusterName="demo", nodegroupName="other")["nodegroup"]["status"] == "ACTIVE"

    def test_type_that_the_region_lacks(self, eks, network):
        """EKS takes the group on, tells what came of it, and lets it be deleted."""
        eks.create_nodegroup(
            clusterName="demo",
            nodegroupName="lacking",
            nodeRole=network.role_arn,
            subnets=network.subnet_ids,
            instanceTypes=["p3dn.24xlarge"],
        )
        found = eks.describe_nodegroup(clusterName="demo", nodegroupName="lacking")["nodegroup"]
        assert found["status"] == "CREATE_FAILED"
        assert found["health"]["issues"][0]["code"] == "Ec2LaunchTemplateInvalidConfiguration"
        eks.delete_nodegroup(clusterName="demo", nodegroupName="lacking")
        assert eks.list_nodegroups(clusterName="demo")["nodegroups"] == ["trn1"]

    def test_unknown_template_version(self, eks, template):
        """A version that the launch template doesn't have is refused, and the node group stays as it was."""
        with pytest.raises(ClientError, match="which does not exist"):
            eks.update_nodegroup_version(
                clusterName="demo",
                nodegroupName="trn1",
                launchTemplate={"id": template.physical_id, "version": "9"},
            )
        found = eks.describe_nodegroup(clusterName="demo", nodegroupName="trn1")["nodegroup"]
        assert found["launchTemplate"]["version"] == "1"

    def test_unknown(self, eks):
        """An unknown node group is an error."""
        with pytest.raises(ClientError, match="ResourceNotFoundException"):
            eks.describe_nodegroup(clusterName="demo", nodegroupName="trn2")


@pytest.mark.usefixtures("cluster")
class TestAccess:
    def test_entry_twice(self, eks, network):
        """A principal has one entry."""
        eks.create_access_entry(clusterName="demo", principalArn=network.role_arn)

        with pytest.raises(ClientError, match="ResourceInUseException"):
            eks.create_access_entry(clusterName="demo", principalArn=network.role_arn)

    def test_role_of_identity_center(self, eks):
        """A role with a host's name in its path is found: the region is the request's, and not a part of the role."""
        arn = "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/us-west-2/AWSReservedSSO_Admin_0123456789"
        eks.create_access_entry(clusterName="demo", principalArn=arn)

        assert eks.describe_access_entry(clusterName="demo", principalArn=arn)["accessEntry"]["principalArn"] == arn

    def test_policy_of_nodes(self, eks, network):
        """Access policies are for standard entries, not for nodes."""
        eks.create_access_entry(clusterName="demo", principalArn=network.role_arn, type="EC2_LINUX")

        with pytest.raises(ClientError, match=r"InvalidRequestException.*with a type of \"STANDARD\""):
            eks.associate_access_policy(
                clusterName="demo",
                principalArn=network.role_arn,
                policyArn="arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
                accessScope={"type": "cluster"},
            )

    def test_iam_policy(self, eks, network):
        """An IAM policy is no access policy."""
        eks.create_access_entry(clusterName="demo", principalArn=network.role_arn)

        with pytest.raises(ClientError, match="policyArn parameter format"):
            eks.associate_access_policy(
                clusterName="demo",
                principalArn=network.role_arn,
                policyArn="arn:aws:iam::aws:policy/AdministratorAccess",
                accessScope={"type": "cluster"},
            )

    def test_service_account_twice(self, eks, network):
        """A service account has one association."""
        association = {
            "clusterName": "demo",
            "namespace": "n",
            "serviceAccount": "s",
            "roleArn": network.role_arn,
        }
        eks.create_pod_identity_association(**association)

        with pytest.raises(ClientError, match="ResourceInUseException"):
            eks.create_pod_identity_association(**association)


class TestCapacityBlocks:
    """Node groups that stand in a capacity block."""

    @staticmethod
    def seed(state: str, count: int = 2) -> None:
        """Gives the rehearsal a reservation, which is bought outside of any stack."""
        reservation = {"CapacityReservationId": "cr-0123456789abcdef0", "State": state, "TotalInstanceCount": count}
        state_of("123456789012", "us-east-2").capacity_reservations["cr-0123456789abcdef0"] = reservation

    @staticmethod
    def scale(eks, desired: int) -> None:
        scaling = {"desiredSize": desired}
        eks.update_nodegroup_config(clusterName="demo", nodegroupName="trn2", scalingConfig=scaling)

    def test_without_nodes(self, eks, block_group):
        """CAP-03: Before its block a group stands without nodes."""
        block_group()

        assert eks.describe_nodegroup(clusterName="demo", nodegroupName="trn2")["nodegroup"]["capacityType"] == (
            "CAPACITY_BLOCK"
        )

    def test_nodes_before_the_block(self, block_group):
        """CAP-03: Nodes that are wanted before the block begins can't be started, and the creation fails."""
        self.seed("scheduled")

        with pytest.raises(ClientError, match="is not active"):
            block_group(desired=1)

    def test_nodes_in_the_block(self, eks, block_group):
        """In an active block nodes start, and no more than it holds."""
        block_group()
        self.seed("active", count=1)

        self.scale(eks, 1)
        with pytest.raises(ClientError, match="has not enough left"):
            self.scale(eks, 2)
        self.scale(eks, 0)

    def test_nodes_of_a_block_that_nobody_bought(self, eks, block_group):
        """A reservation that the rehearsal was not given is not active."""
        block_group()

        with pytest.raises(ClientError, match="is not active"):
            self.scale(eks, 1)

    def test_type_and_template_go_together(self, block_group, template, make):
        """A block's group has a block's template, and another group has not."""
        with pytest.raises(ClientError, match="does not go with"):
            block_group(capacity_type="ON_DEMAND")
        with pytest.raises(ClientError, match="does not go with"):
            block_group(template=template)
        nameless = make(
            "AWS::EC2::LaunchTemplate",
            "Nameless",
            LaunchTemplateData={
                "InstanceType": "trn2.48xlarge",
                "InstanceMarketOptions": {"MarketType": "capacity-block"},
            },
        )
        with pytest.raises(ClientError, match="names no capacity reservation"):
            block_group(template=nameless)

    def test_spot_in_the_template(self, block_group, make):
        """CAP-02: EKS refuses spot market options in a launch template."""
        spot = make(
            "AWS::EC2::LaunchTemplate",
            "Spot",
            LaunchTemplateData={"InstanceType": "trn1.2xlarge", "InstanceMarketOptions": {"MarketType": "spot"}},
        )

        with pytest.raises(ClientError, match="not supported for managed node groups"):
            block_group(capacity_type="SPOT", template=spot)


class TestDefaultVersion:
    def test_newest(self, client, network):
        """A cluster for which no version is named gets the newest that the catalog knows, not one of years ago."""
        made = client("eks").create_cluster(
            name="plain", roleArn=network.role_arn, resourcesVpcConfig={"subnetIds": network.subnet_ids}
        )

        assert made["cluster"]["version"] == list(KUBERNETES_VERSIONS)[-1]
