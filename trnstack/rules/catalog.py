"""What must hold against the catalog: types exist, zones offer them, system nodes can run the AMI."""

import re
from collections.abc import Iterator

from trnstack.catalog import INSTANCE_TYPES, SYSTEM_INSTANCE_TYPES, ZONE_IDS
from trnstack.catalog.instance_types import is_opt_in
from trnstack.findings import Finding, Path, Severity, did_you_mean
from trnstack.rules import fleet
from trnstack.spec import Environment
from trnstack.spec.node_groups import InstanceFacts

#: So much alike must a name be that is no trn type to be taken for a misspelt one.
_MISSPELT = 0.88
_ACCELERATED = re.compile(r"(p|g|gr|inf|trn|dl|vt|f)[0-9]")
#: Graviton families carry a g among the letters after the generation: m7g, c7gn, im4gn, g5g. The first one was a1.
_ARM = re.compile(r"a1|mac[2-9].*|[a-z]+[0-9]+[a-z]*g[a-z]*")
_BURSTABLE = re.compile(r"t[0-9]")
_SYSTEM: Path = ("eks", "system_node_group", "instance_type")


def instance_types_are_known(environment: Environment) -> Iterator[Finding]:
    """CAT001: A node group's type is a Trainium type: of the catalog, or a trn3 type that the file itself describes.

    Source: EC2 API reference, DescribeInstanceTypes, as in the catalog.
    """
    for index, group in enumerate(environment.node_groups):
        name = group.instance_type
        if name in INSTANCE_TYPES or is_opt_in(name):
            continue
        likeness = 0.6 if name.startswith("trn") else _MISSPELT
        yield Finding(
            code="CAT001",
            path=("node_groups", index, "instance_type"),
            message=f"unknown instance type '{name}'",
            hint=did_you_mean(name, INSTANCE_TYPES, likeness=likeness) or f"use one of {', '.join(INSTANCE_TYPES)}",
        )


def unpublished_types_have_instance_facts(environment: Environment) -> Iterator[Finding]:
    """CAT002: A trn3 node group states what AWS has not published of its type.

    Source: EC2 API reference, DescribeInstanceTypes: it has no trn3 type.
    """
    for index, group in enumerate(environment.node_groups):
        if is_opt_in(group.instance_type) and group.instance_facts is None:
            yield Finding(
                code="CAT002",
                path=("node_groups", index, "instance_facts"),
                message=f"instance_facts are missing: AWS has published none of {group.instance_type}",
                hint=f"add instance_facts with {', '.join(InstanceFacts.model_fields)}",
            )


def published_types_have_no_instance_facts(environment: Environment) -> Iterator[Finding]:
    """CAT003: What AWS has published of a type is not stated a second time.

    Source: EC2 API reference, DescribeInstanceTypes, as in the catalog.
    """
    for index, group in enumerate(environment.node_groups):
        if group.instance_facts is not None and group.instance_type in INSTANCE_TYPES:
            yield Finding(
                code="CAT003",
                path=("node_groups", index, "instance_facts"),
                message=f"instance_facts are for types that AWS has not published; {group.instance_type} is published",
                hint="remove instance_facts",
            )


def zones_offer_the_instance_type(environment: Environment) -> Iterator[Finding]:
    """CAT004: The zone in which a node group starts offers its type.

    Source: EC2 API reference, DescribeInstanceTypeOfferings, as in the catalog.
    """
    for index, group, row in fleet.known(environment):
        if row.opt_in:
            continue
        offers = row.availability_zone_ids.get(environment.region, ())
        zone_id = fleet.zone_of(environment, group)
        if not offers:
            yield Finding(
                code="CAT004",
                path=("node_groups", index, "instance_type"),
                message=f"{row.name} is not offered in {environment.region}",
                hint=f"it is in {', '.join(row.availability_zone_ids)}",
            )
        elif zone_id not in offers:
            by_default = "" if group.availability_zone_id else ", the first of availability_zone_ids,"
            yield Finding(
                code="CAT004",
                path=("node_groups", index, "availability_zone_id"),
                message=f"zone '{zone_id}'{by_default} does not offer {row.name}",
                hint=f"in {environment.region} it is in {', '.join(offers)}",
            )


def stated_zones_hold_the_node_group(environment: Environment) -> Iterator[Finding]:
    """CAT005: A trn3 node group starts in one of the zones that its instance_facts name.

    Source: the environment file's format, version 1.
    """
    for index, group in enumerate(environment.node_groups):
        zone_id = fleet.zone_of(environment, group)
        if group.instance_facts and zone_id not in group.instance_facts.availability_zone_ids:
            yield Finding(
                code="CAT005",
                path=("node_groups", index, "availability_zone_id"),
                message=f"zone '{zone_id}' is not among the zones of instance_facts",
                hint=f"use {' or '.join(group.instance_facts.availability_zone_ids)}",
            )


