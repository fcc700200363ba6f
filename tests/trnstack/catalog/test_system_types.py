import pytest

from trnstack.catalog import SYSTEM_INSTANCE_TYPES

FAMILIES = ["m5", "m6i", "m7i", "m7i-flex", "m6a", "m7a", "c6i", "c7i", "r6i", "r7i", "t3", "t3a"]
SIZES = ["large", "xlarge", "2xlarge", "4xlarge", "8xlarge"]


@pytest.mark.parametrize("row", SYSTEM_INSTANCE_TYPES.values(), ids=SYSTEM_INSTANCE_TYPES)
def test_against_the_api(row, api_types):
    """A generated row agrees with EC2's own record, and the type is x86."""
    record = api_types[row.name]
    network = record["NetworkInfo"]

    assert row.vcpus == record["VCpuInfo"]["DefaultVCpus"]
    assert row.memory_gib * 1024 == record["MemoryInfo"]["SizeInMiB"]
    assert row.interfaces == network["MaximumNetworkInterfaces"]
    assert row.ipv4_addresses_per_interface == network["Ipv4AddressesPerInterface"]
    assert record["ProcessorInfo"]["SupportedArchitectures"] == ["x86_64"]


def test_every_size_that_exists(api_types):
    """Every size from large to 8xlarge that EC2 has of a family is in the catalog, and nothing else."""
    existing = {f"{family}.{size}" for family in FAMILIES for size in SIZES} & set(api_types)

    assert set(SYSTEM_INSTANCE_TYPES) == existing


@pytest.mark.parametrize(
    ("name", "usd"), [("m7i.large", 0.1008), ("m7a.8xlarge", 1.85472), ("t3.2xlarge", 0.3328), ("c7i.xlarge", 0.1785)]
)
def test_price(name, usd):
    """A price that is derived from the smallest size is the list price to the last digit."""
    assert SYSTEM_INSTANCE_TYPES[name].on_demand_usd_per_hour == usd
