"""What EC2, EKS and FSx refuse of tags, whatever it is that carries them.

It is looked at before a resource's handler is called, since handlers give the services maps, in which no key is twice.
The tags that CloudFormation itself adds, and those that a service does, count for nothing.

Source: EC2 user guide, "Tag your Amazon EC2 resources", tag restrictions; Tag Editor user guide, "Tag naming limits and
requirements". EC2's words and codes as people quote them: cloud-custodian/cloud-custodian 3792 and
scylladb/scylla-cluster-tests 1532 (a key twice), kubernetes-sigs/cluster-api-provider-aws 5120 and 5461 and
chef-boneyard/chef-provisioning-aws 555 (``aws:``), iriusrisk/GoCD-EC2-Elastic-Agent-Plugin 24 (a long value);
getmoto/moto 8150 (too many). Not confirmed: the words about a long key; that CreateLaunchTemplate refuses, and not only
RunInstances later; every word of EKS and FSx, whose codes are those of their other refusals of parameters.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rehearsal.handlers.base import Properties, Resource, ResourceError
from rehearsal.stack import Stack

_MOST_TAGS, _LONGEST_KEY, _LONGEST_VALUE = 50, 128, 256
_RESERVED = "aws:"

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TagRule:
    """With which codes a service refuses tags.

    Attributes:
        code: Its code for a tag that it can't take.
        too_many: Its code for more than fifty.
        sees_pairs: Whether its API takes a list, in which a key can be twice; a map leaves the template's last one.
    """

    code: str
    too_many: str
    sees_pairs: bool = True


#: By what a type's name begins with.
_RULES: Mapping[str, TagRule] = MappingProxyType(
    {
        "AWS::EC2::": TagRule(code="InvalidParameterValue", too_many="TagLimitExceeded"),
        "AWS::EKS::": TagRule(code="InvalidParameterException", too_many="InvalidParameterException", sees_pairs=False),
        "AWS::FSx::": TagRule(code="BadRequest", too_many="BadRequest"),
    }
)


def check_tags(stack: Stack, resource: Resource, verb: str, properties: Properties) -> None:
    """Refuses to create or update a resource with tags that its service does not take.

    The stack's tags are counted with the resource's own, of which one of the same key stands in a stack tag's place.

    Raises:
        ResourceError: A tag, or the number of them, is refused.
    """
    rule = next((rule for prefix, rule in _RULES.items() if resource.type.startswith(prefix)), None)
    if verb == "DELETE" or rule is None:
        return
    own = _pairs(properties.get("Tags"))
    for pairs in (own, *_specified(properties), *_specified(properties.get("LaunchTemplateData"))):
        _check(pairs, rule)
    if own and len(stack.deployment.tags.keys() | {key for key, _ in own}) > _MOST_TAGS:
        raise _too_many(rule)


def _check(pairs: Pairs, rule: TagRule) -> None:
    times = Counter(key for key, _ in pairs)
    for key, value in pairs:
        if key.lower().startswith(_RESERVED):
            message = (
                f"Value ( {key} ) for parameter key is invalid. Tag keys starting with 'aws:' are reserved for "
                "internal use"
            )
            raise ResourceError(rule.code, message)
        if rule.sees_pairs and times[key] > 1:
            raise ResourceError(rule.code, f"Duplicate tag key '{key}' specified.")
        if len(key) > _LONGEST_KEY:
            raise ResourceError(rule.code, f"Tag key exceeds the maximum length of {_LONGEST_KEY} characters")
        if len(value) > _LONGEST_VALUE:
            raise ResourceError(rule.code, f"Tag value exceeds the maximum length of {_LONGEST_VALUE} characters")
    if len(times) > _MOST_TAGS:
        raise _too_many(rule)


def _too_many(rule: TagRule) -> ResourceError:
    return ResourceError(rule.too_many, "The maximum number of Tags for a resource has been reached.")


def _specified(properties: Any) -> Iterator[Pairs]:
    """Yields the tags of what a launch template makes, and of itself, which are not the resource's ``Tags``."""
    for specification in (properties or {}).get("TagSpecifications") or ():
        yield _pairs(specification.get("Tags"))


def _pairs(tags: Any) -> Pairs:
    """Gives tags as pairs, whether the type has a map or a list of ``Key`` and ``Value``."""
    if isinstance(tags, Mapping):
        return [(str(key), str(value)) for key, value in tags.items()]
    return [(str(tag.get("Key", "")), str(tag.get("Value", ""))) for tag in tags or ()]
