"""APIs that moto lacks, in front of those that it has.

An overlay is a subclass of moto's response class for a service: its methods answer the operations that moto lacks or
answers wrongly, and everything else stays moto's. Of S3, whose operations have no methods in moto, it looks at requests
before moto does. Nothing of moto is changed in place.
"""

from importlib import import_module

_OVERLAYS = {
    "autoscaling": "rehearsal.overlays.autoscaling",
    "awslambda": "rehearsal.overlays.awslambda",
    "cloudtrail": "rehearsal.overlays.cloudtrail",
    "ec2": "rehearsal.overlays.ec2",
    "ecr": "rehearsal.overlays.ecr",
    "eks": "rehearsal.overlays.eks",
    "fsx": "rehearsal.overlays.fsx",
    "iam": "rehearsal.overlays.iam",
    "imagebuilder": "rehearsal.overlays.imagebuilder",
    "kms": "rehearsal.overlays.kms",
    "logs": "rehearsal.overlays.logs",
    "s3": "rehearsal.overlays.s3",
    "scheduler": "rehearsal.overlays.scheduler",
    "sts": "rehearsal.overlays.sts",
    "ssm": "rehearsal.overlays.ssm",
}
"""The module of each overlaid service, which names its response class ``Response``; imported when first asked for."""


def overlay_for(service: str) -> type | None:
    """Gives the class that answers a service's requests, or None where moto's own does."""
    module = _OVERLAYS.get(service)
    if module is None:
        return None
    overlay: type = import_module(module).Response
    return overlay
