"""Buckets that are websites, which CloudFormation spells otherwise than S3's API.

Source: S3 API reference, PutBucketWebsite; badmintoncryer/cdk-preflight, rules/s3, pf-s3-website-*, deploys of
September 2026: what CloudFormation itself refuses, in its words.
"""

from typing import Any

from rehearsal.handlers.api import split
from rehearsal.handlers.base import Properties, ResourceError

_OTHERS = ("IndexDocument", "ErrorDocument", "RoutingRules")
_RULE = {"RedirectRule": "Redirect", "RoutingRuleCondition": "Condition"}


def website(configuration: Properties) -> dict[str, Any]:
    """Gives S3's form of a bucket's ``WebsiteConfiguration``.

    Raises:
        ResourceError: Its parts don't go together.
    """
    given = {name: value for name, value in configuration.items() if value}
    if "RedirectAllRequestsTo" in given:
        if any(name in given for name in _OTHERS):
            words = f"[{', '.join(_OTHERS)}] should not be specified if RedirectAllRequestsTo is specified"
            raise _invalid(words)
        return configuration
    if "IndexDocument" not in given:
        raise _invalid("Invalid request provided: Property IndexDocument cannot be empty.")
    documents, rest = split(given, "IndexDocument", "ErrorDocument")
    fitted = {**rest, "IndexDocument": {"Suffix": documents["IndexDocument"]}}
    if "ErrorDocument" in documents:
        fitted["ErrorDocument"] = {"Key": documents["ErrorDocument"]}
    if "RoutingRules" in rest:
        fitted["RoutingRules"] = [_rule(rule) for rule in rest["RoutingRules"]]
    return fitted


def _rule(rule: Properties) -> dict[str, Any]:
    redirect = rule.get("RedirectRule") or {}
    if {"ReplaceKeyWith", "ReplaceKeyPrefixWith"} <= set(redirect):
        words = "Invalid request provided: Both ReplaceKeyWith and ReplaceKeyPrefixWith cannot be specified"
        raise _invalid(words)
    return {_RULE.get(name, name): value for name, value in rule.items()}


def _invalid(message: str) -> ResourceError:
    return ResourceError("InvalidRequest", message)
