"""What differs between EC2's answers and the catalog."""

import dataclasses

import pytest

from account.differences import Edit, differences
from trnstack.catalog import CHIPS, INSTANCE_TYPES, InstanceType
from trnstack.catalog.traps import NEVER_TRUSTED

BOTH = ("ap-south-2", "us-east-2")
#: What EC2 does not say, or says nowhere in these two operations.
NOT_COMPARED = {
    "name",
    "chip",
    "availability_zone_ids",
    "on_demand_usd_per_hour",
    "on_demand_quota_code",
    "spot_quota_code",
    "fact",
    "opt_in",
    "network_layers",
}


def record(reading, name, region="us-east-2"):
    return reading.answers[region].records[name]


def zone_ids(reading, region="us-east-2"):
    return reading.answers[region].zone_ids


class TestDifferences:
    def test_nothing_changed(self, reading):
        """EC2's own records, its traps included, make no difference."""
        assert not differences(reading)

    @pytest.mark.parametrize(
        ("field", "change", "new"),
        [
            ("memory_gib", lambda r: r["MemoryInfo"].update(SizeInMiB=1024 * 1024), 1024),
            ("neuron_devices", lambda r: r["NeuronInfo"]["NeuronDevices"][0].update(Count=8), 8),
            ("network_cards", lambda r: r["NetworkInfo"].update(MaximumNetworkCards=4), 4),
            ("efa_interfaces", lambda r: r["NetworkInfo"].pop("EfaInfo"), 0),
            ("ipv4_addresses_per_interface", lambda r: r["NetworkInfo"].update(Ipv4AddressesPerInterface=30), 30),
            ("network_gbps", lambda r: r["NetworkInfo"].update(NetworkPerformance="8x 200 Gigabit"), 1600.0),
            ("network_gbps", lambda r: r["NetworkInfo"].update(NetworkPerformance="Very High"), "Very High"),
            ("local_disks", lambda r: r.pop("InstanceStorageInfo"), 0),
            ("usage_classes", lambda r: r.update(SupportedUsageClasses=["spot"]), ("spot",)),
            ("cluster_placement", lambda r: r["PlacementGroupInfo"].update(SupportedStrategies=["spread"]), False),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_a_field(self, reading, field, change, new):
        """What EC2 says otherwise is an edit of the row's own field, from what the row says to what EC2 says."""
        change(record(reading, "trn1.32xlarge"))
        edits = {edit.field: edit for edit in differences(reading).edits}

        assert edits[field] == Edit(
            name="trn1.32xlarge",
            field=field,
            old=getattr(INSTANCE_TYPES["trn1.32xlarge"], field),
            new=new,
            regions=("us-east-2",),
        )

    def test_cards_that_differ(self, reading):
        """Where the cards are no longer alike, all their values are shown: the row can't say that yet."""
        record(reading, "trn1.32xlarge")["NetworkInfo"]["NetworkCards"][0]["BaselineBandwidthInGbps"] = 200.0
        (edit,) = differences(reading).edits

        assert (edit.field, edit.old, edit.new) == ("network_card_gbps", 100.0, (100.0, 200.0))

    def test_vcpus_are_the_quotas_too(self, reading):
        """The quotas count vCPUs, so both fields of the row change together."""
        record(reading, "trn1.32xlarge")["VCpuInfo"]["DefaultVCpus"] = 96

        assert [(edit.field, edit.new) for edit in differences(reading).edits] == [
            ("vcpus", 96),
            ("vcpu_quota_units", 96),
        ]

    def test_a_chip(self, reading):
        """What EC2 says of the chip is an edit of the chip's row, told once for all types that have it."""
        for name in ("trn1.2xlarge", "trn1.32xlarge", "trn1n.32xlarge"):
            record(reading, name)["NeuronInfo"]["NeuronDevices"][0]["MemoryInfo"]["SizeInMiB"] = 65536

        assert differences(reading).edits == (
            Edit(name="trainium1", field="memory_gib", old=32, new=64, regions=("us-east-2",)),
        )

    def test_zones(self, reading):
        """A zone more or less is an edit of the region's entry; a type that is gone has none there."""
        zone_ids(reading)["trn1.32xlarge"] = ("use2-az1", "use2-az3")
        del zone_ids(reading)["trn2.48xlarge"]
        del reading.answers["us-east-2"].records["trn2.48xlarge"]

        assert [(edit.name, edit.field, edit.old, edit.new) for edit in differences(reading).edits] == [
            ("trn1.32xlarge", "availability_zone_ids[us-east-2]", ("use2-az3",), ("use2-az1", "use2-az3")),
            ("trn2.48xlarge", "availability_zone_ids[us-east-2]", ("use2-az1", "use2-az2", "use2-az3"), None),
        ]

    def test_a_region_more(self, reading):
        """A region that begins to offer a type is an edit from nothing."""
        zone_ids(reading)["trn2u.48xlarge"] = ("use2-az3",)
        (edit,) = differences(reading).edits

        assert (edit.old, edit.new) == (None, ("use2-az3",))

    def test_same_answer_of_several_regions(self, reading):
        """One change that several regions tell is told once, with all of them."""
        for region in BOTH:
            record(reading, "trn2.48xlarge", region)["SupportedUsageClasses"] = ["on-demand"]

        (edit,) = differences(reading).edits
        assert edit.regions == BOTH

    def test_unknown_types(self, reading):
        """A type that no row has is named with its zones, and compared with nothing."""
        zone_ids(reading)["trn3.48xlarge"] = ("use2-az2",)
        reading.answers["us-east-2"].records["trn3.48xlarge"] = {"InstanceType": "trn3.48xlarge"}
        found = differences(reading)

        assert found.unknown == {"trn3.48xlarge": {"us-east-2": ("use2-az2",)}}
        assert not found.edits

    def test_every_field_is_compared(self, reading):
        """Whatever a row says that EC2 can answer is compared: an empty record differs in each such field."""
        name = "trn1.32xlarge"
        reading.answers["us-east-2"].records[name] = {"InstanceType": name}
        found = {edit.field for edit in differences(reading).edits if edit.name == name}

        assert found == {field.name for field in dataclasses.fields(InstanceType)} - NOT_COMPARED


class TestNeverTrusted:
    @pytest.mark.parametrize("name", ["trn2.3xlarge", "trn2.48xlarge"])
    @pytest.mark.parametrize(("part", "key"), [("MemoryInfo", "SizeInMiB"), ("CoreInfo", "Count")])
    def test_neuron_info_of_trn2(self, reading, name, part, key):
        """Memory and core counts of Trainium2 make no edit, whatever the API says; that it says it is told."""
        record(reading, name, "ap-south-2")["NeuronInfo"]["NeuronDevices"][0][part][key] = 4
        found = differences(reading)

        assert not found.edits
        (surprise,) = found.surprises
        assert (surprise.name, surprise.says, surprise.regions) == (name, 4, ("ap-south-2",))
        assert surprise.trap.field.endswith(f"{part}.{key}")

    def test_trn2u(self, reading):
        """A NeuronInfo that appears on trn2u is told, and counted by nobody."""
        record(reading, "trn2u.48xlarge", "ap-south-2")["NeuronInfo"] = {"NeuronDevices": [{"Count": 1}]}
        found = differences(reading)

        assert not found.edits
        assert [(each.name, each.says) for each in found.surprises] == [
            ("trn2u.48xlarge", '{"NeuronDevices": [{"Count": 1}]}')
        ]

    def test_bandwidth_of_trn2_3xlarge(self, reading):
        """Of two figures that contradict each other neither is taken over; a new one is told."""
        network = record(reading, "trn2.3xlarge", "ap-south-2")["NetworkInfo"]
        network["NetworkPerformance"] = "50 Gigabit"
        network["NetworkCards"][0]["BaselineBandwidthInGbps"] = 200.0
        found = differences(reading)

        assert not found.edits
        assert {each.says for each in found.surprises} == {"50 Gigabit", 200.0}

    def test_only_the_types_that_it_names(self, reading):
        """What is wrong of Trainium2 is right of Trainium1: its memory and cores are compared."""
        device = record(reading, "trn1.2xlarge")["NeuronInfo"]["NeuronDevices"][0]
        device["CoreInfo"]["Count"] = 4

        assert [(edit.name, edit.field) for edit in differences(reading).edits] == [("trainium1", "physical_cores")]

    def test_every_entry_is_of_a_row(self):
        """Each entry names types of the catalog, says why, and where that was read."""
        for trap in NEVER_TRUSTED:
            assert set(trap.types) <= set(INSTANCE_TYPES)
            assert trap.reason
            assert trap.fact.source
        assert {CHIPS[INSTANCE_TYPES[name].chip].name for trap in NEVER_TRUSTED for name in trap.types} == {"trainium2"}
