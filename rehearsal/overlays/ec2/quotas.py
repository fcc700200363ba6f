"""How many of some things an account may have in a region before it asks for more.

The quotas are those that every account begins with; somebody's account may have asked for others, and is left alone.
That of VPCs is left alone everywhere: it is five, and an account whose VPCs are replaced has to ask for more anyhow.

Source: VPC user guide, "Amazon VPC quotas"; Service Quotas, Amazon EC2, "EC2-VPC Elastic IPs" (L-0263D0A3). Codes: EC2
API reference, error codes. Words as people quote them: terraform-aws-modules/terraform-aws-vpc 429 (addresses). Not
confirmed: the words about gateways; eksctl-io/eksctl 560 has the code about NAT gateways.
"""

from dataclasses import dataclass
from typing import Any

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.trust import knows_all_of


@dataclass(frozen=True, slots=True)
class Quota:
    """What EC2 says when an account has as many as it may.

    Attributes:
        most: How many it may have.
        code: EC2's error code.
        message: What it says.
    """

    most: int
    code: str
    message: str


ADDRESSES = Quota(5, "AddressLimitExceeded", "The maximum number of addresses has been reached.")
INTERNET_GATEWAYS = Quota(
    5, "InternetGatewayLimitExceeded", "The maximum number of internet gateways has been reached."
)
NAT_GATEWAYS_A_ZONE = Quota(
    5, "NatGatewayLimitExceeded", "Performing this operation would exceed the limit of 5 NAT gateways"
)


def check_quota(network: Any, quota: Quota, count: int) -> None:
    """Refuses one more in an account that has as many as it may from the start.

    Args:
        network: moto's EC2 backend of the account and region.
        quota: The quota.
        count: How many there are.

    Raises:
        OverlayError: The quota is reached, in an account of nobody's.
    """
    if count >= quota.most and knows_all_of(network.account_id):
        raise OverlayError(quota.code, quota.message)
