import re

import pytest

from trnstack.catalog import CHIPS, INSTANCE_TYPES
from trnstack.catalog.instance_types import is_opt_in

each_row = pytest.mark.parametrize("row", INSTANCE_TYPES.values(), ids=INSTANCE_TYPES)
each_trn2 = pytest.mark.parametrize("name", ["trn2.3xlarge", "trn2.48xlarge"])


def advertised_gbps(performance):
    count, gbps = re.fullmatch(r"(?:Up to )?(?:(\d+)x )?([\d.]+) Gigabit", performance).groups()
    return int(count or 1) * float(gbps)


class TestFactsThatHurt:
    def test_types(self):
        """The catalog has the six published Trainium types, and no trn3 with invented sizes."""
        assert set(INSTANCE_TYPES) == {
            "trn1.2xlarge",
            "trn1.32xlarge",
            "trn1n.32xlarge",
            "trn2.3xlarge",
            "trn2.48xlarge",
            "trn2u.48xlarge",
        }

    @pytest.mark.parametrize(
        ("name", "devices", "total_gib", "cores", "logical_cores"),
        [
            ("trn1.2xlarge", 1, 32, 2, 2),
            ("trn1.32xlarge", 16, 512, 32, 32),
            ("trn1n.32xlarge", 16, 512, 32, 32),
            ("trn2.3xlarge", 1, 96, 8, 4),
            ("trn2.48xlarge", 16, 1536, 128, 64),
            ("trn2u.48xlarge", 16, 1536, 128, 64),
        ],
    )
    def test_device_memory_and_cores(self, name, devices, total_gib, cores, logical_cores):
        """Device memory and cores are the hardware pages' figures: a job sized by them fits."""
        row = INSTANCE_TYPES[name]
        chip = CHIPS[row.chip]

        assert row.neuron_devices == devices
        assert devices * chip.memory_gib == total_gib
        assert devices * chip.physical_cores == cores
        assert cores // chip.default_logical_neuroncore_config == logical_cores

    @pytest.mark.parametrize(
        ("name", "cards", "efa_interfaces"),
        [
            ("trn1.2xlarge", 1, 0),
            ("trn1.32xlarge", 8, 8),
            ("trn1n.32xlarge", 16, 16),
            ("trn2.3xlarge", 1, 1),
            ("trn2.48xlarge", 16, 16),
            ("trn2u.48xlarge", 16, 16),
        ],
    )
    def test_efa(self, name, cards, efa_interfaces):
        """EFA goes on every card once, and trn1.2xlarge has none: a wrong count fails the launch."""
        row = INSTANCE_TYPES[name]

        assert (row.network_cards, row.efa_interfaces) == (cards, efa_interfaces)

    def test_trainium3(self):
        """What AWS publishes of Trainium3 is there, and the default that it doesn't publish is not."""
        chip = CHIPS["trainium3"]

        assert (chip.memory_gib, chip.physical_cores, chip.logical_neuroncore_configs) == (144, 8, (1, 2))
        assert chip.default_logical_neuroncore_config is None

    def test_prices_where_published(self):
        """No list price is invented: trn2 has none."""
        priced = {name for name, row in INSTANCE_TYPES.items() if row.on_demand_usd_per_hour is not None}

        assert priced == {"trn1.2xlarge", "trn1.32xlarge", "trn1n.32xlarge"}

    @pytest.mark.parametrize("row", [*INSTANCE_TYPES.values(), *CHIPS.values()], ids=lambda row: row.name)
    def test_source(self, row):
        """Every row says where it comes from."""
        assert row.fact.source
        assert row.fact.read_on.year == 2026

    def test_cannot_be_changed(self):
        """The catalog is read-only, down to the zones of a row."""
        for mapping in (CHIPS, INSTANCE_TYPES, INSTANCE_TYPES["trn1.32xlarge"].availability_zone_ids):
            with pytest.raises(TypeError):
                mapping["x"] = None


class TestIsOptIn:
    @pytest.mark.parametrize("name", ["trn3.48xlarge", "trn3pd98.48xlarge"])
    def test_trn3(self, name):
        """Any trn3 name is let through for the environment to complete."""
        assert is_opt_in(name)

    @pytest.mark.parametrize("name", ["trn2.48xlarge", "trn2.48xlrge", "p5.48xlarge", ""])
    def test_others(self, name):
        """A known type, or a misspelt one of another generation, is an ordinary name."""
        assert not is_opt_in(name)


