"""The charts' values: pinned containers, and agents on the nodes that they are for and on no other."""

import json
import re

import pytest

from ami.pins import ChartPin
from trnstack.kubernetes.values.containers import container

SAO_PAULO = {"region": "sa-east-1", "availability_zone_ids": ["sae1-az1", "sae1-az2"]}
DIGEST = re.compile(r"[^@:]+@sha256:[0-9a-f]{64}")


def images(values):
    """Yields every image of nested values as its name with tag and digest."""
    if isinstance(values, dict):
        if isinstance(values.get("image"), dict):
            image = values["image"]
            yield "/".join(filter(None, (image.get("registry"), image["repository"]))), image["tag"]
        for value in values.values():
            yield from images(value)


def by_name(plan):
    return {release.name: release for release in plan.kubernetes.releases}


class TestReleases:
    def test_versions_are_the_locks(self, each):
        """Every chart of the lock is installed, in its version and from its archive, and no other."""
        plan, lock = each
        found = {release.chart: (release.version, release.archive_digest) for release in plan.kubernetes.releases}

        assert found == {name: (pin.version, pin.archive) for name, pin in lock.charts.items()}

    def test_images_are_the_locks(self, each):
        """Every container that a chart is told to start has its digest, and is one that the lock pins for it."""
        plan, lock = each
        for release in plan.kubernetes.releases:
            found = list(images(release.values))
            pinned = lock.charts[release.name].images

            assert found
            assert len(found) == len(pinned)
            assert all(DIGEST.fullmatch(tag) for _, tag in found)
            assert sorted(tag.partition("@")[2] for _, tag in found) == sorted(pinned.values())

    def test_mirror(self, each):
        """With a mirror no container comes from anywhere else."""
        plan, _ = each
        if plan.name == "private":
            mirror = "111122223333.dkr.ecr.us-west-2.amazonaws.com/mirror/"
            names = [name for release in plan.kubernetes.releases for name, _ in images(release.values)]
            assert names
            assert all(name.startswith(mirror) for name in names)

    def test_order(self, each):
        """What another one stands on comes before it."""
        plan, _ = each
        names = [release.name for release in plan.kubernetes.releases]
        for place, release in enumerate(plan.kubernetes.releases):
            assert set(release.after) <= set(names[:place])


class TestDaemonSets:
    def test_affinity_is_by_label(self, planned):
        """K8S-06: The device plugin asks for no instance type; where a list of them can't be gone, it has ours."""
        plan = planned(**SAO_PAULO, node_group={"instance_type": "trn2.3xlarge", "node_count": 1})
        values = by_name(plan)["neuron-helm-chart"].values
        (term,) = values["devicePlugin"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
            "nodeSelectorTerms"
        ]

        assert term == {"matchExpressions": [{"key": "trnstack/neuron", "operator": "In", "values": ["true"]}]}
        assert values["neuronInstances"] == ["trn2.3xlarge"]

    def test_efa_by_label(self, planned):
        """K8S-02: In place of a list of instance types the EFA plugin has the label of nodes with EFA."""
        values = by_name(planned())["aws-efa-k8s-device-plugin"].values

        assert values["supportedInstanceLabels"] == {"keys": ["trnstack/efa"], "values": ["true"]}

    def test_no_efa(self, planned):
        """K8S-02: Without EFA nodes there is no plugin that could crash."""
        assert "aws-efa-k8s-device-plugin" not in by_name(planned(node_group={"efa": False, "node_count": 1}))

    def test_nodes_are_repaired_by_eks_alone(self, planned):
        """Node problem detection watches and replaces nothing."""
        assert by_name(planned())["neuron-helm-chart"].values["npd"]["nodeRecovery"]["enabled"] is False


class TestControllers:
    def test_two_of_each(self, planned):
        """Controllers that elect a leader run twice."""
        values = {name: release.values for name, release in by_name(planned()).items()}

        assert values["kueue"]["controllerManager"]["replicas"] == 2
        assert values["kubeflow-trainer"]["manager"]["replicas"] == 2
        assert values["kubeflow-trainer"]["jobset"]["controller"]["replicas"] == 2
        assert values["neuron-helm-chart"]["scheduler"]["customScheduler"]["replicaCount"] == 2

    def test_nothing_installs_runtimes(self, planned):
        """No job of the chart's fetches kubectl from the Internet to apply runtimes for other hardware."""
        assert by_name(planned())["kubeflow-trainer"].values["runtimes"] == {"defaultEnabled": False}


