import pytest

from trnstack.catalog import KUBERNETES_VERSIONS
from trnstack.catalog.zones import NO_CONTROL_PLANE_ZONE_IDS
from trnstack.findings import Severity
from trnstack.rules.eks import (
    control_plane_logs_are_unique,
    kubernetes_version_is_known,
    private_endpoints_have_no_public_clients,
    public_clients_are_not_everyone,
    public_clients_have_public_addresses,
    public_endpoints_name_their_clients,
    roles_are_in_one_list,
    roles_are_in_the_account,
    roles_are_in_the_partition,
    roles_are_unique,
    service_range_is_accepted,
    the_audit_log_is_kept,
    zones_take_the_control_plane,
)

ROLE = "arn:aws:iam::111122223333:role/ml-platform-admin"


def public(*cidrs: str):
    return {"endpoint_access": "public_and_private", "public_access_cidrs": cidrs}


class TestKubernetesVersionIsKnown:
    @pytest.mark.parametrize("version", ["1.10", "1.31", "1.99"])
    def test_unknown(self, environment, version):
        """AMI-03: versions that EKS has not, or no longer, are answered with those that it has."""
        (finding,) = kubernetes_version_is_known(environment(eks={"kubernetes_version": version}))

        assert finding.hint == f"use one of {', '.join(KUBERNETES_VERSIONS)}"

    @pytest.mark.parametrize("version", KUBERNETES_VERSIONS)
    def test_known(self, environment, version):
        """Every version of the catalog is taken."""
        assert not list(kubernetes_version_is_known(environment(eks={"kubernetes_version": version})))


class TestPublicEndpointsNameTheirClients:
    def test_no_clients(self, environment):
        """EKS reads a missing list as everyone."""
        (finding,) = public_endpoints_name_their_clients(environment(eks=public()))

        assert finding.path == ("eks", "public_access_cidrs")

    @pytest.mark.parametrize("eks", [public("203.0.113.0/24"), {"endpoint_access": "private"}])
    def test_clients_or_private(self, environment, eks):
        """A list, or no public endpoint, is fine."""
        assert not list(public_endpoints_name_their_clients(environment(eks=eks)))


class TestPrivateEndpointsHaveNoPublicClients:
    def test_clients(self, environment):
        """A list that does nothing is a misunderstanding."""
        (finding,) = private_endpoints_have_no_public_clients(
            environment(eks={"public_access_cidrs": ["203.0.113.0/24"]})
        )

        assert finding.hint == "remove them, or write endpoint_access: public_and_private"

    @pytest.mark.parametrize("eks", [{}, public("203.0.113.0/24")])
    def test_no_clients(self, environment, eks):
        """The list belongs to a public endpoint."""
        assert not list(private_endpoints_have_no_public_clients(environment(eks=eks)))


class TestPublicClientsAreNotEveryone:
    @pytest.mark.parametrize(
        ("cidr", "who"),
        [("0.0.0.0/0", "everyone"), ("0.0.0.0/1", "2,147,483,648 addresses"), ("128.0.0.0/7", "33,554,432 addresses")],
    )
    def test_too_wide(self, environment, cidr, who):
        """Two halves of the Internet are the Internet too."""
        (finding,) = public_clients_are_not_everyone(environment(eks=public("203.0.113.0/24", cidr)))

        assert finding.path == ("eks", "public_access_cidrs", 1)
        assert finding.message == f"{cidr} opens the control plane to {who}"

    @pytest.mark.parametrize("cidr", ["203.0.113.7/32", "17.0.0.0/8", "17.0.0.1/7"])
    def test_known_networks(self, environment, cidr):
        """A /8 can be one owner's; what is no network is another rule's business."""
        assert not list(public_clients_are_not_everyone(environment(eks=public(cidr))))

    def test_every_address_of_ipv6(self, data):
        """``::/0`` is refused as well, since it is no IPv4 range."""
        from trnstack.findings import InvalidEnvironmentError
        from trnstack.source import Source
        from trnstack.spec.load import load

        with pytest.raises(InvalidEnvironmentError, match="is not an IPv4 range"):
            load(Source("x.yaml", data(eks=public("::/0"))))


