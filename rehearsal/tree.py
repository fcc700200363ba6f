"""Renders a survey as a text tree."""

import re
from collections import Counter
from collections.abc import Sequence

from rehearsal.image_tree import image_branches
from rehearsal.kubernetes_tree import object_branches, release_branches
from rehearsal.survey.records import (
    AccessEntry,
    Bucket,
    Cluster,
    FileSystem,
    Interface,
    Key,
    NodeGroup,
    SecurityGroup,
    Survey,
    Vpc,
)
from rehearsal.survey.schedule_records import Schedule, Topic
from rehearsal.templates.branches import SEPARATOR, Branch, joined, lines, listed

_EFA = ("efa", "efa-only")
_RESIZE = re.compile(r'"DesiredSize": ?(\d+)')


def tree(found: Survey) -> str:
    """Gives a survey as lines of text that end in a line break, aligned, in the survey's order, without colour."""
    things = [
        *listed("stacks", [_stack(stack.name, stack.status, stack.termination_protection) for stack in found.stacks]),
        *(_vpc(vpc) for vpc in found.vpcs),
        *(_cluster(cluster) for cluster in found.clusters),
        *listed("images", image_branches(found.images)),
        *listed("file systems", [_file_system(one) for one in found.file_systems]),
        *listed("buckets", [_bucket(bucket) for bucket in found.buckets]),
        *listed("keys", [_key(key) for key in found.keys]),
        *listed("schedules", _schedules(found.schedules)),
        *listed("topics", [_topic(topic) for topic in found.topics]),
        *listed("alarms", [Branch((alarm.name, alarm.metric)) for alarm in found.alarms]),
    ]
    return "\n".join([found.region, *lines(things, "")]) + "\n"


def _stack(name: str, status: str, protected: bool) -> Branch:  # noqa: FBT001  # a fact of the stack, not a switch
    return Branch((name, joined(status, "termination protection" if protected else None)))


def _vpc(vpc: Vpc) -> Branch:
    subnets = [
        Branch((subnet.name or subnet.subnet_id, subnet.cidr, subnet.zone_id, "public" if subnet.public else "private"))
        for subnet in vpc.subnets
    ]
    gateways = SEPARATOR.join(gateway.zone_id for gateway in vpc.nat_gateways)
    endpoints = SEPARATOR.join(f"{one.service} ({one.type.lower()})" for one in vpc.endpoints)
    logs = SEPARATOR.join(f"{log.traffic.lower()} traffic to {log.destination}" for log in vpc.flow_logs)
    return Branch(
        (joined(f"VPC {vpc.name or vpc.vpc_id}", vpc.cidr),),
        (
            *listed("subnets", subnets),
            Branch(("NAT gateways", gateways or "none")),
            Branch(("endpoints", endpoints or "none")),
            Branch(("flow logs", logs or "none")),
            *listed("security groups", [_security_group(group) for group in vpc.security_groups]),
        ),
    )


def _security_group(group: SecurityGroup) -> Branch:
    rules = [
        Branch((rule.direction, rule.protocol, "" if rule.ports == "all" else rule.ports, rule.peer))
        for rule in group.rules
    ]
    return Branch((group.name,), tuple(rules))


def _cluster(cluster: Cluster) -> Branch:
    open_to = ", ".join(cluster.public_access_cidrs)
    public = f"public, open to {open_to}" if cluster.endpoint_public else None
    protection = joined(
        "deletion protection" if cluster.deletion_protection else "no deletion protection",
        "secrets encrypted with a key of yours" if cluster.secrets_key_arn else "secrets encrypted by EKS alone",
    )
    addons = [Branch((addon.name, joined(addon.version, addon.status))) for addon in cluster.addons]
    identities = [
        Branch((f"{one.namespace}/{one.service_account}", one.role_arn.rsplit("/", 1)[-1]))
        for one in cluster.pod_identities
    ]
    support = f"{cluster.support_type.lower()} support" if cluster.support_type else None
    return Branch(
        (joined(f"cluster {cluster.name}", f"Kubernetes {cluster.version}", cluster.status, support),),
        (
            Branch(("endpoint", joined("private" if cluster.endpoint_private else None, public))),
            Branch(("protection", protection)),
            Branch(("logs", ", ".join(cluster.log_types) or "none")),
            *listed(f"access ({cluster.authentication_mode})", [_access_entry(one) for one in cluster.access_entries]),
            *listed("add-ons", addons),
            *listed("charts", release_branches(cluster.releases)),
            *listed("objects", object_branches(cluster.objects)),
            *listed("pod identities", identities),
            *listed("node groups", [_node_group(group) for group in cluster.node_groups]),
        ),
    )


