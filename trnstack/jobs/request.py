"""What a person asks of a job, and which kinds there are for which framework."""

from collections.abc import Mapping
from dataclasses import dataclass

from trnstack.findings import Finding

TRAIN, SMOKE, COLLECTIVES = "train", "smoke", "collectives"
CHECKPOINT_IO, PRECOMPILE, PROFILE = "checkpoint-io", "precompile", "profile"
KINDS = (TRAIN, SMOKE, COLLECTIVES, CHECKPOINT_IO, PRECOMPILE, PROFILE)
PYTORCH, JAX, OPTIMUM, LIGHTNING, NKI = "pytorch", "jax", "optimum", "lightning", "nki"
FRAMEWORKS = (PYTORCH, JAX, OPTIMUM, LIGHTNING, NKI)
#: How a script is started: by torchrun, once a core; with JAX's variables, once a pod; or as it is, once a pod.
TORCHRUN, JAX_PODS, PLAIN = "torchrun", "jax", "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What runs in a job's pods.

    Attributes:
        script: The script's file name.
        launcher: How ``start.py`` starts it.
        beside: Further scripts that it imports.
    """

    script: str
    launcher: str
    beside: tuple[str, ...] = ()


_SMOKE: Mapping[str, Program] = {
    PYTORCH: Program(script="smoke_pytorch.py", launcher=TORCHRUN),
    JAX: Program(script="smoke_jax.py", launcher=JAX_PODS, beside=("jax_pods.py",)),
    OPTIMUM: Program(script="smoke_optimum.py", launcher=TORCHRUN),
    LIGHTNING: Program(script="smoke_lightning.py", launcher=TORCHRUN),
    NKI: Program(script="smoke_nki.py", launcher=PLAIN),
}
#: Beside each program: what starts it, and what that is made of.
ALWAYS = ("start.py", "trnstack_bucket.py", "trnstack_meeting.py", "trnstack_pod.py", "trnstack_program.py")
_NXDT = Program(script="pretrain_nxdt.py", launcher=TORCHRUN)
_CHECKPOINT_IO = Program(script="checkpoint_io.py", launcher=PLAIN)
#: What measures where checkpoints go by the bucket, since there is no file system.
BUCKET_CHECKPOINT_IO = Program(script="checkpoint_io_bucket.py", launcher=PLAIN, beside=("checkpoint_io.py",))
#: The program of each kind by framework; a kind that a framework lacks is none for it. NeuronX Distributed Training is
#: made of PyTorch Lightning, so both names stand for it.
PROGRAMS: Mapping[str, Mapping[str, Program]] = {
    TRAIN: {
        PYTORCH: _NXDT,
        LIGHTNING: _NXDT,
        JAX: Program(script="pretrain_jax.py", launcher=JAX_PODS, beside=("jax_pods.py", "jax_checkpoints.py")),
    },
    SMOKE: _SMOKE,
    COLLECTIVES: {
        PYTORCH: Program(script="collectives_pytorch.py", launcher=TORCHRUN, beside=("sweep.py",)),
        JAX: Program(script="collectives_jax.py", launcher=JAX_PODS, beside=("jax_pods.py", "sweep.py")),
    },
    CHECKPOINT_IO: dict.fromkeys(FRAMEWORKS, _CHECKPOINT_IO),
    PRECOMPILE: {PYTORCH: _NXDT, LIGHTNING: _NXDT},
    PROFILE: _SMOKE,
}
#: Why a framework has not a kind, where that is no gap, and what to do instead.
#: Source: AWS Neuron documentation, "PyTorch Neuron neuron_parallel_compile CLI".
ABSENT: Mapping[tuple[str, str], tuple[str, str]] = {
    (PRECOMPILE, JAX): (
        "neuron_parallel_compile takes PyTorch's programs alone, and JAX compiles in its first step",
        "write --kind train, whose first step compiles",
    )
}
#: What measures collectives within one node, whatever the framework.
ONE_NODE_COLLECTIVES = Program(script="collectives_nccom.py", launcher=PLAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRequest:
    """What a person asks for; what is None is decided.

    Attributes:
        kind, framework: Of ``KINDS`` and ``FRAMEWORKS``; the environment's framework where it is None.
        node_group: A node group's name; the first where it is None.
        nodes: How many pods, each on a node of its own.
        devices: How many Neuron devices of each node; all where it is None.
        priority: One of the plan's priority classes; what trains goes before what measures where it is None.
        name: The job's name.
        image: Another container than the lock's, by digest.
        data: The tokens to train on, a path in the pod; made-up ones where it is None.
        steps: How many steps to train; as many as the environment's tokens make where it is None.
        checkpoint_steps: How many steps from one checkpoint to the next.
    """

    kind: str
    framework: str | None = None
    node_group: str | None = None
    nodes: int | None = None
    devices: int | None = None
    priority: str | None = None
    name: str | None = None
    image: str | None = None
    data: str | None = None
    steps: int | None = None
    checkpoint_steps: int = 500


def refusal(code: str, where: str, message: str, hint: str) -> Finding:
    """Returns why a job can't be had.

    Args:
        code: ``JOB`` and three digits.
        where: The option, or the place in the environment, that asks for it.
        message: What is wrong.
        hint: What to write instead.
    """
    return Finding(code=code, path=(where,), message=message, hint=hint)
