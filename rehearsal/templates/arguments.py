"""Checks what each function of a template is given, as it is written there.

Source: CloudFormation template reference, "Intrinsic function reference". The words are recorded from AWS in
localstack/localstack, tests/aws/services/cloudformation (test_change_set_fn_* and test_change_set_conditions, the
``.snapshot.json`` beside each): Fn::GetAtt, Fn::Join, Fn::Select, Fn::Split and the unknown condition of Fn::If; or
quoted: an unsupported function in aws/aws-cli pull request 2746, a single argument of Fn::GetAtt in
aws-samples/ecs-refarch-cloudformation issue 55, Fn::FindInMap in aws/aws-cdk issue 27987 and cloudtools/troposphere
issue 479. Those of Fn::Base64, Fn::GetAZs and Fn::If are eucalyptus's, which follows AWS; those of Fn::Cidr,
Fn::ImportValue and Ref are unconfirmed. That an index out of range is refused in the branch that is not taken, too,
is a user's report.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from rehearsal.templates.text import NotModelledError, TemplateError

Check = Callable[["Arguments", Any], None]

SUPPORTED: Final = (
    "Fn::Base64, Fn::GetAtt, Fn::GetAZs, Fn::ImportValue, Fn::Join, Fn::Split, Fn::FindInMap, Fn::Select, Ref, "
    "Fn::Equals, Fn::If, Fn::Not, Condition, Fn::And, Fn::Or, Fn::Contains, Fn::EachMemberEquals, Fn::EachMemberIn, "
    "Fn::ValueOf, Fn::ValueOfAll, Fn::RefAll, Fn::Sub, Fn::Cidr"
)
VARIABLE: Final = re.compile(r"\$\{([^}]*)\}")
_VARIABLE_NAME: Final = re.compile(r"[A-Za-z0-9_:.]+")
_JOIN: Final = (
    "Template error: every Fn::Join object requires two parameters, (1) a string delimiter and (2) a list of strings "
    "to be joined or a function that returns a list of strings (such as Fn::GetAZs) to be joined."
)
_SPLIT: Final = (
    "Template error: every Fn::Split object requires two parameters, (1) a string delimiter and (2) a string to be "
    "split or a function that returns a string to be split."
)
_SELECT: Final = "Template error: Fn::Select requires a list argument with two elements: an integer index and a list"
_FIND: Final = (
    "Template error: every Fn::FindInMap object requires three parameters, the map name, map key and the attribute for "
    "return value"
)
_GET_ATT: Final = (
    "Template error: every Fn::GetAtt object requires two non-empty parameters, the resource name and the resource "
    "attribute"
)
_SUB: Final = (
    "Template error: One or more Fn::Sub intrinsic functions don't specify expected arguments. Specify a string as "
    "first argument, and an optional second argument to specify a mapping of values to replace in the string"
)


def functions(value: Any) -> Iterator[tuple[str, Any]]:
    """Gives the functions within a value, each before those in its arguments, with what each is given."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            called = call(one)
            if called is not None:
                yield called
            elif "Fn::Transform" in one:  # it may stand among a resource's other properties
                yield "Fn::Transform", one["Fn::Transform"]
            waiting.extend(reversed(one.values()))
        elif isinstance(one, list):
            waiting.extend(reversed(one))


