import re

import pytest

from trnstack.catalog import INSTANCE_TYPES, ZONE_IDS
from trnstack.catalog.zones import NO_CONTROL_PLANE_ZONE_IDS

#: Zones that only older accounts see; the dump's account doesn't.
CONSTRAINED = {"usw1-az2", "apne1-az3"}
#: Regions that the dump's account had not switched on.
NOT_IN_THE_DUMP = {"ap-east-2", "ap-southeast-6", "ap-southeast-7", "mx-central-1"}

each_region = pytest.mark.parametrize(("region", "zone_ids"), ZONE_IDS.items(), ids=ZONE_IDS)


def test_regions_against_the_api(api_offerings):
    """Every region that EC2's dump has is in the table, and the others are named."""
    assert set(ZONE_IDS) == set(api_offerings) | NOT_IN_THE_DUMP


def test_zones_against_the_api(api_offerings):
    """The zones of a region are those in which EC2 offers anything, plus the constrained ones."""
    offering = {region: set().union(*types.values()) for region, types in api_offerings.items()}

    assert {region: set(ZONE_IDS[region]) - CONSTRAINED for region in offering} == offering


@each_region
def test_form(region, zone_ids):
    """A zone id carries its region's own prefix: no local or wavelength zone, no neighbour's zone slips in."""
    continent, direction, number = re.fullmatch(r"(\w\w)-(\w+)-(\d)", region).groups()
    short = {"northeast": "ne", "southeast": "se", "northwest": "nw", "southwest": "sw"}.get(direction, direction[0])

    assert all(re.fullmatch(rf"{continent}{short}{number}-az\d", zone_id) for zone_id in zone_ids)
    assert list(zone_ids) == sorted(set(zone_ids))
    assert len(zone_ids) >= 3


def test_zones_of_the_instance_types():
    """A zone that the catalog offers an instance type in is a zone of that region."""
    for row in INSTANCE_TYPES.values():
        for region, zone_ids in row.availability_zone_ids.items():
            assert set(zone_ids) <= set(ZONE_IDS[region])


def test_zones_without_control_plane():
    """The zones that EKS refuses are spelled as zone ids are."""
    assert {"use1-az3", "usw1-az2", "cac1-az3"} == NO_CONTROL_PLANE_ZONE_IDS
