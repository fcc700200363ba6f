"""User data: what EC2 takes, what cloud-init and nodeadm read in it."""

import email
import itertools

import pytest

from trnstack.layout import user_data as module
from trnstack.layout.user_data import (
    CLUSTER_AUTHORITY,
    CLUSTER_ENDPOINT,
    LOCKED_MEMORY_BYTES,
    MAXIMUM_BYTES,
    RESERVED_BYTES,
    Joining,
    user_data,
)
from trnstack.source import parse

ALL = list(itertools.product(("raid0", "none"), (None, 1, 2), (False, True)))
TAINT = "aws.amazon.com/neuron=present:NoSchedule"
JOINING = Joining(cluster_name="demo", service_cidr="172.20.0.0/16", most_pods=247, taints=(TAINT,))
PLAIN = {"local_storage": "none", "logical_neuroncore_config": None, "efa": False}


def parts(text):
    """Returns the parts of MIME text: type and content."""
    message = email.message_from_string(text)
    assert message.get_content_type() == "multipart/mixed"
    assert not message.defects
    return [(part.get_content_type(), part.get_payload()) for part in message.get_payload()]


def _limits(spec):
    return spec["containerd"]["baseRuntimeSpec"]["process"]["rlimits"]


class TestUserData:
    @pytest.mark.parametrize(("local_storage", "logical", "efa"), ALL)
    def test_fits(self, local_storage, logical, efa):
        """No combination comes near EC2's limit, and all of it is ASCII."""
        text = user_data(local_storage=local_storage, logical_neuroncore_config=logical, efa=efa)

        assert text.isascii()
        assert len(text) < MAXIMUM_BYTES // 8

    @pytest.mark.parametrize("logical", [None, 1, 2])
    def test_node_config(self, logical):
        """Local disks are joined by a NodeConfig that a strict YAML reader takes and that holds nothing else."""
        text = user_data(local_storage="raid0", logical_neuroncore_config=logical, efa=False)
        (content,) = (content for kind, content in parts(text) if kind == "application/node.eks.aws")

        assert parse(content.removeprefix("---\n"), "NodeConfig").data == {
            "apiVersion": "node.eks.aws/v1alpha1",
            "kind": "NodeConfig",
            "spec": {"instance": {"localStorage": {"strategy": "RAID0"}}},
        }

    @pytest.mark.parametrize("local_storage", ["raid0", "none"])
    def test_locked_memory(self, local_storage):
        """HOST-01: Containers on EFA nodes may lock more memory than a node has; nodeadm's own limit of files stays."""
        text = user_data(local_storage=local_storage, logical_neuroncore_config=None, efa=True)
        (content,) = (content for kind, content in parts(text) if kind == "application/node.eks.aws")
        spec = parse(content.removeprefix("---\n"), "NodeConfig").data["spec"]
        limits = {limit["type"]: (limit["soft"], limit["hard"]) for limit in _limits(spec)}

        assert limits == {
            "RLIMIT_NOFILE": (65_536, 1_048_576),
            "RLIMIT_MEMLOCK": (LOCKED_MEMORY_BYTES, LOCKED_MEMORY_BYTES),
        }
        assert ("instance" in spec) == (local_storage == "raid0")

    def test_locked_memory_survives_json(self):
        """HOST-01: The limit is one that a double holds exactly; 2**64 - 1 would come out as a number too large."""
        most = 2**40 * 16

        assert int(float(LOCKED_MEMORY_BYTES)) == LOCKED_MEMORY_BYTES > most
        assert int(float(2**64 - 1)) >= 2**64

    @pytest.mark.parametrize("local_storage", ["raid0", "none"])
    @pytest.mark.parametrize("logical", [1, 2])
    def test_logical_neuroncores(self, local_storage, logical):
        """The logical NeuronCore setting is written by a shell script, before any pod of the node starts."""
        text = user_data(local_storage=local_storage, logical_neuroncore_config=logical, efa=False)
        (script,) = (content for kind, content in parts(text) if kind == "text/x-shellscript")

        assert script.startswith("#!/bin/sh\n")
        assert "set -eu\n" in script
        assert f"printf 'NEURON_LOGICAL_NC_CONFIG=%s\\n' '{logical}' > /opt/aws/neuron/logical_nc_config\n" in script

    def test_number_of_parts(self):
        """Each setting is a part of its own."""
        assert len(parts(user_data(local_storage="raid0", logical_neuroncore_config=1, efa=True))) == 2
        assert len(parts(user_data(local_storage="raid0", logical_neuroncore_config=None, efa=True))) == 1

    def test_nothing_to_do(self):
        """A node that needs nothing has no user data."""
        assert user_data(local_storage="none", logical_neuroncore_config=None, efa=False) == ""

    def test_too_long(self, monkeypatch):
        """Text that EC2 would refuse is refused before it is rendered."""
        monkeypatch.setattr(module, "MAXIMUM_BYTES", 100)

        with pytest.raises(ValueError, match="EC2 takes 100"):
            user_data(local_storage="raid0", logical_neuroncore_config=None, efa=True)


