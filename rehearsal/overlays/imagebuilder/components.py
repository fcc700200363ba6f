"""Components, each of which is a YAML document in one version."""

from typing import Any

import yaml
from moto.core.responses import ActionResult

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.imagebuilder.base import (
    ImageBuilderBase,
    check_name,
    check_version,
    invalid,
    latest_references,
)

_KIND = "component"
#: Source: Image Builder API reference, CreateComponent, ``data``.
_LONGEST = 16_000
_PLATFORMS = ("Windows", "Linux", "macOS")
_SUMMARY = (
    "arn",
    "name",
    "version",
    "description",
    "changeDescription",
    "platform",
    "supportedOsVersions",
    "type",
    "state",
    "owner",
    "dateCreated",
    "tags",
)


class Components(ImageBuilderBase):
    """Image Builder's operations on components."""

    def create_component(self) -> ActionResult:
        """Answers CreateComponent for a document in the request itself."""
        request = self.request
        check_name(request["name"])
        check_version(request["semanticVersion"])
        if ("data" in request) is ("uri" in request):
            message = "You must specify exactly one of the parameters 'data' and 'uri'."
            raise OverlayError("InvalidParameterCombinationException", message)
        if "uri" in request:
            raise NotImplementedError("component documents in S3")
        if request["platform"] not in _PLATFORMS:
            raise invalid("platform", f"'{request['platform']}' is none of {', '.join(_PLATFORMS)}.")
        version = request.pop("semanticVersion")
        component = {
            "arn": self.arn(_KIND, request["name"], version, "1"),
            "version": version,
            "type": _component_type(request["data"]),
            "state": {"status": "ACTIVE"},
            "owner": self.current_account,
            "encrypted": True,
            "dateCreated": self.now(),
            "tags": {},
            **request,
        }
        self.keep(component, "Component")
        references = latest_references(component)
        return ActionResult({"componentBuildVersionArn": component["arn"], "latestVersionReferences": references})

    def get_component(self) -> ActionResult:
        """Answers GetComponent."""
        component = self.named(self.request["componentBuildVersionArn"])
        return ActionResult({"component": component, "latestVersionReferences": latest_references(component)})

    def list_components(self) -> ActionResult:
        """Answers ListComponents with a line for each version."""
        lines = [{**one, "arn": one["arn"].rpartition("/")[0]} for one in self.of_kind(_KIND)]
        names = [name for name in _SUMMARY if name not in {"changeDescription", "state", "tags"}]
        return self.page("componentVersionList", lines, names)

    def list_component_build_versions(self) -> ActionResult:
        """Answers ListComponentBuildVersions; a version has one build."""
        arn = self.request.get("componentVersionArn")
        builds = [one for one in self.of_kind(_KIND) if arn in {None, one["arn"].rpartition("/")[0]}]
        return self.page("componentSummaryList", builds, _SUMMARY)

    def delete_component(self) -> ActionResult:
        """Answers DeleteComponent; a component that a recipe names stays."""
        arn = self.request["componentBuildVersionArn"]
        component = self.named(arn)
        users = [
            recipe
            for recipe in self.of_kind("image-recipe")
            if any(self.find(part["componentArn"]) is component for part in recipe["components"])
        ]
        self.remove(arn, users)
        return ActionResult({"componentBuildVersionArn": arn})


def _component_type(data: str) -> str:
    """Gives the type of a component, which follows from its phases: TEST where it does nothing but test, else BUILD.

    Raises:
        OverlayError: The text is too long, or no component document. The words of the last are not AWS's own.

    Source: Image Builder user guide, "Use the AWSTOE component document framework".
    """
    if len(data) > _LONGEST:
        message = f"The length of {len(data)} characters is more than {_LONGEST}."
        raise invalid("data", message)
    try:
        document = yaml.safe_load(data)
    except yaml.YAMLError as error:
        raise invalid("data", f"The document is not YAML: {error}") from error
    if not isinstance(document, dict):
        raise invalid("data", "The document is no mapping.")
    if str(document.get("schemaVersion")) != "1.0":
        raise invalid("data", f"The schemaVersion must be 1.0, not {document.get('schemaVersion')}.")
    phases = document.get("phases")
    if not isinstance(phases, list) or not phases:
        raise invalid("data", "The document has no phases.")
    names = [_phase(phase) for phase in phases]
    return "TEST" if set(names) == {"test"} else "BUILD"


def _phase(phase: Any) -> str:
    """Gives a phase's name, and refuses a phase that has no steps or steps without name or action."""
    steps = phase.get("steps") if isinstance(phase, dict) else None
    if not steps or not phase.get("name"):
        raise invalid("data", "A phase needs a name and steps.")
    for step in steps:
        if not isinstance(step, dict) or not step.get("name") or not step.get("action"):
            raise invalid("data", f"A step of phase {phase['name']} needs a name and an action.")
    return str(phase["name"])
