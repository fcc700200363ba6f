"""How Image Builder's operations read their requests, name what they make, and find what they are asked for."""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from moto.core.responses import ActionResult, BaseResponse, EmptyResult
from moto.ec2.models import ec2_backends

from rehearsal import clock
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.state import state_of

Record = dict[str, Any]

_NAME = re.compile(r"[-_A-Za-z0-9][-_A-Za-z0-9 ]{1,126}[-_A-Za-z0-9]")
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_WILD_VERSION = re.compile(r"([0-9]+|x)\.([0-9]+|x)\.([0-9]+|x)")
_LARGEST = 2**30 - 1
_PAGE = 25


class ImageBuilderBase(BaseResponse):
    """What every part of Image Builder's API needs."""

    def __init__(self) -> None:
        super().__init__(service_name="imagebuilder")
        self.automated_parameter_parsing = True

    @property
    def request(self) -> Record:
        """The request's parameters, by the API's names.

        A request that is only to be tried out is not modelled, and is refused before it does anything.
        """
        asked: Record = dict(self.params)
        if asked.pop("dryRun", False):
            raise NotImplementedError("a dry run")
        return {name: value for name, value in asked.items() if name != "clientToken"}

    @property
    def network(self) -> Any:
        """The EC2 backend of this account and region, which is moto's."""
        return ec2_backends[self.current_account][self.region]

    @property
    def records(self) -> dict[str, Record]:
        """Everything that this account has in this region, by ARN."""
        return state_of(self.current_account, self.region).image_builder

    def of_kind(self, kind: str) -> list[Record]:
        """Gives the records of a kind, such as ``image-recipe``, in the order of their making."""
        return [record for arn, record in self.records.items() if arn.split(":")[5].startswith(f"{kind}/")]

    def arn(self, kind: str, name: str, *version: str) -> str:
        """Gives the ARN of a record: its name is in lower case there, with hyphens for spaces and underscores.

        Source: Image Builder API reference, Filter.
        """
        slug = re.sub(r"[ _]", "-", name.lower())
        path = "/".join([kind, slug, *version])
        return f"arn:{self.partition}:imagebuilder:{self.region}:{self.current_account}:{path}"

    def named(self, arn: str) -> Record:
        """Gives the record with an ARN, of which a version may have wildcards and may lack its build number.

        Raises:
            OverlayError: There is none.
        """
        found = self.find(arn)
        if found is None:
            raise OverlayError("ResourceNotFoundException", f"The resource with ARN '{arn}' could not be found.")
        return found

    def find(self, arn: str) -> Record | None:
        """Gives the newest record that an ARN names; None where there is none.

        Source: Image Builder user guide, "Semantic versioning in Image Builder".
        """
        head, _, version = arn.rpartition("/")
        if arn in self.records or not _WILD_VERSION.fullmatch(version):
            return self.records.get(arn)
        nodes = r"\.".join("[0-9]+" if node == "x" else node for node in version.split("."))
        pattern = re.compile(rf"{re.escape(head)}/{nodes}(/[0-9]+)?")
        found = [record for one, record in self.records.items() if pattern.fullmatch(one)]
        return max(found, key=_age, default=None)

    def keep(self, record: Record, kind: str) -> Record:
        """Keeps a new record under its ARN.

        Raises:
            OverlayError: There is one already; versions can't be changed.

        Source: ministryofjustice/modernisation-platform-ami-builds pull request 549, which quotes the words.
        """
        if record["arn"] in self.records:
            message = f"The following resource '{kind}' already exists: '{record['arn']}'."
            raise OverlayError("ResourceAlreadyExistsException", message)
        self.records[record["arn"]] = record
        return record

    def remove(self, arn: str, users: Iterable[Record] = ()) -> None:
        """Removes a record that nothing uses.

        Raises:
            OverlayError: It is not there, or something uses it.

        Source: pulumi/pulumi issue 6919, which quotes the words.
        """
        record = self.named(arn)
        if list(users):
            message = f"Resource dependency error: The resource ARN '{arn}' has other resources depended on it."
            raise OverlayError("ResourceDependencyException", message)
        del self.records[record["arn"]]

    def now(self) -> str:
        """Gives the present as Image Builder writes it."""
        return f"{clock.now():%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"

    def page(self, member: str, records: Iterable[Record], names: Iterable[str]) -> ActionResult:
        """Answers a list operation by what the request's owner and filters leave, with some members of each record."""
        asked = self.request
        wanted = [] if asked.get("owner", "Self") != "Self" else [one for one in records if _passes(one, asked)]
        start, size = int(asked.get("nextToken") or 0), int(asked.get("maxResults") or _PAGE)
        shown = [{name: one[name] for name in names if name in one} for one in wanted[start : start + size]]
        return ActionResult({member: shown, "nextToken": str(start + size) if start + size < len(wanted) else None})

    def tag_resource(self) -> EmptyResult:
        """Answers TagResource."""
        self._tagged().setdefault("tags", {}).update(self.request["tags"])
        return EmptyResult()

    def untag_resource(self) -> EmptyResult:
        """Answers UntagResource."""
        tags = self._tagged().setdefault("tags", {})
        for key in self.request["tagKeys"]:
            tags.pop(key, None)
        return EmptyResult()

    def list_tags_for_resource(self) -> ActionResult:
        """Answers ListTagsForResource."""
        return ActionResult({"tags": self._tagged().get("tags", {})})

    def _tagged(self) -> Record:
        return self.named(unquote(self.request["resourceArn"]))


