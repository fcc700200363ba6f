"""Field cases of CDK and CloudFormation themselves: exports, limits, order of deletion, and addresses of a network."""

import json
from collections.abc import Iterator

import pytest

from trnstack.findings import InvalidEnvironmentError

OBJECT = "Custom::AWSCDK-EKS-KubernetesResource"
SYSTEM_GROUP = {"name": "second", "instance_type": "trn1.32xlarge", "node_count": 1}


def references(value) -> Iterator[str]:
    """Yields the logical ids that a resource refers to."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "Ref":
                yield inner
            elif key == "Fn::GetAtt":
                yield inner[0]
            elif key == "DependsOn":
                yield from inner
            else:
                yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def stands_on(template, logical_id):
    """Returns everything that a resource needs, directly or not: it is deleted before all of that."""
    found, ahead = set(), [logical_id]
    while ahead:
        for name in references(template["Resources"].get(ahead.pop(), {})):
            if name not in found:
                found.add(name)
                ahead.append(name)
    return found


class TestExports:
    @pytest.mark.parametrize(
        "change",
        [
            {"storage": {"lustre": None}},
            {"network": {"flow_logs": False}},
            {"network": {"interface_endpoints": ("ecr.api",)}},
            {"network": {"nat_gateways": 2}},
            {"network": {"nat_gateways": 0, "image_mirror": "111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror"}},
            {"network": {"client_cidrs": ("192.168.0.0/20",)}},
            {"storage": {"checkpoints": {"encryption": "s3"}}},
            {"kubernetes": {"fsx_csi": False}},
            {"more_node_groups": (SYSTEM_GROUP,)},
            {"node_group": {"efa": False, "placement_group": "none"}},
            {"node_group": {"capacity": {"type": "spot"}}},
        ],
        ids=json.dumps,
    )
    def test_are_the_same_whatever_is_switched_on(self, templates, variant, change):
        """CDK-02: No feature takes an export away, which CloudFormation refuses while another stack imports it."""
        before, after = templates["llama3-8b-trn1"], variant("llama3-8b-trn1", **change)

        for stack in ("llama3-8b-network", "llama3-8b-storage", "llama3-8b-cluster"):
            assert after[stack].exports() == before[stack].exports()

    def test_a_second_group_moves_nothing(self, templates, variant):
        """CDK-02: Adding a node group adds a stack; only what the queue hands out changes in any other template."""
        before, after = templates["llama3-8b-trn1"], variant("llama3-8b-trn1", more_node_groups=(SYSTEM_GROUP,))

        assert set(after) - set(before) == {"llama3-8b-nodes-second"}
        assert [stack for stack in before if after[stack] != before[stack]] == ["llama3-8b-kubernetes"]
        old, new = (each["llama3-8b-kubernetes"]["Resources"] for each in (before, after))
        assert not set(old) - set(new)
        assert {new[name]["Type"] for name in new if new[name] != old.get(name)} == {OBJECT}

    def test_a_zone_more_moves_nothing(self, templates, variant):
        """CDK-02: A further zone adds exports and changes none."""
        zones = ("use2-az3", "use2-az1", "use2-az2")
        before = templates["llama3-8b-trn1"]["llama3-8b-network"]
        after = variant("llama3-8b-trn1", availability_zone_ids=zones)["llama3-8b-network"]

        assert before.exports().items() < after.exports().items()

    def test_everything_imported_is_exported(self, templates):
        """CDK-02: Every import names an export of a stack that is deployed before."""
        for stacks in templates.values():
            exported: set[str] = set()
            for template in stacks.values():
                text = json.dumps(template)
                names = {part.split('"')[0] for part in text.split('"Fn::ImportValue": "')[1:]}
                assert names <= exported
                exported |= set(template.exports())

    def test_none_goes_without_a_name(self, every):
        """CDK-02: Exports are made by name; none is left to CDK, which would drop it with its last use."""
        for stack, template in every.items():
            assert all(name.startswith(f"{stack}:") for name in template.exports())


class TestStacks:
    def test_what_is_done_by_a_function(self, every):
        """CDK-03: One stack has functions, with a kubectl layer of the cluster's minor; no other stands on them."""
        for name, template in every.items():
            types = {made["Type"] for made in template["Resources"].values()}
            found = {kind for kind in types if kind.startswith(("Custom::", "AWS::Lambda::", "AWS::CloudFormation::"))}
            assert bool(found) is name.endswith("-kubernetes")
            assert "AWS::CloudFormation::CustomResource" not in found

    def test_order_of_deletion(self, every):
        """CDK-04: Nodes go before their network plugin, add-ons before the cluster, the cluster before its log."""
        for name, template in every.items():
            if not name.endswith("-cluster"):
                continue
            (cluster,) = template.of("AWS::EKS::Cluster")
            (log_group,) = template.of("AWS::Logs::LogGroup")
            (nodes,) = template.of("AWS::EKS::Nodegroup")
            add_ons = {made["Properties"]["AddonName"]: key for key, made in template.of("AWS::EKS::Addon").items()}
            first = {add_ons[key] for key in ("vpc-cni", "kube-proxy", "eks-pod-identity-agent")}
            assert log_group in stands_on(template, cluster)
            assert first | {cluster} <= stands_on(template, nodes)
            for key in set(add_ons.values()) - first:
                assert nodes in stands_on(template, key)
            for key in first:
                assert cluster in stands_on(template, key)
                assert nodes not in stands_on(template, key)

    def test_order_of_stacks(self, templates):
        """CDK-04: Nodes stand on cluster and network, the cluster on storage and network, storage on the network."""
        for stacks in templates.values():
            artifacts = stacks.artifacts()
            prefix = next(iter(stacks)).removesuffix("-network")
            for stack in stacks:
                kind = stack.removeprefix(f"{prefix}-").split("-")[0]
                below = {
                    "network": set(),
                    "storage": {"network"},
                    "cluster": {"network", "storage"},
                    "images": {"network"},
                    "kubernetes": {"network", "storage", "cluster"},
                    "nodes": {"network", "cluster"},
                }[kind]
                depends_on = {each for each in artifacts[stack]["dependencies"] if each in stacks}
                assert depends_on == {f"{prefix}-{each}" for each in below}

    def test_way_out_stands_first(self, every):
        """CDK-04: NAT gateway and address are made after the way out, so they are deleted before it."""
        for template in every.values():
            if template.of("AWS::EC2::NatGateway"):
                (attachment,) = template.of("AWS::EC2::VPCGatewayAttachment")
                for kind in ("AWS::EC2::NatGateway", "AWS::EC2::EIP"):
                    assert all(attachment in stands_on(template, key) for key in template.of(kind))

    def test_limits(self, every, variant):
        """CDK-05: Every stack stays within CloudFormation's limits, however many node groups there are."""
        groups = tuple({"name": f"extra-{n}", "instance_type": "trn1.32xlarge", "node_count": 1} for n in range(15))
        many = variant("llama3-8b-trn1", more_node_groups=groups)

        for template in (*every.values(), *many.values()):
            assert len(template["Resources"]) < 400
            assert len(template.get("Outputs", {})) <= 200
            assert len(json.dumps(template)) < 1_000_000

    @pytest.mark.parametrize("count", ["${Token[TOKEN.123]}", "{Ref: Count}", -1888])
    def test_no_value_is_open(self, variant, count):
        """CDK-06: What is checked is what is built: a value that only a deploy would know is refused when read."""
        with pytest.raises(InvalidEnvironmentError, match=r"SPEC00[78]"):
            variant("llama3-8b-trn1", node_group={"node_count": count})


class TestAddresses:
    def test_network_too_small(self, variant):
        """NET-03: A network whose node subnet can't hold the nodes and their pods is a finding."""
        with pytest.raises(InvalidEnvironmentError, match="NET006"):
            variant("llama3-8b-trn1", network={"vpc_cidr": "10.0.0.0/22"})

    def test_plugin_keeps_few(self, every, plans):
        """NET-03: The VPC CNI is told how many addresses to keep ready, and that is what the plan counts with."""
        for plan in plans.values():
            add_ons = every[f"{plan.name}-cluster"].properties("AWS::EKS::Addon")
            (cni,) = (each for each in add_ons if each["AddonName"] == "vpc-cni")
            settings = json.loads(cni["ConfigurationValues"])["env"]
            for group in plan.node_groups:
                assert group.addresses.per_node == int(settings["MINIMUM_IP_TARGET"]) + 1
            assert int(settings["WARM_IP_TARGET"]) > 0
