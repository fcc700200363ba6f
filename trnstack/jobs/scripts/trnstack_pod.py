"""What the scripts of a job share in its pods: their place in the job, results, shares, and checkpoints.

The standard library alone, and no syntax beyond Python 3.10, which older training containers have.
"""

import json
import os
import re
import socket
import time
from dataclasses import dataclass
from pathlib import Path

#: Below the ports that Linux hands out by itself (32768 and up). Source: Linux, ip-sysctl, ip_local_port_range.
MASTER_PORT, ROOT_COMM_PORT, COORDINATOR_PORT = 29500, 29501, 29502
MEETING_PORT, ORDER_PORT, PEERS_PORT = 29503, 29504, 29505
#: The file that a checkpoint gets last, by which it is known to be whole. NxD's checkpoints have it too.
#: Source: aws-neuron/neuronx-distributed, trainer/checkpoint.py.
DONE = "done"
#: The mark by which a result is found in a log.
RESULT = "trnstack-result"
#: How long pods wait for each other: nodes pull a container of many gigabytes at different speeds.
WAIT_SECONDS = 1800
#: What a run keeps beside its checkpoints, by which it is known again, and the settings that make it another one.
RUN_FILE = "run.json"
_RUN = (
    "framework",
    "model",
    "data",
    "precision",
    "sequence_length",
    "global_batch_size",
    "tensor",
    "pipeline",
    "zero_stage",
)


@dataclass(frozen=True)
class Place:
    """Where a pod stands in its job.

    Attributes:
        job: The job's name.
        rank, nodes: The pod's number, from 0, and how many there are.
        cores: How many NeuronCores the pod has.
        master: The host name of the pod with number 0.
    """

    job: str
    rank: int
    nodes: int
    cores: int
    master: str


def place(environment=os.environ):
    """Returns the pod's place, by what Kubeflow Trainer or Kubernetes tells it, and by the job's own variables."""
    rank = first(environment, "TRNSTACK_RANK", "PET_NODE_RANK", "JAX_PROCESS_ID", "JOB_COMPLETION_INDEX") or "0"
    job = environment.get("TRNSTACK_JOB", "job")
    # Where Trainer counts otherwise than the job was rendered for, it is right: a person may have edited the TrainJob.
    nodes = first(environment, "PET_NNODES", "JAX_NUM_PROCESSES", "TRNSTACK_NODES") or "1"
    coordinator = environment.get("JAX_COORDINATOR_ADDRESS", "").rpartition(":")[0]
    master = first(environment, "TRNSTACK_LEADER", "PET_MASTER_ADDR") or coordinator
    return Place(
        job=job,
        rank=int(rank),
        nodes=int(nodes),
        cores=int(environment.get("TRNSTACK_CORES", "1")),
        master=master or environment.get("TRNSTACK_MASTER", "localhost"),
    )


def first(environment, *names):
    """Returns the first of the variables that is set and not empty; None without one."""
    return next((environment[name] for name in names if environment.get(name)), None)


def address(host, seconds=WAIT_SECONDS):
    """Returns the IPv4 address of a host, as soon as its name is known: a pod's is when it has an address.

    Raises:
        SystemExit: The name stays unknown.
    """
    last = time.monotonic() + seconds
    while True:
        try:
            return socket.getaddrinfo(host, None, socket.AF_INET)[0][4][0]
        except socket.gaierror:
            if time.monotonic() > last:
                raise SystemExit(f"no address for {host} after {seconds} seconds: is its pod scheduled?") from None
            time.sleep(min(2, seconds))


def share(total, parts, part):
    """Returns where a part of a whole begins and how long it is; the parts differ by 1 at most.

    Args:
        total: The length of the whole.
        parts: How many parts there are.
        part: Which of them, from 0.
    """
    each, more = divmod(total, parts)
    return part * each + min(part, more), each + (part < more)


def step_of(name):
    """Returns the step that the name of a checkpoint tells: ``step=500``, ``step_500`` or ``step-500``; -1 without."""
    found = re.findall(r"step[=_-](\d+)", name)
    return int(found[-1]) if found else -1


def newest_complete(names):
    """Returns the name of the checkpoint with the most steps; None of none.

    Args:
        names: The names of the checkpoints that are whole.
    """
    return max(names, key=lambda name: (step_of(name), name), default=None)


def complete(folder):
    """Returns the names of the checkpoints in a folder that were written to their end."""
    return sorted(path.parent.name for path in Path(folder).glob(f"*/{DONE}")) if Path(folder).is_dir() else []


def claim(folder, told, *, writes):
    """Ends the pod where a folder has another run's checkpoints; else leaves there what this run is.

    Steps may become more, and checkpoints more frequent: that is the same run still.

    Args:
        folder: The run's folder.
        told: What ``training.json`` holds.
        writes: Whether this pod leaves it; one of a job does.

    Raises:
        SystemExit: It is another run's.
    """
    file, mine = Path(folder) / RUN_FILE, {name: told[name] for name in _RUN}
    if file.is_file():
        there = json.loads(file.read_text(encoding="utf-8"))
        other = [f"{name} {there.get(name)!r} and not {mine[name]!r}" for name in _RUN if there.get(name) != mine[name]]
        if other:
            raise SystemExit(
                f"{folder} has the checkpoints of another run, with {', '.join(other)}: render the job with another "
                f"--name, or remove {file} to go on from those checkpoints all the same"
            )
    elif writes:
        file.parent.mkdir(parents=True, exist_ok=True)
        whole = file.with_suffix(".part")
        whole.write_text(json.dumps(mine, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        whole.replace(file)


def nothing_left(step, steps):
    """Returns the sentence of a run that has its steps already."""
    return f"the run has {step} of {steps} steps already, and nothing is trained: another --name is another run"


def run_folder(job, environment=os.environ):
    """Returns the folder in which a run keeps its checkpoints: on the file system, else on the node's own disk."""
    base = environment.get("TRNSTACK_CHECKPOINT_PATH", "")
    return Path(base if base.startswith("/") else _scratch(environment) / "checkpoints") / job


def log_folder(job, environment=os.environ):
    """Returns the folder for a run's logs, beside what is copied to the bucket."""
    return Path(environment.get("TRNSTACK_MOUNT_PATH") or _scratch(environment)) / "logs" / job


def _scratch(environment):
    return Path(environment.get("TRNSTACK_SCRATCH", "/scratch"))


def tell(result, environment=os.environ):
    """Writes a result as one line to stdout, and to ``results`` on the file system where there is one.

    Args:
        result: What was measured; what it is of, and when it was, is added.
        environment: The variables that tell the job's name and the file system.
    """
    job = environment.get("TRNSTACK_JOB", "job")
    group = environment.get("TRNSTACK_NODE_GROUP", "")
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    text = json.dumps({RESULT: 1, "job": job, "node_group": group, "time": now, **result}, sort_keys=True)
    print(text, flush=True)
    mount = environment.get("TRNSTACK_MOUNT_PATH")
    if mount:
        folder = Path(mount) / "results"
        folder.mkdir(parents=True, exist_ok=True)
        whole = folder / f".{job}.json.part"
        whole.write_text(text + "\n", encoding="utf-8")
        whole.replace(folder / f"{job}.json")
