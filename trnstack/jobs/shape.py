"""Decides a job: what its pods ask for, where they run, what they are told, and which scripts run in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ami.pins import UNRESOLVED
from trnstack.jobs import request as kinds
from trnstack.jobs.choices import devices_of, fleet_of, framework_of, group_of, has_efa, nodes_of, priority_of
from trnstack.jobs.request import (
    ALWAYS,
    BUCKET_CHECKPOINT_IO,
    ONE_NODE_COLLECTIVES,
    PROGRAMS,
    JobRequest,
    Program,
)
from trnstack.jobs.training import settings
from trnstack.kubernetes import names
from trnstack.kubernetes.objects.runtimes import grace_seconds
from trnstack.layout.taints import kubernetes_effect
from trnstack.plan import Plan
from trnstack.plan.model import FleetPlan, TaintPlan
from trnstack.plan.nodes import ULTRASERVER_LABEL
from trnstack.spec import Environment

_SCRIPTS = Path(__file__).parent / "scripts"
#: Where scripts and the node's own disk are in a pod.
SCRIPTS_PATH, SCRATCH_PATH = "/trnstack", "/scratch"
#: Seconds: after its end a job and its logs stay for so long; what measures is ended when it hangs. Ours.
_DAY, _LONGEST_MEASURE = 86_400, 3 * 3_600
#: How often a pod of a training job may fail until the job has; ours.
_FAILURES_A_POD = 10
#: What a pod gets to end by itself that measures, seconds.
_GRACE_SECONDS = 120
#: The order of Kubernetes' resources that Neuron and EFA pods have besides cores and memory.
_OF_WHOLE_NODES_ALONE = frozenset({names.EFA_INTERFACE, names.HUGE_PAGES})


@dataclass(frozen=True, slots=True, kw_only=True)
class JobShape:
    """A job with nothing left to decide.

    Attributes:
        runtime: Kubeflow Trainer's runtime that it runs on; None for a plain Job.
        image: The container. A TrainJob says it too, so that another image of the runtime leaves a running one alone.
        resources: What each pod asks for, requests and limits alike.
        shared_memory: The size of ``/dev/shm``.
        labels, annotations: Of the job, and of its pods, for the queue.
        environment: The variables of the job's own, beside the config map.
        command: What the container runs.
        files: The scripts and their settings, by file name.
        priority_class: Kubernetes' own, where there is no queue.
        backoff_limit: How many pods may fail.
        grace_seconds: How long a pod may take to end; on a runtime it is the runtime's.
        deadline_seconds: When it is ended; None never.
    """

    name: str
    namespace: str
    kind: str
    framework: str
    description: str
    runtime: str | None
    nodes: int
    processes: int
    image: str
    service_account: str
    config_map: str
    resources: Mapping[str, str]
    shared_memory: str
    node_selector: Mapping[str, str]
    tolerations: tuple[Mapping[str, str], ...]
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    scheduler: str | None
    priority_class: str | None
    mount_path: str | None
    claim: str
    environment: Mapping[str, str]
    command: tuple[str, ...]
    files: Mapping[str, str]
    backoff_limit: int
    deadline_seconds: int | None
    grace_seconds: int
    ttl_seconds: int


def shape(environment: Environment, plan: Plan, request: JobRequest) -> JobShape:
    """Returns a job that nothing refuses, decided.

    Args:
        environment: What the plan was made from.
        plan: The plan.
        request: What is asked for; ``refusals`` has found nothing.
    """
    group = group_of(environment, request)
    if group is None:
        raise ValueError(request.node_group)
    decided, framework, fleet = plan.kubernetes, framework_of(environment, request), fleet_of(plan, group)
    nodes, devices = nodes_of(plan, fleet, request), devices_of(fleet, request)
    cores, whole = fleet.neuron_cores * devices // fleet.neuron_devices, devices == fleet.neuron_devices
    # Each pod of the checkpoint benchmark has the file system to itself; no other talks to its devices.
    trains, joined = request.kind == kinds.TRAIN, request.kind != kinds.CHECKPOINT_IO
    runtime = names.RUNTIMES[kinds.JAX if framework == kinds.JAX else kinds.PYTORCH]
    on_trainer = trains and whole and runtime in decided.runtimes
    program = _program(plan, request.kind, framework, nodes)
    name = request.name or f"{request.kind}-{framework}"
    files = _files(program)
    if request.kind in (kinds.TRAIN, kinds.PRECOMPILE):
        files |= settings(environment, fleet, request, nodes=nodes, cores=cores)
    own = {
        "TRNSTACK_JOB": name,
        "TRNSTACK_NODE_GROUP": fleet.name,
        "TRNSTACK_NODES": str(nodes),
        "TRNSTACK_CORES": str(cores),
        **({} if on_trainer else {"TRNSTACK_MASTER": f"{name}-0.{name}" if nodes > 1 else "localhost"}),
        "TRNSTACK_SCRATCH": SCRATCH_PATH,
        **_hardware(plan, fleet, whole=whole, ultraserver=nodes if group.ultraserver and joined else 0),
        **_of_kind(plan, request.kind, framework, name),
    }
    return JobShape(
        name=name,
        namespace=decided.namespace,
        kind=request.kind,
        framework=framework,
        description=_description(request, framework, fleet, nodes=nodes, devices=devices),
        runtime=runtime if on_trainer else None,
        nodes=nodes,
        processes=cores,
        image=request.image or _image(plan),
        service_account=decided.service_account,
        config_map=names.CONFIG_MAP,
        resources=_resources(fleet, devices),
        shared_memory=_part(fleet.shared_memory, devices, fleet.neuron_devices),
        node_selector=fleet.node_labels,
        tolerations=tuple(_toleration(taint) for taint in fleet.taints),
        labels=_labels(plan, request),
        annotations=_annotations(plan, fleet, nodes) if joined else {},
        scheduler=None if whole else decided.neuron_scheduler,
        priority_class=None if decided.queue else priority_of(request),
        mount_path=decided.mount_path,
        claim=names.VOLUME,
        environment=dict(sorted(own.items())),
        command=("python3", f"{SCRIPTS_PATH}/start.py", program.launcher, program.script),
        files=files,
        backoff_limit=_FAILURES_A_POD * nodes if trains else 0,
        deadline_seconds=None if request.kind in (kinds.TRAIN, kinds.PRECOMPILE) else _LONGEST_MEASURE,
        grace_seconds=grace_seconds(plan) if trains else _GRACE_SECONDS,
        ttl_seconds=7 * _DAY if trains else _DAY,
    )


def _program(plan: Plan, kind: str, framework: str, nodes: int) -> Program:
    if kind == kinds.COLLECTIVES and nodes == 1:
        return ONE_NODE_COLLECTIVES
    if kind == kinds.CHECKPOINT_IO and not plan.kubernetes.mount_path:
        return BUCKET_CHECKPOINT_IO
    return PROGRAMS[kind][framework]


def _files(program: Program) -> dict[str, str]:
    return {name: script(name) for name in sorted({*ALWAYS, program.script, *program.beside})}


@cache
def script(name: str) -> str:
    """Returns the text of a script."""
    return (_SCRIPTS / name).read_text(encoding="utf-8")


def _image(plan: Plan) -> str:
    """Returns the lock's container; by its tag alone while the lock does not know its digest, which IMG006 tells."""
    digest = plan.pins.container_digest
    return f"{plan.pins.container_image}" + (f"@{digest}" if digest not in (None, UNRESOLVED) else "")


