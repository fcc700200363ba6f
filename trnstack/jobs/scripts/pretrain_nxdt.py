"""Pretrains a Llama with NeuronX Distributed Training, and goes on from the newest whole checkpoint.

What is trained stands in ``training.json``, and the model's shape in ``config.json``, both beside this script.

Sources: aws-neuron/neuronx-distributed-training at 9169aa0: examples/training.py (which classes are put together),
training_orchestrator.py (the variables that follow from the settings), examples/conf/hf_llama3.1_8B_config.yaml for
Trn1 and hf_llama3_8B_trn2_config.yaml (the settings themselves), lightning_modules/model/base.py; nxd's
trainer/checkpoint.py (the file that a whole checkpoint has).
"""

import json
import os
import time
from pathlib import Path

import trnstack_pod as pod

HERE = Path(__file__).parent
#: Batches of made-up tokens where there are no real ones. They come again and again: the loss falls, and means nothing.
_MADE_UP_BATCHES = 2
#: How many executions the runtime takes ahead of their results. NxDT's examples of Llama say 5, but for that of
#: Llama-3.1-8B on Trn1 and one of Llama-3.1-70B, which says 7 where another of the same size and chips says 5.
_IN_FLIGHT, _IN_FLIGHT_OF = "5", {("Llama-3-8B", 1): "3"}


def variables(told):
    """Returns the variables that must be set before the frameworks are loaded, but for those of the environment.

    ``XLA_DOWNCAST_BF16``, which PyTorch 2.9 reads no more, is 0 for NxDT, which then casts the model itself.

    Source: AWS Neuron documentation, "Migrate from XLA_USE_BF16/XLA_DOWNCAST_BF16"; NxDT, hf_models/llama_model.py.
    """
    return {
        "XLA_USE_BF16": "0",
        "XLA_DOWNCAST_BF16": "0",
        "XLA_DISABLE_FUNCTIONALIZATION": "0",
        "NEURON_FUSE_SOFTMAX": "1",
        "NEURON_EXPERIMENTAL_COMPRESS_RG": "0",
        "NEURON_RT_EXEC_TIMEOUT": "100",
        "NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS": _IN_FLIGHT_OF.get(
            (told["model"], told["logical_neuroncore_config"]), _IN_FLIGHT
        ),
        "BUCKET_CAP_MB": "1024",
        "MALLOC_ARENA_MAX": "128",
    }


def compiler_flags(told, given=""):
    """Returns the compiler's flags: those of the environment, and what follows from the model and the precision.

    Args:
        told: What ``training.json`` holds.
        given: The flags of the environment, which prevail: the compiler takes any model for a generic one otherwise.
    """
    model = [] if "--model-type" in given else ["--model-type transformer"]
    precision = "--enable-mixed-precision-accumulation" if told["precision"] == "bf16" else "--auto-cast none"
    return " ".join([*given.split(), *model, precision])


def precision_type(told, *, rounds_at_random):
    """Returns NxDT's word for the precision."""
    if told["precision"] == "fp32":
        return "fp32"
    return "mixed_precisionSR" if rounds_at_random else "mixed_precision"


