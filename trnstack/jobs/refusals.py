"""What a job can't be: asked for more than there is, or for what the container, the nodes or the run don't have."""

import re
from collections.abc import Iterator

from ami.fit import sdks_with_container
from trnstack.findings import Finding, did_you_mean
from trnstack.jobs import request as kinds
from trnstack.jobs.choices import devices_of, fleet_of, framework_of, group_of, has_efa, nodes_of, priority_of
from trnstack.jobs.request import ABSENT, PROGRAMS, JobRequest, refusal
from trnstack.jobs.training import training_refusals
from trnstack.plan import Plan
from trnstack.plan.model import FleetPlan
from trnstack.spec import Environment
from trnstack.spec.node_groups import NodeGroup

#: The parts of a node that the Neuron scheduler hands out, beside one device and all.
#: Source: AWS Neuron documentation, "Neuron scheduler extension", Device Allocation by Instance Type.
PARTS = (1, 4, 8, 16)
#: Since this release the containers have NKI as a package of its own, with the API that the script uses.
#: Source: aws-neuron/deep-learning-containers, tags 2.27.0 to 2.30.0, the Dockerfiles of training.
_NKI_SINCE = (2, 28)
#: A host name, with a number behind it and Trainer's own words in between, has to stay below 63 characters.
_LONGEST_NAME = 40
_NAME = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?")
_DIGEST = re.compile(r"[^@\s]+@sha256:[0-9a-f]{64}")

Findings = Iterator[Finding]


def refusals(environment: Environment, plan: Plan, request: JobRequest) -> list[Finding]:
    """Returns why a job can't be rendered; nothing where it can.

    JOB001: the container lacks the framework. JOB002: the framework lacks the kind. JOB003: devices. JOB004: nodes.
    JOB005: several nodes that can't work together. JOB006: the node group. JOB007: the priority. JOB008: the name.
    JOB009: several nodes train without a file system. JOB010: what the environment trains. JOB011: the container by
    digest.

    Args:
        environment: What the plan was made from.
        plan: The plan.
        request: What is asked for.
    """
    found = [*_kind(environment, request), *_priority(plan, request), *_name(request), *_image(request)]
    if any(finding.code == "JOB002" for finding in found):
        return found
    found += _framework(environment, plan, request)
    group = group_of(environment, request)
    if group is None:
        return [*found, _unknown_group(environment, request)]
    fleet = fleet_of(plan, group)
    found += [*_devices(plan, fleet, request), *_nodes(plan, group, fleet, request), *_file_system(plan, request)]
    if not found and request.kind in (kinds.TRAIN, kinds.PRECOMPILE):
        found += training_refusals(environment, plan, fleet, request)
    return found


def _kind(environment: Environment, request: JobRequest) -> Findings:
    asked, able = framework_of(environment, request), PROGRAMS[request.kind]
    if asked not in able:
        why, instead = ABSENT.get((request.kind, asked), ("", f"write --framework {next(iter(able))}"))
        message = f"{request.kind} is not there for {asked}; it is for {' or '.join(able)}"
        yield refusal("JOB002", "--framework", f"{message}: {why}" if why else message, instead)


def _framework(environment: Environment, plan: Plan, request: JobRequest) -> Findings:
    # The checkpoint benchmark needs Python alone, which every container has.
    if request.image is not None or (request.kind == kinds.CHECKPOINT_IO and plan.pins.container_image):
        return
    own, sdk = environment.neuron.framework, environment.neuron.sdk
    lacks, hint = _lacking(environment, plan, framework_of(environment, request))
    if lacks:
        yield refusal("JOB001", "--framework", f"the lock's container for {own} of Neuron SDK {sdk} {lacks}", hint)


def _lacking(environment: Environment, plan: Plan, asked: str) -> tuple[str, str]:
    """Returns what the lock's container lacks for a framework, and what to do about it; empty where it has it."""
    own, sdk = environment.neuron.framework, environment.neuron.sdk
    other = "or give a container that has it: --image NAME@sha256:DIGEST"
    if plan.pins.container_image is None:
        newest = sdks_with_container(own)[0]
        return "does not exist", f'the last one is of {newest}: write neuron.sdk: "{newest}" and lock again, {other}'
    if asked == kinds.OPTIMUM:
        return "does not carry optimum-neuron", f"Hugging Face publishes containers with it: {other[3:]}"
    if asked == kinds.NKI:
        old = tuple(int(part) for part in sdk.split(".")[:2]) < _NKI_SINCE
        since = ".".join(map(str, _NKI_SINCE))
        return ("does not carry the package nki", f"it is there since {since}") if old else ("", "")
    needs = kinds.JAX if asked == kinds.JAX else kinds.PYTORCH
    if needs != own:
        return f"does not carry {asked}", f"write neuron.framework: {needs} and lock again, {other}"
    return "", ""


