"""Decides which AWS services get a private endpoint, each with its reason."""

from collections.abc import Iterator
from dataclasses import dataclass

from trnstack.plan.cluster import FSX_CSI_DRIVER, add_on_names
from trnstack.plan.model import EndpointPlan
from trnstack.plan.vpc import is_fully_private
from trnstack.spec import Environment

#: With a NAT gateway everything can be reached, so endpoints are for what is heavy or sensitive: image pulls (several
#: GB for every node), credentials, logs, and Session Manager, the way in. S3 has a gateway endpoint of its own.
#: Source: Amazon EKS user guide, "Deploy private clusters with limited internet access" names what each is for.
BESIDE_NAT = ("ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth", "logs", "ssm", "ssmmessages", "sts")

_REASONS = {
    "ec2": "the VPC CNI gives pods their interfaces and addresses, and nodes read their own instance as they join",
    "ec2messages": "Session Manager: the agent's second channel, used while ssmmessages is not connected",
    "ecr.api": "nodes sign in to the registries of images and EKS add-ons",
    "ecr.dkr": "nodes pull images and EKS add-ons, several GB each",
    "eks": "whoever works with the cluster from inside the VPC asks EKS for its address",
    "eks-auth": "pods get their AWS permissions by EKS Pod Identity",
    "fsx": "the FSx CSI driver asks for its file system",
    "logs": "logs of nodes and pods go to CloudWatch",
    "monitoring": "metrics of nodes and pods go to CloudWatch",
    "ssm": "Session Manager, the way in: the node's agent registers",
    "ssmmessages": "Session Manager, the way in: sessions and port forwarding",
    "sts": "jobs and people inside the VPC take roles and ask who they are",
}
_AS_ASKED = "the environment asks for it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A service that a cluster without a way out reaches by its endpoint.

    Attributes:
        service: Such as ``ecr.api``.
        otherwise: What would not work without the endpoint; empty where everything still would.
    """

    service: str
    otherwise: str = ""


def needs(environment: Environment) -> Iterator[Need]:
    """Yields what nodes, add-ons, the function by which CDK works in the cluster, and Session Manager reach.

    That is in a VPC without a way out. The function asks EKS for the cluster's address, signs its token by itself,
    without STS, and fetches charts from S3, by its gateway endpoint; the one that calls it stands outside the VPC
    (``infra.kubectl``), so that none is needed for Lambda.

    Services that act from outside the VPC need none either: EKS scales and repairs its nodes itself, S3, EBS and FSx
    call KMS themselves, and there is neither an autoscaler nor a load balancer controller in the cluster.

    Source: EKS user guide, "Deploy private clusters with limited internet access"; ECR user guide, "Amazon ECR
    interface VPC endpoints"; Systems Manager user guide, "Reference: ec2messages, ssmmessages, and other API
    operations"; amazon-ssm-agent release notes, 3.3.40.0; aws/aws-cdk#28955 and its kubectl provider; aws/aws-cli,
    awscli/customizations/eks/get_token.py: a presigned request, which only the cluster sends.
    """
    yield Need(service="ec2", otherwise="nodes do not join and pods get no address")
    yield Need(service="ecr.api", otherwise="no image can be pulled")
    yield Need(service="ecr.dkr", otherwise="no image can be pulled")
    yield Need(service="eks-auth", otherwise="pods have no AWS permissions, the VPC CNI and training jobs among them")
    by_cdk = environment.kubernetes.delivery == "cdk"
    blocked = "CDK applies nothing in the cluster" if by_cdk else ""
    yield Need(service="eks", otherwise=blocked)
    yield Need(service="sts")
    if environment.kubernetes.cloudwatch_observability:
        yield Need(service="logs", otherwise="nothing that nodes and pods log reaches CloudWatch")
        yield Need(service="monitoring", otherwise="no metric of nodes and pods reaches CloudWatch")
    locked_out = "" if environment.network.client_cidrs else "nobody gets in by Session Manager"
    yield Need(service="ssm", otherwise=locked_out)
    yield Need(service="ssmmessages", otherwise=locked_out)
    yield Need(service="ec2messages")
    if FSX_CSI_DRIVER in add_on_names(environment):
        yield Need(service="fsx")


def interface_endpoints(environment: Environment) -> tuple[EndpointPlan, ...]:
    """Returns the interface endpoints, in the order of their services' names."""
    asked = environment.network.interface_endpoints
    if isinstance(asked, tuple):
        services = asked
    elif is_fully_private(environment):
        services = tuple(need.service for need in needs(environment))
    else:
        services = BESIDE_NAT
    return tuple(EndpointPlan(service=each, reason=_REASONS.get(each, _AS_ASKED)) for each in sorted(services))
