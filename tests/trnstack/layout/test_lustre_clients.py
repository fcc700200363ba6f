"""Which nodes reach a file system by EFA."""

import pytest

from trnstack.catalog import INSTANCE_TYPES
from trnstack.layout.lustre_clients import reaches_by_efa


class TestReachesByEfa:
    @pytest.mark.parametrize(
        ("instance_type", "expected"),
        [
            ("trn1.2xlarge", False),
            ("trn1.32xlarge", True),
            ("trn1n.32xlarge", True),
            ("trn2.3xlarge", False),
            ("trn2.48xlarge", False),
            ("trn2u.48xlarge", False),
        ],
    )
    def test_every_type(self, instance_type, expected):
        """FSX-09: Nitro v4 types with EFA do; FSx excludes the trn2 family."""
        interfaces = INSTANCE_TYPES[instance_type].efa_interfaces
        assert reaches_by_efa(instance_type, efa_interfaces=interfaces) is expected

    def test_without_interfaces(self):
        """A node that has no EFA interface in use has no way."""
        assert not reaches_by_efa("trn1.32xlarge", efa_interfaces=0)
