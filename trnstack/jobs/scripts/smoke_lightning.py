"""Trains a small network on made-up data with PyTorch Lightning for some steps, and tells whether the loss falls."""

import time

import neuronx_distributed as nxd
import torch
import trnstack_pod as pod
from lightning.pytorch import LightningModule, Trainer
from neuronx_distributed.lightning import NeuronXLAPrecisionPlugin, NeuronXLAStrategy
from torch.utils.data import DataLoader, TensorDataset

STEPS, BATCH, WIDTH = 20, 64, 512


class Small(LightningModule):
    """A small network whose steps Lightning takes: gradients are summed by the strategy's optimizer step."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, 1))
        self.losses, self.times = [], []

    def training_step(self, batch, _index):
        """Returns the loss of a batch."""
        inputs, targets = batch
        return torch.nn.functional.mse_loss(self.layers(inputs), targets)

    def on_train_batch_end(self, outputs, _batch, _index):
        """Keeps the loss."""
        self.losses.append(float(outputs["loss"].detach().cpu()))
        self.times.append(time.monotonic())

    def configure_optimizers(self):
        """Returns the optimizer."""
        return torch.optim.SGD(self.parameters(), lr=0.05)


def main():
    """Runs on one core; torchrun starts it on each."""
    torch.manual_seed(0)
    model, begun = Small(), time.monotonic()
    inputs = torch.randn(BATCH, WIDTH).repeat(STEPS, 1)
    data = DataLoader(TensorDataset(inputs, inputs[:, :1].tanh()), batch_size=BATCH, drop_last=True)
    trainer = Trainer(
        strategy=NeuronXLAStrategy(nxd_config=nxd.neuronx_distributed_config(tensor_parallel_size=1)),
        plugins=[NeuronXLAPrecisionPlugin()],
        max_steps=STEPS,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        use_distributed_sampler=False,
    )
    trainer.fit(model, data)
    if trainer.is_global_zero:
        steady = model.times[-1] - model.times[1]
        pod.tell(
            {
                "kind": "smoke",
                "framework": "lightning",
                "ranks": trainer.world_size,
                "nodes": pod.place().nodes,
                "losses": model.losses,
                "compile_seconds": round(model.times[1] - begun, 3),
                "step_seconds": round(steady / (len(model.times) - 2), 6),
            }
        )


if __name__ == "__main__":
    main()
