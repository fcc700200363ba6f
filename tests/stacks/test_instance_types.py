"""Every instance type from the file to the template: interfaces, cores, disks, zones."""

import email
from typing import Any

import pytest

from trnstack.catalog import INSTANCE_TYPES
from trnstack.cli.plan_capacity import efa
from trnstack.findings import InvalidEnvironmentError

#: A type, the environment that it is put into, a zone that has it, EFA cards, devices, logical cores, EFA in words.
TYPES = [
    ("trn1.2xlarge", "llama3-8b-trn1", "use2-az3", 0, 1, 2, "none"),
    ("trn1.32xlarge", "llama3-8b-trn1", "use2-az3", 8, 16, 32, "8 interfaces, 800 Gbit/s a node"),
    ("trn1n.32xlarge", "llama3-8b-trn1", "use2-az3", 16, 16, 32, "16 interfaces, 1,600 Gbit/s a node"),
    (
        "trn2.3xlarge",
        "trn2-eks-sample",
        "aps2-az2",
        1,
        1,
        4,
        "1 interface, 200 Gbit/s advertised, 50 by its network card",
    ),
    ("trn2.48xlarge", "trn2-eks-sample", "aps2-az1", 16, 16, 64, "16 interfaces, 3,200 Gbit/s a node"),
    ("trn2u.48xlarge", "trn2-eks-sample", "aps2-az2", 16, 16, 64, "16 interfaces, 3,200 Gbit/s a node"),
]
FACTS = {
    "network_cards": 16,
    "efa_interfaces": 16,
    "vcpus": 192,
    "memory_gib": 2048,
    "neuron_devices": 16,
    "availability_zone_ids": ("aps2-az1",),
}
TRN3 = {
    "instance_type": "trn3.48xlarge",
    "instance_facts": FACTS,
    "logical_neuroncore_config": 2,
    "local_storage": "none",
}


def launch(template: Any) -> Any:
    return template.one("AWS::EC2::LaunchTemplate")["LaunchTemplateData"]


def parts(template: Any) -> dict[str, str]:
    """Returns the parts of a node's user data by their types."""
    message = email.message_from_string(launch(template).get("UserData", {}).get("Fn::Base64", ""))
    return {part.get_content_type(): part.get_payload() for part in message.walk() if not part.is_multipart()}


@pytest.fixture
def made(variant):
    """Returns a builder of the first node group's template and plan, in an environment that has room for it."""

    def build(name: str, **changes: Any) -> Any:
        stacks = variant(name, node_group={"node_count": 2, **changes}, training=None)
        return stacks[stacks.plan.node_groups[0].stack], stacks

    return build


class TestEveryType:
    def test_all_of_them(self):
        """The table has every type of the catalog."""
        assert [row[0] for row in TYPES] == list(INSTANCE_TYPES)

    @pytest.mark.parametrize(("name", "environment", "zone", "cards", "devices", "cores", "words"), TYPES)
    def test_template(self, made, name, environment, zone, cards, devices, cores, words):
        """Interfaces on every card, disks joined where there are some, one subnet in a zone that has the type."""
        template, stacks = made(environment, instance_type=name, availability_zone_id=zone)
        interfaces = launch(template)["NetworkInterfaces"]
        group = stacks.plan.node_groups[0]

        assert launch(template)["InstanceType"] == name
        assert [each["NetworkCardIndex"] for each in interfaces] == list(range(max(cards, 1)))
        assert sum(each["InterfaceType"] != "interface" for each in interfaces) == cards
        assert (group.neuron_devices, group.neuron_cores) == (devices, cores)
        assert efa(group) == words
        assert ("strategy: RAID0" in parts(template)["application/node.eks.aws"]) is bool(
            INSTANCE_TYPES[name].local_disks
        )
        (subnet,) = template.one("AWS::EKS::Nodegroup")["Subnets"]
        assert subnet["Fn::ImportValue"].endswith(f":Subnet-nodes-{zone}")

    @pytest.mark.parametrize("config", [1, 2])
    @pytest.mark.parametrize("name", ["trn2.3xlarge", "trn2.48xlarge", "trn2u.48xlarge"])
    def test_logical_cores(self, made, name, config):
        """The setting reaches the node's first boot, and the cores are counted by it."""
        template, stacks = made("trn2-eks-sample", instance_type=name, logical_neuroncore_config=config)
        group = stacks.plan.node_groups[0]

        assert f"NEURON_LOGICAL_NC_CONFIG=%s\\n' '{config}'" in parts(template)["text/x-shellscript"]
        assert group.neuron_cores == group.neuron_devices * 8 // config

    @pytest.mark.parametrize("name", ["trn1.2xlarge", "trn1.32xlarge", "trn1n.32xlarge"])
    def test_trainium1_has_no_setting(self, made, name):
        """A first-generation chip can't join cores: the setting is a finding, and no file is written on the node."""
        template, _ = made("llama3-8b-trn1", instance_type=name)

        assert "text/x-shellscript" not in parts(template)
        with pytest.raises(InvalidEnvironmentError, match="NEU001"):
            made("llama3-8b-trn1", instance_type=name, logical_neuroncore_config=2)

    @pytest.mark.parametrize("name", INSTANCE_TYPES)
    def test_bandwidth(self, name):
        """The bandwidth that the cards come to is the advertised one, but for the type whose figures contradict."""
        row = INSTANCE_TYPES[name]
        wired = row.efa_interfaces * row.network_card_gbps

        if name in {"trn1.2xlarge", "trn2.3xlarge"}:
            assert wired != row.network_gbps
        else:
            assert wired == row.network_gbps


class TestTrn3:
    def test_stated_type(self, made):
        """A trn3 type that the file describes stands in the template with its own name and its stated sizes."""
        template, stacks = made("trn2-eks-sample", **TRN3)
        group = stacks.plan.node_groups[0]

        assert launch(template)["InstanceType"] == "trn3.48xlarge"
        assert len(launch(template)["NetworkInterfaces"]) == 16
        assert (group.neuron_devices, group.neuron_cores) == (16, 64)
        assert (group.efa_gbps, group.network_gbps, group.most_pods) == (None, None, None)
        assert efa(group) == "16 interfaces, bandwidth not published"
        assert "strategy: RAID0" not in parts(template).get("application/node.eks.aws", "")

    def test_an_ultraserver_of_36(self, made):
        """A node group may be one whole UltraServer of the second generation."""
        facts = {**FACTS, "network_cards": 1, "efa_interfaces": 1, "neuron_devices": 4}
        changes = {**TRN3, "instance_facts": facts, "ultraserver": {"config": 36}, "node_count": 36}
        template, _ = made("trn2-eks-sample", **changes)

        assert template.one("AWS::EKS::Nodegroup")["Labels"]["trnstack/ultraserver-config"] == "36"

    @pytest.mark.parametrize(
        ("changes", "code"),
        [
            ({"instance_facts": None}, "CAT002"),
            ({"logical_neuroncore_config": None}, "NEU006"),
            ({"local_storage": "raid0"}, "K8S006"),
            ({"availability_zone_id": "aps2-az2"}, "CAT005"),
            ({"instance_facts": {**FACTS, "network_cards": 4}}, "CAT012"),
            ({"ultraserver": {"config": 4}}, "EFA005"),
        ],
    )
    def test_what_is_missing(self, made, changes, code):
        """What nobody has published and the file does not say is a finding, and nothing is guessed."""
        with pytest.raises(InvalidEnvironmentError, match=code):
            made("trn2-eks-sample", **{**TRN3, **changes})