def _priority(plan: Plan, request: JobRequest) -> Findings:
    asked = priority_of(request)
    if asked not in plan.kubernetes.priorities:
        known = ", ".join(plan.kubernetes.priorities)
        guess = did_you_mean(asked, plan.kubernetes.priorities) or f"choose one of {known}"
        yield refusal("JOB007", "--priority", f"unknown priority '{asked}'; there are {known}", guess)


def _name(request: JobRequest) -> Findings:
    name = request.name
    if name is not None and (len(name) > _LONGEST_NAME or not _NAME.fullmatch(name)):
        allowed = f"at most {_LONGEST_NAME} of a-z, 0-9 and -, a letter first and no - at the end"
        yield refusal("JOB008", "--name", f"'{name}' can't be a job's name: {allowed}", "write another --name")


def _image(request: JobRequest) -> Findings:
    if request.image is not None and not _DIGEST.fullmatch(request.image):
        message = f"'{request.image}' names no container by its digest, so it could be another one tomorrow"
        yield refusal("JOB011", "--image", message, "write NAME@sha256: and the 64 digits of its digest")


def _unknown_group(environment: Environment, request: JobRequest) -> Finding:
    names = [group.name for group in environment.node_groups]
    known = ", ".join(names)
    guess = did_you_mean(request.node_group or "", names) or f"choose one of {known}"
    message = f"there is no node group '{request.node_group}'; there are {known}"
    return refusal("JOB006", "--node-group", message, guess)


def _devices(plan: Plan, fleet: FleetPlan, request: JobRequest) -> Findings:
    asked, there = devices_of(fleet, request), fleet.neuron_devices
    scheduler = plan.kubernetes.neuron_scheduler
    allowed = sorted({1, there, *(part for part in PARTS if part < there and scheduler)})
    if asked in allowed:
        return
    told = " or ".join(map(str, allowed))
    if asked > there or asked < 1:
        why = f"a {fleet.instance_type} has {there}"
    elif scheduler:
        why = "the Neuron scheduler hands out no such part of a node"
    else:
        why = "without the Neuron scheduler (kubernetes.neuron_scheduler) devices of a part need not be neighbours"
    yield refusal("JOB003", "--devices", f"{asked} devices can't be asked for: {why}", f"write --devices {told}")


def _nodes(plan: Plan, group: NodeGroup, fleet: FleetPlan, request: JobRequest) -> Findings:
    asked = nodes_of(plan, fleet, request)
    if not 1 <= asked <= fleet.nodes:
        message = f"{asked} nodes can't be asked for: node group {fleet.name} has {fleet.nodes} at most"
        counts = "1" if fleet.nodes == 1 else f"with 1 to {fleet.nodes}"
        yield refusal("JOB004", "--nodes", message, f"write --nodes {counts}, or raise the group's count")
        return
    if asked == 1 or request.kind == kinds.CHECKPOINT_IO:
        return
    config = group.ultraserver.config if group.ultraserver else 0
    if request.framework == kinds.NKI:
        why = "an NKI kernel runs on one core"
    elif devices_of(fleet, request) < fleet.neuron_devices:
        why = "a part of a node has no EFA, over which nodes reach each other"
    elif not has_efa(plan, fleet):
        why = f"the nodes of {fleet.name} ({fleet.instance_type}) have no EFA, over which they would reach each other"
    elif config and asked != config:
        why = f"a job takes one instance of the UltraServer {fleet.name}, or all {config}"
    else:
        return
    yield refusal("JOB005", "--nodes", f"{asked} nodes can't work together: {why}", "write --nodes 1")


def _file_system(plan: Plan, request: JobRequest) -> Findings:
    trains = request.kind in (kinds.TRAIN, kinds.PRECOMPILE)
    if trains and not plan.kubernetes.mount_path and (request.nodes or 1) > 1:
        message = f"{request.kind} on several nodes shares checkpoints by the file system, and there is none"
        yield refusal("JOB009", "--nodes", message, "add storage.lustre to the environment, or write --nodes 1")
