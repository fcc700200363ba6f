"""APIs that moto lacks: the rehearsal has those that it needs, and refuses the others as a service does."""

import pytest
from botocore.exceptions import ClientError

from account.catalog import ask

FROM_OVERLAYS = [
    ("ec2", "create_placement_group", {"GroupName": "near", "Strategy": "cluster"}, "PlacementGroup"),
    ("ec2", "describe_placement_groups", {}, "PlacementGroups"),
    ("ec2", "describe_capacity_reservations", {}, "CapacityReservations"),
    ("eks", "list_access_entries", {"clusterName": "demo"}, "accessEntries"),
    ("eks", "list_addons", {"clusterName": "demo"}, "addons"),
    ("eks", "describe_addon_versions", {}, "addons"),
    ("imagebuilder", "list_images", {}, "imageVersionList"),
    ("eks", "create_addon", {"clusterName": "demo", "addonName": "vpc-cni"}, "addon"),
]
FROM_NOBODY = [
    ("ec2", "describe_capacity_block_offerings", {"CapacityDurationHours": 24}),
    ("service-quotas", "list_service_quotas", {"ServiceCode": "ec2"}),
    ("pricing", "get_products", {"ServiceCode": "AmazonEC2"}),
    ("imagebuilder", "list_workflows", {}),
    # moto needs packages for these that are not among ours
    ("ec2", "describe_vpc_endpoint_services", {}),
    ("apigateway", "get_rest_apis", {}),
]


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(("service", "operation", "request_", "answered"), FROM_OVERLAYS)
def test_overlays_answer(client, service, operation, request_, answered):
    """MOTO-02: What a deployment needs and moto lacks is answered by the rehearsal's own overlays."""
    assert answered in getattr(client(service), operation)(**request_)


@pytest.mark.parametrize(("service", "operation", "request_"), FROM_NOBODY)
def test_others_are_refused(client, service, operation, request_):
    """MOTO-02: What nobody models is an error of the service, never a traceback or an empty answer."""
    with pytest.raises(ClientError):
        getattr(client(service), operation)(**request_)


def test_account_asks_the_rehearsal(services, client):
    """MOTO-02: What asks an account gets EC2's types from the rehearsal as well, through the same calls."""
    client("ec2")
    asked = {"us-east-2": services.transport.client("ec2", "123456789012", "us-east-2")}
    reading = ask(asked, told=lambda _: None)

    assert "trn2.48xlarge" in reading.answers["us-east-2"].records
