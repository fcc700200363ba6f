"""User data: what EC2 takes, what cloud-init and nodeadm read in it."""

import email
import itertools

import pytest

from trnstack.layout import user_data as module
from trnstack.layout.user_data import MAXIMUM_BYTES, user_data
from trnstack.source import parse

ALL = list(itertools.product(("raid0", "none"), (None, 1, 2)))


def parts(text):
    """Returns the parts of MIME text: type and content."""
    message = email.message_from_string(text)
    assert message.get_content_type() == "multipart/mixed"
    assert not message.defects
    return [(part.get_content_type(), part.get_payload()) for part in message.get_payload()]


class TestUserData:
    @pytest.mark.parametrize(("local_storage", "logical"), ALL)
    def test_fits(self, local_storage, logical):
        """No combination comes near EC2's limit, and all of it is ASCII."""
        text = user_data(local_storage=local_storage, logical_neuroncore_config=logical)

        assert text.isascii()
        assert len(text) < MAXIMUM_BYTES // 8

    @pytest.mark.parametrize("logical", [None, 1, 2])
    def test_node_config(self, logical):
        """Local disks are joined by a NodeConfig that a strict YAML reader takes and that holds nothing else."""
        text = user_data(local_storage="raid0", logical_neuroncore_config=logical)
        (content,) = (content for kind, content in parts(text) if kind == "application/node.eks.aws")

        assert parse(content.removeprefix("---\n"), "NodeConfig").data == {
            "apiVersion": "node.eks.aws/v1alpha1",
            "kind": "NodeConfig",
            "spec": {"instance": {"localStorage": {"strategy": "RAID0"}}},
        }

    @pytest.mark.parametrize("local_storage", ["raid0", "none"])
    @pytest.mark.parametrize("logical", [1, 2])
    def test_logical_neuroncores(self, local_storage, logical):
        """The logical NeuronCore setting is written by a shell script, before any pod of the node starts."""
        text = user_data(local_storage=local_storage, logical_neuroncore_config=logical)
        (script,) = (content for kind, content in parts(text) if kind == "text/x-shellscript")

        assert script.startswith("#!/bin/sh\n")
        assert "set -eu\n" in script
        assert f"printf 'NEURON_LOGICAL_NC_CONFIG=%s\\n' '{logical}' > /opt/aws/neuron/logical_nc_config\n" in script

    def test_number_of_parts(self):
        """Each setting is a part of its own."""
        assert len(parts(user_data(local_storage="raid0", logical_neuroncore_config=1))) == 2
        assert len(parts(user_data(local_storage="raid0", logical_neuroncore_config=None))) == 1

    def test_nothing_to_do(self):
        """A node that needs nothing has no user data."""
        assert user_data(local_storage="none", logical_neuroncore_config=None) == ""

    def test_too_long(self, monkeypatch):
        """Text that EC2 would refuse is refused before it is rendered."""
        monkeypatch.setattr(module, "MAXIMUM_BYTES", 100)

        with pytest.raises(ValueError, match="EC2 takes 100"):
            user_data(local_storage="raid0", logical_neuroncore_config=None)