def call(value: Any) -> tuple[str, Any] | None:
    """Gives the function that a value is, with its argument; None where it is none."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((name, argument),) = value.items()
    is_function = isinstance(name, str) and (name == "Ref" or name.startswith("Fn::"))
    return (name, argument) if is_function else None


def unsupported(name: str) -> TemplateError:
    """Gives the refusal of a function that CloudFormation does not have."""
    words = f"Encountered unsupported function: {name} Supported functions are: [{SUPPORTED}]"
    return TemplateError(f"Template error: {words}")


@dataclass(frozen=True, slots=True)
class Arguments:
    """Checks the arguments of functions against what a template declares.

    Attributes:
        mappings: Its mappings.
        conditions: Its conditions.
        is_extended: Whether it uses the language extensions.
    """

    mappings: Mapping[str, Any]
    conditions: Mapping[str, Any]
    is_extended: bool

    def check(self, name: str, argument: Any) -> None:
        """Checks one function.

        Raises:
            NotModelledError: It uses what only the rehearsal lacks.
            TemplateError: CloudFormation does not have it, or not with such an argument.
        """
        check = CHECKS.get(name)
        if check is None or (name in EXTENDED and not self.is_extended):
            raise unsupported(name)
        check(self, argument)

    def ref(self, argument: Any) -> None:
        """Checks ``Ref``."""
        if isinstance(argument, str) and argument:
            return
        if self.is_extended and call(argument) is not None:
            raise NotModelledError("The rehearsal does not model functions within Ref: write the name out")
        raise TemplateError("Template error: every Ref object must have a single String value.")

    def get_att(self, argument: Any) -> None:
        """Checks ``Fn::GetAtt``."""
        match argument:
            case [str(name), str(attribute)] if name and attribute:
                return
            case [str(name), dict(attribute)] if name and call(attribute) is not None:
                return
            case [dict(), _] if self.is_extended:
                raise NotModelledError("The rehearsal does not model functions as Fn::GetAtt's resource: write it out")
            case str(path):
                if all(path.partition(".")):
                    return
                words = "that argument must be a non-empty string in format <LogicalId>.<Attribute>"
                raise TemplateError(f"Template error: if specifying one argument to Fn::GetAtt, {words}")
        raise TemplateError(_GET_ATT)

    def choice(self, argument: Any) -> None:
        """Checks ``Fn::If``."""
        if not isinstance(argument, list) or not argument or not isinstance(argument[0], str):
            raise TemplateError(
                "Template error: Fn::If requires a list argument with the first element being a condition"
            )
        if len(argument) != 3:  # noqa: PLR2004 - the condition and the two values
            raise TemplateError("Template error: Fn::If requires a list argument with three elements")
        if argument[0] not in self.conditions:
            raise TemplateError(f"Template error: unresolved condition dependency {argument[0]} in Fn::If")

    def join(self, argument: Any) -> None:
        """Checks ``Fn::Join``."""
        match argument:
            case [str(), list()]:
                return
            case [str(), source] if call(source) is not None:
                return
        raise TemplateError(_JOIN)

    def split(self, argument: Any) -> None:
        """Checks ``Fn::Split``."""
        match argument:
            case [str(delimiter), str()] if delimiter:
                return
            case [str(delimiter), source] if delimiter and call(source) is not None:
                return
        raise TemplateError(_SPLIT)

    def select(self, argument: Any) -> None:
        """Checks ``Fn::Select``, and its index where both are written out: no branch is spared that."""
        if not isinstance(argument, list) or len(argument) != 2:  # noqa: PLR2004 - index and list
            raise TemplateError(_SELECT)
        index, source = argument
        if call(index) is None and not (isinstance(index, str | int) and str(index).isdecimal()):
            raise TemplateError(_SELECT)
        if call(source) is None and not isinstance(source, list):
            raise TemplateError(_SELECT)
        if call(index) is None and isinstance(source, list) and int(index) >= len(source):
            raise TemplateError(f"Template error: Fn::Select cannot select nonexistent value at index {index}")

    def sub(self, argument: Any) -> None:
        """Checks ``Fn::Sub``."""
        match argument:
            case str(pattern) | [str(pattern), dict()]:
                for name in VARIABLE.findall(pattern):
                    if not name.startswith("!") and not _VARIABLE_NAME.fullmatch(name.strip()):
                        words = "must contain only alphanumeric characters, underscores, periods, and colons"
                        raise TemplateError(f"Template error: variable names in Fn::Sub syntax {words}")
            case _:
                raise TemplateError(_SUB)

    def find_in_map(self, argument: Any) -> None:
        """Checks ``Fn::FindInMap``, and that the map is there; more functions and a default need the extensions."""
        if not isinstance(argument, list) or len(argument) not in ({3, 4} if self.is_extended else {3}):
            raise TemplateError(_FIND)
        for one in argument[:3]:
            called = call(one)
            is_plain = isinstance(one, str | int) if called is None else called[0] in {"Ref", "Fn::FindInMap"}
            if not (is_plain or (self.is_extended and called is not None)):
                raise TemplateError(_FIND)
        if len(argument) == 4:  # noqa: PLR2004 - what is given where there is nothing
            if not isinstance(argument[3], dict) or argument[3].keys() != {"DefaultValue"}:
                raise TemplateError(_FIND)
        elif call(argument[0]) is None and argument[0] not in self.mappings:
            words = f"Mapping named '{argument[0]}' is not present in the 'Mappings' section of template."
            raise TemplateError(f"Template error: {words}")

    def text(self, argument: Any, words: str) -> None:
        """Checks a function that takes a text, or a function that gives one."""
        if isinstance(argument, list) or (isinstance(argument, dict) and call(argument) is None):
            raise TemplateError(f"Template error: {words}")

    def cidr(self, argument: Any) -> None:
        """Checks ``Fn::Cidr``."""
        if not isinstance(argument, list) or len(argument) not in {2, 3}:
            words = "every Fn::Cidr object requires an address block, a count, and optionally the bits of a part"
            raise TemplateError(f"Template error: {words}")
        for one in argument:
            self.text(one, "every parameter of Fn::Cidr must be a String or a Number")


EXTENDED: Final = frozenset({"Fn::Length", "Fn::ToJsonString"})
CHECKS: Final[Mapping[str, Check]] = {
    "Fn::Base64": lambda self, one: self.text(one, "every Fn::Base64 object must have a String-typed value."),
    "Fn::Cidr": Arguments.cidr,
    "Fn::FindInMap": Arguments.find_in_map,
    "Fn::GetAZs": lambda self, one: self.text(one, "every Fn::GetAZs object must have a String-typed value."),
    "Fn::GetAtt": Arguments.get_att,
    "Fn::If": Arguments.choice,
    "Fn::ImportValue": lambda self, one: self.text(one, "every Fn::ImportValue object must have a String-typed value."),
    "Fn::Join": Arguments.join,
    "Fn::Length": lambda *_: None,
    "Fn::Select": Arguments.select,
    "Fn::Split": Arguments.split,
    "Fn::Sub": Arguments.sub,
    "Fn::ToJsonString": lambda *_: None,
    "Ref": Arguments.ref,
}
