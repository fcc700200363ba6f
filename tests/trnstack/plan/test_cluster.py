"""The control plane, its add-ons and its network."""

import dataclasses
import ipaddress
import json

import pytest

from trnstack.plan import lock_inputs


def existing_vpc(cidr):
    """Returns a VPC that stands, the first half of its range in one zone and the second in another."""
    return {
        "vpc_id": "vpc-0123456789abcdef0",
        "cidr": cidr,
        "subnets": [
            {
                "subnet_id": f"subnet-{number:017x}",
                "route_table_id": "rtb-0123456789abcdef0",
                "availability_zone_id": zone_id,
                "cidr": str(half),
                "public": False,
            }
            for number, (zone_id, half) in enumerate(
                zip(("use2-az3", "use2-az1"), ipaddress.IPv4Network(cidr).subnets(), strict=True)
            )
        ],
    }


class TestCluster:
    @pytest.mark.parametrize(
        ("network", "expected"),
        [
            ({"vpc_cidr": "10.0.0.0/16"}, "172.20.0.0/16"),
            ({"vpc_cidr": "172.20.0.0/16"}, "10.100.0.0/16"),
            ({"existing_vpc": existing_vpc("172.20.0.0/16")}, "10.100.0.0/16"),
        ],
    )
    def test_services_have_addresses_of_their_own(self, planned, network, expected):
        """Services' addresses do not overlap the VPC."""
        assert planned(network=network).cluster.service_cidr == expected

    def test_services_stay_where_they_are(self, planned):
        """The range can't change without a new cluster, so it is the one asked for and does not follow the clients."""
        clients = {"client_cidrs": ["10.100.0.0/16"]}

        assert planned(network=clients).cluster.service_cidr == planned().cluster.service_cidr
        assert planned(eks={"service_cidr": "192.168.0.0/16"}).cluster.service_cidr == "192.168.0.0/16"

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


class TestZones:
    def test_adding_a_zone_moves_nothing(self, planned):
        """EKS keeps a cluster to its zones and a node group to its subnets, so a third zone changes neither."""
        two = planned(availability_zone_ids=["use2-az3", "use2-az1"])
        three = planned(availability_zone_ids=["use2-az3", "use2-az1", "use2-az2"])

        assert three.cluster == two.cluster
        assert three.node_groups == two.node_groups
        assert three.network.subnets[: len(two.network.subnets)] == two.network.subnets
