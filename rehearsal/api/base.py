"""What all actions of CloudFormation's API share: who asks, about which stack, and how errors are answered."""

from collections.abc import Mapping
from typing import Any, ClassVar

from moto.core.responses import ActionResult, BaseResponse

from rehearsal.api import request
from rehearsal.api.constraints import check_name
from rehearsal.api.errors import ApiError
from rehearsal.engine import Engine
from rehearsal.operations import Operations
from rehearsal.stack import Stack
from rehearsal.template import Template, TemplateError


class Actions(BaseResponse):
    """Parses requests and writes answers by botocore's model of CloudFormation.

    moto makes an object of the class for every request, so what the requests share is on the class; ``bound`` makes a
    class of its own for each rehearsal.

    Attributes:
        engine: What performs the operations.
        operations: What runs them.
    """

    engine: ClassVar[Engine]
    operations: ClassVar[Operations]

    def __init__(self) -> None:
        super().__init__(service_name="cloudformation")
        self.automated_parameter_parsing = True

    @classmethod
    def bound(cls, engine: Engine, operations: Operations) -> type["Actions"]:
        """Gives the class that answers for one engine."""
        return type(cls.__name__, (cls,), {"engine": engine, "operations": operations})

    def call_action(self) -> Any:
        """Answers the request; a template that is refused is a validation error."""
        try:
            return super().call_action()
        except TemplateError as error:
            return self.serialized(ActionResult(ApiError(str(error))))

    def asked(self, name: str) -> Any:
        """Gives a parameter of the request; None where it has none of that name."""
        return self._get_param(name)

    def client(self, service: str) -> Any:
        """Gives a boto3 client for the account and region that ask."""
        return self.engine.client(service, self.current_account, self.region)

    @property
    def recorded(self) -> bool:
        """Whether whoever asks is told when things were recorded, by the machine, instead of the clock's time.

        The CDK CLI shows the events since it began, by the machine's time. Where the clock is ahead of that, what an
        earlier operation did would be shown again with every later one.

        Source: @aws-cdk/toolkit-lib, ``StackEventPoller`` and ``PollRange.sinceTimestamp``; the user agent as sent.
        """
        return "aws-cdk/" in str(self.headers.get("User-Agent", ""))

    def found(self, name: str | None = None) -> Stack | None:
        """Gives the stack that the request names, if there is one."""
        name = name or self.asked("StackName")
        if not name:
            return None
        return self.engine.world.find(name, account=self.current_account, region=self.region)

    def stack(self, name: str | None = None) -> Stack:
        """Gives the stack that the request names.

        Raises:
            ApiError: There is none.
        """
        stack = self.found(name)
        if stack is None:
            raise ApiError(f"Stack with id {name or self.asked('StackName')} does not exist")
        return stack

    def new_stack(self) -> Stack:
        """Makes a stack of the request's name, which nobody sees before it is added.

        Raises:
            ApiError: No stack may have that name.
        """
        check_name("stackName", self.asked("StackName"))
        return self.engine.world.new(
            self.asked("StackName"), account=self.current_account, region=self.region, partition=self.partition
        )

    def template(self, stack: Stack | None) -> Template:
        """Reads the request's template."""
        previous = stack.deployment.template if stack else None
        return request.template(self.asked, previous, self.client("s3"))

    def acknowledged(self, template: Template) -> Template:
        """Gives a template back whose IAM resources the caller acknowledges.

        Raises:
            ApiError: A capability is missing.
        """
        needed = set(self.engine.capabilities(template, self.region).values())
        given = set(self.asked("Capabilities") or ())
        if "CAPABILITY_NAMED_IAM" in given:
            given.add("CAPABILITY_IAM")
        if needed - given:
            message = f"Requires capabilities : [{max(needed)}]"
            raise ApiError(message, code="InsufficientCapabilitiesException")
        return template

    def config(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Gives the deployment configuration of a request or a change set."""
        config: Mapping[str, Any] = options.get("DeploymentConfig", {})
        return config
