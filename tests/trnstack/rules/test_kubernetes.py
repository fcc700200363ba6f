import dataclasses
from types import MappingProxyType

import pytest

from ami.tables import charts
from trnstack.catalog import KUBERNETES_VERSIONS
from trnstack.findings import Severity
from trnstack.plan.cluster import chart_names
from trnstack.rules import kubernetes as module
from trnstack.rules.kubernetes import (
    add_ons_serve_the_version,
    charts_serve_the_version,
    jobs_get_all_their_nodes,
    kubectl_serves_the_version,
    limits_of_repair_have_an_effect,
    parts_of_nodes_are_neighbours,
    repositories_can_be_reached,
    taints_fit_the_queue,
    the_driver_has_a_file_system,
    the_file_system_has_a_driver,
    the_neuron_scheduler_has_a_choice,
)

SMALL = {"instance_type": "trn1.2xlarge", "node_count": 1}
PRIVATE = {"nat_gateways": 0, "image_mirror": "111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror"}


class TestChartsServeTheVersion:
    @pytest.mark.parametrize("version", list(KUBERNETES_VERSIONS))
    def test_served(self, environment, version):
        """Every version that the catalog knows is served by every chart."""
        assert not list(charts_serve_the_version(environment(eks={"kubernetes_version": version})))

    def test_too_old(self, environment, monkeypatch):
        """A version older than what a chart's authors name is told with the one to use."""
        newer = dataclasses.replace(charts()["kueue"], kubernetes_minimum="1.36")
        monkeypatch.setattr(module, "charts", lambda: MappingProxyType({**charts(), "kueue": newer}))

        (finding,) = charts_serve_the_version(environment(eks={"kubernetes_version": "1.35"}))
        assert finding.message == f"chart kueue {newer.version} is for Kubernetes 1.36 and later, not 1.35"
        assert finding.hint == "use Kubernetes 1.36 or later"
        assert not list(
            charts_serve_the_version(environment(eks={"kubernetes_version": "1.35"}, kubernetes={"kueue": False}))
        )

    def test_unknown_type(self, environment):
        """Which charts a cluster with an unknown type has nobody can tell; another rule tells of the type."""
        assert not list(charts_serve_the_version(environment(node_group={"instance_type": "trn9.32xlarge"})))


class TestAddOnsServeTheVersion:
    @pytest.mark.parametrize("version", ["1.33", "1.34", "1.35", "1.36"])
    def test_known(self, environment, version):
        """For the versions of the table a build of every add-on is known, those of both drivers too."""
        kubernetes = {"fsx_csi": True, "s3_csi": True}
        asked = environment(eks={"kubernetes_version": version}, kubernetes=kubernetes)

        assert not list(add_ons_serve_the_version(asked))

    def test_unknown(self, environment):
        """A version that the table lacks is told with those that it has, and that an account can be asked."""
        (finding,) = add_ons_serve_the_version(environment(eks={"kubernetes_version": "1.32"}))

        assert finding.severity is Severity.WARNING
        assert finding.message.startswith("no build of vpc-cni, kube-proxy, ")
        assert finding.hint.startswith("use Kubernetes 1.33 or 1.34 or 1.35 or 1.36, or lock with an account")

    def test_nobody_knows(self, environment, monkeypatch):
        """Of an add-on that is in no table only an account can tell."""
        monkeypatch.setattr(module, "add_on_versions", dict)

        (finding,) = add_ons_serve_the_version(environment())
        assert finding.hint.startswith("lock with an account")


class TestKubectlServesTheVersion:
    @pytest.mark.parametrize("version", list(KUBERNETES_VERSIONS))
    def test_served(self, environment, version):
        """Every version that the catalog knows has its kubectl."""
        assert not list(kubectl_serves_the_version(environment(eks={"kubernetes_version": version})))

    def test_missing(self, environment, monkeypatch):
        """Without one the stacks apply nothing, and a repository still can."""
        monkeypatch.setattr(module, "KUBECTL_VERSIONS", ("1.34",))

        (finding,) = kubectl_serves_the_version(environment(eks={"kubernetes_version": "1.35"}))
        assert finding.hint == "use Kubernetes 1.34, or write delivery: gitops under kubernetes"
        gitops = environment(eks={"kubernetes_version": "1.35"}, kubernetes={"delivery": "gitops"})
        assert not list(kubectl_serves_the_version(gitops))

    def test_packages(self):
        """CDK-03: Of each version that is named, the package with its kubectl is among the requirements."""
        from pathlib import Path

        wanted = {f"aws-cdk.lambda-layer-kubectl-v{version.replace('1.', '')}" for version in module.KUBECTL_VERSIONS}
        lines = (Path(__file__).parents[3] / "requirements.in").read_text(encoding="utf-8").splitlines()

        assert wanted == {line for line in lines if "lambda-layer-kubectl" in line}


class TestRepositoriesCanBeReached:
    def test_private(self, environment):
        """In a VPC without a way out a controller reaches no repository outside."""
        (finding,) = repositories_can_be_reached(environment(kubernetes={"delivery": "gitops"}, network=PRIVATE))

        assert finding.path == ("kubernetes", "delivery")

    @pytest.mark.parametrize(("delivery", "network"), [("gitops", {}), ("cdk", PRIVATE)])
    def test_reached(self, environment, delivery, network):
        """With a NAT gateway it does, and the stacks need none."""
        assert not list(repositories_can_be_reached(environment(kubernetes={"delivery": delivery}, network=network)))


