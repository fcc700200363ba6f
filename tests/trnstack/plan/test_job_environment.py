"""What every job is told."""

import pytest

from trnstack.plan.job_environment import job_environment

LINKED = {
    "datasets": [{"name": "web-text", "bucket_name": "team-corpora", "prefix": "web/"}],
    "lustre": {
        "data_repository_associations": [
            {"file_system_path": "/checkpoints", "bucket": "checkpoints", "prefix": "runs"},
            {"file_system_path": "/data", "bucket": "web-text", "auto_export": []},
        ]
    },
}


@pytest.fixture
def told(planned):
    """Returns a builder of the variables of the builder's environment."""
    return lambda **sections: planned(**sections).kubernetes.job_environment


class TestPlaces:
    def test_with_a_file_system(self, told):
        """Checkpoints go where they are exported from, compiled programs where nothing is."""
        found = told(**LINKED)

        assert found["TRNSTACK_MOUNT_PATH"] == "/fsx"
        assert found["TRNSTACK_CHECKPOINT_PATH"] == "/fsx/checkpoints"
        assert found["TRNSTACK_CHECKPOINT_PREFIXES"] == "runs"
        assert found["NEURON_COMPILE_CACHE_URL"] == "/fsx/neuron-compile-cache"

    def test_datasets(self, told):
        """A dataset has an address, and a folder where the file system shows it."""
        found = told(**LINKED)

        assert found["TRNSTACK_DATASETS_WEB_TEXT"] == "s3://team-corpora/web"
        assert found["TRNSTACK_DATASETS_WEB_TEXT_PATH"] == "/fsx/data"
        assert "TRNSTACK_DATASETS_WEB_TEXT_PATH" not in told(datasets=LINKED["datasets"])

    def test_without_a_file_system(self, told):
        """Without one everything is in the bucket, whose name a deploy tells."""
        found = told()

        assert "TRNSTACK_MOUNT_PATH" not in found
        assert found["TRNSTACK_CHECKPOINT_PATH"] == "s3://@@CHECKPOINT_BUCKET@@/checkpoints"
        assert found["NEURON_COMPILE_CACHE_URL"] == "s3://@@CHECKPOINT_BUCKET@@/neuron-compile-cache"

    def test_mounted_at_the_root_of_a_path(self, told):
        """A mount path with a slash at its end makes no double one."""
        assert told(lustre={"mount_path": "/mnt/fsx"})["TRNSTACK_CHECKPOINT_PATH"] == "/mnt/fsx/checkpoints"


class TestNeuron:
    @pytest.mark.parametrize(
        ("neuron", "expected"),
        [
            ({"precision": "bf16"}, "1"),
            ({"precision": "bf16", "stochastic_rounding": False}, "0"),
            ({"precision": "fp32"}, "0"),
        ],
    )
    def test_rounding(self, told, neuron, expected):
        """Results are rounded at random where they have few bits and the environment wants it, with a fixed seed."""
        found = told(neuron=neuron)

        assert found["NEURON_RT_STOCHASTIC_ROUNDING_EN"] == expected
        assert ("NEURON_RT_STOCHASTIC_ROUNDING_SEED" in found) is (expected == "1")

    def test_compiler_flags(self, told):
        """The compiler gets the environment's flags, and no variable without any."""
        flags = ("--model-type=transformer", "-O1")

        assert told(neuron={"compiler_flags": flags})["NEURON_CC_FLAGS"] == "--model-type=transformer -O1"
        assert "NEURON_CC_FLAGS" not in told()

    def test_the_environment_prevails(self, environment, planned):
        """What the file sets comes last, after everything of the toolkit's, and takes its place."""
        further = {"NEURON_RT_STOCHASTIC_ROUNDING_SEED": "7", "NEURON_RT_LOG_LEVEL": "INFO"}
        found = job_environment(environment(neuron={"environment": further}), (), planned().storage)

        assert found["NEURON_RT_STOCHASTIC_ROUNDING_SEED"] == "7"
        assert list(found)[-1] == "NEURON_RT_LOG_LEVEL"


class TestEfa:
    def test_with_efa(self, told):
        """Libfabric uses EFA, and reaches device memory directly."""
        found = told()

        assert (found["FI_PROVIDER"], found["FI_EFA_USE_DEVICE_RDMA"]) == ("efa", "1")

    def test_without_efa(self, told):
        """Where no node has EFA nothing asks for it."""
        assert not [name for name in told(node_group={"efa": False, "node_count": 1}) if name.startswith("FI_")]
