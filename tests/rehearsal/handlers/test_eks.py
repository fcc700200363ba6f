"""Clusters, node groups, add-ons and access."""

import pytest
from botocore.exceptions import ClientError

from rehearsal.handlers.base import ResourceError

ADMIN = {
    "PolicyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
    "AccessScope": {"Type": "cluster"},
}


class TestCluster:
    def test_attributes(self, client, cluster):
        """The cluster's attributes are what EKS answers, and its security group stands in EC2."""
        group_id = cluster.attributes["ClusterSecurityGroupId"]

        assert cluster.physical_id == "demo"
        assert cluster.attributes["Endpoint"].startswith("https://")
        assert cluster.attributes["OpenIdConnectIssuerUrl"].startswith("https://oidc.eks.us-east-2")
        assert client("ec2").describe_security_groups(GroupIds=[group_id])["SecurityGroups"]
        assert "Id" not in cluster.attributes

    def test_updates_in_place(self, client, cluster, change):
        """Version, logs, endpoint and protection each change by an update of their own."""
        change(
            cluster,
            Version="1.35",
            DeletionProtection=True,
            Logging={"ClusterLogging": {"EnabledTypes": [{"Type": "scheduler"}]}},
            ResourcesVpcConfig={**cluster.properties["ResourcesVpcConfig"], "PublicAccessCidrs": ["192.0.2.0/24"]},
        )
        found = client("eks").describe_cluster(name="demo")["cluster"]
        assert (found["version"], found["deletionProtection"]) == ("1.35", True)
        assert found["logging"]["clusterLogging"][0] == {"types": ["scheduler"], "enabled": True}
        assert found["resourcesVpcConfig"]["publicAccessCidrs"] == ["192.0.2.0/24"]
        assert len(client("eks").list_updates(name="demo")["updateIds"]) == 4

    def test_setting_taken_out(self, cluster, change):
        """A setting that EKS can't take away is refused by name."""
        with pytest.raises(ResourceError, match="can't take UpgradePolicy away"):
            change(cluster, UpgradePolicy=None)

    def test_unknown_log_type(self, cluster, change):
        """A log type that EKS doesn't have is refused by name."""
        with pytest.raises(ResourceError, match="no log type kubelet"):
            change(cluster, Logging={"ClusterLogging": {"EnabledTypes": [{"Type": "kubelet"}]}})


class TestNodegroup:
    def test_reference_and_tags(self, client, node_group):
        """Ref is cluster and node group; labels and the stack's tags reach the group."""
        found = client("eks").describe_nodegroup(clusterName="demo", nodegroupName="trn1")["nodegroup"]

        assert node_group.physical_id == "demo/trn1"
        assert node_group.attributes["Arn"] == found["nodegroupArn"]
        assert (found["labels"], found["tags"]["team"]) == ({"role": "trn"}, "ml")

    def test_settings_and_versions_change(self, client, node_group, change):
        """Size, labels, taints and then the release change in place; labels that are gone are removed."""
        change(
            node_group,
            ScalingConfig={"MinSize": 0, "MaxSize": 64, "DesiredSize": 3},
            Labels={"pool": "trn"},
            Taints=[{"Key": "k", "Value": "v", "Effect": "NO_SCHEDULE"}],
        )
        change(node_group, ReleaseVersion="1.34.9-20260815")
        found = client("eks").describe_nodegroup(clusterName="demo", nodegroupName="trn1")["nodegroup"]
        assert (found["scalingConfig"]["desiredSize"], found["labels"]) == (3, {"pool": "trn"})
        assert found["taints"][0]["key"] == "k"
        assert found["releaseVersion"] == "1.34.9-20260815"

        change(node_group, Taints=None)
        found = client("eks").describe_nodegroup(clusterName="demo", nodegroupName="trn1")["nodegroup"]
        assert found["taints"] == []

    @pytest.mark.parametrize("version", [{"ReleaseVersion": "1.34.9-20260815"}, {"Version": "1.35"}])
    @pytest.mark.parametrize(
        "other",
        [{"Labels": {"pool": "trn"}}, {"ScalingConfig": {"MinSize": 0, "MaxSize": 64, "DesiredSize": 3}}, "template"],
        ids=str,
    )
    def test_versions_change_alone(self, client, node_group, template, change, version, other):
        """LT-08: A release beside anything else is refused as CloudFormation does, and nothing has changed."""
        if other == "template":
            change(template, LaunchTemplateData={**template.properties["LaunchTemplateData"], "KeyName": "mine"})
            other = {"LaunchTemplate": {"Id": template.physical_id, "Version": "2"}}
        with pytest.raises(ResourceError, match="cannot be combined with other updates"):
            change(node_group, **version, **other)

        found = client("eks").describe_nodegroup(clusterName="demo", nodegroupName="trn1")["nodegroup"]
        assert (found["releaseVersion"], found["labels"]) == ("1.34.9-20260714", {"role": "trn"})

    def test_version_and_release_change_together(self, client, cluster, node_group, change):
        """LT-08: A Kubernetes version and its release are one update."""
        change(cluster, Version="1.35")
        change(node_group, Version="1.35", ReleaseVersion="1.35.6-20260714")

        found = client("eks").describe_nodegroup(clusterName="demo", nodegroupName="trn1")["nodegroup"]
        assert (found["version"], found["releaseVersion"]) == ("1.35", "1.35.6-20260714")

    def test_unknown_launch_template(self, make, network, cluster):
        """A launch template that doesn't stand fails the node group."""
        with pytest.raises(ClientError, match="could not be found"):
            make(
                "AWS::EKS::Nodegroup",
                ClusterName=cluster.physical_id,
                NodeRole=network.role_arn,
                Subnets=network.subnet_ids,
                LaunchTemplate={"Id": "lt-0123456789abcdef0", "Version": "1"},
            )

    def test_deleted_with_its_nodes(self, client, node_group, drop):
        """No instance runs and no interface of a node is left after deletion."""
        drop(node_group)
        drop(node_group)

        assert client("eks").list_nodegroups(clusterName="demo")["nodegroups"] == []
        interfaces = client("ec2").describe_network_interfaces()["NetworkInterfaces"]
        assert all(one["Description"].startswith("Amazon EKS") for one in interfaces)


