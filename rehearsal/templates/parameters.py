"""Gives a template's parameters their values, and refuses those that CloudFormation would refuse."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from rehearsal.limits import check_value
from rehearsal.templates import declarations
from rehearsal.templates.template import Document, Template, TemplateError

HIDDEN = "****"

Stored = Callable[[Iterable[str]], Mapping[str, str]]
"""Reads Systems Manager parameters, by their names; it raises TemplateError where one is not there or can't be read."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a caller says of one parameter: its value, or that the stack's previous value is to be kept."""

    value: str | None = None
    use_previous: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter with its value.

    Attributes:
        name: Its name in the template.
        text: The value as it was given; of a Systems Manager type, the name of the stored parameter.
        value: What ``Ref`` gives: text, or a list of texts.
        resolved: The text that Systems Manager keeps under ``text``; None for other types.
        no_echo: Whether the value is hidden in answers.
    """

    name: str
    text: str
    value: str | list[str]
    resolved: str | None = None
    no_echo: bool = False

    def described(self) -> Document:
        """Gives the parameter as ``DescribeStacks`` shows it."""
        shown = {"ParameterKey": self.name, "ParameterValue": HIDDEN if self.no_echo else self.text}
        return shown if self.resolved is None else {**shown, "ResolvedValue": self.resolved}


Parameters = Mapping[str, Parameter]


def parameters(template: Template, given: Mapping[str, Given], previous: Parameters, stored: Stored) -> Parameters:
    """Gives every parameter of a template its value.

    Args:
        template: The template.
        given: What the caller says, by parameter name.
        previous: The values that the stack has now.
        stored: Reads Systems Manager parameters.

    Raises:
        TemplateError: A value is missing, is of no parameter of the template, or is not allowed.

    Source: the words for a template without parameters are quoted by users of CreateStack; those for a value of Systems
    Manager that nobody gave are recorded from AWS in localstack/localstack,
    tests/aws/services/cloudformation/test_template_engine.snapshot.json.
    """
    declared = template.section("Parameters")
    strangers = sorted(set(given) - set(declared))
    if strangers and not declared:
        raise TemplateError("Parameter values specified for a template which does not require them.")
    if strangers:
        raise TemplateError(f"Parameters: [{', '.join(strangers)}] do not exist in the template")
    texts = {name: _text(name, declaration, given.get(name), previous) for name, declaration in declared.items()}
    missing = sorted(name for name, text in texts.items() if text is None)
    in_store = {name for name, declaration in declared.items() if _is_stored(declaration)}
    for name in missing:
        if name in in_store:
            raise TemplateError(f"Parameter {name} should either have input value or default value")
    if missing:
        raise TemplateError(f"Parameters: [{', '.join(missing)}] must have values")
    for name, text in texts.items():
        declarations.check_value(name, declared[name], str(text))
    values = stored(dict.fromkeys(str(texts[name]) for name in texts if name in in_store)) if in_store else {}
    return {name: _parameter(name, declared[name], str(text), values) for name, text in texts.items()}


def _text(name: str, declaration: Document, given: Given | None, previous: Parameters) -> str | None:
    if given is not None and given.use_previous:
        if name not in previous:
            raise TemplateError(
                f"Invalid input for parameter key {name}. "
                "Cannot specify usePreviousValue as true for a parameter key not in the previous template"
            )
        return previous[name].text
    if given is not None and given.value is not None:
        check_value(name, given.value)
        return given.value
    default = declaration.get("Default")
    return None if default is None else declarations.written(default)


def _parameter(name: str, declaration: Document, text: str, values: Mapping[str, str]) -> Parameter:
    resolved = values[text] if _is_stored(declaration) else None
    content = text if resolved is None else resolved
    return Parameter(
        name=name,
        text=text,
        value=declarations.items(content) if declarations.is_list(declaration) else content,
        resolved=resolved,
        no_echo=str(declaration.get("NoEcho", False)).lower() == "true",
    )


def _is_stored(declaration: Document) -> bool:
    return declarations.SSM_VALUE.fullmatch(declaration["Type"]) is not None
