import pytest

from trnstack.findings import Severity
from trnstack.plan.endpoints import needs
from trnstack.rules.private import (
    image_mirror_is_in_the_account,
    image_mirror_is_in_the_region,
    private_networks_have_an_image_mirror,
    private_networks_have_every_endpoint,
)

MIRROR = "111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror"
PRIVATE = {"nat_gateways": 0, "image_mirror": MIRROR}
VPC = {
    "vpc_id": "vpc-0123456789abcdef0",
    "cidr": "10.9.0.0/16",
    "subnets": [
        {
            "subnet_id": "subnet-0123456789abcdef0",
            "route_table_id": "rtb-0123456789abcdef0",
            "availability_zone_id": "use2-az3",
            "cidr": "10.9.0.0/24",
            "public": False,
        }
    ],
}


class TestPrivateNetworksHaveAnImageMirror:
    def test_no_mirror(self, environment):
        """Without a way out and without a mirror no pod ever starts."""
        (finding,) = private_networks_have_an_image_mirror(environment(network={"nat_gateways": 0}))

        assert finding.hint == "write nat_gateways: 1, or name an image_mirror"

    @pytest.mark.parametrize(
        "network",
        [
            {"nat_gateways": 1},
            {"nat_gateways": 0, "image_mirror": "111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror"},
        ],
    )
    def test_images_can_be_had(self, environment, network):
        """Either way images arrive."""
        assert not list(private_networks_have_an_image_mirror(environment(network=network)))

    def test_existing_vpc(self, environment):
        """Whether anything leads out of a VPC that stands is not asked of nat_gateways."""
        network = {"nat_gateways": 0, "existing_vpc": VPC}

        assert not list(private_networks_have_an_image_mirror(environment(network=network)))


class TestImageMirrorIsInTheRegion:
    @pytest.mark.parametrize("nat_gateways", [0, 1])
    def test_elsewhere(self, environment, nat_gateways):
        """No endpoint leads to another region's registry, and through a NAT gateway each pull costs."""
        mirror = "111122223333.dkr.ecr.us-west-2.amazonaws.com/mirror"
        network = {"nat_gateways": nat_gateways, "image_mirror": mirror}
        (finding,) = image_mirror_is_in_the_region(environment(network=network))

        assert finding.path == ("network", "image_mirror")
        assert finding.message == "the image mirror is in us-west-2, the environment in us-east-2"

    @pytest.mark.parametrize("mirror", [None, MIRROR, MIRROR.removesuffix("/mirror")])
    def test_here(self, environment, mirror):
        """A mirror of the region will do, with a prefix or without."""
        assert not list(image_mirror_is_in_the_region(environment(network={"image_mirror": mirror})))


class TestImageMirrorIsInTheAccount:
    def test_another(self, environment):
        """Another account's registry works only if its policies allow it, which nobody can see here."""
        (finding,) = image_mirror_is_in_the_account(environment(account="444455556666", network=PRIVATE))

        assert finding.severity is Severity.WARNING
        assert finding.message == "the image mirror is in account 111122223333, the environment in 444455556666"

    @pytest.mark.parametrize("account", [None, "111122223333"])
    def test_the_same(self, environment, account):
        """An environment without an account may be deployed to the mirror's."""
        assert not list(image_mirror_is_in_the_account(environment(account=account, network=PRIVATE)))


class TestPrivateNetworksHaveEveryEndpoint:
    @pytest.mark.parametrize(
        ("missing", "message"),
        [
            ("ec2", "without an endpoint for ec2 nodes do not join and pods get no address"),
            ("ecr.dkr", "without an endpoint for ecr.dkr no image can be pulled"),
            ("ssmmessages", "without an endpoint for ssmmessages nobody gets in by Session Manager"),
            ("eks", "without an endpoint for eks CDK applies nothing in the cluster"),
            ("logs", "without an endpoint for logs nothing that nodes and pods log reaches CloudWatch"),
        ],
    )
    def test_one_missing(self, environment, missing, message):
        """What is missing is told with what would not work."""
        every = [need.service for need in needs(environment(network=PRIVATE))]
        listed = [each for each in every if each != missing]
        (finding,) = private_networks_have_every_endpoint(
            environment(network=PRIVATE | {"interface_endpoints": listed})
        )

        assert finding.message == message
        assert finding.hint == f"add {missing}, or write interface_endpoints: auto"

    def test_all_missing(self, environment):
        """An empty list is answered once for each service that something needs."""
        findings = list(
            private_networks_have_every_endpoint(environment(network=PRIVATE | {"interface_endpoints": []}))
        )

        assert len(findings) == sum(bool(need.otherwise) for need in needs(environment(network=PRIVATE)))
        assert len(findings) >= 8

    @pytest.mark.parametrize(
        ("sections", "missing"),
        [
            ({}, "ec2messages"),
            ({}, "sts"),
            ({"lustre": {}}, "fsx"),
            ({"kubernetes": {"delivery": "gitops"}}, "eks"),
            ({"kubernetes": {"cloudwatch_observability": False}}, "monitoring"),
        ],
    )
    def test_not_needed(self, environment, sections, missing):
        """What only helps, or what nothing asks for, may be left out."""
        every = [need.service for need in needs(environment(network=PRIVATE, **sections))]
        network = PRIVATE | {"interface_endpoints": [each for each in every if each != missing]}

        assert not list(private_networks_have_every_endpoint(environment(network=network, **sections)))

    def test_another_way_in(self, environment):
        """Who comes in by a client network can do without Session Manager."""
        network = PRIVATE | {"client_cidrs": ["192.168.0.0/20"]}
        every = [need.service for need in needs(environment(network=network))]
        network["interface_endpoints"] = [each for each in every if not each.startswith("ssm")]

        assert not list(private_networks_have_every_endpoint(environment(network=network)))

    @pytest.mark.parametrize(
        "network",
        [
            PRIVATE,
            {"interface_endpoints": []},
            {"existing_vpc": VPC, "interface_endpoints": [], "image_mirror": MIRROR},
        ],
    )
    def test_elsewhere(self, environment, network):
        """With a NAT gateway no endpoint is needed, and a VPC that stands may have them already."""
        assert not list(private_networks_have_every_endpoint(environment(network=network)))
