"""Asks AWS and container registries, once, when a person locks an environment."""

from ami.resolve.add_ons import Offered, offered_add_on
from ami.resolve.asking import Failure, NoAccountError, Progress, ResolveError, UnansweredError
from ami.resolve.aws import Aws, Clients, connect
from ami.resolve.node_images import recommended_release_version
from ami.resolve.resolving import Resolved, for_environment, resolve

__all__ = [
    "Aws",
    "Clients",
    "Failure",
    "NoAccountError",
    "Offered",
    "Progress",
    "ResolveError",
    "Resolved",
    "UnansweredError",
    "connect",
    "for_environment",
    "offered_add_on",
    "recommended_release_version",
    "resolve",
]
