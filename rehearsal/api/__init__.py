"""Answers CloudFormation's API over the engine."""

from rehearsal.api.cloudformation import CloudFormation
from rehearsal.api.errors import ApiError

__all__ = ["ApiError", "CloudFormation"]
