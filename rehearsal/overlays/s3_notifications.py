"""Whom a bucket may tell what happens in it: a topic, a queue or a function that is there and lets S3 in.

Source: users who met it as CloudFormation makes buckets: serverless/serverless issues 10247 and 12361,
hashicorp/terraform issue 19756, aws/aws-cdk issue 20127; localstack/localstack, tests/aws/services/s3,
test_s3_notifications_*.snapshot.json, answers of S3; badmintoncryer/cdk-preflight, rules/s3,
pf-s3-notification-destination-region and -duplicate-filter-type, deploys of September 2026; S3 user guide, "Granting
permissions to publish event notification messages to a destination" and "Configuring event notifications using object
key name filtering"; of overlaps with filters, awslabs/cdk-serverless-clamscan issue 612 and serverless/serverless issue
6423, and without, minio/minio issue 2472 and hashicorp/terraform-provider-aws issue 765. Which words S3 has where one
of two has filters is not published.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import combinations, product
from typing import Any

from moto.awslambda.exceptions import UnknownFunctionException
from moto.awslambda.models import lambda_backends
from moto.sns.models import sns_backends
from moto.sqs.models import sqs_backends

from rehearsal.overlays.arns import Arn, parsed
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.policy_grammar import conditions, principals
from rehearsal.overlays.trust import knows_all_of, listed, statements

_KINDS = {"TopicConfiguration": "Topic", "QueueConfiguration": "Queue", "CloudFunctionConfiguration": "CloudFunction"}
_ACTIONS = {"Topic": "sns:publish", "Queue": "sqs:sendmessage", "CloudFunction": "lambda:invokefunction"}
_S3 = "s3.amazonaws.com"
#: The condition of the policy that SNS gives to a new topic, which S3 does not meet.
_OWNER = "aws:sourceowner"
_OVERLAP = "Configurations overlap. Configurations on the same bucket cannot share a common event type."
_AMBIGUOUS = (
    "Configuration is ambiguously defined. Cannot have overlapping suffixes in two rules if the prefixes are "
    "overlapping for the same event type."
)


def check_notifications(bucket: Any, configuration: Mapping[str, Any]) -> None:
    """Refuses destinations that a bucket can't reach, filters that say a thing twice, and rules that overlap.

    Of an account of somebody's it is not known what is not there, so only the rehearsal's own is looked at.

    Args:
        bucket: moto's record of the bucket.
        configuration: ``NotificationConfiguration`` of the request, by S3's element names.

    Raises:
        OverlayError: S3's ``InvalidArgument``.
    """
    for kind, entry in _entries(configuration):
        for name, times in Counter(name for name, _ in _filters(entry)).items():
            if times > 1:
                raise _invalid(f"Cannot specify more than one {name} rule in a filter.")
        text = entry[kind]
        arn = parsed(text)
        if arn is None:
            raise _invalid("The ARN could not be parsed")
        if arn.region != bucket.region_name:
            words = "The notification destination service region is not valid for the bucket location constraint"
            raise _invalid(words)
        if knows_all_of(arn.account) and not _lets_in(kind, text, arn):
            raise _invalid("Unable to validate the following destination configurations")
    for one, other in combinations([entry for _, entry in _entries(configuration)], 2):
        if _share_an_event(one, other) and _share_a_key(one, other):
            raise _invalid(_AMBIGUOUS if _filters(one) or _filters(other) else _OVERLAP)


def _entries(configuration: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for element, kind in _KINDS.items():
        for entry in listed(configuration.get(element) or []):
            yield kind, entry


def _filters(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Gives the filters of an entry, each by its name, ``prefix`` or ``suffix``, in small letters."""
    rules = listed(((entry.get("Filter") or {}).get("S3Key") or {}).get("FilterRule", []))
    return [(str(rule.get("Name")).lower(), str(rule.get("Value") or "")) for rule in rules]


def _share_an_event(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Says whether an event is told twice; of an event's name the end alone is ever a ``*``."""
    pairs = product(*([str(name).removesuffix("*") for name in listed(entry["Event"])] for entry in (one, other)))
    return any(_is_within(left, right) or _is_within(right, left) for left, right in pairs)


def _is_within(name: str, other: str) -> bool:
    return name == other or (other.endswith(":") and name.startswith(other))


def _share_a_key(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Says whether an object's name can pass both filters; of prefixes, as of suffixes, one is then in the other."""
    left, right = dict(_filters(one)), dict(_filters(other))
    begins = [filters.get("prefix", "") for filters in (left, right)]
    ends = [filters.get("suffix", "") for filters in (left, right)]
    return (begins[0].startswith(begins[1]) or begins[1].startswith(begins[0])) and (
        ends[0].endswith(ends[1]) or ends[1].endswith(ends[0])
    )


def _lets_in(kind: str, text: str, arn: Arn) -> bool:
    """Says whether a destination is there and its policy lets S3 send it something."""
    policy = _POLICIES[kind](text, arn)
    return policy is not None and any(_allows(one, _ACTIONS[kind]) for one in statements(policy))


def _allows(statement: Mapping[str, Any], action: str) -> bool:
    allowed = (str(pattern).lower() for pattern in listed(statement.get("Action", [])))
    keys = {key.lower() for _, key, _ in conditions(statement)}
    named = [name for kind, name in principals(statement) if kind == "Service" or name == "*"]
    return (
        statement.get("Effect") == "Allow"
        and any(fnmatchcase(action, pattern) for pattern in allowed)
        and any(name in (_S3, "*") for name in named)
        and not (_OWNER in keys and _S3 not in named)
    )


def _of_topic(text: str, arn: Arn) -> Any:
    topic: Any = sns_backends[arn.account][arn.region].topics.get(text)
    return None if topic is None else topic.policy


def _of_queue(_: str, arn: Arn) -> Any:
    queue: Any = sqs_backends[arn.account][arn.region].queues.get(arn.resource)
    return None if queue is None else queue.policy or {}


def _of_function(text: str, arn: Arn) -> Any:
    """Gives the permissions of a function; of whichever of its versions and aliases, which moto keeps as one policy."""
    backend: Any = lambda_backends[arn.account][arn.region]
    try:
        return {"Statement": backend.get_function(text).policy.statements}
    except UnknownFunctionException:
        return None


_POLICIES = {"Topic": _of_topic, "Queue": _of_queue, "CloudFunction": _of_function}


def _invalid(message: str) -> OverlayError:
    return OverlayError("InvalidArgument", message)
