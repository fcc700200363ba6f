import pytest

from trnstack.findings import Severity
from trnstack.rules.training import (
    heads_divide_among_the_tensor_degree,
    heads_share_keys_and_values_evenly,
    layers_divide_among_the_pipeline,
    parallelism_divides_the_fleet,
    the_batch_divides_among_the_data_degree,
    the_batch_divides_among_the_fleet,
)


class TestParallelismDividesTheFleet:
    @pytest.mark.parametrize(
        ("group", "parallelism"),
        [
            ({"node_count": 2}, {"tensor": 32, "pipeline": 3}),
            ({"node_count": 1}, {"tensor": 32, "pipeline": 2}),
            ({"node_count": 2}, {"tensor": 32, "data": 1}),
            ({"node_count": 2}, {"tensor": 32, "data": 4}),
            ({"instance_type": "trn2.48xlarge", "node_count": 1}, {"tensor": 128}),
        ],
    )
    def test_cores_left(self, environment, group, parallelism):
        """Cores that no rank uses are paid for all the same."""
        (finding,) = parallelism_divides_the_fleet(environment(node_group=group, parallelism=parallelism))

        assert finding.severity is Severity.WARNING

    def test_message(self, environment):
        """The message has the product and the fleet's cores."""
        (finding,) = parallelism_divides_the_fleet(environment(parallelism={"tensor": 32, "pipeline": 3}))

        assert finding.message.startswith("tensor x pipeline is 96,")
        assert finding.message.endswith("there are 64 cores of trn1.32xlarge")

    @pytest.mark.parametrize(
        ("group", "parallelism"),
        [
            ({"node_count": 2}, {"tensor": 32}),
            ({"node_count": 2}, {"tensor": 32, "data": 2}),
            ({"node_count": 2}, {"tensor": 32, "pipeline": 2}),
            ({"instance_type": "trn2.48xlarge", "node_count": 1}, {"tensor": 64}),
            ({"instance_type": "trn2.48xlarge", "node_count": 1, "logical_neuroncore_config": 1}, {"tensor": 128}),
            ({"node_count": None, "min_count": 0, "max_count": 4}, {"tensor": 32, "pipeline": 4}),
            ({"node_count": 0}, {"tensor": 7}),
            ({"instance_type": "trn3.48xlarge"}, {"tensor": 7}),
        ],
    )
    def test_divides(self, environment, group, parallelism):
        """Logical cores count, and the largest size; without nodes or facts there is nothing to divide."""
        assert not list(parallelism_divides_the_fleet(environment(node_group=group, parallelism=parallelism)))

    def test_one_of_two_fleets(self, environment):
        """With two fleets, the degrees have to fit one of them; groups of one type are one fleet."""
        groups = [
            {"name": "a1", "node_count": 1},
            {"name": "b1", "node_count": 2},
            {"name": "c1", "instance_type": "trn2.48xlarge", "node_count": 1},
        ]
        assert not list(
            parallelism_divides_the_fleet(environment(node_groups=groups, parallelism={"tensor": 32, "pipeline": 3}))
        )

    def test_no_training(self, environment):
        """The section is optional."""
        assert not list(parallelism_divides_the_fleet(environment()))


class TestHeadsDivideAmongTheTensorDegree:
    @pytest.mark.parametrize(
        ("heads", "tensor", "hint"),
        [(32, 24, "use 16 or 32"), (40, 32, "use 20 or 40"), (32, 64, "use 32"), (7, 2, "use 1 or 7")],
    )
    def test_uneven(self, environment, heads, tensor, hint):
        """The hint is the nearest degree on either side."""
        training = {"model": {"attention_heads": heads}, "parallelism": {"tensor": tensor}}
        (finding,) = heads_divide_among_the_tensor_degree(environment(training=training))

        assert finding.hint == hint

    @pytest.mark.parametrize(("heads", "tensor"), [(32, 1), (32, 8), (32, 32), (40, 20)])
    def test_even(self, environment, heads, tensor):
        """Whole heads for each core."""
        training = {"model": {"attention_heads": heads}, "parallelism": {"tensor": tensor}}
        assert not list(heads_divide_among_the_tensor_degree(environment(training=training)))


class TestHeadsShareKeysAndValuesEvenly:
    @pytest.mark.parametrize("shared", [3, 24, 64])
    def test_uneven(self, environment, shared):
        """There is no such model."""
        model = {"attention_heads": 32, "key_value_heads": shared}
        (finding,) = heads_share_keys_and_values_evenly(environment(training={"model": model}))

        assert finding.severity is Severity.ERROR
        assert finding.path == ("training", "model", "key_value_heads")

    @pytest.mark.parametrize(
        "sections", [{}, *({"training": {"model": {"key_value_heads": n}}} for n in (None, 1, 8, 32))]
    )
    def test_even(self, environment, sections):
        """From one for all queries to one for each; without a number there is nothing to divide."""
        assert not list(heads_share_keys_and_values_evenly(environment(**sections)))


class TestTheBatchDividesAmongTheDataDegree:
    @pytest.mark.parametrize(
        ("batch", "micro", "data", "hint"),
        [(1000, 1, 32, "use 992 or 1024"), (16, 1, 32, "use 32"), (64, 3, 16, "use 48 or 96")],
    )
    def test_uneven(self, environment, batch, micro, data, hint):
        """Training stops at its first step, after all nodes have started."""
        training = {"global_batch_size": batch, "micro_batch_size": micro, "parallelism": {"data": data}}
        (finding,) = the_batch_divides_among_the_data_degree(environment(training=training))

        assert finding.severity is Severity.ERROR
        assert finding.hint == hint

    @pytest.mark.parametrize(("batch", "micro", "data"), [(1024, 1, 32), (1024, 2, 512), (1000, 3, "auto")])
    def test_even(self, environment, batch, micro, data):
        """Whole micro batches for each replica; with ``auto`` another rule looks."""
        training = {"global_batch_size": batch, "micro_batch_size": micro, "parallelism": {"data": data}}
        assert not list(the_batch_divides_among_the_data_degree(environment(training=training)))


class TestLayersDivideAmongThePipeline:
    @pytest.mark.parametrize("pipeline", [3, 5, 33])
    def test_uneven(self, environment, pipeline):
        """The longest stage sets the pace."""
        (finding,) = layers_divide_among_the_pipeline(environment(parallelism={"pipeline": pipeline}))

        assert finding.severity is Severity.WARNING

    @pytest.mark.parametrize("pipeline", [1, 2, 8, 32])
    def test_even(self, environment, pipeline):
        """Equal stages."""
        assert not list(layers_divide_among_the_pipeline(environment(parallelism={"pipeline": pipeline})))


class TestTheBatchDividesAmongTheFleet:
    def test_uneven(self, environment):
        """What ``auto`` comes to is computed: 3 nodes of 32 cores, tensor 32, are 3 replicas."""
        training = {"global_batch_size": 1024}
        (finding,) = the_batch_divides_among_the_fleet(environment(node_group={"node_count": 3}, training=training))

        assert finding.severity is Severity.WARNING
        assert finding.hint == "use 1023 or 1026"

    @pytest.mark.parametrize(
        ("count", "parallelism"), [(2, {}), (32, {}), (3, {"data": 3}), (3, {"tensor": 64}), (0, {})]
    )
    def test_even(self, environment, count, parallelism):
        """A batch that divides, or degrees that another rule speaks of."""
        assert not list(
            the_batch_divides_among_the_fleet(environment(node_group={"node_count": count}, parallelism=parallelism))
        )
