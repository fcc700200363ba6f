"""Which versions of add-ons EKS offers, and which it refuses."""

import pytest
from botocore.exceptions import ClientError


@pytest.fixture
def eks(client):
    return client("eks")


class TestDescribeAddonVersions:
    def test_of_one_minor(self, eks):
        """An add-on's version for a minor says that it is the default, and speaks of no other minor."""
        (addon,) = eks.describe_addon_versions(addonName="vpc-cni", kubernetesVersion="1.35")["addons"]

        assert addon["addonVersions"] == [
            {
                "addonVersion": "v1.22.4-eksbuild.3",
                "compatibilities": [{"clusterVersion": "1.35", "platformVersions": ["*"], "defaultVersion": True}],
            }
        ]

    def test_of_all_minors(self, eks):
        """A version that serves several minors is listed once."""
        (addon,) = eks.describe_addon_versions(addonName="vpc-cni")["addons"]
        (version,) = addon["addonVersions"]

        assert [one["clusterVersion"] for one in version["compatibilities"]] == ["1.36", "1.35", "1.34", "1.33"]

    def test_nothing_fits(self, eks):
        """Of an unknown add-on, or for a minor that has none, the list is empty."""
        assert eks.describe_addon_versions(addonName="kubecost")["addons"] == []
        assert eks.describe_addon_versions(kubernetesVersion="1.20")["addons"] == []

    def test_pages(self, eks):
        """All add-ons come by pages."""
        pages = list(eks.get_paginator("describe_addon_versions").paginate(PaginationConfig={"PageSize": 4}))
        names = [addon["addonName"] for page in pages for addon in page["addons"]]

        assert len(pages) == -(-len(names) // 4)
        assert names == sorted(set(names))
        assert {"coredns", "kube-proxy", "vpc-cni"} <= set(names)

    @pytest.mark.usefixtures("published_lock")
    def test_a_lock_is_newer(self, eks):
        """A lock's version is the default for its minor, and the table's goes on being offered."""
        (addon,) = eks.describe_addon_versions(addonName="vpc-cni", kubernetesVersion="1.34")["addons"]

        versions = addon["addonVersions"]
        assert [one["addonVersion"] for one in versions] == ["v9.9.9-eksbuild.1", "v1.22.4-eksbuild.3"]
        assert [one["compatibilities"][0]["defaultVersion"] for one in versions] == [True, False]


@pytest.mark.usefixtures("cluster")
class TestRefusals:
    @pytest.mark.parametrize(
        ("request_", "message"),
        [
            ({"addonName": "metrics-server"}, "The rehearsal does not know add-on metrics-server"),
            ({"addonName": "vpc-cni", "addonVersion": "v1.0.0-eksbuild.1"}, "does not know version v1.0.0-eksbuild.1"),
            ({"addonName": "vpc-cni", "addonVersion": "1.0.0"}, "Addon version specified is not supported"),
            ({"addonName": "kube-proxy", "addonVersion": "v1.35.3-eksbuild.29"}, "Addon version specified is not"),
        ],
    )
    def test_creation(self, eks, request_, message):
        """An add-on or a version that the tables lack is told so; a version that EKS can't have, in its words."""
        with pytest.raises(ClientError, match=f"InvalidParameterException.*{message}"):
            eks.create_addon(clusterName="demo", **request_)
        assert eks.list_addons(clusterName="demo")["addons"] == []

    def test_update(self, eks):
        """An update to such a version is refused, and the add-on stays as it was."""
        eks.create_addon(clusterName="demo", addonName="vpc-cni")
        with pytest.raises(ClientError, match="Addon version specified is not supported"):
            eks.update_addon(clusterName="demo", addonName="vpc-cni", addonVersion="v2")

        found = eks.describe_addon(clusterName="demo", addonName="vpc-cni")["addon"]
        assert found["addonVersion"] == "v1.22.4-eksbuild.3"

    def test_minor_without_versions(self, eks, network):
        """A cluster of a minor for which there is no version gets none."""
        eks.create_cluster(
            name="old", version="1.30", roleArn=network.role_arn, resourcesVpcConfig={"subnetIds": network.subnet_ids}
        )
        with pytest.raises(ClientError, match=r"does not know versions of add-on vpc-cni for Kubernetes 1\.30"):
            eks.create_addon(clusterName="old", addonName="vpc-cni")


def test_ecr_credentials(client):
    """ECR's credentials are those of the registry that was asked for, and are good for twelve hours from now."""
    (granted,) = client("ecr").get_authorization_token(registryIds=["602401143452"])["authorizationData"]

    assert granted["proxyEndpoint"] == "https://602401143452.dkr.ecr.us-east-2.amazonaws.com"
    assert granted["expiresAt"].timestamp() == 1796126400