def _resources(fleet: FleetPlan, devices: int) -> dict[str, str]:
    """Returns what a pod asks for; of a part of a node the same part of cores and memory, and nothing of EFA."""
    if devices == fleet.neuron_devices:
        return dict(fleet.whole_node)
    return {
        name: _part(quantity, devices, fleet.neuron_devices)
        for name, quantity in fleet.whole_node.items()
        if name not in _OF_WHOLE_NODES_ALONE
    }


def _part(quantity: str, devices: int, there: int) -> str:
    """Returns a part of a quantity in whole units, one at least."""
    digits = quantity.rstrip("KMGTi")
    return f"{max(1, int(digits) * devices // there)}{quantity[len(digits) :]}"


def _toleration(taint: TaintPlan) -> dict[str, str]:
    return {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": kubernetes_effect(taint.effect)}


def _labels(plan: Plan, request: JobRequest) -> dict[str, str]:
    """Returns the labels by which the queue takes the job.

    Source: kubernetes-sigs/kueue at v0.19.2, pkg/controller/constants/constants.go.
    """
    queue = plan.kubernetes.queue
    if queue is None:
        return {}
    return {"kueue.x-k8s.io/queue-name": queue.local_queue, "kueue.x-k8s.io/priority-class": priority_of(request)}


def _annotations(plan: Plan, fleet: FleetPlan, nodes: int) -> dict[str, str]:
    """Returns how near to each other the pods are wanted: on one UltraServer, or as near as the network has room.

    Source: kubernetes-sigs/kueue at v0.19.2, apis/kueue/v1beta2/topology_types.go.
    """
    queue = plan.kubernetes.queue
    if queue is None or nodes == 1:
        return {}
    levels = next(flavor.levels for flavor in queue.flavors if flavor.node_group == fleet.name)
    if ULTRASERVER_LABEL in levels:
        return {"kueue.x-k8s.io/podset-required-topology": ULTRASERVER_LABEL}
    if names.NETWORK_LAYERS[-1] in levels:
        return {"kueue.x-k8s.io/podset-preferred-topology": names.NETWORK_LAYERS[-1]}
    return {}


def _hardware(plan: Plan, fleet: FleetPlan, *, whole: bool, ultraserver: int) -> dict[str, str]:
    """Returns what the runtime and libfabric are told of the pod's devices.

    A pod without huge pages of its own must not have libfabric ask for some: processes that fork would find none left.

    Source: libfabric, fi_efa(7), ``FI_EFA_USE_HUGE_PAGE``; AWS Neuron documentation, "Logical NeuronCore
    configuration".
    """
    found = {}
    if fleet.logical_neuroncore_config is not None:
        found["NEURON_LOGICAL_NC_CONFIG"] = str(fleet.logical_neuroncore_config)
    if not whole or not has_efa(plan, fleet):
        found["FI_EFA_USE_HUGE_PAGE"] = "0"
    if ultraserver:
        found["TRNSTACK_ULTRASERVER"] = str(ultraserver)
    return found


def _of_kind(plan: Plan, kind: str, framework: str, name: str) -> dict[str, str]:
    """Returns what a kind of job is told.

    Sources: AWS Neuron documentation, "Neuron Explorer Environment Variables" (JAX gets its device trace by session
    alone), "PyTorch Neuron neuron_parallel_compile CLI".
    """
    match kind:
        case kinds.TRAIN:
            return {"TRNSTACK_KEEPS_CHECKPOINTS": "1"}
        case kinds.PRECOMPILE:
            return {"TRNSTACK_WRAPPER": "neuron_parallel_compile", "TRNSTACK_COMPILES_ONLY": "1"}
        case kinds.CHECKPOINT_IO if plan.training:
            return {"TRNSTACK_CHECKPOINT_BYTES": str(plan.training.checkpoint.total_bytes)}
        case kinds.PROFILE:
            mount_path = plan.kubernetes.mount_path
            captures = f"{(mount_path or SCRATCH_PATH).rstrip('/')}/profiles/{name}"
            return {
                "NEURON_RT_INSPECT_ENABLE": "1",
                "NEURON_RT_INSPECT_SYSTEM_PROFILE": "1",
                "NEURON_RT_INSPECT_DEVICE_PROFILE": "session" if framework == kinds.JAX else "1",
                "NEURON_RT_INSPECT_OUTPUT_DIR": captures,
                **({} if mount_path else {"TRNSTACK_CAPTURES": captures}),
                "NEURON_FRAMEWORK_DEBUG": "1",
                "XLA_IR_DEBUG": "1",
                "XLA_HLO_DEBUG": "1",
            }
    return {}


def _description(request: JobRequest, framework: str, fleet: FleetPlan, *, nodes: int, devices: int) -> str:
    count = f"{nodes} node" + ("s" if nodes > 1 else "")
    part = "" if devices == fleet.neuron_devices else f", {devices} of its {fleet.neuron_devices} devices"
    return f"{request.kind} with {framework} on {count} of {fleet.name} ({fleet.instance_type}){part}"
