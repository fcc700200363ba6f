"""The user data of accelerator nodes: MIME parts that nodeadm and cloud-init read on first boot."""

#: EC2 takes no more, before base64. Source: EC2 user guide, "Run commands at launch".
MAXIMUM_BYTES = 16_384
_BOUNDARY = "trnstack"

#: Bytes that a container may lock, 8 PiB: more than any node has. Not RLIM_INFINITY, which is 2**64 - 1: nodeadm merges
#: the runtime specification as JSON, whose numbers are doubles, and would write 2**64, which containerd can't read.
LOCKED_MEMORY_BYTES = 2**53

_NODE_CONFIG = """\
---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
"""

_RAID0 = """\
  instance:
    localStorage:
      strategy: RAID0
"""

# nodeadm replaces its own list of limits with this one, so its limit of open files is repeated.
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


def user_data(*, local_storage: str, logical_neuroncore_config: int | None, efa: bool) -> str:
    """Returns a node's user data as MIME text; empty where a node needs none.

    EKS adds the cluster's own part (name, endpoint, certificate) as long as the launch template names no image.

    Args:
        local_storage: ``raid0`` joins the NVMe disks and puts containerd and pods' scratch on them; ``none`` doesn't.
        logical_neuroncore_config: Physical cores to a logical one, for every process on the node; None: the chip's own.
        efa: Whether the node has EFA, whose provider registers memory and so must be allowed to lock it: containers
            would inherit containerd's limit, which the AL2023 image, unlike the AL2 one, does not raise.

    Raises:
        ValueError: The text is longer than EC2 takes.

    Source: awslabs/amazon-eks-ami at 81fec2e, nodeadm/doc/api.md and examples.md (localStorage, "Modifying container
    RLIMITs"), nodeadm/internal/containerd/base-runtime-spec.json; libfabric, fi_efa(7); AWS Neuron documentation, EKS
    prerequisites (logical_nc_config).
    """
    parts = []
    settings = (_RAID0 if local_storage == "raid0" else "") + (_LIMITS if efa else "")
    if settings:
        parts.append(("application/node.eks.aws", _NODE_CONFIG + settings))
    if logical_neuroncore_config is not None:
        script = _LOGICAL_NEURONCORE_CONFIG.format(value=logical_neuroncore_config)
        parts.append(('text/x-shellscript; charset="us-ascii"', script))
    if not parts:
        return ""
    text = _mime(parts)
    if len(text.encode()) > MAXIMUM_BYTES:
        raise ValueError(f"user data is {len(text.encode()):,} bytes; EC2 takes {MAXIMUM_BYTES:,}")
    return text


def _mime(parts: list[tuple[str, str]]) -> str:
    body = "".join(f"--{_BOUNDARY}\nContent-Type: {kind}\n\n{content}\n" for kind, content in parts)
    return f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{_BOUNDARY}"\n\n{body}--{_BOUNDARY}--\n'
