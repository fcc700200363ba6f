"""Asking EC2 for Trainium types: what is asked, and what comes of regions that do not answer."""

import pytest

from account.catalog import ask, ec2_clients
from account.refusals import AccountError

OFFERINGS, TYPES = "describe_instance_type_offerings", "describe_instance_types"


def offering(name, zone_id):
    return {"InstanceType": name, "LocationType": "availability-zone-id", "Location": zone_id}


class TestAsk:
    @pytest.mark.usefixtures("aws")
    def test_types_and_zones(self):
        """A region's answer has exactly its Trainium types, each with its record and the ids of its zones."""
        reading = ask(ec2_clients(["us-east-2"]), told=lambda _: None)
        answer = reading.answers["us-east-2"]

        assert set(answer.records) == set(answer.zone_ids)
        assert set(answer.zone_ids) == {"trn1.2xlarge", "trn1.32xlarge", "trn1n.32xlarge", "trn2.48xlarge"}
        assert answer.zone_ids["trn2.48xlarge"] == ("use2-az1", "use2-az2", "use2-az3")
        assert answer.records["trn2.48xlarge"]["VCpuInfo"]["DefaultVCpus"] == 192

    def test_region_without_trainium(self, stubbed):
        """Where nothing is offered, no type is asked for: EC2 would return all of its types for an empty filter."""
        client = stubbed("us-west-1", (OFFERINGS, {"InstanceTypeOfferings": [offering("m7i.large", "usw1-az1")]}))

        assert dict(ask({"us-west-1": client}, told=lambda _: None).answers["us-west-1"].zone_ids) == {}

    def test_pages(self, stubbed):
        """All pages of an answer are read."""
        client = stubbed(
            "us-east-2",
            (OFFERINGS, {"InstanceTypeOfferings": [offering("trn9.metal", "use2-az3")], "NextToken": "more"}),
            (OFFERINGS, {"InstanceTypeOfferings": [offering("trn9.metal", "use2-az1")]}),
            (TYPES, {"InstanceTypes": [], "NextToken": "more"}),
            (TYPES, {"InstanceTypes": [{"InstanceType": "trn9.metal"}]}),
        )
        answer = ask({"us-east-2": client}, told=lambda _: None).answers["us-east-2"]

        assert answer.zone_ids == {"trn9.metal": ("use2-az1", "use2-az3")}
        assert list(answer.records) == ["trn9.metal"]

    def test_one_refusal_spoils_nothing(self, stubbed):
        """A region that refuses is told, and the others' answers are there, in the order in which they were asked."""
        clients = {
            "us-east-1": stubbed("us-east-1", (OFFERINGS, "UnauthorizedOperation")),
            "us-west-2": stubbed("us-west-2", (OFFERINGS, {"InstanceTypeOfferings": []})),
            "us-east-2": stubbed("us-east-2", (OFFERINGS, {"InstanceTypeOfferings": []})),
        }
        told = []
        reading = ask(clients, told=told.append)

        assert list(reading.answers) == ["us-west-2", "us-east-2"]
        assert isinstance(reading.refused["us-east-1"], AccountError)
        assert sorted(line.partition("  ")[0] for line in told) == ["1 of 3", "2 of 3", "3 of 3"]
        assert any(line.endswith("us-east-1: no answer") for line in told)

    @pytest.mark.parametrize("code", ["InvalidAction", "UnsupportedOperation", "ValidationException"])
    def test_unknown_api(self, stubbed, code):
        """MOTO-02: An API that the other side lacks is an answer that is missing, not a traceback."""
        reading = ask({"us-east-1": stubbed("us-east-1", (OFFERINGS, code))}, told=lambda _: None)

        assert reading.refused["us-east-1"].message.endswith(f"refuses DescribeInstanceTypeOfferings: {code}: says why")

    def test_bugs_stay_tracebacks(self):
        """What is no error of AWS's client is not passed off as one."""
        with pytest.raises(AttributeError):
            ask({"us-east-1": None}, told=lambda _: None)


class TestEc2Clients:
    @pytest.mark.usefixtures("aws")
    def test_retries(self):
        """Every client tries again by itself, and gives up in the end."""
        (client,) = ec2_clients(["us-east-2"]).values()

        assert client.meta.config.retries == {"mode": "standard", "total_max_attempts": 5}
        assert client.meta.region_name == "us-east-2"

    def test_unknown_profile(self, monkeypatch):
        """A profile that does not exist is said before anything is asked."""
        monkeypatch.setenv("AWS_PROFILE", "nobody")

        with pytest.raises(AccountError, match=r"the config profile \(nobody\) could not be found"):
            ec2_clients(["us-east-2"])

    def test_no_credentials(self, monkeypatch):
        """Without credentials nothing is asked, and that is said once."""
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")

        with pytest.raises(AccountError, match="there are no AWS credentials"):
            ec2_clients(["us-east-2", "us-west-2"])
