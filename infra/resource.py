"""The one way in which constructs define resources, exports and imports.

Resources are ``CfnResource`` with the properties as CloudFormation documents them. The typed classes of aws-cdk-lib
need a module for each service and a round trip to Node for each nested structure, which makes a synthesis half as long
again (docs/adr/0001). The shape of what is written here is checked against CloudFormation's schemas by cfn-lint.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import CfnOutput, CfnResource, RemovalPolicy, Stack
from constructs import Construct

Properties = Mapping[str, Any]
#: A value that CloudFormation fills in: a token's text, or an intrinsic function as it stands in a template.
Value = Any

ACCOUNT_ID: Value = {"Ref": "AWS::AccountId"}
PARTITION: Value = {"Ref": "AWS::Partition"}
REGION: Value = {"Ref": "AWS::Region"}


def resource(
    scope: Construct,
    construct_id: str,
    resource_type: str,
    properties: Properties,
    *,
    retain: bool = False,
    after: Sequence[CfnResource] = (),
    acknowledge: Mapping[str, str] | None = None,
) -> CfnResource:
    """Defines a resource.

    Args:
        scope: The construct that it belongs to.
        construct_id: Its id there; a contract, since another id is another resource.
        resource_type: Such as ``AWS::EC2::Subnet``.
        properties: As CloudFormation documents them; entries that are None are left out.
        retain: Whether it outlives its stack and its replacement.
        after: Resources that must stand before it, beyond those that its properties refer to.
        acknowledge: Findings of cdk-nag that are as intended, each with its reason.
    """
    made = CfnResource(scope, construct_id, type=resource_type, properties=dict(properties))
    if retain:
        # A first deploy that fails takes back what it made: a bucket left behind would be in the way of the next one.
        made.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
    for other in after:
        made.add_resource_dependency(other)
    if acknowledge:
        rules = [{"id": rule, "reason": reason} for rule, reason in acknowledge.items()]
        made.add_metadata("cdk_nag", {"rules_to_suppress": rules})
    return made


def attribute(made: CfnResource, name: str) -> str:
    """Returns what ``Fn::GetAtt`` gives for a resource, as a token's text."""
    return made.get_att(name).to_string()


def export(stack: Stack, key: str, value: Value) -> None:
    """Exports a value under the stack's name and a key; ``imported`` gives it in another stack.

    Each stack exports one fixed set, whatever is switched on: CloudFormation refuses to drop an export that another
    stack still imports, in whatever order the two are deployed.
    """
    CfnOutput(stack, f"Export{key.replace('-', '')}", value=value, export_name=f"{stack.stack_name}:{key}")


def imported(stack_name: str, key: str) -> Value:
    """Returns the value that a stack exports under a key."""
    return {"Fn::ImportValue": f"{stack_name}:{key}"}


def output(stack: Stack, key: str, value: Value, description: str) -> None:
    """Prints a value after a deploy, under a key that people and scripts rely on."""
    CfnOutput(stack, key, value=value, description=description)


def assumed_by(
    service: str, *, actions: Sequence[str] = ("sts:AssumeRole",), condition: Properties | None = None
) -> Any:
    """Returns the trust policy of a role that an AWS service assumes."""
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": list(actions)}
    return {"Version": "2012-10-17", "Statement": [statement | ({"Condition": dict(condition)} if condition else {})]}


def managed_policy(name: str) -> Value:
    """Returns the ARN of an AWS-managed policy in the stack's partition."""
    return {"Fn::Join": ["", ["arn:", PARTITION, f":iam::aws:policy/{name}"]]}


def policy(name: str, statements: Sequence[Properties]) -> Properties:
    """Returns an inline policy of a role."""
    document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement} for statement in statements]}
    return {"PolicyName": name, "PolicyDocument": document}
