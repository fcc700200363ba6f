"""UltraServers: what the instances and chips of the catalog come to together."""

import pytest

from trnstack.catalog import CHIPS, INSTANCE_TYPES, ULTRASERVERS
from trnstack.catalog.ultraservers import ultraservers_with

each_row = pytest.mark.parametrize("row", ULTRASERVERS.values(), ids=ULTRASERVERS)


class TestUltraservers:
    @each_row
    def test_is_the_sum_of_its_chips(self, row):
        """Memory, bandwidth and peaks are the chip's, times the chips; AWS rounds the Trn2 peaks."""
        chip = CHIPS[row.chip]

        assert row.device_memory_gib == row.chips * chip.memory_gib
        assert row.memory_tbps == pytest.approx(row.chips * chip.memory_tbps)
        assert row.bf16_tflops == pytest.approx(row.chips * chip.bf16_tflops, rel=0.01)
        assert row.fp8_tflops == pytest.approx(row.chips * chip.fp8_tflops, rel=0.01)
        assert row.chips % row.instances == 0

    def test_trn2_is_four_instances(self):
        """A Trn2 UltraServer is four trn2u.48xlarge, of which one, two or four work as one."""
        row, instance = ULTRASERVERS["trn2"], INSTANCE_TYPES["trn2u.48xlarge"]

        assert row.instance_type == instance.name
        assert (row.instances, row.configs) == (4, (1, 2, 4))
        assert row.chips == 4 * instance.neuron_devices
        assert (row.vcpus, row.memory_gib) == (4 * instance.vcpus, 4 * instance.memory_gib)

    @each_row
    def test_source(self, row):
        """Every row says where it comes from."""
        assert "aws-neuron-sdk at 81ce03ae" in row.fact.source


class TestUltraserversWith:
    @pytest.mark.parametrize(
        ("instance_type", "chip", "names"),
        [
            ("trn2u.48xlarge", "trainium2", ["trn2"]),
            ("trn2.48xlarge", "trainium2", []),
            ("trn1.32xlarge", "trainium1", []),
            ("trn3.48xlarge", "trainium3", ["trn3_gen1", "trn3_gen2"]),
        ],
    )
    def test_types(self, instance_type, chip, names):
        """By the type where AWS names one, else by the chip."""
        assert [row.name for row in ultraservers_with(instance_type, chip)] == names
