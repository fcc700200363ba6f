"""The network's part of ``trnstack plan``: ways in and out, endpoints with their reasons, and addresses."""

from typing import TYPE_CHECKING

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.plan.model import ExistingVpcPlan, NetworkPlan


def network_section(network: "NetworkPlan") -> list[str]:
    """Returns the section's lines: a table of each kind, with a blank line between them."""
    tables = [_ways(network), _endpoints(network)]
    if network.existing_vpc:
        tables.append(_given(network.existing_vpc))
    tables += [_subnets(network), _addresses(network)]
    lines = ["Network"]
    for number, table in enumerate(tables):
        lines += ["", *table] if number else table
    return lines


def _ways(network: "NetworkPlan") -> list[str]:
    gateways, existing = network.nat_gateway_zone_ids, network.existing_vpc
    none = "the VPC's own routes" if existing else "none: nothing leads out of the VPC"
    rows = [
        ("VPC", f"{existing.vpc_id}, which stands already" if existing else "a new one"),
        ("VPC range", network.vpc_cidr),
        ("NAT gateways", f"{len(gateways)} ({', '.join(gateways)})" if gateways else none),
        ("images from", network.image_mirror or "their own registries"),
        ("API clients", ", ".join(network.client_cidrs) or "none from outside the VPC"),
        ("flow logs", _flow_logs(network)),
    ]
    return output.columns(rows)


def _flow_logs(network: "NetworkPlan") -> str:
    if network.existing_vpc:
        return "the VPC's owner's"
    return f"kept {network.log_retention_days} days" if network.flow_logs else "off"


def _endpoints(network: "NetworkPlan") -> list[str]:
    existing = network.existing_vpc
    made = existing is None or bool(existing.s3_route_table_ids)
    rows = [("private endpoint", "why")]
    if made:
        rows.append(("s3 (gateway)", "checkpoints, and the layers of images; it costs nothing"))
    rows += [(endpoint.service, endpoint.reason) for endpoint in network.interface_endpoints]
    return output.columns(rows if len(rows) > 1 else [*rows, ("none", "the environment lists none")])


def _given(existing: "ExistingVpcPlan") -> list[str]:
    rows = [
        ("given subnet", "range", "zone", "serves as", "why"),
        *(
            (each.subnet_id, each.cidr, each.availability_zone_id, ", ".join(each.names) or "-", each.reason)
            for each in existing.subnets
        ),
    ]
    return output.columns(rows)


def _subnets(network: "NetworkPlan") -> list[str]:
    taken = dict.fromkeys((subnet.cidr for subnet in network.subnets), 0)
    ranges = {subnet.name: subnet.cidr for subnet in network.subnets}
    for use in network.address_uses:
        taken[ranges[use.subnet]] += use.addresses
    rows = [
        ("subnet", "range", "zone", "addresses", "taken at most"),
        *(
            (each.name, each.cidr, each.availability_zone_id, f"{each.addresses:,}", f"{taken[each.cidr]:,}")
            for each in network.subnets
        ),
    ]
    return output.columns(rows, right=frozenset({3, 4}))


def _addresses(network: "NetworkPlan") -> list[str]:
    rows = [
        ("subnet", "what takes addresses", "at most", "how"),
        *((use.subnet, use.user, f"{use.addresses:,}", use.arithmetic) for use in network.address_uses),
    ]
    return output.columns(rows, right=frozenset({2}))
