"""From a file to its lock: what is said of a lock that does not fit."""

import json
from pathlib import Path

import pytest

from ami.lock import path_for
from trnstack.environment import check_file

EXAMPLE = Path(__file__).parents[2] / "environments" / "llama3-8b-trn1.yaml"


@pytest.fixture
def checked(tmp_path):
    """Returns the codes and messages of the lock's findings after environment or lock were changed."""

    def check(*, of_environment=(), of_lock=None):
        text = EXAMPLE.read_text(encoding="utf-8")
        for old, new in of_environment:
            assert old in text
            text = text.replace(old, new)
        file = tmp_path / EXAMPLE.name
        file.write_text(text, encoding="utf-8")
        data = json.loads(path_for(EXAMPLE).read_text(encoding="utf-8"))
        for (part, key), value in (of_lock or {}).items():
            data[part][key] = value
        path_for(file).write_text(json.dumps(data), encoding="utf-8")
        return [(each.code, each.message) for each in check_file(file).findings if each.code.startswith("IMG")]

    return check


class TestCurrentLock:
    def test_fits(self, checked):
        """The lock that lies beside the environment has nothing against it."""
        assert checked() == []

    def test_driver_older_than_the_sdk(self, checked):
        """NRN-01: A lock whose image has an older driver than the containers' SDK is a finding with both versions."""
        ((code, message),) = checked(of_lock={("accelerator_image", "neuron_driver"): "2.21.0.0"})

        assert code == "IMG004"
        assert "driver 2.21.0.0" in message
        assert "2.28.0.0 or later" in message

    def test_al2(self, checked):
        """AMI-03: A lock with an AL2 image is a finding, before a node group fails on it."""
        ((code, message),) = checked(of_lock={("accelerator_image", "ami_type"): "AL2_x86_64_GPU"})

        assert (code, "AL2_x86_64_GPU is not of AL2023" in message) == ("IMG005", True)

    def test_another_region(self, checked):
        """AMI-02: A lock is one region's: an environment that moves needs a new one."""
        moved = [("region: us-east-2", "region: us-west-2"), ("use2-az3", "usw2-az4"), ("use2-az1", "usw2-az1")]
        ((code, message),) = checked(of_environment=moved)

        assert code == "IMG002"
        assert "region was us-east-2, is now us-west-2" in message
