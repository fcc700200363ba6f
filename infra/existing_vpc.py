"""A VPC that stands already: its ids as they were given, and the one thing that is added to its routes."""

from constructs import Construct

from infra.gateway_endpoint import s3_endpoint
from trnstack.plan.model import ExistingVpcPlan, NetworkPlan


class ExistingVpc(Construct):
    """Stands for a VPC that others own; adds S3's gateway endpoint to the route tables that the environment uses.

    Attributes:
        vpc_id: The VPC's id.
        subnet_ids: The subnets' ids by their names in the plan.
    """

    def __init__(self, scope: Construct, construct_id: str, *, network: NetworkPlan, existing: ExistingVpcPlan) -> None:
        super().__init__(scope, construct_id)
        self.vpc_id = existing.vpc_id
        self.subnet_ids = {subnet.name: existing.subnet_id(subnet.name) for subnet in network.subnets}
        if existing.s3_route_table_ids:
            s3_endpoint(self, vpc_id=self.vpc_id, route_table_ids=existing.s3_route_table_ids)
