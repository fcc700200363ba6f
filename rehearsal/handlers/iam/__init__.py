"""IAM's resource types: roles, instance profiles and policies."""

from rehearsal.handlers.base import Handler
from rehearsal.handlers.iam import policies, roles

HANDLERS: dict[str, Handler] = {**roles.HANDLERS, **policies.HANDLERS}
