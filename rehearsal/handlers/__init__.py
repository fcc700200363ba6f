"""The resource types that the rehearsal can make."""

from collections.abc import Callable

from rehearsal.handlers import (
    autoscaling,
    awslambda,
    cdk,
    custom,
    ec2,
    ecr,
    eks,
    fargate,
    fsx,
    iam,
    identity,
    imagebuilder,
    instances,
    kms,
    logs,
    monitoring,
    network_acls,
    s3,
    scheduler,
    ssm,
    waiting,
)
from rehearsal.handlers.base import Handler
from rehearsal.handlers.stand_ins import StandIns

HANDLERS: dict[str, Handler] = {
    **autoscaling.HANDLERS,
    **awslambda.HANDLERS,
    **cdk.HANDLERS,
    **ec2.HANDLERS,
    **ecr.HANDLERS,
    **eks.HANDLERS,
    **fargate.HANDLERS,
    **fsx.HANDLERS,
    **iam.HANDLERS,
    **identity.HANDLERS,
    **imagebuilder.HANDLERS,
    **instances.HANDLERS,
    **kms.HANDLERS,
    **logs.HANDLERS,
    **monitoring.HANDLERS,
    **network_acls.HANDLERS,
    **s3.HANDLERS,
    **scheduler.HANDLERS,
    **ssm.HANDLERS,
    **waiting.HANDLERS,
}


def handlers_with(stand_ins: StandIns) -> Callable[[str], Handler | None]:
    """Gives the table of handlers in which stand-ins answer for the providers of custom resources."""
    made = custom.CustomResource(stand_ins)
    return lambda name: made if name.startswith(custom.TYPES) else HANDLERS.get(name)


def handler_for(resource_type: str) -> Handler | None:
    """Gives the handler of a CloudFormation type, or None for a type that the rehearsal can't make."""
    return custom.CUSTOM if resource_type.startswith(custom.TYPES) else HANDLERS.get(resource_type)
