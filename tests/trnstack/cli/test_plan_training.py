"""``trnstack plan``: what training asks of storage."""

import pytest


@pytest.fixture
def section(run, example):
    """Returns the section's lines for the example with pieces of its text replaced, and for less than all of it."""

    def show(*replacements):
        file = example(*replacements)
        run("lock", "--offline", file)
        text = run("plan", file).stdout
        return text.partition("\nCheckpoints\n")[2].partition("\n\n")[0].splitlines()

    return show


class TestCheckpoints:
    def test_figures(self, section):
        """Size, time, share of waiting, what is kept, what it costs, and what would suffice."""
        assert section() == [
            "  one checkpoint  112.4 GB: 16.1 GB weights + 32.1 GB FP32 weights + 64.2 GB optimizer",
            "                  up to 14.6 GB more where queries share keys and values: add key_value_heads",
            "  written by      32 nodes, of which the busiest writes 19.1 GB",
            "  every           30 minutes of training",
            "  write time      94 s: the file system takes 1,200 MB/s, a node sends 1,250",
            "  training waits  4.95 % of the time if steps wait for each write; the file allows 5 %",
            "                  for the copy to memory alone if they go on beside it",
            "  exported        94 s later at the earliest; AWS promises no rate",
            "  kept            5 and a new one, 674.5 GB of 5.2 TB",
            "  file system     1,008 USD a month",
            "  would suffice   9,600 GiB at 125 MB/s per TiB",
            "                  4,800 GiB at 250 MB/s per TiB, the rate that it has: 1,008 USD a month",
            "                  2,400 GiB at 500 MB/s per TiB",
            "                  1,200 GiB at 1,000 MB/s per TiB",
            "  bucket          46 checkpoints a day, 153.9 TB a month, which nothing removes there",
            "                  at most 3,296 USD a month, and as much more with every month",
        ]

    def test_without_training(self, run, example):
        """Without a training run there is no such section."""
        text = example().read_text()
        file = example((text[text.index("training:") :], ""))
        run("lock", "--offline", file)

        assert "Checkpoints" not in run("plan", file).stdout

    def test_without_a_file_system(self, section, example):
        """Then the time is not known, and the job keeps the bucket tidy itself."""
        text = example().read_text()
        lines = section(
            (text[text.index("storage:") : text.index("training:")], ""), ("node_count: 32", "node_count: 1")
        )

        assert "  written by      the only node" in lines
        assert "  write time      not known: no file system, or an adopted one that is not described" in lines
        assert "  bucket          48 checkpoints a day, 562.1 GB kept and 161.9 TB of removed ones" in lines

    def test_nothing_is_exported(self, section):
        """What no association carries over never reaches the bucket."""
        link = "    data_repository_associations:\n      - {file_system_path: /checkpoints, bucket: checkpoints}\n"
        lines = section((link, ""))

        assert "  exported        never: no association exports it" in lines
        assert not any(line.startswith("  bucket") for line in lines)

    def test_no_size_suffices(self, section):
        """Then that is said, with no size."""
        lines = section(
            ("parameters_billion: 8.03", "parameters_billion: 405"),
            ("checkpoint_interval_minutes: 30", "checkpoint_interval_minutes: 10"),
            ("zero_stage: 1", "zero_stage: 0"),
            ("storage_gib: 4800", "storage_gib: 240000"),
        )

        assert "  would suffice   none of this rate: save less often, or choose another kind" in lines

    def test_price_that_was_not_found(self, section):
        """Another rate's price is not this one's."""
        lines = section(("mbps_per_tib: 250", "mbps_per_tib: 500"))

        assert "  file system     no price of this kind and rate was found in us-east-2" in lines

    def test_a_drive_cache_has_a_price_of_its_own(self, section):
        """Hard disks with a cache are not shown at the price of those without."""
        hdd = "    deployment_type: PERSISTENT_1\n    storage_type: HDD\n    drive_cache: READ\n    storage_gib: 5400"
        lines = section(
            ("    storage_gib: 4800", hdd),
            ("mbps_per_tib: 250", "mbps_per_tib: 40"),
            ("region: us-east-2", "region: us-east-1"),
            ("[use2-az3, use2-az1]", "[use1-az4, use1-az5]"),
            ("checkpoint_interval_minutes: 30", "checkpoint_interval_minutes: 3000"),
        )

        assert "  file system     no price of this kind and rate was found in us-east-1" in lines

    def test_heads_are_written(self, section):
        """Eight heads of keys and values are counted, and leave nothing open."""
        lines = section(("attention_heads: 32", "attention_heads: 32, key_value_heads: 8"))

        assert lines[0].startswith("  one checkpoint  123.7 GB: ")
        assert lines[1].startswith("  written by ")
