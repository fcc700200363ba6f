"""The user data of accelerator nodes: MIME parts that nodeadm and cloud-init read on first boot."""

#: EC2 takes no more, before base64. Source: EC2 user guide, "Run commands at launch".
MAXIMUM_BYTES = 16_384
_BOUNDARY = "trnstack"

_NODE_CONFIG = """\
---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  instance:
    localStorage:
      strategy: RAID0
"""

_LOGICAL_NEURONCORE_CONFIG = """\
#!/bin/sh
# The Neuron runtime and the device plugin read the node's logical NeuronCore setting from this file.
set -eu
mkdir -p /opt/aws/neuron
printf 'NEURON_LOGICAL_NC_CONFIG=%s\\n' '{value}' > /opt/aws/neuron/logical_nc_config
"""


def user_data(*, local_storage: str, logical_neuroncore_config: int | None) -> str:
    """Returns a node's user data as MIME text; empty where a node needs none.

    EKS adds the cluster's own part (name, endpoint, certificate) as long as the launch template names no image.

    Args:
        local_storage: ``raid0`` joins the NVMe disks and puts containerd and pods' scratch on them; ``none`` doesn't.
        logical_neuroncore_config: Physical cores to a logical one, for every process on the node; None: the chip's own.

    Raises:
        ValueError: The text is longer than EC2 takes.

    Source: awslabs/amazon-eks-ami, nodeadm/doc (localStorage); AWS Neuron documentation, EKS prerequisites
    (logical_nc_config).
    """
    parts = []
    if local_storage == "raid0":
        parts.append(("application/node.eks.aws", _NODE_CONFIG))
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
