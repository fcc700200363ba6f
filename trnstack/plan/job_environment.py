"""Decides the environment variables that every job gets: where things are, and how Neuron and EFA are to work."""

from collections.abc import Iterator, Mapping

from trnstack.kubernetes.marks import CHECKPOINT_BUCKET
from trnstack.plan.model import DatasetPlan, NodeGroupPlan, StoragePlan
from trnstack.spec import Environment

#: Beside what is linked to a bucket, so that nothing of it is exported.
_CACHE_FOLDER = "neuron-compile-cache"


def job_environment(
    environment: Environment, groups: tuple[NodeGroupPlan, ...], storage: StoragePlan
) -> Mapping[str, str]:
    """Returns the variables by name; what the environment file itself sets comes last and prevails."""
    found = {
        "TRNSTACK_ENVIRONMENT": environment.name,
        "AWS_REGION": environment.region,
        **_places(storage),
        **_neuron(environment),
    }
    if any(group.efa_gbps != 0 for group in groups):
        found |= _efa()
    return found | environment.neuron.environment


def _places(storage: StoragePlan) -> dict[str, str]:
    """Returns where checkpoints, datasets and compiled programs are.

    Source: AWS Neuron documentation, "Neuron Persistent Cache" (a folder or an ``s3://`` address).
    """
    lustre, prefixes = storage.lustre, storage.checkpoints.job_prefixes
    bucket = f"s3://{CHECKPOINT_BUCKET}"
    found = {
        "TRNSTACK_CHECKPOINT_BUCKET": CHECKPOINT_BUCKET,
        "TRNSTACK_CHECKPOINT_PREFIXES": ",".join(prefixes),
    }
    if lustre is None:
        return {
            **found,
            "TRNSTACK_CHECKPOINT_PATH": f"{bucket}/checkpoints",
            "NEURON_COMPILE_CACHE_URL": f"{bucket}/{_CACHE_FOLDER}",
            **dict(_datasets(storage, {})),
        }
    root = lustre.mount_path.rstrip("/")
    exported = [link.file_system_path for link in lustre.associations if link.bucket_name is None and link.auto_export]
    folder = exported[0].rstrip("/") if exported else "/checkpoints"
    linked = {
        f"{link.bucket_name}/{link.prefix}".rstrip("/"): f"{root}{link.file_system_path}".rstrip("/")
        for link in lustre.associations
        if link.bucket_name
    }
    return {
        **found,
        "TRNSTACK_MOUNT_PATH": lustre.mount_path,
        "TRNSTACK_CHECKPOINT_PATH": f"{root}{folder}",
        "NEURON_COMPILE_CACHE_URL": f"{root}/{_CACHE_FOLDER}",
        **dict(_datasets(storage, linked)),
    }


def _datasets(storage: StoragePlan, linked: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yields for each dataset its address, and the folder that shows it where there is one."""
    for dataset in storage.datasets:
        name = f"TRNSTACK_DATASETS_{dataset.name.upper().replace('-', '_')}"
        place = _place(dataset)
        yield name, f"s3://{place}"
        if place in linked:
            yield f"{name}_PATH", linked[place]


def _place(dataset: DatasetPlan) -> str:
    return f"{dataset.bucket_name}/{dataset.prefix}".rstrip("/")


def _neuron(environment: Environment) -> dict[str, str]:
    """Returns what the ``neuron`` section says to runtime and compiler.

    Rounding at random is for results of few bits; with FP32 there is nothing to round. Its seed is fixed, so that a run
    can be had again. The model is cast by the job itself, which reads the precision: the variables that did it in the
    framework are gone.

    Source: AWS Neuron documentation, "Neuron Rounding Modes"; "Migrate from XLA_USE_BF16/XLA_DOWNCAST_BF16".
    """
    section = environment.neuron
    rounding = section.stochastic_rounding and section.precision != "fp32"
    found = {
        "TRNSTACK_PRECISION": section.precision,
        "NEURON_RT_STOCHASTIC_ROUNDING_EN": str(int(rounding)),
    }
    if rounding:
        found["NEURON_RT_STOCHASTIC_ROUNDING_SEED"] = "0"
    if section.compiler_flags:
        found["NEURON_CC_FLAGS"] = " ".join(section.compiler_flags)
    return found


def _efa() -> dict[str, str]:
    """Returns what makes libfabric use EFA, with device memory reached directly.

    ``FI_EFA_FORK_SAFE`` is not among it: kernels from 5.15 on need it no more, and nodes have 6.x.

    Source: AWS Neuron documentation, "How to prepare trn1.32xlarge for multi-node execution" and "Neuron Runtime
    Troubleshooting", FI_EFA_FORK_SAFE.
    """
    return {"FI_PROVIDER": "efa", "FI_EFA_USE_DEVICE_RDMA": "1"}
