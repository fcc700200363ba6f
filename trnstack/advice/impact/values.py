"""Works out what the values of a template are, as far as they are known before a deploy.

References stay references, by stack and logical id, also across stacks: an import becomes what the other stack exports,
and what a stack reads from the parameter store what another one writes there.
So two templates that say the same in other words, by ``Fn::Join`` or ``Fn::Sub``, are equal.

Source: CloudFormation template reference, intrinsic functions, pseudo parameters and condition functions.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from trnstack.advice.impact.model import Side, StackTemplate
from trnstack.advice.impact.symbols import Reference, Text, text

NO_VALUE: Final = object()
#: What a function gives that can't be worked out before a deploy.
UNKNOWN: Final = object()

_PAIR = 2
_PLACEHOLDER = re.compile(r"\$\{([^!}][^}]*)\}")
_PARTITIONS = {"cn-": "aws-cn", "us-gov-": "aws-us-gov"}
#: What CloudFormation asks a parameter store for, when it deploys.
_VALUE = "AWS::SSM::Parameter::Value<String>"
_ASKED = ("AWS::SSM::Parameter::Value", "AWS::SSM::Parameter::Name")
_PARAMETER = "AWS::SSM::Parameter"


@dataclass
class Values:
    """The values of one side.

    Attributes:
        side: The side.
        account: The account that both sides are in; None where it is not known.
        known_as: Resources that are written by their names, by these.
    """

    side: Side
    account: str | None
    known_as: Mapping[str, Reference] = field(default_factory=dict)
    _exporting: set[str] = field(default_factory=set)

    @cached_property
    def exports(self) -> Mapping[str, tuple[StackTemplate, Any]]:
        """What the stacks export, by name: the stack and the value as it is written."""
        found = {}
        for stack in self.side.stacks.values():
            for output in _section(stack, "Outputs").values():
                if isinstance(output, Mapping) and isinstance(output.get("Export"), Mapping):
                    name = self.of(output["Export"].get("Name"), stack)
                    if isinstance(name, str) and self.exists(output, stack):
                        found[name] = (stack, output.get("Value"))
        return found

    @cached_property
    def stored(self) -> Mapping[str, tuple[StackTemplate, Any]]:
        """What the stacks write to the parameter store, by name: the stack and the value as it is written."""
        found = {}
        for stack in self.side.stacks.values():
            for resource in self.resources(stack).values():
                properties = resource.get("Properties")
                if resource.get("Type") == _PARAMETER and isinstance(properties, Mapping):
                    name = self.of(properties.get("Name"), stack)
                    if isinstance(name, str):
                        found[name] = (stack, properties.get("Value"))
        return found

    def exported(self, name: str) -> Any:
        """Returns the value that is exported under a name, worked out."""
        stack, value = self.exports[name]
        return self.of(value, stack)

    def resources(self, stack: StackTemplate) -> Mapping[str, Mapping[str, Any]]:
        """Returns the resources that a stack has, by logical id; those whose condition does not hold are left out."""
        members = _section(stack, "Resources").items()
        return {name: made for name, made in members if isinstance(made, Mapping) and self.exists(made, stack)}

    def exists(self, member: Mapping[str, Any], stack: StackTemplate) -> bool:
        """Says whether the condition of a resource or output holds; where it is not known, it may."""
        name = member.get("Condition")
        return not isinstance(name, str) or self.condition(name, stack) is not False

    def of(self, value: Any, stack: StackTemplate) -> Any:
        """Returns a value with everything filled in that is known."""
        if isinstance(value, list):
            return [made for member in value if (made := self.of(member, stack)) is not NO_VALUE]
        if isinstance(value, str):
            return self._recognized(value) if self.known_as else value
        if not isinstance(value, Mapping):
            return value
        if len(value) == 1:
            ((key, argument),) = value.items()
            if key == "Ref" or str(key).startswith("Fn::"):
                return self._function(key, argument, stack)
        members = {key: self.of(member, stack) for key, member in value.items()}
        return {key: member for key, member in members.items() if member is not NO_VALUE}

    def _recognized(self, value: str) -> Any:
        """Returns a text in which names that are known are references to what they name."""
        names = "|".join(map(re.escape, self.known_as))
        parts = re.split(rf"(?<![a-z0-9.-])({names})(?![a-z0-9.-])", value)
        return text([self.known_as.get(part, part) for part in parts])

    def condition(self, name: str, stack: StackTemplate) -> bool | None:
        """Says whether a condition of the template holds; None where that is not known."""
        return self._holds(_section(stack, "Conditions").get(name), stack, frozenset({name}))

    def _holds(self, rule: Any, stack: StackTemplate, within: frozenset[str]) -> bool | None:
        match rule:
            case {"Condition": str(name)} if name not in within:
                return self._holds(_section(stack, "Conditions").get(name), stack, within | {name})
            case {"Fn::Equals": [left, right]}:
                return self._equals(self.of(left, stack), self.of(right, stack))
            case {"Fn::Not": [part]}:
                holds = self._holds(part, stack, within)
                return None if holds is None else not holds
            case {"Fn::And": [*parts]}:
                found = [self._holds(part, stack, within) for part in parts]
                return False if False in found else None if None in found else True
            case {"Fn::Or": [*parts]}:
                found = [self._holds(part, stack, within) for part in parts]
                return True if True in found else None if None in found else False
        return None

    def _equals(self, left: Any, right: Any) -> bool | None:
        if any(isinstance(each, Reference | Text | Mapping) for each in (left, right)):
            return True if left == right else None
        return str(left) == str(right)

    def _function(self, key: str, argument: Any, stack: StackTemplate) -> Any:
        """Returns what a function gives; itself, with its arguments filled in, where that is not known yet."""
        work = _FUNCTIONS.get(key)
        made = UNKNOWN if work is None else work(self, argument, stack)
        return {key: self.of(argument, stack)} if made is UNKNOWN else made

    def _reference(self, argument: Any, stack: StackTemplate) -> Any:
        return self._ref(argument, stack) if isinstance(argument, str) else UNKNOWN

    def _attribute(self, argument: Any, stack: StackTemplate) -> Any:
        parts = argument.split(".", 1) if isinstance(argument, str) else argument
        if isinstance(parts, list) and len(parts) == _PAIR and all(isinstance(part, str) for part in parts):
            return Reference(stack.name, parts[0], parts[1])
        return UNKNOWN

    def _if(self, argument: Any, stack: StackTemplate) -> Any:
        match argument:
            case [str(name), chosen, other]:
                holds = self.condition(name, stack)
                return UNKNOWN if holds is None else self.of(chosen if holds else other, stack)
        return UNKNOWN

    def _joined(self, argument: Any, stack: StackTemplate) -> Any:
        match argument:
            case [str(delimiter), members]:
                made = self.of(members, stack)
                if isinstance(made, list):
                    return text([part for each in made for part in (delimiter, each)][1:])
        return UNKNOWN

    def _substituted(self, argument: Any, stack: StackTemplate) -> Any:
        match argument:
            case str(pattern):
                return self._filled_in(pattern, {}, stack)
            case [str(pattern), dict(names)]:
                return self._filled_in(pattern, names, stack)
        return UNKNOWN

    def _selected(self, argument: Any, stack: StackTemplate) -> Any:
        match argument:
            case [place, members]:
                made = self.of(members, stack)
                if isinstance(made, list) and str(place).isdigit() and int(place) < len(made):
                    return made[int(place)]
        return UNKNOWN

    def _split(self, argument: Any, stack: StackTemplate) -> Any:
        match argument:
            case [str(delimiter), whole] if delimiter:
                made = self.of(whole, stack)
                return made.split(delimiter) if isinstance(made, str) else UNKNOWN
        return UNKNOWN

    def _mapped(self, argument: Any, stack: StackTemplate) -> Any:
        value: Any = _section(stack, "Mappings")
        for key in (argument if isinstance(argument, list) else [])[:3]:
            name = self.of(key, stack)
            if not isinstance(value, Mapping) or not isinstance(name, str) or name not in value:
                return UNKNOWN
            value = value[name]
        return value

    def _ref(self, name: str, stack: StackTemplate) -> Any:
        if name.startswith("AWS::"):
            return self._pseudo(name, stack)
        parameters = _section(stack, "Parameters")
        if name in parameters:
            declared = parameters[name] if isinstance(parameters[name], Mapping) else {}
            kind = str(declared.get("Type", ""))
            value = stack.parameters.get(name, declared.get("Default"))
            if kind.startswith(_ASKED):
                # Of what is deployed, the parameter's value is what the store answered: its default is the name.
                made = self._read(declared.get("Default")) if kind == _VALUE else UNKNOWN
                return {"Ref": name, "Default": declared.get("Default")} if made is UNKNOWN else made
            if value is None or declared.get("NoEcho") in (True, "true"):
                return {"Ref": name}
            return str(value).split(",") if kind.startswith(("List<", "CommaDelimitedList")) else value
        return Reference(stack.name, name)

    def _pseudo(self, name: str, stack: StackTemplate) -> Any:
        partition = next((made for start, made in _PARTITIONS.items() if self.side.region.startswith(start)), "aws")
        known = {
            "AWS::Region": self.side.region,
            "AWS::StackName": stack.name,
            "AWS::Partition": partition,
            "AWS::AccountId": self.account,
            "AWS::NoValue": NO_VALUE,
        }
        value = known.get(name)
        return {"Ref": name} if value is None else value

    def _imported(self, argument: Any, stack: StackTemplate) -> Any:
        name = self.of(argument, stack)
        return self._given(name, self.exports) if isinstance(name, str) else UNKNOWN

    def _read(self, name: Any) -> Any:
        """Returns what a stack writes to the parameter store under a name."""
        return self._given(name, self.stored) if isinstance(name, str) else UNKNOWN

    def _given(self, name: str, given: Mapping[str, tuple[StackTemplate, Any]]) -> Any:
        """Returns what another stack gives under a name; unknown where none does, or two wait for each other."""
        if name not in given or name in self._exporting:
            return UNKNOWN
        self._exporting.add(name)
        try:
            stack, value = given[name]
            return self.of(value, stack)
        finally:
            self._exporting.discard(name)

    def _filled_in(self, pattern: str, names: Mapping[str, Any], stack: StackTemplate) -> Any:
        parts: list[Any] = []
        for place, piece in enumerate(_PLACEHOLDER.split(pattern)):
            if place % 2 == 0:
                parts.append(piece.replace("${!", "${"))
            elif piece.strip() in names:
                parts.append(self.of(names[piece.strip()], stack))
            else:
                target, _, attribute = piece.strip().partition(".")
                parts.append(Reference(stack.name, target, attribute) if attribute else self._ref(target, stack))
        return text(parts)


_FUNCTIONS: Mapping[str, Callable[[Values, Any, StackTemplate], Any]] = {
    "Ref": Values._reference,  # noqa: SLF001 - the table of the class's own functions
    "Fn::GetAtt": Values._attribute,  # noqa: SLF001
    "Fn::If": Values._if,  # noqa: SLF001
    "Fn::ImportValue": Values._imported,  # noqa: SLF001
    "Fn::Join": Values._joined,  # noqa: SLF001
    "Fn::Sub": Values._substituted,  # noqa: SLF001
    "Fn::Select": Values._selected,  # noqa: SLF001
    "Fn::Split": Values._split,  # noqa: SLF001
    "Fn::FindInMap": Values._mapped,  # noqa: SLF001
}


def _section(stack: StackTemplate, name: str) -> Mapping[str, Any]:
    section = stack.template.get(name)
    return section if isinstance(section, Mapping) else {}
