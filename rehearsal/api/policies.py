"""The actions on stack policies, and how requests bring policies along."""

from moto.core.responses import ActionResult, EmptyResult

from rehearsal.addresses import downloaded
from rehearsal.api.base import Actions
from rehearsal.api.errors import ApiError
from rehearsal.engine import Policies, policy
from rehearsal.stack import Deployment, Stack

OWN, DURING_UPDATE = "StackPolicy", "StackPolicyDuringUpdate"


class PolicyActions(Actions):
    """Sets and shows stack policies."""

    def set_stack_policy(self) -> EmptyResult:
        """Gives a stack another policy; it can't be without one again, but ``{}`` restricts nothing."""
        text = self.policy_text(OWN)
        if text is None:
            raise ApiError("Either StackPolicyBody or StackPolicyURL must be specified")
        with self.engine.world.lock:
            stack = self.stack()
            policy.parse(text).check_names(self.engine.present(stack, stack.deployment))
            stack.policy = text
        return EmptyResult()

    def get_stack_policy(self) -> ActionResult:
        """Shows the policy that is in force: as long as an update lasts, the one that came with it."""
        text = self.stack().policy_in_force
        return ActionResult({} if text is None else {"StackPolicyBody": text})

    def policy_text(self, prefix: str) -> str | None:
        """Reads a policy from the request, from its text or from the address of one; None where there is neither.

        Raises:
            ApiError: There are both, or what is at the address can't be read or is too long.
        """
        body: str | None = self.asked(f"{prefix}Body")
        url: str | None = self.asked(f"{prefix}URL")
        if body is not None and url is not None:
            raise ApiError(f"You cannot specify both {prefix}URL and {prefix}Body")
        if url is not None:
            text = downloaded(url, self.client("s3"))
            body = text if len(text.encode()) <= policy.LONGEST_BYTES else self._too_long(prefix)
        elif body is not None and len(body.encode()) > policy.LONGEST_BYTES:
            self._too_long(prefix)
        return body

    def first_policy(self, stack: Stack, deployment: Deployment) -> str | None:
        """Reads the policy that a new stack is to have.

        Raises:
            PolicyError: It is no policy, or names a resource that the stack won't have.
        """
        text = self.policy_text(OWN)
        policy.parse(text).check_names(self.engine.present(stack, deployment))
        return text

    def policies(self, stack: Stack, deployment: Deployment) -> Policies:
        """Reads the policies that come with an update, and checks them and the one that is in force.

        Raises:
            PolicyError: One is no policy, or names a resource that the stack won't have after the update.
        """
        found = Policies(during=self.policy_text(DURING_UPDATE), after=self.policy_text(OWN))
        present = self.engine.present(stack, deployment)
        for text in (found.during, found.after):
            policy.parse(text).check_names(present)
        self.check_policy_stays(stack, deployment)
        return found

    def check_policy_stays(self, stack: Stack, deployment: Deployment) -> None:
        """Refuses an update that takes away a resource which the stack's policy names.

        Raises:
            PolicyError: In CloudFormation's words.
        """
        present = self.engine.present(stack, deployment)
        policy.parse(stack.policy).check_names(present, words="existing stack policy")

    def _too_long(self, prefix: str) -> str:
        member = prefix[0].lower() + prefix[1:]
        raise ApiError(
            f"1 validation error detected: Value at '{member}Body' failed to satisfy constraint: "
            f"Member must have length less than or equal to {policy.LONGEST_BYTES}"
        )
