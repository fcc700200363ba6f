"""Brings stacks from what they are to what their templates ask for, as CloudFormation does."""

from rehearsal.engine.engine import Engine, Operation, Retention
from rehearsal.engine.preview import Change, Detail, Preview

__all__ = ["Change", "Detail", "Engine", "Operation", "Preview", "Retention"]
