"""What stacks tell people by their outputs, and would tell otherwise: nothing that runs changes by that."""

from collections.abc import Iterator, Mapping
from typing import Any

from trnstack.advice.impact.leaves import equal
from trnstack.advice.impact.model import StackTemplate
from trnstack.advice.impact.symbols import shown
from trnstack.advice.impact.values import Values

_COMMAND = "Command"
#: A longer value, such as a manifest, is told by its name alone.
_LONGEST = 110


def outputs(old: Values, new: Values) -> Iterator[str]:
    """Yields the outputs that differ of stacks which stay, but for exports: stacks read those, and people the others.

    Args:
        old: The old side.
        new: The new side.
    """
    for stack in new.side.stacks.values():
        if stack.name not in old.side.stacks:
            continue
        before, after = _outputs(old, old.side.stacks[stack.name]), _outputs(new, stack)
        for key in dict.fromkeys((*after, *before)):
            if not equal(before.get(key), after.get(key)):
                yield _told(f"the output {key} of {stack.name}", key, before.get(key), after.get(key))


def _outputs(values: Values, stack: StackTemplate) -> dict[str, Any]:
    section = stack.template.get("Outputs")
    return {
        key: values.of(output.get("Value"), stack)
        for key, output in (section.items() if isinstance(section, Mapping) else ())
        if isinstance(output, Mapping) and "Export" not in output and values.exists(output, stack)
    }


def _told(name: str, key: str, before: Any, after: Any) -> str:
    command = key.endswith(_COMMAND)
    if after is None:
        return f"{name} goes{': what it did stays until it is undone' if command else ''}"
    what = f"{name} {'is new' if before is None else 'changes'}"
    if command:
        return f"{what}: run what it says after the deploy, since no stack does it"
    texts = [shown(each) for each in (before, after) if each is not None]
    short = all(len(text) <= _LONGEST and "\n" not in text for text in texts)
    values = f": {' -> '.join(texts)}" if short else ""
    return f"{what}{values}" if before is None else f"{what}{values}; who wrote down the old one takes the new one"