def spec_of(text):
    """Returns what a NodeConfig says, as a strict YAML reader takes it."""
    (content,) = (content for kind, content in parts(text) if kind == "application/node.eks.aws")
    return parse(content.removeprefix("---\n"), "NodeConfig").data["spec"]


class TestJoining:
    def test_whole(self):
        """LT-06: A node that EKS tells nothing is told the cluster, the most pods and its taints in one NodeConfig."""
        assert spec_of(user_data(**PLAIN, joining=JOINING)) == {
            "cluster": {
                "name": "demo",
                "apiServerEndpoint": CLUSTER_ENDPOINT,
                "certificateAuthority": CLUSTER_AUTHORITY,
                "cidr": "172.20.0.0/16",
            },
            "kubelet": {"config": {"maxPods": 247}, "flags": (f"--register-with-taints={TAINT}",)},
        }

    def test_beside_the_rest(self):
        """The rest of the NodeConfig stands beside it, as without it."""
        rest = {"local_storage": "raid0", "logical_neuroncore_config": 1, "efa": True}
        whole, part = user_data(**rest, joining=JOINING), user_data(**rest)

        spec = dict(spec_of(whole))
        assert spec.pop("cluster")
        assert spec.pop("kubelet")
        assert spec == spec_of(part)
        assert parts(whole)[1:] == parts(part)[1:]

    @pytest.mark.parametrize("name", ["true", "null", "no", "on"])
    def test_names_that_yaml_takes_for_something_else(self, name):
        """A cluster may be named as YAML writes a truth value or nothing, and keeps its name."""
        joining = Joining(cluster_name=name, service_cidr="172.20.0.0/16", most_pods=None, taints=())

        assert spec_of(user_data(**PLAIN, joining=joining))["cluster"]["name"] == name

    @pytest.mark.parametrize(
        ("most_pods", "taints", "kubelet"),
        [
            (None, (), None),
            (58, (), {"config": {"maxPods": 58}}),
            (None, (TAINT, "team=:NoExecute"), {"flags": (f"--register-with-taints={TAINT},team=:NoExecute",)}),
        ],
    )
    def test_what_is_unknown_is_left_out(self, most_pods, taints, kubelet):
        """Without a number of pods or a taint kubelet is told none."""
        joining = Joining(cluster_name="demo", service_cidr="172.20.0.0/16", most_pods=most_pods, taints=taints)

        assert spec_of(user_data(**PLAIN, joining=joining)).get("kubelet") == kubelet

    def test_leaves_room(self):
        """LT-10: The most taints that EKS takes, with the longest keys and values, leave room for what is filled in."""
        taint = f"{'k' * 63}={'v' * 63}:PreferNoSchedule"
        joining = Joining(cluster_name="d" * 32, service_cidr="172.20.0.0/16", most_pods=250, taints=(taint,) * 50)
        text = user_data(local_storage="raid0", logical_neuroncore_config=1, efa=True, joining=joining)

        assert len(text) + RESERVED_BYTES <= MAXIMUM_BYTES

    def test_too_long_for_what_is_filled_in(self, monkeypatch):
        """Text that EC2 would take, and would no longer with the cluster's certificate in it, is refused."""
        length = len(user_data(**PLAIN, joining=JOINING))
        monkeypatch.setattr(module, "MAXIMUM_BYTES", length + RESERVED_BYTES - 1)

        with pytest.raises(ValueError, match="EC2 takes"):
            user_data(**PLAIN, joining=JOINING)
        monkeypatch.setattr(module, "MAXIMUM_BYTES", length + RESERVED_BYTES)
        assert user_data(**PLAIN, joining=JOINING)
