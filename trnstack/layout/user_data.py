"""The user data of accelerator nodes: MIME parts that nodeadm and cloud-init read on first boot."""

import json
from dataclasses import dataclass

#: EC2 takes no more, before base64. Source: EC2 user guide, "Run commands at launch".
MAXIMUM_BYTES = 16_384
_BOUNDARY = "trnstack"
#: Marks in the text for what the cluster alone can tell once it stands; the launch template has it in their place. They
#: are no syntax of a shell's, of CloudFormation's or of cloud-init's.
CLUSTER_ENDPOINT, CLUSTER_AUTHORITY = "@@CLUSTER_ENDPOINT@@", "@@CLUSTER_CERTIFICATE_AUTHORITY@@"
#: Room for those two. A cluster's certificate, in base64 twice, takes about 1,500 bytes, its endpoint less than 100.
#: Source: terraform-aws-eks at bef29c4, tests/user-data/rendered: user data with the certificate of a real cluster.
RESERVED_BYTES = 4_096

#: Bytes that a container may lock, 8 PiB: more than any node has. Not RLIM_INFINITY, which is 2**64 - 1: nodeadm merges
#: the runtime specification as JSON, whose numbers are doubles, and would write 2**64, which containerd can't read.
LOCKED_MEMORY_BYTES = 2**53

_NODE_CONFIG = """\
---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
"""

# In quotes, since a cluster may be named true or null.
_JOINING = """\
  cluster:
    name: {name}
    apiServerEndpoint: {endpoint}
    certificateAuthority: {authority}
    cidr: {cidr}
"""
_KUBELET = "  kubelet:\n"
_MOST_PODS = """\
    config:
      maxPods: {most_pods}
"""
_FLAGS = """\
    flags:
      - {flag}
"""

# HOST-04: containers' images and layers, pods' emptyDir volumes and logs are on the local disks, which the root volume
# would have no room for.
_RAID0 = """\
  instance:
    localStorage:
      strategy: RAID0
"""

# HOST-01: what EFA needs. nodeadm replaces its own list of limits with this one, so its limit of open files stands here
# too.
_LIMITS = f"""\
  containerd:
    baseRuntimeSpec:
      process:
        rlimits:
          - type: RLIMIT_NOFILE
            soft: 65536
            hard: 1048576
          - type: RLIMIT_MEMLOCK
            soft: {LOCKED_MEMORY_BYTES}
            hard: {LOCKED_MEMORY_BYTES}
"""

_LOGICAL_NEURONCORE_CONFIG = """\
#!/bin/sh
# The Neuron runtime and the device plugin read the node's logical NeuronCore setting from this file.
set -eu
mkdir -p /opt/aws/neuron
printf 'NEURON_LOGICAL_NC_CONFIG=%s\\n' '{value}' > /opt/aws/neuron/logical_nc_config
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining:
    """What a node has to be told to join, and EKS tells nodes of its own images alone.

    Labels are not among it: EKS sets those of the node group itself, on nodes that run as well, so an edit of them
    replaces no node. Taints are, since pods could come in between a node's joining and its taints.

    Attributes:
        cluster_name: The cluster.
        service_cidr: The range of its services' addresses, from which nodeadm takes that of the DNS server.
        most_pods: The most pods of a node; None leaves it to nodeadm, which counts addresses and no vCPUs.
        taints: As kubelet writes them: ``key=value:NoSchedule``.
    """

    cluster_name: str
    service_cidr: str
    most_pods: int | None
    taints: tuple[str, ...]


def user_data(
    *, local_storage: str, logical_neuroncore_config: int | None, efa: bool, joining: Joining | None = None
) -> str:
    """Returns a node's user data as MIME text; empty where a node needs none.

    EKS adds the cluster's own part (name, endpoint, certificate) as long as the launch template names no image; with
    one it adds nothing, and the whole must be here.

    Two things of a ready node are not here, since its image does them. HOST-02: the EFA driver's package sets huge
    pages aside as the system boots, before the kubelet counts them; nodeadm starts that after all of cloud-init. The
    kernel is held by the image's own lock on its packages, and a new one comes with the lock's next release alone.

    Args:
        local_storage: ``raid0`` joins the NVMe disks and puts containerd and pods' scratch on them; ``none`` doesn't.
        logical_neuroncore_config: Physical cores to a logical one, for every process on the node; None: the chip's own.
        efa: Whether the node has EFA, whose provider registers memory and so must be allowed to lock it: containers
            would inherit containerd's limit, which the AL2023 image, unlike the AL2 one, does not raise.
        joining: What the node is told to join the cluster, where its launch template names an image.

    Raises:
        ValueError: The text is longer than EC2 takes, or leaves no room for what comes in the place of its marks.

    Source: awslabs/amazon-eks-ami at 81fec2e, nodeadm/doc/api.md and examples.md (localStorage, "Modifying container
    RLIMITs"), nodeadm/internal/containerd/base-runtime-spec.json, nodeadm/internal/api/validation.go (the four that a
    cluster needs), nodeadm/test/e2e/cases/kubelet-flags, templates/al2023: install-efa.sh, install-neuron-driver.sh
    (``versionlock``), nodeadm-run.service, setup-local-disks; EKS user guide, "Customize managed nodes with launch
    templates", "Specifying an AMI" (nothing is merged; taints of the API come late, and in time by the kubelet's flag);
    libfabric, fi_efa(7); AWS Neuron documentation, EKS prerequisites (logical_nc_config).
    """
    parts = []
    settings = (_join(joining) if joining else "") + (_RAID0 if local_storage == "raid0" else "")
    settings += _LIMITS if efa else ""
    if settings:
        parts.append(("application/node.eks.aws", _NODE_CONFIG + settings))
    if logical_neuroncore_config is not None:
        script = _LOGICAL_NEURONCORE_CONFIG.format(value=logical_neuroncore_config)
        parts.append(('text/x-shellscript; charset="us-ascii"', script))
    if not parts:
        return ""
    text = _mime(parts)
    room = MAXIMUM_BYTES - (RESERVED_BYTES if joining else 0)
    if len(text.encode()) > room:
        raise ValueError(f"user data is {len(text.encode()):,} bytes; EC2 takes {room:,}")
    return text


def _join(joining: Joining) -> str:
    name, endpoint, authority, cidr = map(
        json.dumps, (joining.cluster_name, CLUSTER_ENDPOINT, CLUSTER_AUTHORITY, joining.service_cidr)
    )
    text = _JOINING.format(name=name, endpoint=endpoint, authority=authority, cidr=cidr)
    if joining.most_pods is None and not joining.taints:
        return text
    pods = "" if joining.most_pods is None else _MOST_PODS.format(most_pods=joining.most_pods)
    flag = json.dumps(f"--register-with-taints={','.join(joining.taints)}")
    return text + _KUBELET + pods + (_FLAGS.format(flag=flag) if joining.taints else "")


def _mime(parts: list[tuple[str, str]]) -> str:
    body = "".join(f"--{_BOUNDARY}\nContent-Type: {kind}\n\n{content}\n" for kind, content in parts)
    return f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{_BOUNDARY}"\n\n{body}--{_BOUNDARY}--\n'
