"""What CloudFormation's API asks of names and tags before it looks at anything else.

Source: CloudFormation API reference, CreateStack and CreateChangeSet; the words for a name that does not match are
quoted in hashicorp/terraform-provider-aws 42668, those for the stack of a change set recorded from AWS in
localstack/localstack, tests/aws/services/cloudformation/api, test_stacks.snapshot.json; for too many tags they are
quoted in aws/aws-cdk 7612, for a tag's value in szuecs/kube-static-egress-controller 35, for the reserved prefix in
aws-quickstart/quickstart-examples 39, for one key twice in cilium/cilium 44695. Of the other sizes the words follow
these.
"""

import re
from collections.abc import Mapping

from rehearsal.api.errors import ApiError

NAME = r"[a-zA-Z][-a-zA-Z0-9]*"
NAME_OR_ARN = rf"{NAME}|arn:[-a-zA-Z0-9:/._+]*"
MAX_NAME_CHARACTERS = 128
MAX_TAGS = 50
MAX_TAG_CHARACTERS: Mapping[str, int] = {"Key": 128, "Value": 256}
RESERVED = "aws:"


def check_name(member: str, name: str, pattern: str = NAME) -> None:
    """Refuses the name of a stack or of a change set that is to be made.

    Args:
        member: The parameter that holds it, such as ``stackName``.
        name: The name.
        pattern: What the answer says of the parameter, which may hold an ARN as well.

    Raises:
        ApiError: It does not match the pattern, or is longer than 128 characters.
    """
    if not re.fullmatch(NAME, name):
        raise _refused(name, member, f"Member must satisfy regular expression pattern: {pattern}")
    _check_length(name, member, MAX_NAME_CHARACTERS)


def check_tags(tags: list[Mapping[str, str]]) -> None:
    """Refuses more than 50 tags, tags that are too long, keys that begin with ``aws:``, and a key that comes twice.

    Raises:
        ApiError: The first that is not allowed.
    """
    if len(tags) > MAX_TAGS:
        raise _refused(str(tags), "tags", f"Member must have length less than or equal to {MAX_TAGS}")
    for number, tag in enumerate(tags, start=1):
        for part, most in MAX_TAG_CHARACTERS.items():
            _check_length(tag[part], f"tags.{number}.member.{part.lower()}", most)
        if tag["Key"].lower().startswith(RESERVED):
            raise ApiError(f"{RESERVED} prefixed tag key names are not allowed for external use.")
    if len({tag["Key"] for tag in tags}) < len(tags):
        raise ApiError("Tags contain duplicate keys; tag keys must be unique")


def _check_length(value: str, member: str, most: int) -> None:
    if len(value) > most:
        raise _refused(value, member, f"Member must have length less than or equal to {most}")


def _refused(value: str, member: str, constraint: str) -> ApiError:
    return ApiError(
        f"1 validation error detected: Value '{value}' at '{member}' failed to satisfy constraint: {constraint}"
    )
