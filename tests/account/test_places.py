"""Where the catalog's rows stand."""

import pytest

from account.places import rows
from trnstack.catalog import CHIPS, INSTANCE_TYPES


@pytest.fixture(scope="module")
def places():
    return rows()


def text_of(row, line):
    return row.file.read_text(encoding="utf-8").splitlines()[line - 1].strip()


class TestRows:
    def test_every_row_is_found(self, places):
        """Each instance type and each chip has a place, and nothing else has."""
        assert set(places) == {*INSTANCE_TYPES, *CHIPS}

    @pytest.mark.parametrize("name", INSTANCE_TYPES)
    def test_lines(self, places, name):
        """A field's line is the one on which the row spells it."""
        row = places[name]

        assert text_of(row, row.line) == "InstanceType("
        assert text_of(row, row.of("name")) == f'name="{name}",'
        assert text_of(row, row.of("vcpus")) == f"vcpus={INSTANCE_TYPES[name].vcpus},"

    @pytest.mark.parametrize("name", INSTANCE_TYPES)
    def test_regions(self, places, name):
        """A region's line is its entry's; a region that the row lacks belongs where the others are."""
        row = places[name]
        for region in INSTANCE_TYPES[name].availability_zone_ids:
            assert f'"{region}"' in text_of(row, row.of(f"availability_zone_ids[{region}]"))
        assert text_of(row, row.of("availability_zone_ids[eu-west-1]")).startswith("availability_zone_ids=")

    def test_unknown_field(self, places):
        """A field that the row does not spell is edited at the row."""
        row = places["trainium2"]

        assert row.of("colour") == row.line
