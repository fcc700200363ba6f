"""EC2's own answers, as moto carries them: read from its data files, without importing moto."""

import gzip
import importlib.util
import json
from pathlib import Path

import pytest


def resources():
    locations = importlib.util.find_spec("moto").submodule_search_locations
    return Path(locations[0]) / "ec2" / "resources"


def read(path):
    return json.loads(gzip.decompress(path.read_bytes()))


@pytest.fixture(scope="session")
def api_types():
    """DescribeInstanceTypes: records by instance type."""
    return read(resources() / "instance_types.json.gz")


@pytest.fixture(scope="session")
def api_offerings():
    """DescribeInstanceTypeOfferings by zone id: region to instance type to zone ids."""
    offerings = {}
    for path in sorted((resources() / "instance_type_offerings" / "availability-zone-id").iterdir()):
        region = offerings.setdefault(path.name.removesuffix(".json.gz"), {})
        for row in read(path):
            region.setdefault(row["InstanceType"], set()).add(row["Location"])
    return offerings