def settings(told, *, config_file, data, folder, logs, resume_from, compiles_only, rounds_at_random):
    """Returns NxDT's settings.

    Args:
        told: What ``training.json`` holds.
        config_file: The model's shape, as Hugging Face writes it.
        data: The folder of tokens.
        folder: Where the run keeps its checkpoints.
        logs: Where it keeps its logs, which nothing copies to the bucket.
        resume_from: The checkpoint to go on from; None at the start.
        compiles_only: Whether the steps are only compiled.
        rounds_at_random: Whether results are rounded at random.
    """
    steps = min(10, told["steps"]) if compiles_only else told["steps"]
    tensor, pipeline = told["tensor"], told["pipeline"]
    return {
        "name": "hf_llama",
        "model_source": "hf",
        "seed": 1234,
        "trainer": {
            "devices": told["cores"],
            "num_nodes": told["nodes"],
            "lnc": told["logical_neuroncore_config"],
            "max_epochs": -1,
            "max_steps": steps,
            "log_every_n_steps": 10,
            "val_check_interval": steps + 1,
            "check_val_every_n_epoch": None,
            "num_sanity_val_steps": 0,
            "limit_val_batches": 0.0,
            "limit_test_batches": 0.0,
            "gradient_clip_val": 1.0,
            "sequential_move_factor": min(11, told["cores"]),
        },
        "exp_manager": {
            "log_local_rank_0_only": True,
            "create_tensorboard_logger": not compiles_only,
            "explicit_log_dir": str(logs),
            "resume_if_exists": True,
            "resume_ignore_no_checkpoint": True,
            "create_checkpoint_callback": not compiles_only,
            "checkpoint_callback_params": {
                "dirpath": str(folder),
                "monitor": "step",
                "mode": "max",
                "save_top_k": told["checkpoints_kept"],
                "save_last": False,
                "filename": "llama--{step}-{consumed_samples}",
                "model_parallel_size": tensor * pipeline,
                "every_n_train_steps": told["checkpoint_steps"],
                "use_master_weights_in_ckpt": told["master_weights"],
            },
            "log_parameter_norm": True,
            "log_gradient_norm": True,
            "save_xser": True,
            "load_xser": True,
            "save_bf16": False,
            "async_checkpointing": False,
            "resume_from_checkpoint": resume_from,
        },
        "distributed_strategy": {
            "tensor_model_parallel_size": tensor,
            "pipeline_model_parallel_size": pipeline,
            "virtual_pipeline_model_parallel_size": 1,
            "zero1": told["zero_stage"] == 1,
            "sequence_parallel": tensor > 1,
            "kv_replicator": told["kv_replicator"],
        },
        "data": {
            "micro_batch_size": told["micro_batch_size"],
            "global_batch_size": told["global_batch_size"],
            "train_dir": str(data),
        },
        "model": {
            "model_config": str(config_file),
            "encoder_seq_length": told["sequence_length"],
            "max_position_embeddings": told["sequence_length"],
            "num_layers": told["layers"],
            "hidden_size": told["hidden_size"],
            "qkv_linear": told["kv_replicator"] > 1,
            "fuse_qkv": True,
            "rope_theta": told["rope_theta"],
            "use_cpu_initialization": True,
            "activations_checkpoint_granularity": told["recompute"],
            "activations_checkpoint_recompute": ["CoreAttention", "LlamaMLP"]
            if told["recompute"] == "selective"
            else [],
            "fusions": {"softmax": True, "flash_attention": True},
            "do_layer_norm_weight_decay": True,
            "optim": {
                "name": "adamw" if told["logical_neuroncore_config"] == 1 else "adamw_fp32OptState",
                "lr": 1.5e-4,
                "weight_decay": 0.1,
                "capturable": False,
                "betas": [0.9, 0.95],
                "sched": {
                    "name": "CosineAnnealing",
                    "warmup_steps": min(2000, max(1, told["steps"] // 10)),
                    "max_steps": told["steps"],
                    "min_lr": 1e-6,
                    "constant_steps": 0,
                },
            },
        },
        "precision": {"type": precision_type(told, rounds_at_random=rounds_at_random)},
    }


def tokens(told, folder):
    """Returns the folder with tokens: what the job names, or made-up ones, of which each node makes its own."""
    if told["data"]:
        return Path(told["data"])
    import datasets  # noqa: PLC0415 - only for made-up tokens
    import numpy as np  # noqa: PLC0415

    ready = folder.with_suffix(".done")
    if os.environ.get("LOCAL_RANK", "0") == "0" and not ready.exists():
        shape = (told["global_batch_size"] * _MADE_UP_BATCHES, told["sequence_length"])
        made = np.random.default_rng(0).integers(0, told["vocabulary"], shape, dtype=np.int32)
        columns = {"input_ids": made, "labels": made, "attention_mask": np.ones(shape, np.int8)}
        datasets.Dataset.from_dict(columns).save_to_disk(str(folder))
        ready.touch()
    while not ready.exists():
        time.sleep(1)
    return folder


def main():
    """Runs on one core; torchrun starts it on each."""
    told = json.loads((HERE / "training.json").read_text(encoding="utf-8"))
    compiles_only = os.environ.get("TRNSTACK_COMPILES_ONLY") == "1"
    for name, value in variables(told).items():
        os.environ.setdefault(name, value)
    os.environ["NEURON_CC_FLAGS"] = compiler_flags(told, os.environ.get("NEURON_CC_FLAGS", ""))
    folder = pod.run_folder(os.environ["TRNSTACK_JOB"])
    name = None if compiles_only else pod.newest_complete(pod.complete(folder))
    resume_from = str(folder / name) if name else None
    if os.environ.get("RANK", "0") == "0":
        print(f"resuming from {resume_from}" if resume_from else "starting from random weights", flush=True)
    if name and pod.step_of(name) >= told["steps"]:
        print(pod.nothing_left(pod.step_of(name), told["steps"]), flush=True)
        return
    scratch = Path(os.environ.get("TRNSTACK_SCRATCH", "/scratch"))
    train(
        settings(
            told,
            config_file=HERE / "config.json",
            data=tokens(told, scratch / "tokens"),
            folder=folder,
            logs=pod.log_folder(os.environ["TRNSTACK_JOB"]),
            resume_from=resume_from,
            compiles_only=compiles_only,
            rounds_at_random=os.environ.get("NEURON_RT_STOCHASTIC_ROUNDING_EN") == "1",
        )
    )


def train(values):
    """Trains by NxDT's settings."""
    from lightning.pytorch.plugins.environments import TorchElasticEnvironment  # noqa: PLC0415 - after the variables
    from neuronx_distributed_training.lightning_modules.data.hf_data_module import HFDataModule  # noqa: PLC0415
    from neuronx_distributed_training.lightning_modules.model.hf_models.llama_model import (  # noqa: PLC0415
        HFLLamaModule,
    )
    from neuronx_distributed_training.lightning_modules.nlp_overrides import (  # noqa: PLC0415
        NLPCheckpointIO,
        NLPDDPStrategy,
        NLPTrainer,
    )
    from neuronx_distributed_training.utils.exp_manager import exp_manager  # noqa: PLC0415
    from omegaconf import OmegaConf  # noqa: PLC0415

    settings_ = OmegaConf.create(values)
    resume_from = settings_.exp_manager.resume_from_checkpoint
    strategy = NLPDDPStrategy(
        find_unused_parameters=False,
        cluster_environment=TorchElasticEnvironment(),
        checkpoint_io=NLPCheckpointIO(async_save=False, weight_init_only=False, ptl_version="2.5.0"),
        restore_path=resume_from,
    )
    trainer = NLPTrainer(plugins=[], strategy=strategy, **settings_.trainer)
    exp_manager(trainer, settings_.exp_manager)
    # It takes the newest by its time, be it whole or not.
    trainer.ckpt_path = resume_from
    data, model = HFDataModule(settings_, trainer), HFLLamaModule(settings_, trainer)
    trainer.fit(model, datamodule=data, ckpt_path=resume_from)


if __name__ == "__main__":
    main()
