"""Checks how a template's functions are written, wherever they stand, as CloudFormation does before it makes anything.

What a function's arguments come to is looked at in ``rehearsal.templates.foreseen``, or when the resource is made.

Source: CloudFormation template reference, "Condition functions" and "Rule-specific intrinsic functions". The words
are recorded from AWS in localstack/localstack,
tests/aws/services/cloudformation/engine/test_conditions.snapshot.json (Fn::Equals), or quoted: resources in
conditions in aws-cloudformation/cfn-lint issue 99, functions in rules in its issue 3710, a condition that is not
defined in its issue 92, an import in a condition in a CDK application. Those of Fn::And and Fn::Or are eucalyptus's,
which follows AWS; those of Fn::Not and of a condition within another one are unconfirmed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from rehearsal.templates import transforms
from rehearsal.templates.arguments import VARIABLE, Arguments, call, functions, unsupported
from rehearsal.templates.text import Document, NotModelledError, TemplateError

_SEVERAL: Final = (range(2, 11), "a list of at least 2 and at most 10 boolean parameters.")
_TESTS: Final[Mapping[str, tuple[range, str]]] = {
    "Fn::And": _SEVERAL,
    "Fn::Equals": (range(2, 3), "a list of 2 string parameters."),
    "Fn::Not": (range(1, 2), "one boolean parameter."),
    "Fn::Or": _SEVERAL,
}
"""How many operands a condition function takes, and in what words it is refused with others."""
_NOT_MODELLED: Final = frozenset({"Fn::GetStackOutput"})
_NOT_MODELLED_IN_RULES: Final = frozenset({"Fn::RefAll", "Fn::ValueOf", "Fn::ValueOfAll"})


def check(document: Document) -> None:
    """Checks every function of a template.

    Raises:
        NotModelledError: A function is one that only the rehearsal lacks.
        TemplateError: A function is unknown, or is not written as it has to be.
    """
    conditions = document.get("Conditions", {})
    is_extended = transforms.LANGUAGE_EXTENSIONS in transforms.names(document)
    arguments = Arguments(document.get("Mappings", {}), conditions, is_extended)
    shapes = Shapes(arguments, conditions, document.get("Parameters", {}))
    shapes.check_conditions()
    shapes.check_rules(document.get("Rules", {}))
    for member in document["Resources"].values():
        shapes.check_condition(member.get("Condition"))
        shapes.check_functions([member.get(part) for part in ("Properties", "CreationPolicy", "UpdatePolicy")])
    for output in document.get("Outputs", {}).values():
        shapes.check_condition(output.get("Condition"))
        shapes.check_functions([output["Value"], output.get("Export")])


@dataclass(frozen=True, slots=True)
class Shapes:
    """Checks functions against what a template declares.

    Attributes:
        arguments: Checks what the functions are given.
        conditions: Its conditions.
        parameters: Its parameters.
    """

    arguments: Arguments
    conditions: Mapping[str, Any]
    parameters: Mapping[str, Any]

    def check_functions(self, value: Any) -> None:
        """Checks the functions within a property or an output."""
        for name, argument in functions(value):
            if name == "Fn::Transform":
                transforms.refuse(argument)
            if name in _NOT_MODELLED:
                raise NotModelledError(f"The rehearsal does not model {name}")
            self.arguments.check(name, argument)

    def check_condition(self, name: str | None) -> None:
        """Refuses a condition of a resource or an output that the template does not have."""
        if name is not None and name not in self.conditions:
            raise TemplateError(f"Template format error: Condition {name} is not defined.")

    def check_conditions(self) -> None:
        """Checks the section ``Conditions``, which knows parameters and mappings, but neither resources nor exports."""
        for test in self.conditions.values():
            self.check_test(test)
        strangers: set[str] = set()
        for name, argument in functions(self.conditions):
            if name == "Fn::ImportValue":
                raise TemplateError("Template error: Cannot use Fn::ImportValue in Conditions.")
            if name == "Fn::GetAtt":
                strangers.add(str(argument[0] if isinstance(argument, list) and argument else argument).split(".")[0])
            elif name == "Ref" and not self._is_parameter(argument):
                strangers.add(str(argument))
            elif name == "Fn::Sub":
                strangers.update(one for one in self._variables(argument) if not self._is_parameter(one))
        if strangers:
            words = f"Unresolved dependencies [{', '.join(sorted(strangers))}]. Cannot reference resources in"
            raise TemplateError(f"Template format error: {words} the Conditions block of the template")

    def check_test(self, test: Any) -> None:
        """Checks a condition: a function that is true or false, or another condition's name."""
        if isinstance(test, dict) and test.keys() == {"Condition"}:
            if test["Condition"] not in list(self.conditions):
                words = f"unresolved condition dependency {test['Condition']} in Condition"
                raise TemplateError(f"Template error: {words}")
            return
        called = call(test)
        if called is None:
            words = "Conditions can only be boolean operations on parameters and other conditions"
            raise TemplateError(f"Template format error: {words}")
        name, argument = called
        if name not in _TESTS:
            raise unsupported(name)
        counts, words = _TESTS[name]
        if not isinstance(argument, list) or len(argument) not in counts:
            raise TemplateError(f"Template error: every {name} object requires {words}")
        if name == "Fn::Equals":
            self.check_functions(argument)
        else:
            for one in argument:
                self.check_test(one)

    def check_rules(self, rules: Mapping[str, Any]) -> None:
        """Checks which functions stand in the section ``Rules``."""
        waiting = list(rules.values())
        while waiting:
            one = waiting.pop()
            if isinstance(one, dict):
                if one.keys() == {"Condition"}:
                    words = "Following functions are not supported in the Rules block of the template: [Condition]."
                    raise TemplateError(f"Template format error: {words}")
                called = call(one)
                if called is not None and called[0] in _NOT_MODELLED_IN_RULES:
                    raise NotModelledError(f"The rehearsal does not model {called[0]}, which looks into the account")
                waiting.extend(one.values())
            elif isinstance(one, list):
                waiting.extend(one)

    def _is_parameter(self, name: Any) -> bool:
        return name in self.parameters or str(name).startswith("AWS::")

    def _variables(self, argument: Any) -> set[str]:
        pattern, own = (argument, {}) if isinstance(argument, str) else (argument[0], argument[1])
        found = {one.strip() for one in VARIABLE.findall(pattern) if not one.startswith("!")}
        return {one.split(".")[0] for one in found if one not in own}
