import datetime as dt

import pytest

from trnstack.catalog import KUBERNETES_VERSIONS

each_version = pytest.mark.parametrize("row", KUBERNETES_VERSIONS.values(), ids=KUBERNETES_VERSIONS)


def test_versions():
    """The catalog has 1.32 to 1.36, oldest first."""
    assert list(KUBERNETES_VERSIONS) == ["1.32", "1.33", "1.34", "1.35", "1.36"]


def test_end_of_1_34():
    """1.34 leaves standard support on 2026-12-02: the date that decides what examples may use."""
    assert KUBERNETES_VERSIONS["1.34"].standard_support_ends == dt.date(2026, 12, 2)


@each_version
def test_extended_support(row):
    """Extended support lasts one year more than standard support."""
    standard = row.standard_support_ends

    assert row.extended_support_ends == standard.replace(year=standard.year + 1)


@each_version
def test_source(row):
    """A date that no page of AWS was read for says that it is unconfirmed."""
    assert row.fact.source.startswith("Unconfirmed") == (row.minor in {"1.35", "1.36"})
