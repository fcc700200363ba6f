"""Measures all-reduce over all cores of the job with PyTorch/XLA, in sizes from 64 KiB to 1 GiB."""

import time

import sweep
import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_backend  # registers the backend "xla"
import trnstack_pod as pod


def seconds_of(size, ranks, device):
    """Returns how long one all-reduce of a size takes, of several runs the median."""
    value = torch.ones(size // sweep.BYTES_A_NUMBER, dtype=torch.bfloat16, device=device)
    torch_xla.sync(wait=True)
    taken = []
    for _ in range(1 + sweep.REPEATED):
        begun, summed = time.monotonic(), value
        for _ in range(sweep.CHAINED):
            summed = xm.all_reduce(xm.REDUCE_SUM, summed, scale=1.0 / ranks)
        torch_xla.sync(wait=True)
        taken.append((time.monotonic() - begun) / sweep.CHAINED)
        # The mean of ones is one; anything else is a collective that lost something. It also keeps the graph needed.
        if abs(float(summed[-1].cpu()) - 1) > 0.05:  # noqa: PLR2004 - bfloat16 rounds to 1/128
            raise SystemExit(f"an all-reduce of ones over {ranks} ranks gave {float(summed[-1].cpu())} for their mean")
    return sorted(taken[1:])[sweep.REPEATED // 2]


def main():
    """Runs on one core; torchrun starts it on each."""
    dist.init_process_group("xla")
    ranks, device = dist.get_world_size(), torch_xla.device()
    rows = [sweep.row(size, ranks, seconds_of(size, ranks, device)) for size in sweep.SIZES]
    if dist.get_rank() == 0:
        pod.tell(sweep.result("torch-xla", pod.place().nodes, ranks, rows))
    dist.barrier()


if __name__ == "__main__":
    main()