class TestPublicClientsHavePublicAddresses:
    @pytest.mark.parametrize(
        "cidr", ["10.0.0.0/8", "10.1.2.0/24", "172.20.0.0/16", "192.168.1.0/24", "100.64.0.0/10", "127.0.0.1/32"]
    )
    def test_private(self, environment, cidr):
        """EKS refuses them, and nobody arrives from them."""
        (finding,) = public_clients_have_public_addresses(environment(eks=public(cidr)))

        assert "network.client_cidrs" in finding.hint

    @pytest.mark.parametrize("cidr", ["203.0.113.0/24", "198.51.100.7/32", "172.32.0.0/16", "0.0.0.0/0"])
    def test_public(self, environment, cidr):
        """The ranges of documentation are none of the private ones, since every example has them."""
        assert not list(public_clients_have_public_addresses(environment(eks=public(cidr))))


class TestControlPlaneLogsAreUnique:
    def test_twice(self, environment):
        """A log listed twice is refused by CloudFormation."""
        (finding,) = control_plane_logs_are_unique(environment(eks={"control_plane_logs": ["audit", "api", "audit"]}))

        assert finding.path == ("eks", "control_plane_logs", 2)

    def test_all_five(self, environment):
        """All logs may be on."""
        logs = ["api", "audit", "authenticator", "controllerManager", "scheduler"]
        assert not list(control_plane_logs_are_unique(environment(eks={"control_plane_logs": logs})))


class TestTheAuditLogIsKept:
    @pytest.mark.parametrize("logs", [[], ["api", "authenticator"]])
    def test_missing(self, environment, logs):
        """Without it nobody can tell who deleted what."""
        (finding,) = the_audit_log_is_kept(environment(eks={"control_plane_logs": logs}))

        assert finding.severity is Severity.WARNING

    @pytest.mark.parametrize("eks", [{}, {"control_plane_logs": ["audit"]}])
    def test_kept(self, environment, eks):
        """It is kept by default."""
        assert not list(the_audit_log_is_kept(environment(eks=eks)))


class TestRolesAreUnique:
    def test_twice(self, environment):
        """A role's second access entry is refused by EKS after the cluster has been made."""
        (finding,) = roles_are_unique(environment(eks={"admin_role_arns": [ROLE, ROLE]}))

        assert finding.path == ("eks", "admin_role_arns", 1)

    @pytest.mark.parametrize("name", ["trainer_role_arns", "viewer_role_arns"])
    def test_twice_among_others(self, environment, name):
        """The same goes for those who may run jobs, and for those who may look."""
        findings = list(roles_are_unique(environment(eks={name: [f"{ROLE}-2"] * 2})))

        assert [finding.path for finding in findings] == [("eks", name, 1)]

    def test_different(self, environment):
        """Several administrators are fine."""
        assert not list(roles_are_unique(environment(eks={"admin_role_arns": [ROLE, f"{ROLE}-2"]})))


class TestRolesAreInOneList:
    @pytest.mark.parametrize("name", ["trainer_role_arns", "viewer_role_arns"])
    def test_two_lists(self, environment, name):
        """A role that administers can't be told to do less as well."""
        (finding,) = roles_are_in_one_list(environment(eks={name: [ROLE]}))

        assert finding.path == ("eks", name, 0)
        assert finding.message == f"'{ROLE}' is among the admin_role_arns already"

    def test_one_list(self, environment):
        """Each role in one list, and twice in it, is not this rule's."""
        one = {"trainer_role_arns": [f"{ROLE}-2", f"{ROLE}-2"], "viewer_role_arns": [f"{ROLE}-3"]}

        assert not list(roles_are_in_one_list(environment(eks=one)))


