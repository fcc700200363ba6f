"""S3's gateway endpoint: the way of checkpoints and image layers, which costs nothing and passes no NAT gateway."""

from collections.abc import Sequence

from constructs import Construct

from infra.resource import resource


def s3_endpoint(scope: Construct, *, vpc_id: str, route_table_ids: Sequence[str]) -> None:
    """Defines the endpoint in a VPC, and its route in each of the route tables."""
    properties = {
        "VpcId": vpc_id,
        "VpcEndpointType": "Gateway",
        "ServiceName": {"Fn::Sub": "com.amazonaws.${AWS::Region}.s3"},
        "RouteTableIds": list(route_table_ids),
    }
    resource(scope, "S3Endpoint", "AWS::EC2::VPCEndpoint", properties)
