"""How EKS calls the variants of its AL2023 AMIs for x86_64 that locks pin."""

from collections.abc import Mapping
from types import MappingProxyType

#: The variant in the names of AMIs and of their parameters, by the AMI type that a node group names.
#:
#: Source: EKS API reference, Nodegroup, ``amiType``; EKS user guide, "Retrieve recommended Amazon Linux AMI IDs".
VARIANTS: Mapping[str, str] = MappingProxyType({"AL2023_x86_64_NEURON": "neuron", "AL2023_x86_64_STANDARD": "standard"})
