import pytest

from trnstack.findings import Severity
from trnstack.rules.neuron import (
    SET_BY_THE_TOOLKIT,
    cores_are_not_a_compiler_flag,
    logical_neuroncore_config_is_offered,
    rounding_has_something_to_round,
    unpublished_logical_neuroncore_config_is_given,
    variables_are_read_by_the_release,
    variables_of_the_toolkit_are_left_alone,
)

INFLIGHT = "NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS"


class TestLogicalNeuroncoreConfigIsOffered:
    @pytest.mark.parametrize("name", ["trn1.2xlarge", "trn1.32xlarge", "trn1n.32xlarge"])
    def test_trainium1(self, environment, name):
        """The first Trainium can't join cores."""
        group = {"instance_type": name, "logical_neuroncore_config": 2}
        (finding,) = logical_neuroncore_config_is_offered(environment(node_group=group))

        assert finding.hint == "remove logical_neuroncore_config"

    @pytest.mark.parametrize(
        ("name", "config"),
        [
            ("trn1.32xlarge", None),
            ("trn1.32xlarge", 1),
            ("trn2.48xlarge", 1),
            ("trn2.48xlarge", 2),
            ("trn2u.48xlarge", 2),
            ("trn3.48xlarge", 2),
            ("unknown.type", 2),
        ],
    )
    def test_offered(self, environment, name, config):
        """Later chips have both sizes; of an unknown type nothing is said."""
        group = {"instance_type": name, "logical_neuroncore_config": config}
        assert not list(logical_neuroncore_config_is_offered(environment(node_group=group)))


class TestRoundingHasSomethingToRound:
    def test_fp32(self, environment):
        """With full precision nothing is rounded."""
        (finding,) = rounding_has_something_to_round(environment(neuron={"precision": "fp32"}))

        assert finding.severity is Severity.WARNING

    @pytest.mark.parametrize(
        "neuron",
        [{}, {"precision": "fp8"}, {"precision": "fp16"}, {"precision": "fp32", "stochastic_rounding": False}],
    )
    def test_rounded(self, environment, neuron):
        """The short formats are; fp8 is one of every chip, the first Trainium included."""
        assert not list(rounding_has_something_to_round(environment(neuron=neuron)))


class TestVariablesOfTheToolkitAreLeftAlone:
    @pytest.mark.parametrize("name", SET_BY_THE_TOOLKIT)
    def test_set_by_hand(self, environment, name):
        """A variable set twice has the value of whoever came last; the hint names the setting that decides."""
        (finding,) = variables_of_the_toolkit_are_left_alone(environment(neuron={"environment": {name: "1"}}))

        assert finding.path == ("neuron", "environment", name)
        assert finding.hint == f"remove it: it follows {SET_BY_THE_TOOLKIT[name]}"

    @pytest.mark.parametrize("name", ["NEURON_RT_LOG_LEVEL", "NEURON_RT_EXEC_TIMEOUT", "FI_LOG_LEVEL", INFLIGHT])
    def test_others(self, environment, name):
        """The many others may be set."""
        assert not list(variables_of_the_toolkit_are_left_alone(environment(neuron={"environment": {name: "1"}})))


class TestVariablesAreReadByTheRelease:
    @pytest.mark.parametrize("sdk", ["2.31.0", "2.31.1", "2.32.0", "2.100.0"])
    def test_ignored(self, environment, sdk):
        """The runtime stopped to read this one, and says nothing."""
        (finding,) = variables_are_read_by_the_release(environment(neuron={"sdk": sdk, "environment": {INFLIGHT: "4"}}))

        assert finding.severity is Severity.WARNING
        assert finding.message == f"{INFLIGHT} is ignored since release 2.31"

    @pytest.mark.parametrize(("sdk", "name"), [("2.30.0", INFLIGHT), ("2.9.0", INFLIGHT), ("2.32.0", "FI_LOG_LEVEL")])
    def test_read(self, environment, sdk, name):
        """Earlier releases read it: 2.9 is earlier than 2.31."""
        assert not list(variables_are_read_by_the_release(environment(neuron={"sdk": sdk, "environment": {name: "4"}})))


class TestCoresAreNotACompilerFlag:
    @pytest.mark.parametrize("flag", ["--logical-nc-config=1", "--logical-nc-config 2", "-lnc=1", "-lnc 2", " -lnc=2"])
    def test_cores(self, environment, flag):
        """Compiler and runtime must agree, so one setting feeds both."""
        (finding,) = cores_are_not_a_compiler_flag(
            environment(neuron={"compiler_flags": ["--model-type=transformer", flag]})
        )

        assert finding.path == ("neuron", "compiler_flags", 1)

    @pytest.mark.parametrize("flag", ["--model-type=transformer", "-O1", "--lnc-other=1", " "])
    def test_others(self, environment, flag):
        """Other flags are the compiler's own business."""
        assert not list(cores_are_not_a_compiler_flag(environment(neuron={"compiler_flags": [flag]})))


class TestUnpublishedLogicalNeuroncoreConfigIsGiven:
    def test_trn3(self, environment):
        """AWS states the default of Trn2 only, so a trn3 group says what it wants."""
        (finding,) = unpublished_logical_neuroncore_config_is_given(
            environment(node_group={"instance_type": "trn3.48xlarge"})
        )

        assert finding.path == ("node_groups", 0, "logical_neuroncore_config")
        assert finding.hint == "write logical_neuroncore_config: 1 or 2"

    @pytest.mark.parametrize(
        "group",
        [{}, {"instance_type": "trn2.48xlarge"}, {"instance_type": "trn3.48xlarge", "logical_neuroncore_config": 1}],
    )
    def test_known(self, environment, group):
        """A default that is known, or a setting that is given, is enough."""
        assert not list(unpublished_logical_neuroncore_config_is_given(environment(node_group=group)))
