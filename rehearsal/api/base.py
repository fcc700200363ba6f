"""What all actions of CloudFormation's API share: who asks, about which stack, and how errors are answered."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from moto.core.responses import ActionResult, BaseResponse

from rehearsal.api import request
from rehearsal.api.constraints import NAME, check_name
from rehearsal.api.errors import ApiError
from rehearsal.api.paging import Row, page
from rehearsal.api.surroundings import check_role, check_topics, check_triggers, check_types
from rehearsal.engine import Engine
from rehearsal.operations import Operations
from rehearsal.stack import Stack
from rehearsal.templates.template import Template, TemplateError


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

    def existing(self) -> Stack:
        """Gives the stack that the request is to change, or whose history it asks for.

        Source: localstack/localstack, tests/aws/services/cloudformation/api, test_stacks.snapshot.json (recorded from
        AWS), for the words of DescribeStackEvents, which are others than where a stack is shown; that the operations on
        stacks have them too is seen of CreateChangeSet and ContinueUpdateRollback alone.

        Raises:
            ApiError: There is none.
        """
        stack = self.found()
        if stack is None:
            raise ApiError(f"Stack [{self.asked('StackName')}] does not exist")
        return stack

    def reviewed(self) -> Stack:
        """Gives the stack that the request is to change.

        Source: boto/boto3 2327: a stack that waits for its first change set to be executed is none to update.

        Raises:
            ApiError: There is none yet.
        """
        stack = self.existing()
        if stack.status == "REVIEW_IN_PROGRESS":
            raise ApiError(f"Stack [{stack.name}] does not exist")
        return stack

    def new_stack(self, pattern: str = NAME) -> Stack:
        """Makes a stack of the request's name, which nobody sees before it is added.

        Args:
            pattern: What the answer says of the name where it may not be one.

        Raises:
            ApiError: No stack may have that name.
        """
        check_name("stackName", self.asked("StackName"), pattern)
        return self.engine.world.new(
            self.asked("StackName"), account=self.current_account, region=self.region, partition=self.partition
        )

    def template(self, stack: Stack | None) -> Template:
        """Reads the request's template."""
        previous = stack.deployment.template if stack else None
        return request.template(self.asked, previous, self.client("s3"))

    def acknowledged(self, template: Template, *, expands: bool = False) -> Template:
        """Gives a template back whose IAM resources the caller acknowledges, and whose types he allows.

        Args:
            template: The template.
            expands: Whether transforms have to be acknowledged too: a change set can be looked at instead.

        Raises:
            ApiError: A capability is missing, or a type among those that the request names.

        Source: CloudFormation API reference, CreateStack and CreateChangeSet, ``Capabilities``.
        """
        if self.asked("ResourceTypes"):
            check_types(template, self.asked("ResourceTypes"))
        needed = set(self.engine.capabilities(template, self.region).values())
        given = set(self.asked("Capabilities") or ())
        if "CAPABILITY_NAMED_IAM" in given:
            given.add("CAPABILITY_IAM")
        if needed - given:
            message = f"Requires capabilities : [{max(needed)}]"
            raise ApiError(message, code="InsufficientCapabilitiesException")
        if expands and template.transforms and "CAPABILITY_AUTO_EXPAND" not in given:
            message = "Requires capabilities : [CAPABILITY_AUTO_EXPAND]"
            raise ApiError(message, code="InsufficientCapabilitiesException")
        return template

    def options(self, stack: Stack | None) -> dict[str, Any]:
        """Reads what CloudFormation keeps with a stack, and looks whether what it names is there.

        Raises:
            ApiError: It is not, or is not allowed.
        """
        previous = {} if stack is None else stack.options
        found = request.options(self.asked, previous)
        self.check_role(found.get("RoleARN", previous.get("RoleARN")))
        check_topics(found.get("NotificationARNs", ()), self.client("sns"), account=self.current_account)
        check_triggers(found.get(request.ROLLBACK, {}))
        return found

    def check_role(self, arn: str | None) -> None:
        """Refuses a role that CloudFormation can't take.

        Raises:
            ApiError: In CloudFormation's words.
        """
        check_role(arn, account=self.current_account, partition=self.partition)

    def paged(
        self, member: str, rows: Sequence[Row], write: Callable[[Row], Any], *, newest_first: bool = False
    ) -> ActionResult:
        """Answers a page of a list.

        Args:
            member: The answer's member that holds it.
            rows: The whole list.
            write: Writes one of it.
            newest_first: Whether the list grows at its beginning.
        """
        shown, token = page(rows, self.asked("NextToken"), newest_first=newest_first)
        return ActionResult({member: [write(one) for one in shown], **({"NextToken": token} if token else {})})

    def config(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Gives the deployment configuration of a request or a change set."""
        config: Mapping[str, Any] = options.get("DeploymentConfig", {})
        return config
