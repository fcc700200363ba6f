"""Which row of the catalog an operation takes its time from."""

import pytest

from rehearsal import durations as module
from rehearsal.durations import row, seconds
from rehearsal.handlers import HANDLERS
from trnstack.catalog.creation_times import durations

GROUP = "AWS::EKS::Nodegroup"
NEURON = {"AmiType": "AL2023_x86_64_NEURON", "ScalingConfig": {"DesiredSize": 5, "MinSize": 0, "MaxSize": 8}}


@pytest.mark.parametrize(
    ("resource_type", "verb", "properties", "key", "action"),
    [
        ("AWS::EKS::Cluster", "CREATE", {}, "control_plane", "create"),
        ("AWS::EKS::Cluster", "DELETE", {}, "control_plane", "delete"),
        (GROUP, "CREATE", NEURON, "accelerated_node_group", "create"),
        (GROUP, "CREATE", {**NEURON, "AmiType": "AL2023_x86_64_STANDARD"}, "node_group", "create"),
        (GROUP, "CREATE", {"ScalingConfig": {"DesiredSize": "0", "MinSize": 0}}, "empty_node_group", "create"),
        (GROUP, "CREATE", {}, "node_group", "create"),
        (GROUP, "DELETE", NEURON, "node_group", "delete"),
        ("AWS::EC2::VPCEndpoint", "CREATE", {"VpcEndpointType": "Interface"}, "interface_endpoint", "create"),
        ("AWS::EC2::VPCEndpoint", "CREATE", {"VpcEndpointType": "Gateway"}, "gateway_endpoint", "create"),
        ("AWS::EC2::VPCEndpoint", "CREATE", {}, "gateway_endpoint", "create"),
        ("AWS::SNS::Topic", "CREATE", {}, "other", "create"),
        ("AWS::KMS::Key", "DELETE", {}, "other", "create"),
    ],
)
def test_row(resource_type, verb, properties, key, action):
    """The row is the type's, or what its properties make of it, or that of any other resource."""
    found = row(resource_type, verb, properties, properties)

    assert (found.key, found.action) == (key, action)


class TestUpdates:
    def test_of_settings(self):
        """An update that makes nothing anew is short."""
        assert (
            row("AWS::EKS::Cluster", "UPDATE", {"Version": "1.34"}, {"Version": "1.34", "Tags": []}).action == "update"
        )

    def test_of_the_version(self):
        """Another Kubernetes version is an upgrade of the control plane."""
        assert row("AWS::EKS::Cluster", "UPDATE", {"Version": "1.34"}, {"Version": "1.35"}).action == "upgrade"

    @pytest.mark.parametrize(
        ("config", "batches"),
        [(None, 5), ({"MaxUnavailable": 2}, 3), ({"MaxUnavailablePercentage": 40}, 3), ({"MaxUnavailable": 9}, 1)],
    )
    def test_of_nodes(self, config, batches):
        """Nodes are made anew in batches, each of which takes its time."""
        old = {**NEURON, "LaunchTemplate": {"Version": "1"}, "UpdateConfig": config}
        new = {**old, "LaunchTemplate": {"Version": "2"}}
        one = durations()["node_group", "upgrade"].likely * 60

        assert seconds(GROUP, "UPDATE", old, new) == pytest.approx(one * batches)

    def test_without_nodes(self):
        """A group without nodes has none to make anew."""
        old = {"ScalingConfig": {"DesiredSize": 0}, "LaunchTemplate": {"Version": "1"}}

        assert seconds(GROUP, "UPDATE", old, {**old, "LaunchTemplate": {"Version": "2"}}) == 0


def test_every_type_is_known():
    """Types that have a row are types that the rehearsal makes, and keys are keys of the catalog."""
    keys = {key for key, _ in durations()}

    assert set(module._KEYS) - {"Custom::AWSCDK-EKS-HelmChart"} <= set(HANDLERS)
    assert set(module._KEYS.values()) <= keys
