"""Resolves a template's intrinsic functions, pseudo parameters, conditions and dynamic references into plain values."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from rehearsal.handlers.base import Resource
from rehearsal.templates import conditions, functions
from rehearsal.templates.arguments import EXTENDED, VARIABLE, unsupported
from rehearsal.templates.parameters import Parameters
from rehearsal.templates.template import LANGUAGE_EXTENSIONS, NotModelledError, Template, TemplateError

DYNAMIC_REFERENCE = re.compile(r"\{\{resolve:([a-z-]+):([^}]*)\}\}")
NO_VALUE: Final = object()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a stack's values may depend on beside its template.

    Attributes:
        pseudo: The pseudo parameters by name, but for ``AWS::NoValue``.
        zones: Gives the names of a region's availability zones.
        imported: Gives the value of an export; raises TemplateError where there is none of that name.
        dynamic: Gives the value of a dynamic reference, from its service and the rest of its text.
    """

    pseudo: Mapping[str, Any]
    zones: Callable[[str], list[str]]
    imported: Callable[[str], str]
    dynamic: Callable[[str, str], str]


def _pure(function: Callable[[Any], Any]) -> Callable[["Resolver", Any], Any]:
    return lambda resolver, argument: function(resolver.value(argument))


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves the values of one template in one stack.

    Attributes:
        template: The template.
        parameters: Its parameters with their values.
        surroundings: What lies outside the template.
        resources: The stack's resources as they stand, by logical id; looked at anew for every value.
        offers: Says whether a resource type has an attribute, as far as is published.
    """

    template: Template
    parameters: Parameters
    surroundings: Surroundings
    resources: Mapping[str, Resource]
    offers: Callable[[str, str], bool] = lambda *_: True
    _conditions: dict[str, bool] = field(default_factory=dict)
    _evaluating: list[str] = field(default_factory=list)

    def value(self, source: Any) -> Any:
        """Resolves a value; members that are ``AWS::NoValue`` are left out, and such a value itself is ``NO_VALUE``.

        Raises:
            TemplateError: A function can't be resolved, in CloudFormation's words.
        """
        if isinstance(source, str):
            return self._text(source)
        if isinstance(source, list):
            return [item for item in map(self.value, source) if item is not NO_VALUE]
        if not isinstance(source, dict):
            return source
        if len(source) == 1:
            ((name, argument),) = source.items()
            if name == "Ref" or name.startswith("Fn::"):
                return self._call(name, argument)
        resolved = {key: self.value(member) for key, member in source.items()}
        return {key: member for key, member in resolved.items() if member is not NO_VALUE}

    def condition(self, name: str) -> bool:
        """Says whether a condition of the template holds.

        Raises:
            TemplateError: The template has no such condition, or it can't be evaluated.
        """
        if name not in self._conditions:
            declared = self.template.section("Conditions")
            if name not in declared:
                raise TemplateError(f"Template format error: Unresolved condition dependency {name}")
            if name in self._evaluating:
                circle = ", ".join(sorted(set(self._evaluating)))
                raise TemplateError(f"Template format error: Circular dependency between conditions: [{circle}]")
            self._evaluating.append(name)
            try:
                self._conditions[name] = self.holds(declared[name])
            finally:
                self._evaluating.pop()
        return self._conditions[name]

    def holds(self, test: Any) -> bool:
        """Evaluates a condition function, such as ``Fn::Equals``."""
        return conditions.holds(test, self.value, self.condition)

    def present(self, logical_id: str) -> bool:
        """Says whether a resource of the template exists under its condition."""
        condition = self.template.resources[logical_id].condition
        return condition is None or self.condition(condition)

    def reference(self, name: str) -> Any:
        """Gives what ``Ref`` gives for a name."""
        if name == "AWS::NoValue":
            return NO_VALUE
        if name in self.surroundings.pseudo:
            return self.surroundings.pseudo[name]
        if name in self.parameters:
            return self.parameters[name].value
        return self._resource(name).physical_id

    def attribute(self, name: str, path: str) -> Any:
        """Gives what ``Fn::GetAtt`` gives for a resource's attribute; a dotted path leads into a nested one.

        Raises:
            NotModelledError: The type has the attribute, and the rehearsal's resource has not.
            TemplateError: The type has no such attribute, which CloudFormation says when it needs the value.

        Source: the words are quoted in dougmoscrop/serverless-plugin-log-subscription issue 68.
        """
        resource = self._resource(name)
        found: Any = resource.attributes
        if path in resource.attributes:
            return resource.attributes[path]
        for key in path.split("."):
            if not isinstance(found, Mapping) or key not in found:
                if not self.offers(resource.type, path):
                    raise TemplateError(f"Requested attribute {path} does not exist in schema for {resource.type}")
                known = ", ".join(sorted(resource.attributes)) or "none"
                raise NotModelledError(
                    f"The rehearsal does not model the attribute {path} of {resource.type} ({name}); it has: {known}"
                )
            found = found[key]
        return found

    def _resource(self, name: str) -> Resource:
        resource = self.resources.get(name)
        if resource is None or resource.physical_id is None:
            raise TemplateError(
                f"Template format error: Unresolved resource dependencies [{name}] "
                "in the Resources block of the template"
            )
        return resource

    def _text(self, source: str) -> str:
        """Puts values in the place of dynamic references; it comes after the functions, which may put one together."""
        return DYNAMIC_REFERENCE.sub(lambda found: self.surroundings.dynamic(found[1], found[2]), source)

    def _call(self, name: str, argument: Any) -> Any:
        if name not in self._functions or (name in EXTENDED and LANGUAGE_EXTENSIONS not in self.template.transforms):
            raise unsupported(name)
        found = self._functions[name](self, argument)
        return self._text(found) if isinstance(found, str) else found

    def _ref(self, argument: Any) -> Any:
        return self.reference(str(argument))

    def _get_att(self, argument: Any) -> Any:
        match argument:
            case str(path) if "." in path:
                name, _, attribute = path.partition(".")
                return self.attribute(name, attribute)
            case [str(name), attribute]:
                return self.attribute(name, functions.text(self.value(attribute), "Fn::GetAtt"))
        raise TemplateError(
            "Template error: every Fn::GetAtt object requires two non-empty parameters, the resource name and the "
            "resource attribute"
        )

    def _if(self, argument: Any) -> Any:
        match argument:
            case [str(name), chosen, other]:
                return self.value(chosen if self.condition(name) else other)
        raise TemplateError("Template error: Fn::If requires a list argument with three elements")

    def _sub(self, argument: Any) -> str:
        match argument:
            case str(pattern):
                return self._fill(pattern, {})
            case [str(pattern), dict(names)]:
                return self._fill(pattern, {name: self.value(source) for name, source in names.items()})
        raise TemplateError(
            "Template error: One or more Fn::Sub intrinsic functions don't specify expected arguments. Specify a "
            "string as first argument, and an optional second argument to specify a mapping of values to replace in "
            "the string"
        )

    def _fill(self, pattern: str, names: Mapping[str, Any]) -> str:
        def one(found: re.Match[str]) -> str:
            name = found[1].strip()
            if name.startswith("!"):
                return "${" + name[1:] + "}"
            if name in names:
                return functions.text(names[name], "Fn::Sub")
            target, dot, attribute = name.partition(".")
            return functions.text(self.attribute(target, attribute) if dot else self.reference(name), "Fn::Sub")

        return VARIABLE.sub(one, pattern)

    def _zones(self, argument: Any) -> list[str]:
        region = self.value(argument) or self.surroundings.pseudo["AWS::Region"]
        return self.surroundings.zones(str(region))

    def _import(self, argument: Any) -> str:
        return self.surroundings.imported(functions.text(self.value(argument), "Fn::ImportValue"))

    def _find_in_map(self, argument: Any) -> Any:
        return functions.find_in_map(self.template.section("Mappings"), self.value(argument))

    _functions: ClassVar[Mapping[str, Callable[["Resolver", Any], Any]]] = {
        "Fn::Base64": _pure(functions.encode),
        "Fn::Cidr": _pure(functions.cidr),
        "Fn::FindInMap": _find_in_map,
        "Fn::GetAZs": _zones,
        "Fn::GetAtt": _get_att,
        "Fn::If": _if,
        "Fn::ImportValue": _import,
        "Fn::Join": _pure(functions.join),
        "Fn::Length": _pure(functions.length),
        "Fn::Select": _pure(functions.select),
        "Fn::Split": _pure(functions.split),
        "Fn::Sub": _sub,
        "Fn::ToJsonString": _pure(functions.to_json),
        "Ref": _ref,
    }
