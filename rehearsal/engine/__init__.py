"""Brings stacks from what they are to what their templates ask for, as CloudFormation does."""

from rehearsal.engine.changes import Change, Detail, Preview
from rehearsal.engine.engine import Engine
from rehearsal.engine.performing import Operation
from rehearsal.engine.retention import Policies, Retention

__all__ = ["Change", "Detail", "Engine", "Operation", "Policies", "Preview", "Retention"]
