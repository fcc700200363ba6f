"""What nodes cost by list price."""

import pytest

from trnstack.advice.impact.cost import cost

from .conftest import only, side_of

NODES = "llama3-8b-nodes-trn1"


def group(**properties):
    return {"Group": {"Type": "AWS::EKS::Nodegroup", "Properties": {"NodegroupName": "g", **properties}}}


class TestCost:
    def test_by_hand(self, golden_side):
        """32 trn1.32xlarge at 21.50 and the system nodes, two m7i.large... at their list price, 730 hours a month."""
        side = golden_side("llama3-8b-trn1")
        _, system = only(side, "llama3-8b-cluster", "AWS::EKS::Nodegroup")
        _, template = only(side, "llama3-8b-cluster", "AWS::EC2::LaunchTemplate")
        hourly = {"m7i.xlarge": 0.2016, "m7i.large": 0.1008}[template["LaunchTemplateData"]["InstanceType"]]
        expected = 730 * (32 * 21.50 + system["ScalingConfig"]["DesiredSize"] * hourly)

        found = cost(side)

        assert found.monthly_usd == pytest.approx(expected, abs=0.01)
        assert found.unpriced == ()

    @pytest.mark.parametrize(
        ("properties", "why"),
        [
            (
                {"InstanceTypes": ["trn1.32xlarge"], "CapacityType": "SPOT"},
                "g: trn1.32xlarge as SPOT has no list price",
            ),
            ({"InstanceTypes": ["trn2.48xlarge"]}, "g: trn2.48xlarge has no on-demand list price"),
            ({"InstanceTypes": ["a", "b"]}, "g: its instance type is not known before the deploy"),
            ({}, "g: its instance type is not known before the deploy"),
            (
                {"InstanceTypes": ["trn1.32xlarge"], "ScalingConfig": {"DesiredSize": {"Fn::GetAtt": ["A", "B"]}}},
                "g: its number of nodes is not known before the deploy",
            ),
        ],
    )
    def test_without_price(self, properties, why):
        """What has no list price is named, and not counted as nothing."""
        found = cost(side_of(("s", group(**properties))))

        assert (found.monthly_usd, found.unpriced) == (None, (why,))

    @pytest.mark.parametrize("odd", [[], "text", None, {"LaunchTemplate": {"Id": {"Ref": "Nobody"}}}])
    def test_by_hand_edited(self, odd):
        """Templates of odd shape end in no traceback."""
        resources = {"Group": {"Type": "AWS::EKS::Nodegroup", "Properties": odd}}

        assert cost(side_of(("s", resources))).unpriced[0].endswith("its instance type is not known before the deploy")
