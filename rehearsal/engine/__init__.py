"""Brings stacks from what they are to what their templates ask for, as CloudFormation does."""

from rehearsal.engine.engine import Engine, Operation
from rehearsal.engine.preview import Change, Detail, Preview
from rehearsal.engine.retention import Policies, Retention

__all__ = ["Change", "Detail", "Engine", "Operation", "Policies", "Preview", "Retention"]