class TestScheduler:
    @pytest.mark.parametrize(
        ("asked", "instance_type", "expected"),
        [
            ("auto", "trn1.32xlarge", True),
            ("auto", "trn1.2xlarge", False),
            (True, "trn1.2xlarge", True),
            (False, "trn1.32xlarge", False),
        ],
    )
    def test_on_where_there_is_a_choice(self, planned, asked, instance_type, expected):
        """By itself it runs where a node has several devices, of which a job may want neighbours."""
        plan = planned(
            kubernetes={"neuron_scheduler": asked}, node_group={"instance_type": instance_type, "node_count": 1}
        )

        assert by_name(plan)["neuron-helm-chart"].values["scheduler"]["enabled"] is expected
        assert plan.kubernetes.neuron_scheduler == ("my-scheduler" if expected else None)

    def test_name_is_the_one_that_jobs_use(self, planned):
        """The scheduler is called as the plan says."""
        plan = planned()
        custom = by_name(plan)["neuron-helm-chart"].values["scheduler"]["customScheduler"]

        assert custom["fullnameOverride"] == plan.kubernetes.neuron_scheduler


class TestKueue:
    def configuration(self, plan):
        return json.loads(by_name(plan)["kueue"].values["managerConfig"]["controllerManagerConfigYaml"])

    @pytest.mark.parametrize("trainer", [True, False])
    def test_kinds(self, planned, trainer):
        """It queues the kinds that exist, in the jobs' namespace and nowhere else."""
        found = self.configuration(planned(kubernetes={"kubeflow_trainer": trainer}))
        kinds = ["jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob"]

        assert found["integrations"]["frameworks"] == ["batch/job", *(kinds if trainer else [])]
        assert found["managedJobsNamespaceSelector"] == {"matchLabels": {"kubernetes.io/metadata.name": "training"}}

    def test_a_job_without_a_queue_waits(self, planned):
        """In the jobs' namespace nothing takes nodes past the queue."""
        assert self.configuration(planned())["manageJobsWithoutQueueName"] is True

    def test_a_lost_node_keeps_the_place(self, planned):
        """A job waits for its node's repair in its place: EKS may look for 30 minutes, and a node boots and pulls."""
        found = self.configuration(planned())

        assert found["featureGates"] == {"TASFailedNodeReplacementFailFast": False}
        assert int(found["waitForPodsReady"]["recoveryTimeout"].removesuffix("m")) >= 30 + 15
        assert found["waitForPodsReady"]["blockAdmission"] is False

    def test_devices_take_their_cores(self, planned):
        """Whoever takes a device takes its cores, as many as the chip has at the node's setting."""
        assert self.configuration(planned())["resources"]["transformations"] == [
            {
                "input": "aws.amazon.com/neuron",
                "strategy": "Retain",
                "outputs": {"aws.amazon.com/neuroncore": "2"},
            }
        ]

    def test_devices_of_two_kinds(self, planned):
        """The rule is one for the cluster, so with chips of two kinds there is none."""
        groups = [{"name": "one"}, {"name": "two", "instance_type": "trn2.48xlarge"}]

        assert "transformations" not in self.configuration(planned(node_groups=groups))["resources"]


class TestContainer:
    PIN = ChartPin(
        version="1",
        location="oci://example.com/chart",
        digest="unresolved",
        archive="unresolved",
        images={"example.com/team/one:1.2": "unresolved"},
    )

    def test_unresolved(self):
        """Without a digest the tag stands alone."""
        assert container(self.PIN, "one", None).image == {"repository": "example.com/team/one", "tag": "1.2"}

    def test_registry_alone(self):
        """Charts that want the registry by itself get it."""
        found = container(self.PIN, "one", "mirror.example.com/m").registry_image

        assert found == {"registry": "mirror.example.com", "repository": "m/team/one", "tag": "1.2"}

    def test_unknown(self):
        """A container that the lock does not pin is never left to the chart."""
        with pytest.raises(LookupError, match="pins no container 'two'"):
            container(self.PIN, "two", None)
