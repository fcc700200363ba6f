"""What a job can't be, said before anything is rendered."""

import pytest

from ami import offline
from bench.locks import resolved
from tests.trnstack.jobs.conftest import ROOT, planned
from trnstack.environment import read_environment
from trnstack.jobs.refusals import refusals
from trnstack.jobs.request import JobRequest
from trnstack.plan import lock_inputs, plan

TRN1 = "llama3-8b-trn1"


def only(environment, /, **asked):
    """Returns the one finding that refuses a job."""
    found = planned(environment)
    (finding,) = refusals(found.environment, found.plan, JobRequest(**asked))
    return finding


class TestFramework:
    @pytest.mark.parametrize(("name", "framework"), [(TRN1, "jax"), ("jax-trn1", "pytorch"), ("jax-trn1", "lightning")])
    def test_other_container(self, name, framework):
        """JOB001: a framework that is in the other container says which setting brings it."""
        finding = only(name, kind="smoke", framework=framework)

        assert finding.code == "JOB001"
        assert "neuron.framework: " in finding.hint

    def test_optimum(self):
        """JOB001: no container of AWS has Optimum, so one has to be named."""
        assert "--image" in only(TRN1, kind="smoke", framework="optimum").hint

    def test_own_container(self):
        """A container by its digest may have anything."""
        image = "registry.example/optimum@sha256:" + 64 * "0"

        objects = planned(TRN1).objects(kind="smoke", framework="optimum", image=image)

        assert objects["Job"]["spec"]["template"]["spec"]["containers"][0]["image"] == image

    def test_ended(self, tmp_path):
        """JOB001: a release without a container for the framework tells the last that had one."""
        text = (ROOT / "environments" / "custom-image-trn1.yaml").read_text()
        file = tmp_path / "ended.yaml"
        file.write_text(text.replace("  framework: jax\n", "  framework: pytorch\n"))
        _, environment = read_environment(file)
        ended = plan(environment, resolved(offline.lock(lock_inputs(environment))))

        (finding,) = refusals(environment, ended, JobRequest(kind="smoke"))

        assert finding.code == "JOB001"
        assert '"2.30.0"' in finding.hint

    @pytest.mark.parametrize(
        ("kind", "framework"), [("precompile", "jax"), ("train", "nki"), ("collectives", "optimum")]
    )
    def test_kind(self, kind, framework):
        """JOB002: a kind that a framework has not."""
        assert only("jax-trn1", kind=kind, framework=framework).code == "JOB002"

    def test_nothing_to_compile_beforehand(self):
        """JOB002: why JAX has no precompile, and what has its place."""
        finding = only("jax-trn1", kind="precompile")

        assert "JAX compiles in its first step" in finding.message
        assert finding.hint.startswith("write --kind train")


class TestDevices:
    @pytest.mark.parametrize("devices", [0, 2, 3, 5, 12, 17])
    def test_no_part(self, devices):
        """JOB003: the parts that can be had are told."""
        finding = only(TRN1, kind="smoke", devices=devices)

        assert finding.code == "JOB003"
        assert finding.hint == "write --devices 1 or 4 or 8 or 16"

    def test_small_node(self):
        """JOB003: a node with one device has no other part."""
        assert only("dev-trn1", kind="smoke", devices=2).hint == "write --devices 1"

    def test_no_scheduler(self, changed):
        """JOB003: without the scheduler devices of a part need not be neighbours."""
        kubernetes = planned(TRN1).environment.kubernetes.model_copy(update={"neuron_scheduler": False})
        without = changed(TRN1, kubernetes=kubernetes)

        assert without.codes(kind="smoke", devices=8) == ["JOB003"]
        assert without.codes(kind="smoke", devices=1) == []


class TestNodes:
    @pytest.mark.parametrize("nodes", [0, -1, 33])
    def test_count(self, nodes):
        """JOB004: more nodes than there are, or none."""
        finding = only(TRN1, kind="smoke", nodes=nodes)

        assert finding.code == "JOB004"
        assert "1 to 32" in finding.hint

    def test_part(self):
        """JOB005: parts of several nodes have no EFA to reach each other."""
        assert only(TRN1, kind="smoke", nodes=2, devices=8).code == "JOB005"

    def test_no_efa(self, changed):
        """JOB005: neither have nodes whose type has none."""
        (group,) = planned("dev-trn1").environment.node_groups
        several = changed("dev-trn1", node_groups=(group.model_copy(update={"node_count": 2}),))

        assert several.codes(kind="smoke", nodes=2) == ["JOB005"]
        assert several.codes(kind="collectives") == []

    def test_half_an_ultraserver(self):
        """JOB005: a job takes one instance of an UltraServer or all."""
        assert only("ultraserver-trn2u", kind="smoke", nodes=2).code == "JOB005"
        assert planned("ultraserver-trn2u").codes(kind="smoke", nodes=4) == []