def _access_entry(entry: AccessEntry) -> Branch:
    granted = ", ".join(entry.policies) or (entry.type if entry.type != "STANDARD" else "no access policy")
    groups = f"groups {', '.join(entry.groups)}" if entry.groups else None
    return Branch((entry.principal_arn.rsplit(":", 1)[-1], joined(granted, groups)))


def _node_group(group: NodeGroup) -> Branch:
    zones = ", ".join(sorted({subnet.zone_id for subnet in group.subnets}))
    line = joined(
        f"{_counted(group.wanted, 'node')} wanted",
        group.instance_type,
        _interfaces(group.interfaces),
        zones,
        f"placement group {group.placement_group}" if group.placement_group else None,
    )
    root = {True: "root volume encrypted", False: "root volume not encrypted", None: None}[group.root_volume_encrypted]
    details = (
        ("nodes", f"{group.instances} running, {group.smallest} to {group.largest} allowed"),
        ("image", joined(group.ami_type, group.release_version)),
        ("capacity", joined(group.capacity_type, group.capacity_reservation_id, _resource_group(group))),
        ("metadata", f"tokens {group.http_tokens}, hop limit {group.http_hop_limit}"),
        ("storage", root or ""),
        ("labels", ", ".join(f"{key}={value}" for key, value in group.labels.items())),
        ("taints", ", ".join(group.taints)),
    )
    return Branch((group.name, line), tuple(Branch(detail) for detail in details if detail[1]))


def _resource_group(group: NodeGroup) -> str | None:
    arn = group.capacity_reservation_resource_group_arn
    return f"resource {arn.rsplit(':', 1)[-1]}" if arn else None


def _interfaces(interfaces: Sequence[Interface]) -> str:
    """Says how many interfaces each node has, and of which types."""
    counts = Counter(one.interface_type for one in interfaces)
    if not counts.keys() & set(_EFA):
        return f"{_counted(len(interfaces) or 1, 'interface')} each"
    types = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"{_counted(len(interfaces), 'EFA interface')} each ({types})"


def _file_system(found: FileSystem) -> Branch:
    per_tib = found.throughput_mbps_per_tib
    line = joined(
        _spaced(found.type.capitalize(), found.version, found.deployment_type),
        f"{found.storage_gib} GiB" + (f" at {per_tib} MB/s per TiB" if per_tib else ""),
        found.subnet.zone_id,
        f"mount name {found.mount_name}" if found.mount_name else None,
        "EFA" if found.efa_enabled else None,
    )
    associations = [
        Branch(
            (
                one.path,
                one.repository,
                joined(_events("imports", one.imports), _events("exports", one.exports)) or "no automatic exchange",
            )
        )
        for one in found.associations
    ]
    return Branch((found.file_system_id, line), tuple(associations))


def _events(verb: str, events: Sequence[str]) -> str | None:
    return f"{verb} {', '.join(event.lower() for event in events)}" if events else None


def _bucket(bucket: Bucket) -> Branch:
    line = joined(
        bucket.encryption,
        "versioned" if bucket.versioning else "not versioned",
        "public access blocked" if bucket.public_access_blocked else "public access not blocked",
        "TLS only" if bucket.tls_only else "plain HTTP allowed",
        f"lifecycle: {', '.join(bucket.lifecycle_rules)}" if bucket.lifecycle_rules else None,
    )
    return Branch((bucket.name, line))


def _key(key: Key) -> Branch:
    rotation = "rotated" if key.rotation else "not rotated"
    return Branch((", ".join(key.aliases) or key.key_id, joined(key.state, rotation)))


def _schedules(schedules: Sequence[Schedule]) -> list[Branch]:
    """Gives the groups of schedules, and in each what happens when."""
    groups = dict.fromkeys(schedule.group for schedule in schedules)
    return [
        Branch((group,), tuple(_schedule(schedule) for schedule in schedules if schedule.group == group))
        for group in groups
    ]


def _schedule(schedule: Schedule) -> Branch:
    wanted = _RESIZE.search(schedule.input)
    does = f"{_counted(int(wanted[1]), 'node')} wanted" if wanted else schedule.target.rsplit(":", 1)[-1]
    state = schedule.state.lower() if schedule.state != "ENABLED" else None
    return Branch((schedule.name, f"{schedule.expression} {schedule.timezone}", joined(does, state)))


def _topic(topic: Topic) -> Branch:
    line = joined(
        "encrypted" if topic.encrypted else "not encrypted",
        "TLS only" if topic.tls_only else "plain HTTP allowed",
        ", ".join(topic.subscriptions) or "nobody subscribed",
    )
    return Branch((topic.name, line))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _spaced(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)
