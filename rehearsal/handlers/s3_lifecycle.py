"""Lifecycle rules, which CloudFormation spells otherwise than S3's API."""

from typing import Any

from rehearsal.handlers.base import NOT_MODELLED, Properties, ResourceError

_SAME = {"Id": "ID", "Status": "Status", "AbortIncompleteMultipartUpload": "AbortIncompleteMultipartUpload"}
_EXPIRATION = {
    "ExpirationInDays": "Days",
    "ExpirationDate": "Date",
    "ExpiredObjectDeleteMarker": "ExpiredObjectDeleteMarker",
}
#: What CloudFormation still takes of older templates, and what it stands for.
_SINGULAR = {"Transition": "Transitions", "NoncurrentVersionTransition": "NoncurrentVersionTransitions"}
_FILTER = ("Prefix", "TagFilters", "ObjectSizeGreaterThan", "ObjectSizeLessThan")
_TRANSITION = {"TransitionInDays": "Days", "TransitionDate": "Date", "StorageClass": "StorageClass"}
_NONCURRENT = {
    "TransitionInDays": "NoncurrentDays",
    "NewerNoncurrentVersions": "NewerNoncurrentVersions",
    "StorageClass": "StorageClass",
}


#: What a rule may do, of which it must do something; the list is CloudFormation's own.
#:
#: Source: badmintoncryer/cdk-preflight, rules/s3, pf-s3-lifecycle-rule-no-action, ``meta.yaml``.
_ACTIONS = (
    "ExpirationDate",
    "ExpirationInDays",
    "AbortIncompleteMultipartUpload",
    "Transition",
    "Transitions",
    "NoncurrentVersionExpirationInDays",
    "NoncurrentVersionTransition",
    "NoncurrentVersionTransitions",
    "NoncurrentVersionExpiration",
    "ExpiredObjectDeleteMarker",
)


def lifecycle_rules(configuration: Properties) -> dict[str, Any]:
    """Gives S3's form of the rules in a bucket's ``LifecycleConfiguration``.

    Raises:
        ResourceError: A rule has a property that S3's form has no place for, does nothing, or says a thing twice.

    Source: badmintoncryer/cdk-preflight, rules/s3, pf-s3-lifecycle-transition-singular-plural-exclusive, ``meta.yaml``.
    """
    return {"Rules": [_rule(_plural(rule)) for rule in configuration["Rules"]]}


def smallest_moved(configuration: Properties) -> Properties:
    """Gives the parameter that says how big an object must be to be moved, where a template says it."""
    return {name: value for name, value in configuration.items() if name != "Rules"}


def _plural(rule: Properties) -> Properties:
    if not any(name in rule for name in _ACTIONS):
        raise ResourceError("InvalidRequest", f"At least one of [{','.join(_ACTIONS)}] needs to be specified")
    plural = dict(rule)
    for one, several in _SINGULAR.items():
        if one in rule and several in rule:
            words = f"Invalid request provided: Both {one} and {several} cannot be specified"
            raise ResourceError("InvalidRequest", words)
        if one in rule:
            plural[several] = [plural.pop(one)]
    return plural


def _rule(rule: Properties) -> dict[str, Any]:
    fitted: dict[str, Any] = {"Filter": _filter({name: rule[name] for name in _FILTER if name in rule})}
    for name, value in rule.items():
        if name in _SAME:
            fitted[_SAME[name]] = value
        elif name in _EXPIRATION:
            fitted.setdefault("Expiration", {})[_EXPIRATION[name]] = value
        elif name == "NoncurrentVersionExpiration":
            fitted[name] = value
        elif name == "NoncurrentVersionExpirationInDays":
            fitted["NoncurrentVersionExpiration"] = {"NoncurrentDays": value}
        elif name == "Transitions":
            fitted[name] = [_spelled(transition, _TRANSITION, name) for transition in value]
        elif name == "NoncurrentVersionTransitions":
            fitted[name] = [_spelled(transition, _NONCURRENT, name) for transition in value]
        elif name not in _FILTER:
            raise _unsupported(name)
    return fitted


def _filter(parts: Properties) -> dict[str, Any]:
    """Gives a rule's filter: nothing, one condition, or several joined by ``And``.

    Source: S3 API reference, LifecycleRuleFilter.
    """
    tags = parts.pop("TagFilters", [])
    if len(parts) + len(tags) > 1:
        return {"And": {**parts, **({"Tags": tags} if tags else {})}}
    if tags:
        return {"Tag": tags[0]}
    return parts or {"Prefix": ""}


def _spelled(value: Properties, names: dict[str, str], path: str) -> dict[str, Any]:
    unknown = sorted(set(value) - set(names))
    if unknown:
        raise _unsupported(f"{path}.{unknown[0]}")
    return {names[name]: part for name, part in value.items()}


def _unsupported(path: str) -> ResourceError:
    return ResourceError(NOT_MODELLED, f"The rehearsal does not model property LifecycleConfiguration.Rules.{path}")
