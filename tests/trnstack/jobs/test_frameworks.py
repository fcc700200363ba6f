"""The scripts that use frameworks: from their first line to a result that is judged, with stand-ins for frameworks.

What the frameworks do with it is left out; that a script comes to its end and tells what ``trnstack job results`` reads
is not.
"""

import itertools
import json

import pytest

from tests.trnstack.jobs.anything import Anything, frameworks
from tests.trnstack.jobs.conftest import planned
from trnstack.jobs.results import results_in, verdicts


class Falling(Anything):
    """A loss that falls each time that it is looked at."""

    count = itertools.count(1)

    def detach(self):
        return self

    cpu = detach

    def __float__(self):
        return 1 / next(Falling.count)


class Lightning:
    """Lightning's trainer, as far as it calls what the script gives it."""

    is_global_zero, world_size = True, 2

    def __init__(self, *, max_steps, **_told):
        self._steps = max_steps

    def fit(self, model, _data):
        model.configure_optimizers()
        for number in range(self._steps):
            model.training_step((Anything(), Anything()), number)
            model.on_train_batch_end({"loss": Falling()}, None, number)


class Module:
    """Lightning's module."""

    def parameters(self):
        return []


class Optimum:
    """Optimum's trainer, as far as it keeps its history."""

    def __init__(self, **told):
        self._steps = told["args"]["max_steps"]

    def train(self):
        history = [{"loss": 1 / number} for number in range(1, self._steps + 1)]
        self.state = type("State", (), {"log_history": [*history, {"train_runtime": 1.0}]})


class OptimumArguments(dict):
    trn_config = None


class Ranks:
    """A mesh of cores."""

    size = 4
    shape = {"data": 4}


DISTRIBUTED = {"torch.distributed": {"get_rank": lambda: 0, "get_world_size": lambda: 4}}
JAX = {
    "jax": {
        "jit": lambda function: function,
        "value_and_grad": lambda _: lambda *_: (Falling(), [Anything()] * 3),
        "shard_map": lambda function, **_: function,
        "process_index": lambda: 0,
        "process_count": lambda: 2,
    },
    "jax_pods": {"mesh": lambda *_: Ranks, "spread": lambda *_: Anything()},
}


@pytest.fixture
def result(script, monkeypatch, capsys, tmp_path):
    """Returns what runs a script in place of its frameworks, and returns the result that it tells."""

    def told(name, *packages, has, **variables):
        monkeypatch.setattr(Falling, "count", itertools.count(1))
        variables = {"TRNSTACK_JOB": "j", "TRNSTACK_NODES": "2", "TRNSTACK_SCRATCH": str(tmp_path), **variables}
        for key, value in variables.items():
            monkeypatch.setenv(key, value)
        with frameworks(*packages, has=has):
            script(name).main()
        (found,) = results_in(capsys.readouterr().out, name)
        return found

    return told


def passed(result):
    environment = planned("llama3-8b-trn1")
    return [verdict.passed for verdict in verdicts(environment.environment, environment.plan, result, "x")]


def test_smoke_pytorch(result):
    """PyTorch's smoke test tells 20 losses of all cores together."""
    has = {**DISTRIBUTED, "torch_xla.core.xla_model": {"all_reduce": lambda *_, **__: Falling()}}

    told = result("smoke_pytorch", "torch", "torch_xla", has=has)

    assert len(told["losses"]) == 20
    assert (told["ranks"], told["nodes"]) == (4, 2)
    assert passed(told) == [True, None]


def test_smoke_jax(result):
    """JAX's tells them too."""
    told = result("smoke_jax", "jax", "jax_pods", "numpy", has=JAX)

    assert len(told["losses"]) == 20
    assert passed(told) == [True, None]


def test_smoke_lightning(result):
    """Lightning's takes its losses from the trainer's steps."""
    has = {"lightning.pytorch": {"Trainer": Lightning, "LightningModule": Module}}

    told = result("smoke_lightning", "torch", "lightning", "neuronx_distributed", has=has)

    assert len(told["losses"]) == 20
    assert passed(told) == [True, None]


def test_smoke_optimum(result):
    """Optimum's takes them from the trainer's history, of which the last line is no loss."""
    has = {
        "optimum.neuron": {"NeuronTrainer": Optimum, "NeuronTrainingArguments": lambda **told: OptimumArguments(told)},
        "torch.utils.data": {"Dataset": object},
    }
    has["torch"] = {"utils": type("U", (), {"data": type("D", (), {"Dataset": object})})}

    told = result("smoke_optimum", "torch", "optimum", "transformers", has=has)

    assert len(told["losses"]) == 20
    assert passed(told) == [True, None]