class TestNames:
    def test_group(self):
        """JOB006: an unknown node group is guessed."""
        assert only("trn2-eks-sample", kind="smoke", node_group="trn2uu").hint == "did you mean 'trn2u'?"

    def test_second_group(self):
        """A job may run on another group than the first."""
        objects = planned("trn2-eks-sample").objects(kind="smoke", node_group="trn2u")

        assert objects["Job"]["spec"]["template"]["spec"]["nodeSelector"] == {"trnstack/node-group": "trn2u"}

    def test_priority(self):
        """JOB007: an unknown priority is guessed."""
        assert only(TRN1, kind="smoke", priority="training-hi").hint == "did you mean 'training-high'?"

    @pytest.mark.parametrize("name", ["", "A", "a_b", "-a", "a-", "1a", 41 * "a"])
    def test_name(self, name):
        """JOB008: what no pod could be named."""
        assert only(TRN1, kind="smoke", name=name).code == "JOB008"

    @pytest.mark.parametrize("image", ["repository:latest", "repository@sha256:12", "@sha256:" + 64 * "0"])
    def test_image(self, image):
        """JOB011: a container that could be another one tomorrow."""
        assert only(TRN1, kind="smoke", image=image).code == "JOB011"


class TestRun:
    def test_several_nodes(self, changed):
        """JOB009: training on several nodes does too, and on one does not."""
        (group,) = planned("llama3-8b-trn2").environment.node_groups
        two = changed("llama3-8b-trn2", node_groups=(group.model_copy(update={"node_count": 2}),))

        assert two.codes(kind="train", nodes=2) == ["JOB009"]
        assert two.codes(kind="train") == []

    def test_section(self):
        """JOB010: training needs its section."""
        assert only("private-trn1", kind="train").code == "JOB010"

    @pytest.mark.parametrize(
        ("section", "change"),
        [
            ("model", {"layers": 31}),
            ("model", {"parameters_billion": 9.0}),
            ("parallelism", {"zero_stage": 0}),
            ("parallelism", {"zero_stage": 2}),
            ("parallelism", {"tensor": 24}),
        ],
    )
    def test_shape(self, changed, section, change):
        """JOB010: a model that is not known, or that the nodes can't hold."""
        training = planned(TRN1).environment.training
        part = getattr(training, section).model_copy(update=change)
        other = changed(TRN1, training=training.model_copy(update={section: part}))

        assert other.codes(kind="train") == ["JOB010"]

    def test_no_master_weights(self, changed):
        """JOB010: without ZeRO NxD keeps bf16 weights alone; fp32 ones need no others, and JAX has fp32 anyhow."""
        environment = planned(TRN1).environment
        degrees = environment.training.parallelism.model_copy(update={"zero_stage": 0})
        training = environment.training.model_copy(update={"parallelism": degrees})
        neuron = environment.neuron

        def codes(**told):
            return changed(TRN1, training=training, neuron=neuron.model_copy(update=told)).codes(kind="train")

        assert codes() == ["JOB010"]
        assert codes(precision="fp32") == []
        assert codes(framework="jax") == []

    def test_batch(self):
        """JOB010: a batch that the copies of the model can't share."""
        assert only(TRN1, kind="train", nodes=3).code == "JOB010"

    def test_copies(self, changed):
        """JOB010: more nodes than the copies that are asked for."""
        training = planned(TRN1).environment.training
        degrees = training.parallelism.model_copy(update={"data": 16})
        half = changed(TRN1, training=training.model_copy(update={"parallelism": degrees}))

        assert half.codes(kind="train") == []
        assert half.codes(kind="train", nodes=32) == ["JOB010"]

    def test_precision(self, changed):
        """JOB010: a format that the frameworks don't train in."""
        neuron = planned(TRN1).environment.neuron.model_copy(update={"precision": "fp8"})

        assert changed(TRN1, neuron=neuron).codes(kind="train") == ["JOB010"]
        assert changed(TRN1, neuron=neuron).codes(kind="smoke") == []


def test_all_at_once():
    """Everything is told at once."""
    codes = planned(TRN1).codes(kind="smoke", framework="jax", devices=3, nodes=99, priority="x", name="X")

    assert sorted(codes) == ["JOB001", "JOB003", "JOB004", "JOB007", "JOB008"]
