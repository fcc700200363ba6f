"""What must hold of the file itself: names are unique, sizes are given, zones and references lead somewhere."""

from collections import Counter
from collections.abc import Iterator, Sequence

from trnstack.catalog import ZONE_IDS
from trnstack.findings import Finding
from trnstack.plan.nodes import OWN_TAG_KEYS, SYSTEM_NODE_GROUP
from trnstack.spec import Environment

#: CDK and this toolkit add tags of their own to the fifty that AWS allows on a resource.
_MOST_TAGS = 40


def repeated(values: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yields position and value of everything that stands in a sequence for the second time or more."""
    seen: Counter[str] = Counter()
    for index, value in enumerate(values):
        seen[value] += 1
        if seen[value] > 1:
            yield index, value


def node_group_names_are_unique(environment: Environment) -> Iterator[Finding]:
    """SPEC010: No two node groups have the same name, which is the name of a stack.

    Source: CloudFormation API reference, CreateStack, ``StackName``: unique in an account and region.
    """
    for index, name in repeated([group.name for group in environment.node_groups]):
        yield Finding(
            code="SPEC010",
            path=("node_groups", index, "name"),
            message=f"another node group is named '{name}'",
            hint=f"give each its own name, such as {name}-{index + 1}",
        )


def node_group_names_are_not_taken(environment: Environment) -> Iterator[Finding]:
    """SPEC022: No node group is named as the cluster's own group of system nodes.

    Source: EKS API reference, CreateNodegroup, ``nodegroupName``: unique in a cluster.
    """
    for index, group in enumerate(environment.node_groups):
        if group.name == SYSTEM_NODE_GROUP:
            yield Finding(
                code="SPEC022",
                path=("node_groups", index, "name"),
                message=f"'{group.name}' is the name of the cluster's own system node group",
                hint=f"name it after its instance type, such as {group.instance_type.partition('.')[0]}",
            )


def node_group_sizes_are_given(environment: Environment) -> Iterator[Finding]:
    """SPEC011: A node group says either node_count or both min_count and max_count; no size is assumed.

    Accelerators are too expensive for a default size.

    Source: EKS API reference, NodegroupScalingConfig: all of its values or none.
    """
    for index, group in enumerate(environment.node_groups):
        limits = [count is not None for count in (group.min_count, group.max_count)]
        if group.node_count is not None and any(limits):
            message = f"node group '{group.name}' has node_count beside min_count or max_count"
            hint = f"keep node_count: {group.node_count} for a fixed fleet, or the other two"
        elif group.node_count is None and not all(limits):
            message = f"node group '{group.name}' has no size" if not any(limits) else "one of two limits is missing"
            hint = "add node_count for a fixed fleet, or both min_count and max_count"
        else:
            continue
        yield Finding(code="SPEC011", path=("node_groups", index), message=message, hint=hint)


def min_count_is_not_above_max_count(environment: Environment) -> Iterator[Finding]:
    """SPEC012: A node group's min_count is at most its max_count, and max_count is at least 1.

    Source: EKS API reference, NodegroupScalingConfig: ``maxSize`` is at least 1.
    """
    for index, group in enumerate(environment.node_groups):
        if group.max_count == 0:
            yield Finding(
                code="SPEC012",
                path=("node_groups", index, "max_count"),
                message="max_count 0 is not allowed: EKS takes 1 and more",
                hint="write max_count: 1 and min_count: 0, which starts nothing by itself",
            )
        elif group.min_count is not None and group.max_count is not None and group.min_count > group.max_count:
            yield Finding(
                code="SPEC012",
                path=("node_groups", index, "min_count"),
                message=f"min_count {group.min_count} is above max_count {group.max_count}",
                hint=f"write min_count: {group.max_count} or less",
            )


def tag_keys_are_not_reserved(environment: Environment) -> Iterator[Finding]:
    """SPEC013: No tag's key starts with ``aws:``, in whatever case, which AWS keeps for itself.

    Source: AWS tagging best practices, "Tag naming limits and requirements".
    """
    for key in environment.tags:
        if key.lower().startswith("aws:"):
            yield Finding(
                code="SPEC013",
                path=("tags", key),
                message=f"tag key '{key}' starts with 'aws:', which is reserved",
                hint=f"rename it, for example to {key[4:] or 'origin'}",
            )


def tag_keys_are_free(environment: Environment) -> Iterator[Finding]:
    """SPEC023: No tag's key is one that the toolkit sets itself, by which it says what belongs to an environment.

    IAM takes two keys for one that differ in case alone.

    Source: docs/architecture.md, "Tags"; IAM user guide, "Tags for IAM resources".
    """
    for key in environment.tags:
        if key.casefold() in OWN_TAG_KEYS:
            yield Finding(
                code="SPEC023",
                path=("tags", key),
                message=f"tag '{key}' is set by trnstack itself",
                hint="remove it, or use another key",
            )


def tag_keys_differ_in_more_than_case(environment: Environment) -> Iterator[Finding]:
    """SPEC026: No two tags' keys differ in case alone, which IAM refuses as duplicates when a role is made.

    Source: IAM user guide, "Tags for IAM resources": keys are case insensitive.
    """
    keys = list(environment.tags)
    for index, _ in repeated([key.casefold() for key in keys]):
        yield Finding(
            code="SPEC026",
            path=("tags", keys[index]),
            message=f"tag '{keys[index]}' differs from another one in case alone",
            hint="keep one of the two",
        )


def tags_leave_room(environment: Environment) -> Iterator[Finding]:
    """SPEC014: There are at most 40 tags, so that the toolkit's and EKS's own fit below AWS's limit of 50.

    Source: AWS tagging best practices, "Tag naming limits and requirements".
    """
    if len(environment.tags) > _MOST_TAGS:
        yield Finding(
            code="SPEC014",
            path=("tags",),
            message=f"{len(environment.tags)} tags are more than {_MOST_TAGS}",
            hint=f"remove {len(environment.tags) - _MOST_TAGS} of them",
        )


def availability_zone_ids_are_unique(environment: Environment) -> Iterator[Finding]:
    """SPEC015: No zone is listed twice.

    Source: EKS user guide, networking requirements: subnets in at least two different zones.
    """
    for index, zone_id in repeated(environment.availability_zone_ids):
        yield Finding(
            code="SPEC015",
            path=("availability_zone_ids", index),
            message=f"zone '{zone_id}' is listed twice",
            hint="name another zone of the region",
        )


def availability_zone_ids_belong_to_the_region(environment: Environment) -> Iterator[Finding]:
    """SPEC016: Every zone of the list is in the region; of a region that the catalog lacks nothing is said here.

    Source: AWS Global Infrastructure documentation, "AWS Availability Zones".
    """
    offered = ZONE_IDS.get(environment.region)
    for index, zone_id in enumerate(environment.availability_zone_ids):
        if offered and zone_id not in offered:
            yield Finding(
                code="SPEC016",
                path=("availability_zone_ids", index),
                message=f"zone '{zone_id}' is not in {environment.region}",
                hint=f"the region's zones are {', '.join(offered)}",
            )


def node_groups_are_in_listed_zones(environment: Environment) -> Iterator[Finding]:
    """SPEC017: A node group's zone is one of the environment's, since only those get subnets.

    Source: EKS user guide, "Create a managed node group": its subnets are in the cluster's VPC.
    """
    zone_ids = environment.availability_zone_ids
    for index, group in enumerate(environment.node_groups):
        if group.availability_zone_id and group.availability_zone_id not in zone_ids:
            yield Finding(
                code="SPEC017",
                path=("node_groups", index, "availability_zone_id"),
                message=f"zone '{group.availability_zone_id}' is not one of {', '.join(zone_ids)}",
                hint=f"add {group.availability_zone_id} to availability_zone_ids, or use one of them",
            )


def arns_are_of_the_region(environment: Environment) -> Iterator[Finding]:
    """SPEC021: The keys and resource groups that node groups name are in the environment's region.

    Source: AWS KMS developer guide, "Multi-Region keys": a key is used in its own region; EC2 user guide, "Capacity
    Reservation groups".
    """
    for index, group in enumerate(environment.node_groups):
        arns = {
            ("root_volume_kms_key_arn",): group.root_volume_kms_key_arn,
            ("capacity", "capacity_reservation_resource_group_arn"): getattr(
                group.capacity, "capacity_reservation_resource_group_arn", None
            ),
        }
        for field, arn in arns.items():
            if arn and arn.split(":")[3] != environment.region:
                yield Finding(
                    code="SPEC021",
                    path=("node_groups", index, *field),
                    message=f"'{arn}' is in {arn.split(':')[3]}, the environment in {environment.region}",
                    hint=f"name one in {environment.region}",
                )


RULES = (
    node_group_names_are_unique,
    node_group_names_are_not_taken,
    node_group_sizes_are_given,
    min_count_is_not_above_max_count,
    tag_keys_are_not_reserved,
    tag_keys_are_free,
    tag_keys_differ_in_more_than_case,
    tags_leave_room,
    availability_zone_ids_are_unique,
    availability_zone_ids_belong_to_the_region,
    node_groups_are_in_listed_zones,
    arns_are_of_the_region,
)
