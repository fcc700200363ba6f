"""What NeuronX Distributed Training is told."""

import pytest

TOLD = {
    "model": "Llama-3-8B",
    "precision": "bf16",
    "tensor": 32,
    "pipeline": 1,
    "zero_stage": 1,
    "kv_replicator": 4,
    "global_batch_size": 1024,
    "micro_batch_size": 1,
    "sequence_length": 8192,
    "layers": 32,
    "hidden_size": 4096,
    "rope_theta": 500_000.0,
    "recompute": "selective",
    "master_weights": True,
    "steps": 1000,
    "checkpoint_steps": 500,
    "checkpoints_kept": 5,
    "nodes": 32,
    "cores": 32,
    "logical_neuroncore_config": 1,
}


def settings(script, tmp_path, *, compiles_only=False, **told):
    return script("pretrain_nxdt").settings(
        {**TOLD, **told},
        config_file=tmp_path / "config.json",
        data=tmp_path / "data",
        folder=tmp_path / "run",
        logs=tmp_path / "logs",
        resume_from=None,
        compiles_only=compiles_only,
        rounds_at_random=True,
    )


def test_published(script, tmp_path):
    """The settings are those of the published run: TP 32 with ZeRO-1, keys repeated for the cores beyond theirs."""
    found = settings(script, tmp_path)

    assert found["distributed_strategy"]["tensor_model_parallel_size"] == 32
    assert found["distributed_strategy"]["zero1"] is True
    assert found["distributed_strategy"]["kv_replicator"] == 4
    assert found["model"]["qkv_linear"] is True
    assert found["exp_manager"]["checkpoint_callback_params"]["every_n_train_steps"] == 500
    assert found["precision"]["type"] == "mixed_precisionSR"


def test_compiling(script, tmp_path):
    """What is compiled beforehand writes no checkpoint."""
    found = settings(script, tmp_path, compiles_only=True)

    assert found["trainer"]["max_steps"] == 10
    assert found["exp_manager"]["create_checkpoint_callback"] is False


def test_fp32(script, tmp_path):
    assert settings(script, tmp_path, precision="fp32")["precision"]["type"] == "fp32"


@pytest.mark.parametrize(
    ("given", "flags"),
    [
        ("", "--model-type transformer --enable-mixed-precision-accumulation"),
        ("-O1", "-O1 --model-type transformer --enable-mixed-precision-accumulation"),
        ("--model-type=generic", "--model-type=generic --enable-mixed-precision-accumulation"),
    ],
)
def test_compiler(script, given, flags):
    """The compiler is told that it is a transformer, as in every example, where the environment says nothing else."""
    assert script("pretrain_nxdt").compiler_flags(TOLD, given) == flags


@pytest.mark.parametrize(
    ("model", "cores_joined", "ahead"), [("Llama-3-8B", 1, "3"), ("Llama-3-8B", 2, "5"), ("Llama-2-7B", 1, "5")]
)
def test_in_flight(script, model, cores_joined, ahead):
    """The runtime takes as many executions ahead as in the examples."""
    told = {**TOLD, "model": model, "logical_neuroncore_config": cores_joined}

    assert script("pretrain_nxdt").variables(told)["NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS"] == ahead
