"""Field cases of EFA, placement and capacity: what goes wrong with interfaces, their groups and where nodes start."""

from typing import Any

import pytest

from trnstack.catalog import INSTANCE_TYPES
from trnstack.findings import InvalidEnvironmentError

EFA_NODES = ("llama2-7b-nodes-trn1", "llama3-8b-nodes-trn1")
RESERVED = {
    "type": "capacity_reservation",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 32,
    "availability_zone_id": "use2-az3",
}


def launch(template):
    return template.one("AWS::EC2::LaunchTemplate")["LaunchTemplateData"]


def cards(template):
    return launch(template)["NetworkInterfaces"]


@pytest.fixture(params=EFA_NODES)
def nodes(every, request):
    """Each node group with EFA in turn."""
    return every[request.param]


class TestInterfaces:
    def test_every_card_is_used(self, nodes):
        """EFA-02: A trn1.32xlarge starts with eight interfaces that can do EFA, one on each of its cards."""
        assert [each["NetworkCardIndex"] for each in cards(nodes)] == list(range(8))
        assert all(each["InterfaceType"] in {"efa", "efa-only"} for each in cards(nodes))

    def test_device_indices(self, nodes):
        """EFA-03: Device 0 is on card 0 alone, the other cards use device 1, and no two interfaces share a place."""
        places = [(each["NetworkCardIndex"], each["DeviceIndex"]) for each in cards(nodes)]

        assert places[0] == (0, 0)
        assert all(device == 1 for _, device in places[1:])
        assert len(set(places)) == len(places)

    def test_only_the_first_takes_an_address(self, nodes):
        """EFA-05: Interfaces beyond the first are efa-only and name nothing that has to do with addresses."""
        first, *others = cards(nodes)

        assert first["InterfaceType"] == "efa"
        assert {each["InterfaceType"] for each in others} == {"efa-only"}
        for each in others:
            assert set(each) == {"NetworkCardIndex", "DeviceIndex", "InterfaceType", "Groups", "DeleteOnTermination"}

    def test_no_public_address(self, every):
        """EFA-05: No interface asks for a public address, which EC2 refuses beside several interfaces."""
        for template in every.values():
            for made in template.properties("AWS::EC2::LaunchTemplate"):
                assert all(
                    "AssociatePublicIpAddress" not in each for each in made["LaunchTemplateData"]["NetworkInterfaces"]
                )
            assert all(not subnet["MapPublicIpOnLaunch"] for subnet in template.properties("AWS::EC2::Subnet"))

    def test_their_number_is_the_types(self, variant, nodes):
        """EFA-11: The number of interfaces is the instance type's, and the environment has no word for another one."""
        name = launch(nodes)["InstanceType"]

        assert len(cards(nodes)) == INSTANCE_TYPES[name].efa_interfaces
        with pytest.raises(InvalidEnvironmentError) as caught:
            variant("llama3-8b-trn1", node_group={"efa_interfaces": 16})
        assert [finding.code for finding in caught.value.findings] == ["SPEC005"]

    def test_one_zone(self, every):
        """EFA-12: A node group of accelerators stands in one subnet, so in one zone; EFA does not cross zones."""
        for name, template in every.items():
            if "-nodes-" in name:
                assert len(template.one("AWS::EKS::Nodegroup")["Subnets"]) == 1

    def test_a_node_group_names_no_second_zone(self, variant):
        """EFA-12: Several zones for one node group can't be written down."""
        with pytest.raises(InvalidEnvironmentError, match="SPEC005"):
            variant("llama3-8b-trn1", node_group={"availability_zone_ids": ("use2-az3", "use2-az1")})

    def test_no_addresses_for_the_system_to_race_for(self, nodes):
        """HOST-05: Secondary interfaces have no address that the operating system would set up beside the VPC CNI."""
        assert [each["InterfaceType"] for each in cards(nodes)].count("efa") == 1


