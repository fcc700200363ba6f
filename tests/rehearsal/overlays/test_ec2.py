"""EC2's placement groups, capacity reservations and refusals."""

import pytest
from botocore.exceptions import ClientError

from rehearsal.overlays.state import state_of


class TestPlacementGroups:
    def test_same_name_twice(self, client):
        """A name is given once."""
        client("ec2").create_placement_group(GroupName="trn", Strategy="cluster")

        with pytest.raises(ClientError, match=r"InvalidPlacementGroup\.Duplicate"):
            client("ec2").create_placement_group(GroupName="trn", Strategy="cluster")

    def test_unknown(self, client):
        """An unknown group can be neither described nor deleted."""
        with pytest.raises(ClientError, match=r"InvalidPlacementGroup\.Unknown"):
            client("ec2").describe_placement_groups(GroupNames=["trn"])
        with pytest.raises(ClientError, match=r"InvalidPlacementGroup\.Unknown"):
            client("ec2").delete_placement_group(GroupName="trn")

    @pytest.mark.usefixtures("node_group")
    def test_in_use(self, client):
        """A group with running instances is not deleted."""
        (group,) = client("ec2").describe_placement_groups()["PlacementGroups"]

        with pytest.raises(ClientError, match=r"InvalidPlacementGroup\.InUse"):
            client("ec2").delete_placement_group(GroupName=group["GroupName"])

    def test_forgotten_at_reset(self, services, client):
        """Nothing is left after a reset."""
        client("ec2").create_placement_group(GroupName="trn", Strategy="cluster")
        services.reset()

        assert client("ec2").describe_placement_groups()["PlacementGroups"] == []


def test_capacity_reservations(client):
    """Those that the rehearsal was given are described; an unknown id is an error."""
    state_of("123456789012", "us-east-2").capacity_reservations["cr-1"] = {
        "CapacityReservationId": "cr-1",
        "State": "active",
        "InstanceType": "trn2.48xlarge",
        "TotalInstanceCount": 4,
    }
    (found,) = client("ec2").describe_capacity_reservations()["CapacityReservations"]
    assert (found["State"], found["TotalInstanceCount"]) == ("active", 4)
    with pytest.raises(ClientError, match=r"InvalidCapacityReservationId\.NotFound"):
        client("ec2").describe_capacity_reservations(CapacityReservationIds=["cr-2"])


@pytest.mark.usefixtures("cluster")
class TestInUse:
    def test_subnet(self, client, network):
        """A subnet with an interface in it is not deleted."""
        with pytest.raises(ClientError, match="DependencyViolation"):
            client("ec2").delete_subnet(SubnetId=network.subnet_ids[0])

    def test_security_group(self, client, cluster):
        """A group of an interface is not deleted."""
        with pytest.raises(ClientError, match="DependencyViolation"):
            client("ec2").delete_security_group(GroupId=cluster.attributes["ClusterSecurityGroupId"])


def test_subnet_without_a_range(client, network):
    """A subnet of IPv6 alone, or from a pool, is not modelled, and the rehearsal says so."""
    with pytest.raises(ClientError, match="The rehearsal does not model this call of ec2: a subnet without CidrBlock"):
        client("ec2").create_subnet(VpcId=network.vpc.physical_id, Ipv6Native=True)


def test_template_that_is_not_named(client):
    """Whoever starts an instance from a template names it."""
    with pytest.raises(ClientError, match=r"MissingParameter.*LaunchTemplateName"):
        client("ec2").run_instances(MinCount=1, MaxCount=1, LaunchTemplate={"Version": "1"})


def test_zone_of_another_region(client, network):
    """A subnet is made in a zone of its region only."""
    with pytest.raises(ClientError, match=r"InvalidParameterValue.*use1-az6.*use2-az1, use2-az2, use2-az3"):
        client("ec2").create_subnet(
            VpcId=network.vpc.physical_id, CidrBlock="10.0.32.0/20", AvailabilityZoneId="use1-az6"
        )