class TestPartsOfNodesAreNeighbours:
    def test_off(self, environment):
        """Without the scheduler, parts of a node with several devices can't be asked for."""
        (finding,) = parts_of_nodes_are_neighbours(environment(kubernetes={"neuron_scheduler": False}))

        assert finding.severity is Severity.NOTE
        assert "trn1.32xlarge" in finding.message

    @pytest.mark.parametrize(("asked", "group"), [("auto", {}), (True, {}), (False, SMALL)])
    def test_on_or_not_needed(self, environment, asked, group):
        """It is on by default, and a node with one device has no parts."""
        asked = environment(kubernetes={"neuron_scheduler": asked}, node_group=group)

        assert not list(parts_of_nodes_are_neighbours(asked))


class TestTheNeuronSchedulerHasAChoice:
    def test_none(self, environment):
        """One device a node leaves nothing to choose."""
        asked = environment(kubernetes={"neuron_scheduler": True}, node_group=SMALL)

        (finding,) = the_neuron_scheduler_has_a_choice(asked)
        assert finding.hint == "write neuron_scheduler: auto"

    @pytest.mark.parametrize(("asked", "group"), [("auto", SMALL), (True, {}), (False, SMALL)])
    def test_choice(self, environment, asked, group):
        """With several devices there is one; auto and false ask for nothing."""
        asked = environment(kubernetes={"neuron_scheduler": asked}, node_group=group)

        assert not list(the_neuron_scheduler_has_a_choice(asked))


class TestTheFileSystemHasADriver:
    def test_off(self, environment):
        """A file system that no pod can mount is told."""
        (finding,) = the_file_system_has_a_driver(environment(kubernetes={"fsx_csi": False}, lustre={}))

        assert finding.hint.startswith("write fsx_csi: auto")

    @pytest.mark.parametrize("asked", ["auto", True])
    def test_on(self, environment, asked):
        """It is on by default."""
        assert not list(the_file_system_has_a_driver(environment(kubernetes={"fsx_csi": asked}, lustre={})))

    def test_no_file_system(self, environment):
        """Without a file system nothing is missing."""
        assert not list(the_file_system_has_a_driver(environment(kubernetes={"fsx_csi": False})))


class TestTheDriverHasAFileSystem:
    def test_none(self, environment):
        """A driver without a file system is told."""
        (finding,) = the_driver_has_a_file_system(environment(kubernetes={"fsx_csi": True}))

        assert finding.severity is Severity.NOTE

    def test_some(self, environment):
        """With a file system, or with auto, nothing is told."""
        assert not list(the_driver_has_a_file_system(environment(kubernetes={"fsx_csi": True}, lustre={})))
        assert not list(the_driver_has_a_file_system(environment()))


class TestJobsGetAllTheirNodes:
    def test_no_queue(self, environment):
        """Without a queue two jobs can wait for each other for ever."""
        (finding,) = jobs_get_all_their_nodes(environment(kubernetes={"kueue": False}))

        assert "'trn1'" in finding.message

    @pytest.mark.parametrize(("kueue", "group"), [(True, {}), (False, SMALL)])
    def test_queue(self, environment, kueue, group):
        """With a queue, or of one node, none waits for another's."""
        assert not list(jobs_get_all_their_nodes(environment(kubernetes={"kueue": kueue}, node_group=group)))


class TestTaintsFitTheQueue:
    @pytest.mark.parametrize(("count", "fits"), [(8, True), (9, False), (11, False)])
    def test_count(self, environment, count, fits):
        """Kueue takes eight taints of a node group; without it EKS's fifty are the limit."""
        taints = [{"key": f"example.com/{number}", "effect": "NO_SCHEDULE"} for number in range(count)]
        findings = list(taints_fit_the_queue(environment(node_group={"taints": taints})))

        assert (not findings) == fits
        for finding in findings:
            assert finding.hint == f"remove {count - 8} of them, or write kueue: false"
        without = environment(node_group={"taints": taints}, kubernetes={"kueue": False})
        assert not list(taints_fit_the_queue(without))


class TestLimitsOfRepairHaveAnEffect:
    @pytest.mark.parametrize("name", ["node_repair_parallel_count", "node_repair_unhealthy_percent"])
    def test_off(self, environment, name):
        """A limit of what is off does nothing."""
        (finding,) = limits_of_repair_have_an_effect(environment(node_group={"node_repair": False, name: 2}))

        assert finding.path == ("node_groups", 0, name)

    @pytest.mark.parametrize("group", [{"node_repair": False}, {"node_repair_parallel_count": 2}])
    def test_on(self, environment, group):
        """Off without limits, and on with them, nothing is told."""
        assert not list(limits_of_repair_have_an_effect(environment(node_group=group)))


class TestCharts:
    def test_every_chart_has_a_row(self, environment):
        """Each chart that an environment can have is in the table, so that its range can be looked up."""
        assert set(chart_names(environment())) <= set(charts())