class TestGroups:
    @pytest.fixture
    def rules(self, every):
        """Returns the rules of the group that a node group's interfaces name by import."""

        def find(group: dict[str, str], direction: str) -> list[Any]:
            network, key = group["Fn::ImportValue"].split(":")
            template = every[network]
            target = template.exports()[f"{network}:{key}"]
            return [
                rule for rule in template.properties(f"AWS::EC2::SecurityGroup{direction}") if rule["GroupId"] == target
            ]

        return find

    @pytest.mark.parametrize(
        ("direction", "peer"), [("Egress", "DestinationSecurityGroupId"), ("Ingress", "SourceSecurityGroupId")]
    )
    def test_all_traffic_to_itself(self, nodes, rules, direction, peer):
        """EFA-06: The group of every EFA interface lets all traffic out to itself and in from itself."""
        for each in cards(nodes):
            own = [rule for rule in rules(each["Groups"][0], direction) if rule.get(peer) == rule["GroupId"]]

            assert [rule["IpProtocol"] for rule in own] == ["-1"]
            assert all("FromPort" not in rule and "ToPort" not in rule for rule in own)

    def test_the_way_out_names_the_group(self, nodes, rules):
        """EFA-07: What lets EFA out names the group: traffic to an address range does not count for EFA."""
        out = rules(cards(nodes)[0]["Groups"][0], "Egress")

        assert any("DestinationSecurityGroupId" in rule and "CidrIp" not in rule for rule in out)
        assert all(rule["FromPort"] == rule["ToPort"] == 443 for rule in out if "CidrIp" in rule)

    def test_no_group_has_rules_inline(self, every):
        """EFA-07: Groups carry no rule about themselves inline, which would be circular, and none opens everything."""
        for template in every.values():
            for group in template.properties("AWS::EC2::SecurityGroup"):
                (nothing,) = group["SecurityGroupEgress"]
                assert nothing["CidrIp"] == "255.255.255.255/32"
                assert "SecurityGroupIngress" not in group

    def test_every_interface_has_the_group(self, nodes):
        """EFA-08: Every interface is in the nodes' group, and the one with the address in the cluster's too."""
        first, *others = ([group["Fn::ImportValue"].split(":")[1] for group in each["Groups"]] for each in cards(nodes))

        assert first == ["NodesSecurityGroup", "ClusterSecurityGroup"]
        assert all(groups == ["NodesSecurityGroup"] for groups in others)


class TestPlacement:
    def test_none_beside_a_reservation(self, variant):
        """PG-02: A reservation brings no placement group of our own, in which it was not made."""
        template = variant("llama3-8b-trn1", node_group={"capacity": RESERVED})["llama3-8b-nodes-trn1"]

        assert "Placement" not in launch(template)
        assert not template.of("AWS::EC2::PlacementGroup")

    def test_a_named_one_beside_a_reservation(self, variant):
        """PG-02: The group in which the reservation was made is used where it is named."""
        changes = {"capacity": RESERVED, "placement_group": "made-with-it"}
        template = variant("llama3-8b-trn1", node_group=changes)["llama3-8b-nodes-trn1"]

        assert launch(template)["Placement"] == {"GroupName": "made-with-it"}
        assert not template.of("AWS::EC2::PlacementGroup")

    def test_system_nodes_have_none(self, every):
        """PG-03: System nodes, whose types may not do cluster placement, have no placement at all."""
        for name, template in every.items():
            if name.endswith("-cluster"):
                assert "Placement" not in launch(template)

    def test_its_name_is_an_output(self, nodes):
        """PG-05: The placement group's name is printed, for whoever buys a reservation later."""
        ((logical_id, made),) = nodes.of("AWS::EC2::PlacementGroup").items()

        assert made["Properties"] == {"Strategy": "cluster"}
        assert nodes.printed()["PlacementGroup"] == {"Fn::GetAtt": [logical_id, "GroupName"]}
        assert launch(nodes)["Placement"]["GroupName"] == nodes.printed()["PlacementGroup"]


class TestCapacity:
    def test_spot_is_the_node_groups(self, every):
        """CAP-02: Spot capacity is asked for by the node group; EKS refuses it in a launch template."""
        template = every["dev-nodes-spot"]

        assert template.one("AWS::EKS::Nodegroup")["CapacityType"] == "SPOT"
        assert "InstanceMarketOptions" not in launch(template)

    @pytest.mark.parametrize("efa", [True, False])
    def test_a_reservation_is_used_with_and_without_efa(self, variant, efa):
        """CAP-07: The reservation is named in the launch template whether the nodes have EFA or not."""
        changes = {"capacity": RESERVED, "efa": efa}
        template = variant("llama3-8b-trn1", node_group=changes)["llama3-8b-nodes-trn1"]
        target = launch(template)["CapacityReservationSpecification"]["CapacityReservationTarget"]

        assert target == {"CapacityReservationId": RESERVED["capacity_reservation_id"]}
        assert len(cards(template)) == (8 if efa else 1)
        assert template.one("AWS::EKS::Nodegroup")["CapacityType"] == "ON_DEMAND"
