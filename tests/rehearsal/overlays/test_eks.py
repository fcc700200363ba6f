"""EKS's clusters, their updates, and what it refuses."""

import pytest
from botocore.exceptions import ClientError


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

    @pytest.mark.usefixtures("cluster")
    def test_one_kind_of_update_at_a_time(self, eks):
        """Two kinds of changes in one call are refused."""
        with pytest.raises(ClientError, match="one type of cluster update"):
            eks.update_cluster_config(
                name="demo", deletionProtection=True, resourcesVpcConfig={"endpointPublicAccess": True}
            )

    @pytest.mark.usefixtures("cluster")
    @pytest.mark.parametrize("version", ["1.33", "1.34", "1.36"])
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

    def test_policy_of_nodes(self, eks, network):
        """Access policies are for standard entries, not for nodes."""
        eks.create_access_entry(clusterName="demo", principalArn=network.role_arn, type="EC2_LINUX")

        with pytest.raises(ClientError, match="EC2_LINUX can't have access policies"):
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
