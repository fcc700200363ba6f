"""Systems Manager: the public parameters of EKS's AMIs, beside the parameters that moto has.

Source: EKS user guide, "Retrieve recommended Amazon Linux AMI IDs"; aws/karpenter-provider-aws,
pkg/providers/amifamily/al2023.go (the path of a release); Systems Manager user guide, "Calling AMI public parameters"
(the JSON of the bare ``recommended`` and the ARNs without an account).
"""

import json
from collections.abc import Mapping
from typing import Any

from moto.core.responses import ActionResult
from moto.ssm.responses import SimpleSystemManagerResponse
from moto.utilities.utils import get_partition

from rehearsal.overlays.errors import OverlayError
from rehearsal.pins import published
from rehearsal.pins.records import NodeImage, Published

_PATH = "/aws/service/eks/optimized-ami/"
_MOST = 10
#: The parameters of regions that were asked for, each beside what was published when they were put together.
_MADE: dict[str, tuple[Published, Mapping[str, dict[str, Any]]]] = {}


class Response(SimpleSystemManagerResponse):
    """Systems Manager's API with the parameters of EKS's AMIs."""

    def get_parameter(self) -> ActionResult:
        """Answers GetParameter."""
        parameter = public_parameters(self.region).get(self._get_param("Name"))
        return super().get_parameter() if parameter is None else ActionResult({"Parameter": parameter})

    def get_parameters(self) -> ActionResult:
        """Answers GetParameters for ten names at most.

        Source: Systems Manager API reference, GetParameters, ``Names``.
        """
        names = self._get_param("Names")
        if len(names) > _MOST:
            shown = ", ".join(names)
            message = (
                f"1 validation error detected: Value '[{shown}]' at 'names' failed to satisfy constraint: "
                f"Member must have length less than or equal to {_MOST}"
            )
            raise OverlayError("ValidationException", message)
        answer: dict[str, Any] = super().get_parameters().result  # type: ignore[assignment]
        known = public_parameters(self.region)
        return ActionResult(
            {
                "Parameters": [*answer["Parameters"], *(known[name] for name in names if name in known)],
                "InvalidParameters": [name for name in answer["InvalidParameters"] if name not in known],
            }
        )

    def get_parameters_by_path(self) -> ActionResult:
        """Answers GetParametersByPath; a page has ten parameters at most."""
        path = f"{self._get_param('Path').rstrip('/')}/"
        if not path.startswith(_PATH):
            return super().get_parameters_by_path()
        if self._get_param("ParameterFilters"):
            raise NotImplementedError("filters of public parameters")
        below = [
            parameter
            for name, parameter in public_parameters(self.region).items()
            if name.startswith(path) and (self._get_param("Recursive") or "/" not in name.removeprefix(path))
        ]
        start, size = int(self._get_param("NextToken") or 0), int(self._get_param("MaxResults") or _MOST)
        page, rest = below[start : start + size], below[start + size :]
        return ActionResult({"Parameters": page, "NextToken": str(start + size) if rest else None})


def public_parameters(region: str) -> Mapping[str, dict[str, Any]]:
    """Gives the parameters of EKS's AMIs in a region as Systems Manager's API answers them, by name."""
    everything = published()
    kept = _MADE.get(region)
    if kept is None or kept[0] is not everything:
        kept = _MADE[region] = (everything, _made(everything, region))
    return kept[1]


def _made(everything: Published, region: str) -> dict[str, dict[str, Any]]:
    parameters = {}
    for image in everything.node_images:
        values = _values(image, region)
        for name, value in values.items():
            full = f"{image.path}/{image.name}/{name}"
            parameters[full] = _parameter(region, full, value, image)
    for image in everything.recommended():
        values = _values(image, region)
        bare = json.dumps({"schema_version": "2", **values}, separators=(",", ":"))
        for name, value in {"": bare, **{f"/{name}": value for name, value in values.items()}}.items():
            full = f"{image.path}/recommended{name}"
            parameters[full] = _parameter(region, full, value, image)
    return dict(sorted(parameters.items()))


def _values(image: NodeImage, region: str) -> dict[str, str]:
    return {"image_id": image.image_id(region), "image_name": image.name, "release_version": image.release_version}


def _parameter(region: str, name: str, value: str, image: NodeImage) -> dict[str, Any]:
    return {
        "Name": name,
        "Type": "String",
        "Value": value,
        "Version": 1,
        "LastModifiedDate": image.day,
        "ARN": f"arn:{get_partition(region)}:ssm:{region}::parameter{name}",
        "DataType": "text",
    }
