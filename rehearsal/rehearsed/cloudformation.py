"""Brings stacks to their templates as ``cdk deploy`` does, by CloudFormation's API."""

import json
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from rehearsal.limits import MAX_BODY_BYTES
from rehearsal.rehearsed.errors import StackFailedError, failures
from rehearsal.stack import Stack
from rehearsal.world import World
from trnstack.plan.model import StackPlan

_NOTHING_TO_DO = "No updates are to be performed."
_CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"]
#: Which ends of an operation are what was asked for.
_ENDS = {"create": "CREATE_COMPLETE", "update": "UPDATE_COMPLETE", "delete": "DELETE_COMPLETE"}


class CloudFormation:
    """Creates, updates and deletes stacks, and says of each why it failed.

    Args:
        client: CloudFormation's client.
        s3: The client of S3, which holds templates that are too large for a request.
        world: The stacks, from whose events failures are told.
        account: The account.
        bucket: The bucket of the CDK's assets, where larger templates are put.
    """

    def __init__(self, client: Any, s3: Any, world: World, *, account: str, bucket: str) -> None:
        self._client, self._s3, self._world = client, s3, world
        self._account, self._bucket = account, bucket
        self._region: str = client.meta.region_name

    def bring(self, stack: StackPlan, template: Mapping[str, Any]) -> None:
        """Creates a stack or updates it; one of which an earlier creation was rolled back is deleted first, as by CDK.

        Raises:
            StackFailedError: It ended otherwise.
            botocore.exceptions.ClientError: CloudFormation refuses the request.
        """
        there = self._find(stack.name)
        if there is not None and there.status in {"ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED"}:
            self.delete(stack.name)
            there = None
        request = {
            "StackName": stack.name,
            "Capabilities": _CAPABILITIES,
            "Tags": [{"Key": key, "Value": value} for key, value in stack.tags.items()],
            **self._template(stack.name, template),
        }
        if there is None:
            made = self._client.create_stack(EnableTerminationProtection=stack.termination_protection, **request)
            self._check(made["StackId"], "create")
            return
        self._client.update_termination_protection(
            StackName=stack.name, EnableTerminationProtection=stack.termination_protection
        )
        try:
            self._client.update_stack(**request)
        except ClientError as error:
            if error.response["Error"]["Message"] != _NOTHING_TO_DO:
                raise
        else:
            self._check(there.id, "update")

    def delete(self, name: str) -> None:
        """Deletes a stack; one that is not there is no error.

        Raises:
            StackFailedError: It is still there.
            botocore.exceptions.ClientError: CloudFormation refuses, such as for termination protection.
        """
        there = self._find(name)
        if there is not None:
            self._client.delete_stack(StackName=name)
            self._check(there.id, "delete")

    def _find(self, name: str) -> Stack | None:
        return self._world.find(name, account=self._account, region=self._region)

    def _check(self, stack_id: str, done: str) -> None:
        stack = self._find(stack_id)
        assert stack is not None  # noqa: S101 - the request was answered with it
        if stack.status != _ENDS[done]:
            failed = failures(stack.events, stack.operation_id)
            raise StackFailedError(stack.name, stack.status, failed, stack.reason)

    def _template(self, name: str, template: Mapping[str, Any]) -> dict[str, str]:
        body = json.dumps(template)
        if len(body.encode()) <= MAX_BODY_BYTES:
            return {"TemplateBody": body}
        key = f"{name}.template.json"
        self._s3.put_object(Bucket=self._bucket, Key=key, Body=body.encode())
        return {"TemplateURL": f"https://s3.{self._region}.amazonaws.com/{self._bucket}/{key}"}
