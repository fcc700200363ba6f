import pytest

from trnstack.findings import Severity
from trnstack.rules.clients import (
    clients_are_listed_once,
    clients_are_not_everyone,
    clients_are_outside_the_services,
    clients_are_outside_the_vpc,
)


class TestClientsAreOutsideTheVpc:
    @pytest.mark.parametrize("client", ["10.0.0.0/8", "10.0.7.0/24", "10.0.0.0/16"])
    def test_overlap(self, environment, client):
        """A client with one of the VPC's addresses never gets an answer, whichever range is the wider."""
        (finding,) = clients_are_outside_the_vpc(environment(network={"client_cidrs": [client]}))

        assert finding.path == ("network", "client_cidrs", 0)

    @pytest.mark.parametrize("client", ["10.1.0.0/16", "192.168.0.0/16", "0.0.0.0/0", "10.0.0.1/16"])
    def test_outside(self, environment, client):
        """Networks beside the VPC are clients; what other rules refuse is not told twice."""
        assert not list(clients_are_outside_the_vpc(environment(network={"client_cidrs": [client]})))


class TestClientsAreNotEveryone:
    def test_everyone(self, environment):
        """The widest range of all is no client."""
        (finding,) = clients_are_not_everyone(environment(network={"client_cidrs": ["10.1.0.0/16", "0.0.0.0/0"]}))

        assert finding.path == ("network", "client_cidrs", 1)

    def test_someone(self, environment):
        """A whole /8 of one company is."""
        assert not list(clients_are_not_everyone(environment(network={"client_cidrs": ["10.0.0.0/8"]})))


class TestClientsAreListedOnce:
    def test_twice(self, environment):
        """The same network twice would be the same rule twice, which EC2 refuses."""
        (finding,) = clients_are_listed_once(
            environment(network={"client_cidrs": ["10.1.0.0/16", "10.2.0.0/16", "10.1.0.0/16"]})
        )

        assert finding.path == ("network", "client_cidrs", 2)
        assert finding.severity is Severity.ERROR

    @pytest.mark.parametrize("clients", [["10.1.0.0/16", "10.1.7.0/24"], ["10.1.7.0/24", "10.0.0.0/8"]])
    def test_within_another(self, environment, clients):
        """A network within another one is a surprise to whoever removes the wider one."""
        (finding,) = clients_are_listed_once(environment(network={"client_cidrs": clients}))

        assert finding.path == ("network", "client_cidrs", 1)
        assert finding.severity is Severity.WARNING

    @pytest.mark.parametrize("clients", [[], ["10.1.0.0/16", "10.2.0.0/16"], ["10.1.0.1/16", "10.1.0.0/16"]])
    def test_once(self, environment, clients):
        """Networks beside each other are fine; what is no network is another rule's finding."""
        assert not list(clients_are_listed_once(environment(network={"client_cidrs": clients})))


class TestClientsAreOutsideTheServices:
    @pytest.mark.parametrize("client", ["172.20.0.0/16", "172.20.7.0/24", "172.16.0.0/12"])
    def test_overlap(self, environment, client):
        """A client with a service's address could not be answered; the range that is left is named."""
        (finding,) = clients_are_outside_the_services(environment(network={"client_cidrs": [client]}))

        assert finding.path == ("network", "client_cidrs", 0)
        assert finding.message == f"{client} overlaps 172.20.0.0/16, from which services get their addresses"
        assert finding.hint.startswith("before the first deploy, eks.service_cidr: 10.100.0.0/16; later, ")

    def test_range_of_its_own(self, environment):
        """A range that is given is the one that counts."""
        options = {
            "network": {"client_cidrs": ["172.20.0.0/16", "10.50.1.0/24"]},
            "eks": {"service_cidr": "10.50.0.0/16"},
        }
        (finding,) = clients_are_outside_the_services(environment(**options))

        assert finding.path == ("network", "client_cidrs", 1)

    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"network": {"client_cidrs": ["10.100.0.0/16"]}},
            {"network": {"vpc_cidr": "172.20.0.0/16", "client_cidrs": ["192.168.0.0/16"]}},
            {"network": {"client_cidrs": ["0.0.0.0/0"]}},
            {"network": {"client_cidrs": ["172.20.0.0/16"]}, "eks": {"service_cidr": "10.100.0.0/16"}},
            {"network": {"client_cidrs": ["172.20.0.0/16"]}, "eks": {"service_cidr": "10.1.0.7/16"}},
        ],
    )
    def test_clear(self, environment, options):
        """Other networks are fine; what is no network is another rule's finding."""
        assert not list(clients_are_outside_the_services(environment(**options)))
