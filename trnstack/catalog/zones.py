"""The availability zone ids of every commercial region."""

from collections.abc import Mapping
from types import MappingProxyType

#: Region to availability zone ids; local and wavelength zones are left out.
#:
#: Two zones are constrained, which means that only older accounts see them: ``usw1-az2`` and ``apne1-az3``.
#:
#: Source: AWS Regions and Availability Zones, "AWS Availability Zones" (AWS Global Infrastructure documentation, its
#: 2026 edition, which has euw2-az4), read 2026-11-30. EC2 DescribeInstanceTypeOfferings, dump in moto 5.2.5, refreshed
#: 2026-08-01, agrees wherever it has the region: it lacks the two constrained zones, ap-east-2, ap-southeast-6,
#: ap-southeast-7 and mx-central-1.
ZONE_IDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "af-south-1": ("afs1-az1", "afs1-az2", "afs1-az3"),
        "ap-east-1": ("ape1-az1", "ape1-az2", "ape1-az3"),
        "ap-east-2": ("ape2-az1", "ape2-az2", "ape2-az3"),
        "ap-northeast-1": ("apne1-az1", "apne1-az2", "apne1-az3", "apne1-az4"),
        "ap-northeast-2": ("apne2-az1", "apne2-az2", "apne2-az3", "apne2-az4"),
        "ap-northeast-3": ("apne3-az1", "apne3-az2", "apne3-az3"),
        "ap-south-1": ("aps1-az1", "aps1-az2", "aps1-az3"),
        "ap-south-2": ("aps2-az1", "aps2-az2", "aps2-az3"),
        "ap-southeast-1": ("apse1-az1", "apse1-az2", "apse1-az3"),
        "ap-southeast-2": ("apse2-az1", "apse2-az2", "apse2-az3"),
        "ap-southeast-3": ("apse3-az1", "apse3-az2", "apse3-az3"),
        "ap-southeast-4": ("apse4-az1", "apse4-az2", "apse4-az3"),
        "ap-southeast-5": ("apse5-az1", "apse5-az2", "apse5-az3"),
        "ap-southeast-6": ("apse6-az1", "apse6-az2", "apse6-az3"),
        "ap-southeast-7": ("apse7-az1", "apse7-az2", "apse7-az3"),
        "ca-central-1": ("cac1-az1", "cac1-az2", "cac1-az4"),
        "ca-west-1": ("caw1-az1", "caw1-az2", "caw1-az3"),
        "eu-central-1": ("euc1-az1", "euc1-az2", "euc1-az3"),
        "eu-central-2": ("euc2-az1", "euc2-az2", "euc2-az3"),
        "eu-north-1": ("eun1-az1", "eun1-az2", "eun1-az3"),
        "eu-south-1": ("eus1-az1", "eus1-az2", "eus1-az3"),
        "eu-south-2": ("eus2-az1", "eus2-az2", "eus2-az3"),
        "eu-west-1": ("euw1-az1", "euw1-az2", "euw1-az3"),
        "eu-west-2": ("euw2-az1", "euw2-az2", "euw2-az3", "euw2-az4"),
        "eu-west-3": ("euw3-az1", "euw3-az2", "euw3-az3"),
        "il-central-1": ("ilc1-az1", "ilc1-az2", "ilc1-az3"),
        "me-central-1": ("mec1-az1", "mec1-az2", "mec1-az3"),
        "me-south-1": ("mes1-az1", "mes1-az2", "mes1-az3"),
        "mx-central-1": ("mxc1-az1", "mxc1-az2", "mxc1-az3"),
        "sa-east-1": ("sae1-az1", "sae1-az2", "sae1-az3"),
        "us-east-1": ("use1-az1", "use1-az2", "use1-az3", "use1-az4", "use1-az5", "use1-az6"),
        "us-east-2": ("use2-az1", "use2-az2", "use2-az3"),
        "us-west-1": ("usw1-az1", "usw1-az2", "usw1-az3"),
        "us-west-2": ("usw2-az1", "usw2-az2", "usw2-az3", "usw2-az4"),
    }
)

#: Zones whose subnets EKS refuses for a cluster's control plane; nodes may run there.
#:
#: Source: EKS user guide, "Amazon EKS networking requirements for VPC and subnets", read 2026-11-30.
NO_CONTROL_PLANE_ZONE_IDS = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})
