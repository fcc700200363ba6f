"""The network of a rehearsal after its deploy."""

from dataclasses import replace

import pytest

from rehearsal.story.network import network_differently


class TestNetworkDifferently:
    @pytest.mark.parametrize("name", ["llama3-8b-trn1", "private-trn1", "existing-vpc-trn1"])
    def test_every_difference_is_told(self, planned, deployed, name):
        """A network that lost something, or has something that was not planned, is told."""
        plan = planned(name)
        found = deployed(plan, name)
        vpc = found.vpcs[0]
        differences = {
            "there is no VPC": replace(found, vpcs=()),
            "range should be": replace(found, vpcs=(replace(vpc, cidr="10.1.0.0/16"),)),
            "subnets should be": replace(found, vpcs=(replace(vpc, subnets=vpc.subnets[:-1]),)),
            "endpoints should be": replace(found, vpcs=(replace(vpc, endpoints=vpc.endpoints[1:]),)),
            "flow logs should be": replace(found, vpcs=(replace(vpc, flow_logs=(*vpc.flow_logs, "another")),)),
        }

        assert list(network_differently(plan, found)) == []
        for sentence, changed in differences.items():
            (told,) = network_differently(plan, changed)
            assert sentence in told

    def test_nat_gateways(self, planned, deployed):
        """A NAT gateway that is missing is told with its zone."""
        plan = planned("llama3-8b-trn1")
        found = deployed(plan, "llama3-8b-trn1")
        (told,) = network_differently(plan, replace(found, vpcs=(replace(found.vpcs[0], nat_gateways=()),)))

        assert told == "VPC llama3-8b: NAT gateways should be ['use2-az3'], is []"
