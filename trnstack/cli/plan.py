"""``trnstack plan``: everything that was decided, for people to read or for programs."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from trnstack.cli import output, plan_capacity, plan_images, plan_kubernetes, plan_times, plan_training
from trnstack.cli.plan_network import network_section
from trnstack.cli.plan_storage import storage_section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnstack.plan.model import NodeGroupPlan, Plan
    from trnstack.spec import Environment


def plan(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An environment file")],
    *,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="OLD",
            help="Show what differs from an environment file or REV:path in git, and the deploys it takes.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON, and nothing else.")] = False,
) -> None:
    """Show everything that an environment decides, and why.

    Stacks, network, cluster, add-ons, node groups, quotas, storage, charts, queue, tags and pins. Nothing is deployed
    and no account is asked. The templates are made from this plan and from nothing else.
    """
    from trnstack import plan as planning  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.environment import check_file  # noqa: PLC0415

    checked = check_file(file)
    if checked.environment is None or checked.lock is None:
        output.stop(checked.findings)
    decided = planning.plan(checked.environment, checked.lock)
    if against is not None:
        output.tell_findings(checked.findings)
        _against(file, decided, against, as_json=as_json)
    elif as_json:
        output.say_json(_with(decided, {}))
    else:
        output.tell_findings(checked.findings)
        left_out = plan_images.awaiting(decided, file)
        waiting = ["", *left_out] if left_out else []
        output.say("\n".join([as_text(decided), *waiting, *_not_built(checked.environment)]))


def _against(file: str, decided: "Plan", against: str, *, as_json: bool) -> None:
    """Shows what differs from an older plan, and in which deploys it reaches what runs."""
    from trnstack.advice.steps import steps  # noqa: PLC0415
    from trnstack.cli import against as older  # noqa: PLC0415
    from trnstack.cli import change  # noqa: PLC0415
    from trnstack.plan.difference import difference  # noqa: PLC0415

    old = older.older_plan(against)
    changes, deploys = difference(old, decided), steps(old, decided)
    if as_json:
        output.say_json(_with(decided, {"against": against, **change.as_data(changes, deploys, file)}))
    else:
        output.say_sections([change.difference_section(changes), change.steps_section(deploys, file)])


def _with(decided: "Plan", data: "Mapping[str, Any]") -> str:
    """Returns a plan as JSON, with how long its first deploy takes and with what else is given."""
    import json  # noqa: PLC0415

    from trnstack.plan import to_json  # noqa: PLC0415

    whole = {**json.loads(to_json(decided)), "first_deploy": plan_times.as_data(decided), **data}
    return json.dumps(whole, indent=2, ensure_ascii=False)


def as_text(decided: "Plan") -> str:
    """Returns a plan as text: a section for each part, its columns aligned."""
    sections = [
        _environment(decided),
        _stacks(decided),
        plan_times.section(decided),
        network_section(decided.network),
        _cluster(decided),
        _add_ons(decided),
        *(_node_group(group) for group in decided.node_groups),
        *plan_images.sections(decided),
        plan_capacity.quotas(decided),
        storage_section(decided.storage),
        *plan_training.sections(decided),
        *plan_kubernetes.sections(decided.kubernetes),
        ["Tags", *output.columns(decided.tags.items())],
        _decisions(decided),
    ]
    return "\n\n".join("\n".join(section) for section in sections)


def _environment(decided: "Plan") -> list[str]:
    pins = decided.pins
    rows = [
        ("region", decided.region),
        ("account", decided.account or "the account of the credentials in use"),
        ("Neuron SDK", f"{pins.neuron_sdk} with driver {pins.neuron_driver}"),
        ("training container", pins.container_image or "none for this framework"),
        ("pinned by", pins.made_from),
    ]
    return [f"Environment {decided.name}", *output.columns(rows)]


def _stacks(decided: "Plan") -> list[str]:
    prefix = f"{decided.name}-"
    rows = [
        (
            str(number),
            stack.name,
            stack.description.removeprefix(f"{decided.name}: "),
            f"after {', '.join(name.removeprefix(prefix) for name in stack.depends_on)}" if stack.depends_on else "",
            "termination protection" if stack.termination_protection else "",
        )
        for number, stack in enumerate(decided.stacks, start=1)
    ]
    return ["Stacks, in the order in which they are deployed", *output.columns(rows, right=frozenset({0}))]


def _cluster(decided: "Plan") -> list[str]:
    cluster = decided.cluster
    nodes = cluster.system_nodes
    public = ", ".join(cluster.public_access_cidrs)
    rows = [
        ("Kubernetes", f"{cluster.kubernetes_version} with {cluster.support_type} support"),
        ("API endpoint", f"private, and public from {public}" if public else "private"),
        *_listed("administrators", cluster.administrators),
        ("logs", _logs(cluster.log_types, cluster.log_retention_days)),
        ("deletion protection", "on" if cluster.deletion_protection else "off"),
        ("system nodes", f"{plan_capacity.count(nodes)} {nodes.launch_template.instance_type} in {_zones(nodes)}"),
        ("system image", f"{nodes.release_version} ({nodes.ami_type})"),
    ]
    return [f"Cluster {cluster.name}", *output.columns(rows)]


def _logs(types: tuple[str, ...], days: int) -> str:
    return f"{', '.join(types)}; kept {days} days" if types else "off"


def _add_ons(decided: "Plan") -> list[str]:
    rows = [
        (
            add_on.name,
            add_on.version,
            "before any node" if add_on.before_nodes else "after the system nodes",
            add_on.configuration,
        )
        for add_on in decided.cluster.add_ons
    ]
    return ["Add-ons", *output.columns(rows)]


def _node_group(group: "NodeGroupPlan") -> list[str]:
    from trnstack.layout.taints import kubernetes_effect  # noqa: PLC0415

    template = group.launch_template
    first = "starts new nodes first" if group.update_strategy == "DEFAULT" else "stops old nodes first"
    addresses = group.addresses
    rows = [
        ("nodes", f"{plan_capacity.count(group)} {template.instance_type} in {_zones(group)}"),
        ("capacity", plan_capacity.capacity(group)),
        *plan_capacity.schedules(group),
        ("each node offers", f"{group.neuron_devices} Neuron devices, {group.neuron_cores} NeuronCores"),
        ("EFA", plan_capacity.efa(group)),
        ("placement group", "the stack's own" if template.placement_group == "create" else template.placement_group),
        ("image", plan_images.of_nodes(group)),
        ("root volume", f"{template.root_volume_gib:,} GiB"),
        ("addresses", f"{addresses.total:,} at most: {addresses.arithmetic}"),
        ("pods", f"{group.most_pods} a node at most" if group.most_pods else "as many as AWS allows, which is unknown"),
        ("updates", f"{group.update_strategy}: {first}; {group.max_unavailable} at a time"),
        ("node repair", str(group.node_repair or "off")),
        *_listed("labels", tuple(f"{key}={value}" for key, value in group.labels.items())),
        *_listed("taints", tuple(f"{t.key}={t.value}:{kubernetes_effect(t.effect)}" for t in group.taints)),
    ]
    return [f"Node group {group.name}", *output.columns(rows)]


def _zones(group: "NodeGroupPlan") -> str:
    return ", ".join(group.availability_zone_ids)


def _decisions(decided: "Plan") -> list[str]:
    lines = ["Decisions"]
    for decision in decided.decisions:
        lines += [f"  {decision.path}: {decision.value}", f"    {decision.reason}"]
    return lines


def _not_built(environment: "Environment") -> list[str]:
    """Returns what is on by default and not there, so that nothing is passed over in silence."""
    from trnstack.rules.unbuilt import additions  # noqa: PLC0415

    rows = [(".".join(path), what) for path, what in additions(environment).items()]
    return ["", "Not built yet: on by default, and not there", *output.columns(rows)] if rows else []


def _listed(name: str, values: tuple[str, ...]) -> list[tuple[str, str]]:
    """Returns a row for each value, the name before the first alone; none without values."""
    return [(name if place == 0 else "", value) for place, value in enumerate(values)]
