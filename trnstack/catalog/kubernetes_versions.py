"""The Kubernetes minor versions that EKS has, and the days on which their support ends."""

import datetime as dt
from collections.abc import Mapping
from types import MappingProxyType

from trnstack.catalog.model import Fact, KubernetesVersion

_READ_ON = dt.date(2026, 11, 30)
_GUIDE = Fact(
    source="EKS user guide, kubernetes-versions.adoc (awsdocs/amazon-eks-user-guide at 01385604), "
    "Amazon EKS Kubernetes release calendar",
    read_on=_READ_ON,
)
_CALENDAR_COPIES = Fact(
    source="Unconfirmed: public copies of the EKS release calendar up to 2026-09-08, three of which agree",
    read_on=_READ_ON,
)
_STANDARD_END_ONLY = Fact(
    source="Unconfirmed: a public copy of the EKS release calendar of 2026-09-08; the end of extended support is "
    "12 months after the standard one, by the rule of the EKS user guide",
    read_on=_READ_ON,
)

_VERSIONS = (
    KubernetesVersion(
        minor="1.32",
        standard_support_ends=dt.date(2026, 3, 23),
        extended_support_ends=dt.date(2027, 3, 23),
        fact=_GUIDE,
    ),
    KubernetesVersion(
        minor="1.33",
        standard_support_ends=dt.date(2026, 7, 29),
        extended_support_ends=dt.date(2027, 7, 29),
        fact=_GUIDE,
    ),
    KubernetesVersion(
        minor="1.34",
        standard_support_ends=dt.date(2026, 12, 2),
        extended_support_ends=dt.date(2027, 12, 2),
        fact=_GUIDE,
    ),
    KubernetesVersion(
        minor="1.35",
        standard_support_ends=dt.date(2027, 3, 27),
        extended_support_ends=dt.date(2028, 3, 27),
        fact=_CALENDAR_COPIES,
    ),
    KubernetesVersion(
        minor="1.36",
        standard_support_ends=dt.date(2027, 8, 2),
        extended_support_ends=dt.date(2028, 8, 2),
        fact=_STANDARD_END_ONLY,
    ),
)

#: The minors of which the stacks have a kubectl: the packages aws-cdk.lambda-layer-kubectl-vNN in requirements.in.
KUBECTL_VERSIONS = ("1.32", "1.33", "1.34", "1.35", "1.36")
#: By minor version, oldest first. Billing of extended support starts at 00:00 UTC of the day standard support ends.
KUBERNETES_VERSIONS: Mapping[str, KubernetesVersion] = MappingProxyType({row.minor: row for row in _VERSIONS})
