"""The network's part of ``trnstack plan``."""

from pathlib import Path

import pytest

from trnstack.cli.plan_network import network_section
from trnstack.environment import plan_file

ENVIRONMENTS = Path(__file__).parents[3] / "environments"


@pytest.fixture
def shown():
    """Returns the section's lines for one of the project's environments."""
    return lambda name: network_section(plan_file(ENVIRONMENTS / f"{name}.yaml").network)


def starts(lines):
    """Returns a test of whether a line starts with a text."""
    return lambda text: any(line.startswith(text) for line in lines)


class TestNetworkSection:
    def test_fully_private(self, shown):
        """A VPC without a way out says so, and each endpoint says what it is for."""
        has = starts(shown("private-trn1"))

        assert has("  NAT gateways  none: nothing leads out of the VPC")
        assert has("  images from   111122223333.dkr.ecr.us-west-2.amazonaws.com/mirror")
        assert has("  s3 (gateway)      checkpoints")
        assert has("  eks-auth          pods get their AWS permissions")

    def test_existing_vpc(self, shown):
        """Each subnet that was given says which role it serves, and why."""
        has = starts(shown("existing-vpc-trn1"))

        assert has("  VPC           vpc-0a1b2c3d4e5f60718, which stands already")
        assert has("  NAT gateways  the VPC's own routes")
        assert has("  flow logs     the VPC's owner's")
        assert has("  subnet-0a00000000000001a  10.40.0.0/26   use2-az3  -                                public")
        assert has("  subnet-0a00000000000003a  10.40.32.0/20  use2-az3  nodes-use2-az3                   the largest")

    def test_arithmetic(self, shown):
        """What takes addresses is told with how many, and how the number comes about."""
        has = starts(shown("llama3-8b-trn1"))

        assert has("  nodes-use2-az3   10.0.32.0/19  use2-az3      8,187            584")
        assert has(
            "  nodes-use2-az3   node group trn1                  578  (32 nodes + 2 while updating) x (1 interface +"
        )
        assert has("  nodes-use2-az3   file system                        6  a server for every 1,200 of 4,800 GiB")

    def test_no_endpoints(self, tmp_path):
        """A VPC that has all endpoints already gets none, and the table says so."""
        text = (ENVIRONMENTS / "existing-vpc-trn1.yaml").read_text()
        text = text.replace("[ecr.api, ecr.dkr, eks-auth]", "[]")
        text = text.replace("    cidr: 10.40.0.0/16\n", "    cidr: 10.40.0.0/16\n    s3_gateway_endpoint: false\n")
        (tmp_path / "existing.yaml").write_text(text)
        lock = ENVIRONMENTS / "existing-vpc-trn1.lock.json"
        (tmp_path / "existing.lock.json").write_bytes(lock.read_bytes())

        assert starts(network_section(plan_file(tmp_path / "existing.yaml").network))(
            "  none              the environment"
        )
