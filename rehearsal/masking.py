"""Hides what ``NoEcho`` parameters hold, wherever properties are shown: in events and change sets.

Outputs and metadata are shown as they are, as CloudFormation shows them.

Source: CloudFormation user guide, "CloudFormation template Parameters syntax", ``NoEcho``. How much of a text is
hidden into which a secret went is unconfirmed: here the secret alone where it can be seen in the text, and all of it
otherwise.
"""

from collections.abc import Collection, Mapping
from typing import Any

from rehearsal.templates.arguments import call
from rehearsal.templates.parameters import HIDDEN, Parameters
from rehearsal.templates.references import references

Secrets = Mapping[str, Collection[str]]
"""What is to be hidden: the texts that each secret parameter holds or held, by its name."""


def secrets(*parameters: Parameters) -> Secrets:
    """Gives what the secret parameters among some hold; of one name it may be several texts, an old and a new one."""
    found: dict[str, set[str]] = {}
    for one in parameters:
        for name, parameter in one.items():
            if parameter.no_echo:
                found.setdefault(name, set()).add(parameter.text)
    return found


def masked(source: Any, value: Any, hidden: Secrets) -> Any:
    """Gives a resolved value without what secret parameters put into it.

    Args:
        source: What the template says in its place, functions and all.
        value: The resolved value, which is left as it is.
        hidden: The secrets.
    """
    if not hidden or value is None:
        return value
    if call(source) is not None or not _alike(source, value):
        mentioned = hidden.keys() & {one.target for one in references(source)}
        return _without(value, {text for name in mentioned for text in hidden[name] if text}) if mentioned else value
    if isinstance(value, dict):
        return {key: masked(source[key], member, hidden) if key in source else member for key, member in value.items()}
    if isinstance(value, list):
        return [masked(part, member, hidden) for part, member in zip(source, value, strict=True)]
    return value


def _alike(source: Any, value: Any) -> bool:
    """Says whether the parts of a value stand where the template has them: members that are left out move a list's."""
    if isinstance(value, list):
        return isinstance(source, list) and len(source) == len(value)
    return isinstance(value, dict) == isinstance(source, dict)


def _without(value: Any, texts: Collection[str]) -> Any:
    shown = _replaced(value, texts)
    return HIDDEN if shown == value else shown


def _replaced(value: Any, texts: Collection[str]) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(member, texts) for key, member in value.items()}
    if isinstance(value, list):
        return [_replaced(member, texts) for member in value]
    shown = str(value)
    for text in sorted(texts, key=len, reverse=True):
        shown = shown.replace(text, HIDDEN)
    return value if shown == str(value) else shown
