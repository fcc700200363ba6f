"""Wait conditions and their handles, as far as nobody has to send a signal."""

from rehearsal.handlers.base import NOT_MODELLED, Handler, Properties, Resource, ResourceError, Scope


class WaitConditionHandle:
    """A handle: an address for signals, which templates also use as a resource that is nothing."""

    def create(self, scope: Scope, resource: Resource) -> None:
        """Gives the handle its address.

        Source: CloudFormation template reference, AWS::CloudFormation::WaitConditionHandle: ``Ref`` gives a URL.
        """
        stack = scope.stack_id.replace(":", "%3A").replace("/", "%2F")
        host = f"cloudformation-waitcondition-{scope.region}.s3.{scope.region}.amazonaws.com"
        resource.physical_id = f"https://{host}/{stack}/{resource.logical_id}"

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Changes nothing."""

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes nothing."""


class WaitCondition(WaitConditionHandle):
    """A condition; one without a handle holds at once, and one with a handle needs a signal that nothing sends here."""

    def create(self, scope: Scope, resource: Resource) -> None:
        """Lets a condition hold that waits for nothing.

        Raises:
            ResourceError: The condition waits for signals.
        """
        if "Handle" in resource.properties:
            raise ResourceError(
                NOT_MODELLED,
                f"The rehearsal does not model signals: nothing here would tell {resource.logical_id} to go on. "
                "Leave the wait condition out of what you rehearse, by a condition of the template",
            )
        resource.physical_id = f"{scope.stack_id}/{resource.logical_id}"
        resource.attributes = {"Data": "{}"}


HANDLERS: dict[str, Handler] = {
    "AWS::CloudFormation::WaitCondition": WaitCondition(),
    "AWS::CloudFormation::WaitConditionHandle": WaitConditionHandle(),
}
