"""Trains a very small Llama on made-up tokens with Optimum Neuron, and tells whether the loss falls.

Source: huggingface/optimum-neuron at 2165991, examples/training: NeuronTrainer, NeuronTrainingArguments and
NeuronModelForCausalLM.from_pretrained with ``trn_config``.
"""

import os
import time
from pathlib import Path

import torch
import trnstack_pod as pod
from optimum.neuron import NeuronTrainer, NeuronTrainingArguments
from optimum.neuron.models.training import NeuronModelForCausalLM
from transformers import LlamaConfig, LlamaForCausalLM

STEPS, LENGTH, TOKENS = 20, 256, 512


class Counting(torch.utils.data.Dataset):
    """Tokens that follow each other, which is learnt fast."""

    def __len__(self):
        return 1024

    def __getitem__(self, index):
        tokens = (torch.arange(LENGTH) + index) % TOKENS
        return {"input_ids": tokens, "attention_mask": torch.ones_like(tokens), "labels": tokens}


def main():
    """Runs on one core; torchrun starts it on each."""
    folder = Path(os.environ.get("TRNSTACK_SCRATCH", "/scratch")) / "tiny-llama"
    ready = folder.with_suffix(".done")
    if os.environ.get("LOCAL_RANK", "0") == "0":
        config = LlamaConfig(
            vocab_size=TOKENS, hidden_size=256, intermediate_size=512, num_hidden_layers=2, num_attention_heads=4
        )
        LlamaForCausalLM(config).save_pretrained(folder)
        ready.touch()
    while not ready.exists():
        time.sleep(0.5)
    arguments = NeuronTrainingArguments(
        output_dir=str(folder / "run"),
        max_steps=STEPS,
        per_device_train_batch_size=1,
        learning_rate=1e-3,
        logging_steps=1,
        save_strategy="no",
        bf16=True,
        report_to=[],
    )
    model = NeuronModelForCausalLM.from_pretrained(
        str(folder), arguments.trn_config, torch_dtype=torch.bfloat16, attn_implementation="eager"
    )
    trainer, begun = NeuronTrainer(model=model, args=arguments, train_dataset=Counting()), time.monotonic()
    trainer.train()
    if int(os.environ.get("RANK", "0")) == 0:
        losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
        result = {"kind": "smoke", "framework": "optimum", "losses": losses, "nodes": pod.place().nodes}
        seconds = round((time.monotonic() - begun) / STEPS, 6)
        pod.tell({**result, "ranks": int(os.environ.get("WORLD_SIZE", "1")), "step_seconds": seconds})


if __name__ == "__main__":
    main()
