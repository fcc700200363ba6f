"""The environment file that a person starts from: short, commented, and without findings."""

import json
import re
from dataclasses import dataclass

from trnstack.catalog import INSTANCE_TYPES, ZONE_IDS
from trnstack.catalog.zones import NO_CONTROL_PLANE_ZONE_IDS
from trnstack.source import plain
from trnstack.spec.eks import Eks

#: What YAML reads as the text that it looks like, also within brackets.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9/+=.@_-]*(:[A-Za-z0-9/+=.@_:-]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What a person says about a new environment.

    Attributes:
        name: The environment's name.
        instance_type: The accelerator nodes' type.
        region: Where it stands.
        zones: Availability zone ids, that of the accelerators first.
        nodes: How many accelerator nodes there are.
        admin_role_arn: The IAM role that administers the cluster.
    """

    name: str
    instance_type: str
    region: str
    zones: tuple[str, ...]
    nodes: int
    admin_role_arn: str


def regions_for(instance_type: str) -> tuple[str, ...]:
    """Returns the regions that offer an instance type, as far as the catalog knows; of an unknown type all regions."""
    row = INSTANCE_TYPES.get(instance_type)
    return tuple(row.availability_zone_ids) if row else tuple(ZONE_IDS)


def zones_for(instance_type: str, region: str) -> tuple[str, ...]:
    """Returns a region's zones that take accelerator nodes of a type and the cluster's control plane."""
    row = INSTANCE_TYPES.get(instance_type)
    offered = row.availability_zone_ids.get(region, ()) if row else ZONE_IDS.get(region, ())
    return tuple(zone for zone in offered if zone not in NO_CONTROL_PLANE_ZONE_IDS)


def further_zones(region: str, first: str) -> tuple[str, ...]:
    """Returns a region's zones that may stand beside the first one."""
    return tuple(zone for zone in ZONE_IDS.get(region, ()) if zone not in {first, *NO_CONTROL_PLANE_ZONE_IDS})


def environment_text(answers: Answers, *, sdk: str, schema: str) -> str:
    """Returns the text of an environment file.

    Args:
        answers: What the person said.
        sdk: The Neuron SDK release.
        schema: The JSON Schema's address as seen from the file, for editors; empty where there is none.
    """
    modeline = f"# yaml-language-server: $schema={schema}\n" if schema else ""
    zones = ", ".join(map(_scalar, answers.zones))
    row = INSTANCE_TYPES.get(answers.instance_type)
    storage = _FILE_SYSTEM if row and row.efa_interfaces and answers.nodes > 1 else _NO_FILE_SYSTEM
    return f"""{modeline}\
# What each key means and may be: `trnstack schema`, or an editor that reads the schema. Keys that are left out have
# defaults; `trnstack plan` shows what they come to.
schema_version: 1
name: {_scalar(answers.name)}  # the prefix of every stack's name
region: {_scalar(answers.region)}
# Two or more. The first is home to accelerators and file system; the order stays as it is once something is deployed.
availability_zone_ids: [{zones}]
# account: "111122223333"  # in quotes; left out, the stacks deploy to the account of the credentials in use
# tags: {{team: research}}

# network:
#   client_cidrs: [192.168.0.0/20]  # VPN or office, routed to the VPC, from which the private API endpoint is reached

eks:
  kubernetes_version: {json.dumps(Eks.model_fields["kubernetes_version"].default)}
  admin_role_arns: [{_scalar(answers.admin_role_arn)}]  # who may use the cluster

neuron:
  sdk: {json.dumps(sdk)}
  framework: pytorch  # pytorch | jax

node_groups:
  - name: {_scalar(answers.instance_type.partition(".")[0])}
    instance_type: {_scalar(answers.instance_type)}  # others: trnstack catalog
    node_count: {answers.nodes}  # or min_count and max_count
    # capacity: {{type: spot}}  # on_demand is the default; reservations: capacity_reservation, capacity_block

{storage}"""


_FILE_SYSTEM = """\
storage:
  lustre:
    storage_gib: 4800
    throughput_mbps_per_tib: 250
    data_repository_associations:
      - {file_system_path: /checkpoints, bucket: checkpoints}
"""
_NO_FILE_SYSTEM = """\
# storage:
#   lustre:  # a file system that all nodes share
#     storage_gib: 1200
#     data_repository_associations:
#       - {file_system_path: /checkpoints, bucket: checkpoints}
"""


def _scalar(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and plain(text) == text else json.dumps(text, ensure_ascii=False)
