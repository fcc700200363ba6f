"""Trains a small network on made-up data for some steps, on every core of the job, and tells whether the loss falls."""

import time

import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_backend  # registers the backend "xla"
import trnstack_pod as pod

STEPS, BATCH, WIDTH = 20, 64, 512


def main():
    """Runs on one core; torchrun starts it on each."""
    dist.init_process_group("xla")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    device = torch_xla.device()
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(WIDTH, WIDTH),
        torch.nn.ReLU(),
        torch.nn.Linear(WIDTH, WIDTH),
        torch.nn.ReLU(),
        torch.nn.Linear(WIDTH, 1),
    ).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    # Each core has data of its own, so a wrong sum of gradients does not go unseen.
    torch.manual_seed(1 + rank)
    inputs = torch.randn(BATCH, WIDTH)
    targets = inputs[:, :1].tanh().to(device)
    inputs = inputs.to(device)
    losses, begun, compiled = [], time.monotonic(), 0.0
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        xm.optimizer_step(optimizer)  # sums the gradients of all cores
        shown = xm.all_reduce(xm.REDUCE_SUM, loss.detach(), scale=1.0 / ranks)
        torch_xla.sync()
        losses.append(float(shown.cpu()))
        if step == 1:  # the first two steps compile
            compiled = time.monotonic()
    if rank == 0:
        pod.tell(
            {
                "kind": "smoke",
                "framework": "pytorch",
                "ranks": ranks,
                "nodes": pod.place().nodes,
                "losses": losses,
                "compile_seconds": round(compiled - begun, 3),
                "step_seconds": round((time.monotonic() - compiled) / (STEPS - 2), 6),
            }
        )
    dist.barrier()


if __name__ == "__main__":
    main()