@pytest.mark.parametrize(("error", "well"), [(0.0, True), (0.5, False)])
def test_smoke_nki(result, monkeypatch, error, well):
    """NKI's tells by how much a sum is wrong."""
    monkeypatch.setattr(Anything, "number", error)

    told = result("smoke_nki", "nki", "numpy", "torch", "torch_xla", has={})

    assert told["largest_error"] == error
    assert passed(told) == [well]


@pytest.mark.parametrize(
    ("name", "packages", "has"),
    [("pytorch", ("torch", "torch_xla"), DISTRIBUTED), ("jax", ("jax", "jax_pods", "numpy"), JAX)],
)
class TestCollectives:
    def test_sweep(self, result, monkeypatch, name, packages, has):
        """A sweep tells a row of each size, and by how many ranks and nodes."""
        monkeypatch.setattr(Anything, "number", 1.0)

        told = result(f"collectives_{name}", *packages, has=has)

        assert [row["bytes"] for row in told["rows"]] == [2**power for power in range(16, 31, 2)]
        assert (told["ranks"], told["nodes"]) == (4, 2)
        assert len(passed(told)) == 2

    def test_wrong_sum(self, result, monkeypatch, name, packages, has):
        """Sums that are wrong end the job, however fast they were."""
        monkeypatch.setattr(Anything, "number", 0.5)

        with pytest.raises(SystemExit, match=r"an all-reduce of ones over 4 ranks gave 0\.5"):
            result(f"collectives_{name}", *packages, has=has)


def test_nccom(script, monkeypatch, capsys, tmp_path):
    """On one node nccom-test measures, whose report is read where it was told to write it."""
    report = {"results": [{"size(B)": 65536, "algbw(GB/s)": 1.0, "busbw(GB/s)": 2.0, "time(us)": 6.19}]}
    command = tmp_path / "nccom-test"
    command.write_text(
        "#!/bin/sh\nwhile [ $# -gt 1 ]; do [ $1 = --report-to-json-file ] && file=$2; shift; done\n"
        f"[ $1 = allr ] && echo '{json.dumps(report)}' > $file\n"
    )
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    script("collectives_nccom").main()

    (told,) = results_in(capsys.readouterr().out, "x")
    assert [row["bytes"] for row in told["rows"]] == [65_536]


class TestTrainingWithNxdt:
    @pytest.fixture
    def trained(self, script, monkeypatch, tmp_path):
        """Returns what runs the script until it would train, and returns the settings that it would train by."""
        from tests.trnstack.jobs.pods import TOLD

        module = script("pretrain_nxdt")
        monkeypatch.setattr(module, "HERE", tmp_path)
        found = []
        monkeypatch.setattr(module, "train", found.append)
        more = {"kv_replicator": 1, "layers": 2, "hidden_size": 8, "rope_theta": 1.0, "recompute": None}
        told = {**TOLD, **more, "master_weights": True, "logical_neuroncore_config": 1, "data": "/tokens"}
        (tmp_path / "training.json").write_text(json.dumps(told))
        for name in (*module.variables(told), "NEURON_CC_FLAGS"):
            monkeypatch.setenv(name, "")
            monkeypatch.delenv(name)
        monkeypatch.setenv("TRNSTACK_JOB", "j")
        monkeypatch.setenv("TRNSTACK_CHECKPOINT_PATH", str(tmp_path))

        def run(*checkpoints):
            for name in checkpoints:
                (tmp_path / "j" / name).mkdir(parents=True)
                (tmp_path / "j" / name / "done").touch()
            module.main()
            return found

        return run

    def test_resumes(self, trained, capsys):
        """It goes on from the newest whole checkpoint."""
        (settings,) = trained("llama--step=2-x.ckpt", "llama--step=4-x.ckpt")

        assert settings["exp_manager"]["resume_from_checkpoint"].endswith("/j/llama--step=4-x.ckpt")
        assert "resuming from" in capsys.readouterr().out

    def test_nothing_left(self, trained, capsys):
        """A run that has all its steps says so, and trains nothing."""
        assert trained("llama--step=6-x.ckpt") == []
        assert "the run has 6 of 6 steps already" in capsys.readouterr().out
