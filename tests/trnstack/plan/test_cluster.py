"""The control plane, its add-ons and its network."""

import dataclasses
import json

import pytest

from trnstack.plan import lock_inputs


class TestCluster:
    @pytest.mark.parametrize(
        ("network", "expected"),
        [
            ({"vpc_cidr": "10.0.0.0/16"}, "172.20.0.0/16"),
            ({"vpc_cidr": "172.20.0.0/16"}, "10.100.0.0/16"),
            ({"client_cidrs": ["172.20.16.0/20"]}, "10.100.0.0/16"),
        ],
    )
    def test_services_have_addresses_of_their_own(self, planned, network, expected):
        """Services' addresses overlap neither the VPC nor the networks that reach the cluster."""
        assert planned(network=network).cluster.service_cidr == expected

    def test_endpoint(self, planned):
        """The endpoint is private unless the environment names who may reach a public one."""
        public = {"endpoint_access": "public_and_private", "public_access_cidrs": ["198.51.100.0/24"]}

        assert planned().cluster.public_access_cidrs == ()
        assert planned(eks=public).cluster.public_access_cidrs == ("198.51.100.0/24",)

    def test_names_that_jobs_rely_on(self, planned):
        """Namespace and service account are fixed, so jobs can be written before anything is deployed."""
        trainer = planned().cluster.trainer

        assert (trainer.namespace, trainer.service_account) == ("training", "trainer")

    def test_subnets(self, planned):
        """The control plane stands in every zone's system subnet."""
        assert planned().cluster.subnets == ("system-use2-az3", "system-use2-az1")


class TestAddOns:
    def test_order(self, planned):
        """What gives nodes a network stands before them; what runs on nodes comes after the system's."""
        add_ons = planned(lustre={}).cluster.add_ons
        before = [add_on.name for add_on in add_ons if add_on.before_nodes]
        after = [add_on.name for add_on in add_ons if not add_on.before_nodes]

        assert before == ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"]
        assert after == ["coredns", "eks-node-monitoring-agent", "aws-fsx-csi-driver"]

    def test_versions_are_the_locks(self, planned, lock):
        """Every add-on has the version that the lock holds."""
        for add_on in planned(lustre={}).cluster.add_ons:
            assert add_on.version == lock.add_ons[add_on.name]

    def test_addresses(self, planned):
        """The VPC CNI keeps few spare addresses, as settings that EKS hands on."""
        (cni,) = (add_on for add_on in planned().cluster.add_ons if add_on.name == "vpc-cni")

        assert json.loads(cni.configuration) == {"env": {"MINIMUM_IP_TARGET": "16", "WARM_IP_TARGET": "4"}}
        assert cni.pod_identity.managed_policies == ("AmazonEKS_CNI_Policy",)

    @pytest.mark.parametrize(
        ("fsx_csi", "lustre", "expected"), [("auto", None, False), ("auto", {}, True), (False, {}, False)]
    )
    def test_lustre_driver(self, planned, fsx_csi, lustre, expected):
        """The driver is there when there is a file system, unless the environment says otherwise."""
        decided = planned(kubernetes={"fsx_csi": fsx_csi}, storage={"lustre": lustre})

        assert ("aws-fsx-csi-driver" in {add_on.name for add_on in decided.cluster.add_ons}) is expected


class TestLockInputs:
    def test_what_a_lock_answers(self, environment, lock):
        """A lock answers for name, region, versions and add-ons; the committed one fits the same environment."""
        inputs = lock_inputs(environment(lustre={}))

        assert dataclasses.replace(inputs, environment="llama3-8b") == lock.inputs


class TestNetwork:
    def test_nat_gateways(self, planned):
        """As many zones as there are NAT gateways have one, from the first on."""
        assert planned().network.nat_gateway_zone_ids == ("use2-az3",)
        assert planned(network={"nat_gateways": 2}).network.nat_gateway_zone_ids == ("use2-az3", "use2-az1")

    def test_endpoints(self, planned):
        """Endpoints are those for images, credentials, logs and Session Manager, or those that are named."""
        named = planned(network={"interface_endpoints": ["sts", "ecr.api"]})

        assert {"ecr.api", "ecr.dkr", "sts", "eks-auth", "ssmmessages"} <= set(planned().network.interface_endpoints)
        assert named.network.interface_endpoints == ("ecr.api", "sts")

    def test_growing_moves_no_subnet(self, planned):
        """Neither nodes nor zones move a subnet that stands."""
        small = planned()
        many = planned(node_group={"node_count": 400})
        wide = planned(availability_zone_ids=["use2-az3", "use2-az1", "use2-az2"])

        assert many.network.subnets == small.network.subnets
        assert wide.network.subnets[: len(small.network.subnets)] == small.network.subnets
        assert small.network.subnet("nodes", "use2-az1").name == "nodes-use2-az1"


class TestZones:
    def test_adding_a_zone_moves_nothing(self, planned):
        """EKS keeps a cluster to its zones and a node group to its subnets, so a third zone changes neither."""
        two = planned(availability_zone_ids=["use2-az3", "use2-az1"])
        three = planned(availability_zone_ids=["use2-az3", "use2-az1", "use2-az2"])

        assert three.cluster == two.cluster
        assert three.node_groups == two.node_groups
        assert three.network.subnets[: len(two.network.subnets)] == two.network.subnets