class TestInCluster:
    @pytest.mark.usefixtures("published_lock")
    def test_addon(self, client, make, change, drop, network, cluster):
        """An add-on has its version and its pod identity, and both change in place."""
        addon = make(
            "AWS::EKS::Addon",
            ClusterName=cluster.physical_id,
            AddonName="vpc-cni",
            AddonVersion="v1.22.4-eksbuild.3",
            ResolveConflicts="OVERWRITE",
            ConfigurationValues='{"env":{}}',
            PodIdentityAssociations=[{"RoleArn": network.role_arn, "ServiceAccount": "aws-node"}],
            PreserveOnDelete=False,
        )
        assert addon.physical_id == "demo|vpc-cni"
        assert len(client("eks").list_pod_identity_associations(clusterName="demo")["associations"]) == 1

        change(addon, AddonVersion="v9.9.9-eksbuild.1", PodIdentityAssociations=None)
        found = client("eks").describe_addon(clusterName="demo", addonName="vpc-cni")["addon"]
        assert found["addonVersion"] == "v9.9.9-eksbuild.1"
        assert client("eks").list_pod_identity_associations(clusterName="demo")["associations"] == []
        drop(addon)
        assert client("eks").list_addons(clusterName="demo")["addons"] == []

    def test_access_entry(self, client, make, change, network, cluster):
        """An entry's id is principal and cluster; its policies are associated and disassociated."""
        entry = make(
            "AWS::EKS::AccessEntry",
            ClusterName=cluster.physical_id,
            PrincipalArn=network.role_arn,
            Type="STANDARD",
            AccessPolicies=[ADMIN],
        )
        identity = {"clusterName": "demo", "principalArn": network.role_arn}
        (policy,) = client("eks").list_associated_access_policies(**identity)["associatedAccessPolicies"]
        assert entry.physical_id == f"{network.role_arn}|demo"
        assert policy["policyArn"] == ADMIN["PolicyArn"]

        change(entry, AccessPolicies=None, KubernetesGroups=["readers"])
        assert client("eks").list_associated_access_policies(**identity)["associatedAccessPolicies"] == []
        found = client("eks").describe_access_entry(**identity)["accessEntry"]
        assert found["kubernetesGroups"] == ["readers"]

    def test_pod_identity_association(self, client, make, change, drop, network, cluster):
        """An association's role changes in place; Ref is its ARN."""
        association = make(
            "AWS::EKS::PodIdentityAssociation",
            ClusterName=cluster.physical_id,
            Namespace="training",
            ServiceAccount="trainer",
            RoleArn=network.role_arn,
        )
        trust = client("iam").get_role(RoleName=network.role_arn.rpartition("/")[2])["Role"]["AssumeRolePolicyDocument"]
        other = make("AWS::IAM::Role", "OtherRole", AssumeRolePolicyDocument=trust).attributes["Arn"]
        change(association, RoleArn=other)

        assert association.physical_id == association.attributes["AssociationArn"]
        identity = {"clusterName": "demo", "associationId": association.attributes["AssociationId"]}
        found = client("eks").describe_pod_identity_association(**identity)["association"]
        assert found["roleArn"] == other
        drop(association)
        drop(association)

    def test_tags_change(self, client, make, change, network, cluster):
        """Tags of an access entry are set and removed, as those of everything in a cluster."""
        entry = make(
            "AWS::EKS::AccessEntry",
            ClusterName=cluster.physical_id,
            PrincipalArn=network.role_arn,
            Tags=[{"Key": "old", "Value": "1"}],
        )
        change(entry, Tags=[{"Key": "new", "Value": "1"}])

        tags = client("eks").list_tags_for_resource(resourceArn=entry.attributes["AccessEntryArn"])["tags"]
        assert {"old", "new", "team"} & set(tags) == {"new", "team"}