def system_nodes_are_general_x86_nodes(environment: Environment) -> Iterator[Finding]:
    """CAT006: System nodes have no accelerator and an x86 processor, as the AMI they start from.

    Source: EKS API reference, ``AMITypes``: AL2023_x86_64_STANDARD; EC2 user guide, "Instance type naming conventions".
    """
    name = environment.eks.system_node_group.instance_type
    family = name.partition(".")[0]
    if _ACCELERATED.match(family):
        reason = "has accelerators, which system nodes leave idle"
    elif _ARM.fullmatch(family):
        reason = "has an ARM processor, and the nodes' AMI is for x86_64"
    else:
        return
    yield Finding(code="CAT006", path=_SYSTEM, message=f"'{name}' {reason}", hint="use m7i.large or another x86 type")


def system_instance_type_is_known(environment: Environment) -> Iterator[Finding]:
    """CAT007: The system nodes' type is in the catalog, so that addresses and cost can be counted.

    Source: EC2 API reference, DescribeInstanceTypes, as in the catalog.
    """
    name = environment.eks.system_node_group.instance_type
    family = name.partition(".")[0]
    if name in SYSTEM_INSTANCE_TYPES or _ACCELERATED.match(family) or _ARM.fullmatch(family):
        return
    yield Finding(
        code="CAT007",
        severity=Severity.WARNING,
        path=_SYSTEM,
        message=f"'{name}' is not in the catalog: its addresses and its cost are not counted",
        hint=did_you_mean(name, SYSTEM_INSTANCE_TYPES) or "see them all with: trnstack catalog",
    )


def system_nodes_are_not_burstable(environment: Environment) -> Iterator[Finding]:
    """CAT008: System nodes do not run on CPU credits: controllers that run short of them stall the whole cluster.

    Source: EC2 user guide, "Burstable performance instances".
    """
    name = environment.eks.system_node_group.instance_type
    if _BURSTABLE.match(name) and not _ARM.fullmatch(name.partition(".")[0]):
        yield Finding(
            code="CAT008",
            severity=Severity.WARNING,
            path=_SYSTEM,
            message=f"'{name}' is burstable: out of CPU credits it slows the cluster's controllers down",
            hint="use m7i.large or another type of fixed performance",
        )


def system_min_count_is_not_above_max_count(environment: Environment) -> Iterator[Finding]:
    """CAT009: The system node group's min_count is at most its max_count.

    Source: EKS API reference, NodegroupScalingConfig.
    """
    group = environment.eks.system_node_group
    if group.min_count > group.max_count:
        yield Finding(
            code="CAT009",
            path=("eks", "system_node_group", "min_count"),
            message=f"min_count {group.min_count} is above max_count {group.max_count}",
            hint=f"write max_count: {group.min_count} or more",
        )


def unpublished_figures_are_told(environment: Environment) -> Iterator[Finding]:
    """CAT011: Of a trn3 type, what neither AWS nor the file says is told, since nothing is guessed in its place.

    Source: EC2 API reference, DescribeInstanceTypes; AWS Price List: neither has a trn3 type.
    """
    for index, _, row in fleet.known(environment):
        if row.opt_in:
            yield Finding(
                code="CAT011",
                severity=Severity.NOTE,
                path=("node_groups", index, "instance_type"),
                message=(
                    f"of {row.name} network bandwidth, local disks, prices and the ways to get it are not published: "
                    "they are neither checked nor counted"
                ),
                hint="ask AWS for them before you commit to a size",
            )


def stated_figures_agree(environment: Environment) -> Iterator[Finding]:
    """CAT012: A trn3 type has at most one EFA interface for each of its network cards.

    Source: EC2 user guide, "Elastic Fabric Adapter": one EFA for each network card.
    """
    for index, group in enumerate(environment.node_groups):
        facts = group.instance_facts
        if facts and facts.efa_interfaces > facts.network_cards:
            yield Finding(
                code="CAT012",
                path=("node_groups", index, "instance_facts", "efa_interfaces"),
                message=f"{facts.efa_interfaces} EFA interfaces do not go on {facts.network_cards} network cards",
                hint=f"write efa_interfaces: {facts.network_cards} or less",
            )


def region_is_known(environment: Environment) -> Iterator[Finding]:
    """CAT010: The region is in the catalog; of another one the zones can't be checked.

    Source: AWS Global Infrastructure documentation, "AWS Regions".
    """
    if environment.region not in ZONE_IDS:
        yield Finding(
            code="CAT010",
            severity=Severity.WARNING,
            path=("region",),
            message=f"region '{environment.region}' is not in the catalog: its zones are not checked",
            hint=did_you_mean(environment.region, ZONE_IDS, likeness=0.8),
        )


RULES = (
    instance_types_are_known,
    unpublished_types_have_instance_facts,
    published_types_have_no_instance_facts,
    zones_offer_the_instance_type,
    stated_zones_hold_the_node_group,
    system_nodes_are_general_x86_nodes,
    system_instance_type_is_known,
    system_nodes_are_not_burstable,
    system_min_count_is_not_above_max_count,
    region_is_known,
    unpublished_figures_are_told,
    stated_figures_agree,
)
