"""What a checkpoint comes to: its bytes, who writes them, how long that takes, and what is kept.

A checkpoint from which training resumes holds the weights, the optimizer's two moments in FP32 (Adam), and, where the
weights are of 16 bits, their FP32 originals. For a parameter that is 2 + 8 + 4 = 14 bytes, or 4 + 8 = 12 in FP32. Keys
and values that several queries share are in it once for each time that they are repeated over the cores.

Sources: Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", section 3.1 (2
bytes of weight, and 4 + 4 + 4 of Adam's state in mixed precision); AWS Neuron documentation, NxD Core, "Developer
guide for save/load checkpoint" (who writes what); NxD Core, ``trainer/trainer.py`` (master weights exist with ZeRO-1
only, and are saved with ``use_master_weights_in_ckpt`` only), ``modules/qkv_linear.py`` (``kv_size_multiplier``).
"""

import math
from dataclasses import dataclass

#: Bytes of a weight by the format that a model is trained in. With FP8 the products are of 8 bits; that weights stay
#: of 16 is an assumption on the safe side.
_WEIGHT_BYTES = {"fp32": 4, "bf16": 2, "fp16": 2, "fp8": 2}
_MASTER_BYTES, _MOMENT_BYTES, _MOMENTS = 4, 4, 2
#: From this stage of ZeRO on, optimizer state is spread over all copies of the model; from the other, weights too.
_OPTIMIZER_STAGE, _PARAMETER_STAGE = 1, 3

#: A file system is not filled beyond this share: a full target refuses to write while others have room.
#: Source: FSx for Lustre user guide, "Workload balance across OSTs"; the share itself is ours.
FULL_SHARE = 0.9

#: A month, of what a bucket gains.
DAYS_A_MONTH = 30

_BYTES_PER_MB, _BYTES_PER_GIB, _SECONDS_A_DAY = 10**6, 2**30, 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The bytes of one checkpoint.

    Attributes:
        weights: The model's weights, in the format in which it is trained.
        master_weights: The weights in FP32, where the others are of 16 bits.
        moments: Adam's two moments, in FP32.
    """

    weights: int
    master_weights: int
    moments: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.weights + self.master_weights + self.moments


def repeated_parameters(
    *, layers: int, hidden_size: int, attention_heads: int, key_value_heads: int, tensor: int
) -> int:
    """Returns the parameters that a checkpoint holds beside the model's own: copies of keys' and values' weights.

    Cores that share a layer have whole heads each, so that heads of keys and values, where they are fewer than cores,
    are repeated until they divide among them: 8 of them over 32 cores four times. Each core saves its own. Among
    numbers of heads that divide the cores, one head is repeated most.

    Source: NxD Core, ``modules/qkv_linear.py``, ``GQAQKVColumnParallelLinear``: ``kv_size_multiplier``; NxD Training,
    "YAML configuration settings", ``kv_replicator``: 4 in AWS's set-ups of Llama-3.1 8B and 70B over 32 cores.

    Args:
        layers: The model's layers.
        hidden_size: The width of the hidden state.
        attention_heads: Heads of queries in a layer.
        key_value_heads: Heads of keys and of values in a layer.
        tensor: Over how many cores a layer is split.
    """
    copies = tensor // math.gcd(tensor, key_value_heads)
    width = key_value_heads * (hidden_size // attention_heads)
    return 2 * layers * hidden_size * width * (copies - 1)


def checkpoint(parameters: int, *, precision: str, zero_stage: int, master_weights: bool) -> Checkpoint:
    """Returns what a checkpoint of a model holds.

    Args:
        parameters: How many parameters are saved: the model's own, and those that are repeated.
        precision: ``fp32``, ``bf16``, ``fp16`` or ``fp8``.
        zero_stage: 0 to 3; without ZeRO, NxD has no master weights.
        master_weights: Whether they are saved where there are some.
    """
    has_master = precision != "fp32" and zero_stage >= _OPTIMIZER_STAGE and master_weights
    return Checkpoint(
        weights=parameters * _WEIGHT_BYTES[precision],
        master_weights=parameters * _MASTER_BYTES if has_master else 0,
        moments=parameters * _MOMENT_BYTES * _MOMENTS,
    )


def busiest_node_bytes(size: Checkpoint, *, nodes: int, model_nodes: int, zero_stage: int) -> int:
    """Returns what the node that writes most of a checkpoint writes.

    One copy of the model writes the weights, and without ZeRO all the rest. With ZeRO every node writes its own share
    of the optimizer's state.

    Args:
        size: The checkpoint.
        nodes: How many nodes train.
        model_nodes: Over how many of them one copy of the model is spread.
        zero_stage: 0 to 3.
    """
    state = size.master_weights + size.moments
    weight_nodes = nodes if zero_stage >= _PARAMETER_STAGE else model_nodes
    state_nodes = nodes if zero_stage >= _OPTIMIZER_STAGE else model_nodes
    return -(-size.weights // weight_nodes) - (-state // state_nodes)


def write_seconds(total: int, *, busiest: int, file_system_mbps: int, client_mbps: int) -> float:
    """Returns how long a checkpoint takes: the file system takes so much, and no node sends more than it can.

    Args:
        total: The checkpoint's bytes.
        busiest: The bytes of the node that writes most.
        file_system_mbps: What can be written to the file system, MB/s.
        client_mbps: What one node can send to it, MB/s.
    """
    return max(total / file_system_mbps, busiest / client_mbps) / _BYTES_PER_MB


def stall_share(seconds: float, *, interval_minutes: int) -> float:
    """Returns the share of the time that training waits when it writes every checkpoint before it goes on.

    The interval is one of training: trainers count steps, so what is waited comes on top of it.

    Source: AWS Neuron documentation, NxD Training, "YAML configuration settings", ``every_n_train_steps``.
    """
    return seconds / (interval_minutes * 60 + seconds)


def a_day(seconds: float, *, interval_minutes: int) -> float:
    """Returns how many checkpoints are written in a day."""
    return _SECONDS_A_DAY / (interval_minutes * 60 + seconds)


def written_bytes(total: int, *, checkpoints_a_day: float, days: int) -> int:
    """Returns what so many days of checkpoints come to: what a bucket gains where nothing takes old ones out of it."""
    return round(total * checkpoints_a_day * days)


def needed_bytes(total: int, *, kept: int) -> int:
    """Returns what must fit the file system: what is kept, and the new one, until whose end the oldest stays.

    Source: AWS Neuron documentation, NxD Core, "Developer guide for save/load checkpoint", ``num_kept_ckpts``.
    """
    return total * (kept + 1)


def capacity_bytes(storage_gib: int) -> int:
    """Returns the bytes of a file system."""
    return storage_gib * _BYTES_PER_GIB
