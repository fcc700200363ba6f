"""The resource types that the rehearsal can make."""

from rehearsal.handlers import (
    awslambda,
    cdk,
    custom,
    ec2,
    ecr,
    eks,
    fsx,
    iam,
    imagebuilder,
    kms,
    logs,
    monitoring,
    s3,
    scheduler,
    ssm,
)
from rehearsal.handlers.base import Handler

HANDLERS: dict[str, Handler] = {
    **awslambda.HANDLERS,
    **cdk.HANDLERS,
    **ec2.HANDLERS,
    **ecr.HANDLERS,
    **eks.HANDLERS,
    **fsx.HANDLERS,
    **iam.HANDLERS,
    **imagebuilder.HANDLERS,
    **kms.HANDLERS,
    **logs.HANDLERS,
    **monitoring.HANDLERS,
    **s3.HANDLERS,
    **scheduler.HANDLERS,
    **ssm.HANDLERS,
}


def handler_for(resource_type: str) -> Handler | None:
    """Gives the handler of a CloudFormation type, or None for a type that the rehearsal can't make."""
    return custom.CUSTOM if resource_type.startswith(custom.TYPES) else HANDLERS.get(resource_type)