def check_name(name: str) -> None:
    """Refuses a name that Image Builder's API does not take.

    Source: Image Builder API reference, CreateComponent, ``name``.
    """
    if not _NAME.fullmatch(name):
        raise invalid("name", f"'{name}' does not match the pattern {_NAME.pattern}.")


def check_version(version: str) -> None:
    """Refuses what is no semantic version.

    Source: Image Builder user guide, "Semantic versioning in Image Builder"; API reference, CreateComponent.
    """
    if "x" in version:
        raise NotImplementedError("versions that Image Builder counts up itself")
    if not _VERSION.fullmatch(version) or max(map(int, version.split("."))) > _LARGEST:
        message = f"The semantic version '{version}' must be MAJOR.MINOR.PATCH, each from 0 to {_LARGEST}."
        raise OverlayError("InvalidVersionNumberException", message)


def invalid(parameter: str, reason: str) -> OverlayError:
    """Gives the error for a parameter whose value can't be.

    Source: rhythmictech/terraform-aws-imagebuilder-pipeline issue 16, which quotes the words.
    """
    message = f"The value supplied for parameter '{parameter}' is not valid. {reason}"
    return OverlayError("InvalidParameterValueException", message)


def latest_references(record: Mapping[str, Any]) -> dict[str, str]:
    """Gives the ARNs that lead to the newest version like this one, in each breadth."""
    version = str(record["version"]).split("/", 1)[0]
    head = record["arn"][: record["arn"].rindex(f"/{version}")]
    major, minor, _ = version.split(".")
    return {
        "latestVersionArn": f"{head}/x.x.x",
        "latestMajorVersionArn": f"{head}/{major}.x.x",
        "latestMinorVersionArn": f"{head}/{major}.{minor}.x",
        "latestPatchVersionArn": f"{head}/{version}",
    }


def _age(record: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", record["arn"].split("/", 2)[-1]))


def _passes(record: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    """Says whether a record passes the filters of a list request, of which the name's are modelled."""
    for one in asked.get("filters", []):
        if one["name"] != "name":
            raise NotImplementedError(f"the filter {one['name']}")
        if not any(_fits(record["name"], value) for value in one["values"]):
            return False
    return True


def _fits(name: str, wanted: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in wanted.split("*"))
    return re.fullmatch(pattern, name) is not None
