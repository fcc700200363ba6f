import pytest

from trnstack.catalog import ZONE_IDS
from trnstack.findings import Severity
from trnstack.rules.buckets import (
    bucket_names_are_valid,
    checkpoints_are_retained,
    checkpoints_are_versioned,
    the_checkpoint_bucket_has_a_name,
)


class TestTheCheckpointBucketHasAName:
    @pytest.mark.parametrize("name", ["xn--dev", "sthree-x", "amzn-s3-demo-x"])
    def test_reserved_start(self, environment, name):
        """S3 refuses such a bucket only after the network stands."""
        (finding,) = the_checkpoint_bucket_has_a_name(environment(name=name))

        assert finding.path == ("name",)
        assert "S3 reserves" in finding.message

    @pytest.mark.parametrize("region", ZONE_IDS)
    def test_longest_name(self, environment, region):
        """The hint's length is exactly the one that fits, in every region."""
        longest = 63 - len(f"-checkpoints-111122223333-{region}")
        fits = environment(region=region, name="a" * min(longest, 32))
        assert not list(the_checkpoint_bucket_has_a_name(fits))

        for length in range(longest + 1, 33):
            (finding,) = the_checkpoint_bucket_has_a_name(environment(region=region, name="a" * length))
            assert finding.path == ("name",)
            assert finding.hint == f"in {region} use a name of at most {longest} characters"

    def test_existing_bucket(self, environment):
        """An adopted bucket has its name."""
        checkpoints = {"existing_bucket": "some-bucket"}
        assert not list(the_checkpoint_bucket_has_a_name(environment(name="a" * 32, checkpoints=checkpoints)))


class TestCheckpointsAreRetained:
    def test_destroyed(self, environment):
        """CFN-04: deleting what was trained is a choice, with a word of warning."""
        (finding,) = checkpoints_are_retained(environment(checkpoints={"removal_policy": "destroy"}))

        assert finding.severity is Severity.WARNING

    def test_retained(self, environment):
        """CFN-04: retaining is the default."""
        assert not list(checkpoints_are_retained(environment()))


class TestCheckpointsAreVersioned:
    def test_not_versioned(self, environment):
        """An overwritten checkpoint without versions is gone."""
        (finding,) = checkpoints_are_versioned(environment(checkpoints={"versioned": False}))

        assert finding.severity is Severity.WARNING

    def test_versioned(self, environment):
        """Versions are the default."""
        assert not list(checkpoints_are_versioned(environment()))


class TestBucketNamesAreValid:
    BAD = (
        "192.168.1.1",
        "a..b",
        "xn--bucket",
        "sthree-bucket",
        "amzn-s3-demo-x",
        "x-s3alias",
        "x--ol-s3",
        "x.mrap",
        "x--x-s3",
        "x--table-s3",
    )

    @pytest.mark.parametrize("name", BAD)
    def test_existing_bucket(self, environment, name):
        """A name that S3 never gives is a slip."""
        (finding,) = bucket_names_are_valid(environment(checkpoints={"existing_bucket": name}))

        assert finding.path == ("storage", "checkpoints", "existing_bucket")

    @pytest.mark.parametrize("name", BAD)
    def test_dataset(self, environment, name):
        """Datasets' buckets are looked at too."""
        datasets = [{"name": "c4", "bucket_name": "good-bucket"}, {"name": "pile", "bucket_name": name}]
        (finding,) = bucket_names_are_valid(environment(datasets=datasets))

        assert finding.path == ("storage", "datasets", 1, "bucket_name")

    @pytest.mark.parametrize("name", ["a.b.c", "1.2.3", "my-bucket", "300.1.1.1", "s3alias"])
    def test_good(self, environment, name):
        """Dots and digits alone make no address."""
        assert not list(bucket_names_are_valid(environment(checkpoints={"existing_bucket": name})))
