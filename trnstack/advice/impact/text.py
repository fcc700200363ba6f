"""Reads the text of a template, JSON or YAML with CloudFormation's short function tags, into plain data."""

from typing import Any

import yaml


class TemplateLoader(yaml.SafeLoader):
    """Reads YAML as CloudFormation does: short function tags are written out, and dates stay text."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def document(body: str) -> dict[str, Any]:
    """Returns a template's text as plain data; ``!Ref x`` is ``{"Ref": "x"}``.

    Raises:
        ValueError: It is neither JSON nor YAML, or no object.
    """
    try:
        found = yaml.load(body, TemplateLoader)  # noqa: S506 - TemplateLoader is a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" at line {mark.line + 1}" if mark else ""
        raise ValueError(f"is neither JSON nor YAML{place}") from error
    if not isinstance(found, dict):
        raise ValueError("is no object with sections")  # noqa: TRY004 - what is wrong is the text, not a type of ours
    return found


def _function(loader: TemplateLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    value: Any = None
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix in {"Ref", "Condition"} else f"Fn::{suffix}": value}


TemplateLoader.add_multi_constructor("!", _function)
