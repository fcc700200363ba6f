"""Reads YAML that anybody may have written: a few lines of it can name themselves often enough to fill a memory."""

from typing import Any

import yaml

#: Far more than a chart's values have, counted after aliases are followed; keys count too.
MOST_VALUES, DEEPEST = 100_000, 100


class UnreadableError(ValueError):
    """A text is no YAML, or more of it than anybody writes."""


def loaded(content: bytes) -> Any:
    """Returns what a YAML document holds; None where there is none.

    Raises:
        UnreadableError: It is no YAML, nested too deep, or holds too much once its aliases are followed.
    """
    try:
        loader = yaml.CSafeLoader(content)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _measured(node, {})
            return loader.construct_document(node)
        finally:
            loader.dispose()
    # What a tag makes of a text that is none of its kind, PyYAML tells with whatever exception comes of it.
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
        raise UnreadableError from None


def _measured(node: yaml.Node, known: dict[int, tuple[int, int] | None]) -> tuple[int, int]:
    """Returns how many values a node holds, itself among them, and how deep they are nested."""
    if id(node) in known:
        found = known[id(node)]
        if found is None:
            raise UnreadableError  # it holds itself
        return found
    known[id(node)] = None
    below: list[yaml.Node] = []
    if isinstance(node, yaml.MappingNode):
        below = [each for pair in node.value for each in pair]
    elif isinstance(node, yaml.SequenceNode):
        below = node.value
    count, depth = 1, 1
    for each in below:
        inner, deep = _measured(each, known)
        count, depth = count + inner, max(depth, deep + 1)
        if count > MOST_VALUES or depth > DEEPEST:
            raise UnreadableError
    known[id(node)] = count, depth
    return count, depth
