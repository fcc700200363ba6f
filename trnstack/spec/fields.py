"""What the format knows at a path: the keys of a section, the forms of a text."""

from types import UnionType
from typing import Any, get_args, get_origin

from pydantic import BaseModel, StringConstraints

from trnstack.findings import Path
from trnstack.spec import Environment


def fields_at(path: Path) -> list[str]:
    """Returns the keys that the format knows at a path; empty where any key goes."""
    return list(dict.fromkeys(name for model in _models_at(path) for name in model.model_fields))


def patterns_at(path: Path) -> list[str]:
    """Returns the patterns of the text that the format knows at a path, or of those in the list that is there."""
    names = tuple(step for step in path if isinstance(step, str))
    fields = [model.model_fields.get(names[-1]) for model in _models_at(names[:-1])] if names else []
    types = [part for field in fields if field for part in (field.annotation, *field.metadata)]
    return list(dict.fromkeys(pattern for each in types for pattern in _patterns_in(each)))


def _models_at(path: Path) -> list[type[BaseModel]]:
    """Returns the sections at a path, of which there may be several types."""
    models: list[type[BaseModel]] = [Environment]
    for step in path:
        if isinstance(step, int):
            continue
        models = [
            inner
            for model in models
            if step in model.model_fields
            for inner in _models_in(model.model_fields[step].annotation)
        ]
    return models


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and not get_args(annotation) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) is None and not isinstance(annotation, UnionType):
        return []
    return [model for part in get_args(annotation) for model in _models_in(part)]


def _patterns_in(part: Any) -> list[str]:
    if isinstance(part, StringConstraints):
        return [str(part.pattern)] if part.pattern else []
    return [pattern for inner in get_args(part) for pattern in _patterns_in(inner)]
