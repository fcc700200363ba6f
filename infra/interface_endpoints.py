"""Private endpoints of AWS services, so that what nodes need of them stays inside the VPC."""

from collections.abc import Sequence

from constructs import Construct

from infra.resource import resource
from trnstack.plan.model import EndpointPlan


class InterfaceEndpoints(Construct):
    """Defines an interface endpoint for each service, reachable under the service's ordinary name."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoints: Sequence[EndpointPlan],
        vpc_id: str,
        subnet_ids: Sequence[str],
        security_group_id: str,
    ) -> None:
        super().__init__(scope, construct_id)
        for endpoint in endpoints:
            properties = {
                "VpcId": vpc_id,
                "VpcEndpointType": "Interface",
                "ServiceName": {"Fn::Sub": f"com.amazonaws.${{AWS::Region}}.{endpoint.service}"},
                "PrivateDnsEnabled": True,
                "SubnetIds": list(subnet_ids),
                "SecurityGroupIds": [security_group_id],
            }
            resource(self, endpoint.service, "AWS::EC2::VPCEndpoint", properties)
