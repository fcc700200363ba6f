"""Which statements of a bucket's policy let the public in, and which access control lists do.

Source: S3 user guide, "Blocking public access to your Amazon S3 storage", "The meaning of public". That an ARN is fixed
when its account is, is said there of access points alone; of other ARNs it is inferred.
"""

import ipaddress
import re
from collections.abc import Mapping
from typing import Any

from rehearsal.overlays.policy_grammar import base_operator, conditions, principals

#: The canned lists that grant something to everybody, or to everybody who has an account.
PUBLIC_ACLS = ("public-read", "public-read-write", "authenticated-read")

_SOURCE_IP = "aws:sourceip"
_FIXING = frozenset(
    {
        *(
            "aws:sourcearn",
            "aws:sourcevpc",
            "aws:sourcevpce",
            "aws:sourceowner",
            "aws:sourceaccount",
            "aws:sourceorgid",
        ),
        *("aws:principalorgid", "aws:principalorgpaths", "aws:principalaccount", "aws:principalarn", "aws:userid"),
        *("s3:x-amz-server-side-encryption-aws-kms-key-id", "s3:dataaccesspointarn", "s3:dataaccesspointaccount"),
    }
)
_LIMITING = ("StringEquals", "StringEqualsIgnoreCase", "StringLike", "ArnEquals", "ArnLike", "IpAddress")
_LOOSE = re.compile(r"[*?]|\$\{")
_OF_ACCOUNT = re.compile(r"arn:[^:*]+:[^:*]+:[^:]*:\d{12}:.+")
#: The shortest prefixes of networks that are not the public's.
_SHORTEST_PREFIX = {4: 8, 6: 32}


def is_public(statement: Mapping[str, Any]) -> bool:
    """Says whether a statement lets in whom it does not name, whatever fixed values its conditions ask for."""
    if statement.get("Effect") != "Allow":
        return False
    if "Principal" in statement and all(_is_fixed_principal(*named) for named in principals(statement)):
        return False
    return not any(
        _limits(operator) and _is_fixed(key.lower(), [str(one) for one in wanted])
        for operator, key, wanted in conditions(statement)
    )


def _is_fixed_principal(kind: str, name: str) -> bool:
    return kind != "Federated" and not _LOOSE.search(name)


def _limits(operator: str) -> bool:
    """Says whether a request that lacks the key of a condition is let in by it."""
    loose = operator.endswith("IfExists") or operator.startswith("ForAllValues:")
    return not loose and base_operator(operator) in _LIMITING


def _is_fixed(key: str, wanted: list[str]) -> bool:
    if key == _SOURCE_IP:
        return bool(wanted) and all(map(_is_narrow, wanted))
    return key in _FIXING and bool(wanted) and all(not _LOOSE.search(one) or _OF_ACCOUNT.match(one) for one in wanted)


def _is_narrow(network: str) -> bool:
    try:
        read = ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
    return read.is_private or read.prefixlen >= _SHORTEST_PREFIX[read.version]
