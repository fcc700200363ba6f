"""What only the account can answer, and is therefore left to preflight, which is not built yet.

No rule looks at any of it. It stands here so that nobody takes an environment without findings for one that can't fail.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PreflightCheck:
    """A check that asks the account.

    Attributes:
        rule: What has to hold, in words.
        why: What happens where it doesn't.
        source: What says so, and the call that answers.
    """

    rule: str
    why: str
    source: str


PREFLIGHT_CHECKS = (
    PreflightCheck(
        rule="the quotas hold the fleet",
        why="Quotas of Trn instances are counted in vCPUs, On-Demand and Spot apart, and start at 0 in many accounts.",
        source="EC2 user guide, service quotas; Service Quotas, GetServiceQuota.",
    ),
    PreflightCheck(
        rule="the quotas hold network and cluster",
        why="VPCs, elastic IP addresses, NAT gateways, EKS clusters and FSx storage each have a quota for the region.",
        source="AWS General Reference, service quotas; Service Quotas, GetServiceQuota.",
    ),
    PreflightCheck(
        rule="reservations exist and are active",
        why="A node group that names a reservation of another type, zone, account or state starts no node.",
        source="EC2 API reference, DescribeCapacityReservations.",
    ),
    PreflightCheck(
        rule="the zones offer the instance types today",
        why="The catalog says where types were offered on the day it was read; zones gain and lose them.",
        source="EC2 API reference, DescribeInstanceTypeOfferings.",
    ),
    PreflightCheck(
        rule="the account has the zones",
        why="Some zones are seen by older accounts only, and regions have to be enabled.",
        source="EC2 API reference, DescribeAvailabilityZones.",
    ),
    PreflightCheck(
        rule="the pinned images are still there",
        why="AWS withdraws AMI releases; a node group that is made or grows afterwards fails.",
        source="EKS user guide, AMI release versions; SSM API reference, GetParameter.",
    ),
    PreflightCheck(
        rule="the pinned add-on versions are offered",
        why="EKS retires add-on builds, and offers each for some Kubernetes versions only.",
        source="EKS API reference, DescribeAddonVersions.",
    ),
    PreflightCheck(
        rule="the bucket names are free",
        why="Bucket names are shared by all accounts of a partition; a name that is taken fails the storage stack.",
        source="S3 user guide, bucket naming rules; S3 API reference, HeadBucket.",
    ),
    PreflightCheck(
        rule="the administrators' roles exist",
        why="An access entry for a role that doesn't exist is refused, and the cluster's stack is rolled back.",
        source="EKS API reference, CreateAccessEntry; IAM API reference, GetRole.",
    ),
    PreflightCheck(
        rule="the account is the one that the environment names",
        why="Credentials of another account would build a second cluster there.",
        source="STS API reference, GetCallerIdentity.",
    ),
)
