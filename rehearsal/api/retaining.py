"""What a deletion may leave in the account: only that of a stack whose deletion has failed leaves anything.

Source: CloudFormation API reference, DeleteStack, ``RetainResources`` and ``DeletionMode``. The words are quoted in
rebuy-de/aws-nuke 270 and awslabs/eks-perf-tests 517; that a name which is of no resource gets those of one that is
deleted follows Eucalyptus, which words its own CloudFormation as AWS does.
"""

from collections.abc import Collection

from rehearsal.api.errors import ApiError
from rehearsal.stack import Stack

FAILED = "DELETE_FAILED"


def check_retained(stack: Stack, retained: Collection[str]) -> None:
    """Refuses to leave resources of a stack where none may be left, and those that are not there.

    Raises:
        ApiError: In CloudFormation's words.
    """
    if not retained:
        return
    if stack.status != FAILED:
        raise ApiError(
            f"Invalid operation on stack [{stack.id}]. When you delete a stack, specify which resources to retain only "
            f"when the stack is in the {FAILED} state."
        )
    gone = {name for name, record in stack.records.items() if record.status == "DELETE_COMPLETE"}
    if any(name in gone or name not in stack.records for name in retained):
        raise ApiError(
            "The specified resources to retain must be in a valid state. "
            "Do not specify resources that are in the DELETE_COMPLETE state."
        )


def check_forced(stack: Stack) -> None:
    """Refuses to force the deletion of a stack whose deletion has not failed.

    Raises:
        ApiError: In CloudFormation's words.
    """
    if stack.status != FAILED:
        raise ApiError(
            f"Invalid operation on stack [{stack.id}]. You can activate DeletionMode FORCE_DELETE_STACK in a delete "
            f"stack operation only when the stack is in the {FAILED} state."
        )