class TestAgainstTheApi:
    """Each row agrees with EC2's own answers wherever those are right."""

    @each_row
    def test_size(self, row, api_types):
        """vCPUs, memory and local disks are the API's; the vCPU quotas count the same vCPUs."""
        record = api_types[row.name]
        (disks,) = record["InstanceStorageInfo"]["Disks"]

        assert row.vcpus == record["VCpuInfo"]["DefaultVCpus"] == row.vcpu_quota_units
        assert row.memory_gib * 1024 == record["MemoryInfo"]["SizeInMiB"]
        assert (row.local_disks, row.local_disk_gb) == (disks["Count"], disks["SizeInGB"])

    @each_row
    def test_network(self, row, api_types):
        """Cards, interfaces, EFA, addresses and bandwidths are the API's, and all cards are alike."""
        network = api_types[row.name]["NetworkInfo"]
        cards = {
            (card["MaximumNetworkInterfaces"], card["BaselineBandwidthInGbps"]) for card in network["NetworkCards"]
        }

        assert row.network_cards == network["MaximumNetworkCards"] == len(network["NetworkCards"])
        assert cards == {(row.interfaces_per_card, row.network_card_gbps)}
        assert row.network_cards * row.interfaces_per_card == network["MaximumNetworkInterfaces"]
        assert row.efa_interfaces == network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0)
        assert row.ipv4_addresses_per_interface == network["Ipv4AddressesPerInterface"]
        assert row.network_gbps == advertised_gbps(network["NetworkPerformance"])

    @each_row
    def test_purchase_and_placement(self, row, api_types):
        """Usage classes and cluster placement are the API's."""
        record = api_types[row.name]

        assert list(row.usage_classes) == sorted(record["SupportedUsageClasses"])
        assert row.cluster_placement == ("cluster" in record["PlacementGroupInfo"]["SupportedStrategies"])

    @each_row
    def test_zones(self, row, api_offerings):
        """The zones of a row are those that offer the type, in every region of the reading."""
        offered = {region: types[row.name] for region, types in api_offerings.items() if row.name in types}

        assert {region: set(zones) for region, zones in row.availability_zone_ids.items()} == offered
        assert all(list(zones) == sorted(zones) for zones in row.availability_zone_ids.values())

    @pytest.mark.parametrize("name", ["trn1.2xlarge", "trn1.32xlarge", "trn1n.32xlarge"])
    def test_trainium1_devices(self, name, api_types):
        """Devices, cores and device memory are the API's where it is right: on trn1."""
        (device,) = api_types[name]["NeuronInfo"]["NeuronDevices"]
        row = INSTANCE_TYPES[name]

        assert row.neuron_devices == device["Count"]
        assert CHIPS[row.chip].physical_cores == device["CoreInfo"]["Count"]
        assert CHIPS[row.chip].memory_gib * 1024 == device["MemoryInfo"]["SizeInMiB"]


class TestTrapsOfTheApi:
    """The API is wrong or silent here. A failure means that AWS corrected it: then the row's comment goes too."""

    @each_trn2
    def test_512_gib_a_chip(self, name, api_types):
        """The API says 512 GiB a Trainium2 chip; the row says the hardware's 96."""
        (device,) = api_types[name]["NeuronInfo"]["NeuronDevices"]

        assert device["MemoryInfo"]["SizeInMiB"] == 512 * 1024
        assert CHIPS[INSTANCE_TYPES[name].chip].memory_gib == 96

    @each_trn2
    def test_physical_cores(self, name, api_types):
        """The API counts a chip's 8 physical cores, while a job sees 4 at the default setting."""
        (device,) = api_types[name]["NeuronInfo"]["NeuronDevices"]
        chip = CHIPS[INSTANCE_TYPES[name].chip]

        assert device["CoreInfo"]["Count"] == chip.physical_cores == 8
        assert chip.physical_cores // chip.default_logical_neuroncore_config == 4

    def test_trn2u_without_neuron_info(self, api_types):
        """The API knows no Neuron device on trn2u; the row has 16."""
        assert not api_types["trn2u.48xlarge"].get("NeuronInfo")
        assert INSTANCE_TYPES["trn2u.48xlarge"].neuron_devices == 16

    def test_trn2_3xlarge_contradicts_itself(self, api_types):
        """One record gives trn2.3xlarge 200 Gbps and its only card 50, at base and at peak."""
        network = api_types["trn2.3xlarge"]["NetworkInfo"]
        (card,) = network["NetworkCards"]

        assert network["NetworkPerformance"] == "200 Gigabit"
        assert card["BaselineBandwidthInGbps"] == card["PeakBandwidthInGbps"] == 50

    def test_no_trn3(self, api_types):
        """The API has no trn3 name; once it has, the names become rows and are opt-in no longer."""
        assert [name for name in api_types if is_opt_in(name)] == []

    def test_every_trainium_type_is_a_row(self, api_types):
        """A Trainium type that the API has and the catalog lacks shows up here."""
        assert {name for name in api_types if name.startswith("trn")} == set(INSTANCE_TYPES)