class TestRolesAreInTheAccount:
    def test_another_account(self, environment):
        """A role of another account may be meant, and is more often copied."""
        (finding,) = roles_are_in_the_account(environment(account="444455556666"))

        assert finding.severity is Severity.WARNING
        assert finding.message == "the role is in account 111122223333, the environment in 444455556666"

    def test_all_who_enter(self, environment):
        """Who may run jobs or look is compared as who administers."""
        others = {"trainer_role_arns": [f"{ROLE}-2"], "viewer_role_arns": [f"{ROLE}-3"]}
        findings = list(roles_are_in_the_account(environment(account="444455556666", eks=others)))

        assert [finding.path[1] for finding in findings] == ["admin_role_arns", *others]

    @pytest.mark.parametrize("account", [None, "111122223333"])
    def test_same_account(self, environment, account):
        """Without an account in the file there is nothing to compare."""
        assert not list(roles_are_in_the_account(environment(account=account)))


class TestRolesAreInThePartition:
    @pytest.mark.parametrize(
        ("region", "partition", "expected"),
        [
            ("us-east-2", "aws-cn", "aws"),
            ("us-east-2", "aws-us-gov", "aws"),
            ("cn-north-1", "aws", "aws-cn"),
            ("us-gov-west-1", "aws", "aws-us-gov"),
        ],
    )
    def test_another_partition(self, environment, region, partition, expected):
        """Roles do not exist across partitions."""
        arn = ROLE.replace("arn:aws:", f"arn:{partition}:")
        (finding,) = roles_are_in_the_partition(environment(region=region, eks={"admin_role_arns": [arn]}))

        assert finding.hint == f"name a role whose ARN starts with arn:{expected}:"

    @pytest.mark.parametrize(
        ("region", "partition"), [("us-east-2", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-east-1", "aws-us-gov")]
    )
    def test_same_partition(self, environment, region, partition):
        """Each region has its partition."""
        arn = ROLE.replace("arn:aws:", f"arn:{partition}:")
        assert not list(roles_are_in_the_partition(environment(region=region, eks={"admin_role_arns": [arn]})))


class TestZonesTakeTheControlPlane:
    @pytest.mark.parametrize(
        ("region", "zone_ids"),
        [
            ("us-east-1", ["use1-az4", "use1-az3"]),
            ("us-west-1", ["usw1-az1", "usw1-az2"]),
            ("ca-central-1", ["cac1-az1", "cac1-az3"]),
        ],
    )
    def test_refused_zone(self, environment, region, zone_ids):
        """EKS refuses a few old zones, and says so only when the cluster is made."""
        (finding,) = zones_take_the_control_plane(environment(region=region, availability_zone_ids=zone_ids))

        assert finding.path == ("availability_zone_ids", 1)
        assert zone_ids[0] in finding.hint
        assert not any(zone_id in finding.hint for zone_id in NO_CONTROL_PLANE_ZONE_IDS)

    def test_third_zone(self, environment):
        """A third zone holds no control plane, so it may be one of those."""
        zone_ids = ["use1-az4", "use1-az6", "use1-az3"]
        assert not list(zones_take_the_control_plane(environment(region="us-east-1", availability_zone_ids=zone_ids)))

    def test_other_zones(self, environment):
        """All others are taken."""
        assert not list(zones_take_the_control_plane(environment()))


class TestServiceRangeIsAccepted:
    @pytest.mark.parametrize(
        ("service_cidr", "words"),
        [
            ("100.64.0.0/16", "is not within a private range"),
            ("8.8.0.0/16", "is not within a private range"),
            ("10.0.0.0/8", "is not between /12 and /24"),
            ("192.168.0.0/25", "is not between /12 and /24"),
            ("10.0.128.0/17", "overlaps the VPC's 10.0.0.0/16"),
        ],
    )
    def test_refused(self, environment, service_cidr, words):
        """EKS refuses these when the cluster is made, after the network stands."""
        (finding,) = service_range_is_accepted(environment(eks={"service_cidr": service_cidr}))

        assert words in finding.message
        assert finding.hint

    @pytest.mark.parametrize(
        "service_cidr", ["auto", "10.100.0.0/16", "172.16.0.0/12", "192.168.5.0/24", "300.1.1.1/16"]
    )
    def test_accepted(self, environment, service_cidr):
        """Private ranges outside the VPC are taken; what is no network is another rule's finding."""
        assert not list(service_range_is_accepted(environment(eks={"service_cidr": service_cidr})))
