"""What a service refuses of a request by its own model, before it looks at what the request means.

botocore checks of this the types, what is required and the smallest values; the largest values and the patterns are for
the service to refuse, and moto looks at few of them.

Source: the words are those of AWS's services in general; awsdocs/aws-cloudformation-user-guide pull request 439 quotes
them of FSx, with the code ``BadRequest``.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from botocore.model import Shape

from rehearsal.overlays.errors import OverlayError
from rehearsal.sessions import core_session


def check_request(service: str, operation: str, request: Mapping[str, Any], *, code: str) -> None:
    """Refuses values that are larger or of another form than the service's model allows.

    Args:
        service: botocore's name of the service.
        operation: The operation, such as ``CreateFileSystem``.
        request: What it is asked for, by the API's names.
        code: The code with which the service refuses such requests.
    """
    problems = list(_problems(_input(service, operation), request, ""))
    if problems:
        plural = "" if len(problems) == 1 else "s"
        raise OverlayError(code, f"{len(problems)} validation error{plural} detected: {'; '.join(problems)}")


@functools.cache
def _input(service: str, operation: str) -> Shape:
    return core_session().get_service_model(service).operation_model(operation).input_shape


def _problems(shape: Shape, value: Any, path: str) -> Iterator[str]:
    if shape.type_name == "structure":
        for name, part in value.items():
            if name in shape.members:
                yield from _problems(shape.members[name], part, f"{path}.{name[:1].lower()}{name[1:]}".lstrip("."))
        return
    if shape.type_name == "list":
        for number, part in enumerate(value, start=1):
            yield from _problems(shape.member, part, f"{path}.{number}.member")
        return
    if shape.type_name in {"integer", "long", "string"}:
        for limit in _limits(shape, value):
            yield f"Value '{value}' at '{path}' failed to satisfy constraint: Member must {limit}"


def _limits(shape: Shape, value: Any) -> Iterator[str]:
    largest, pattern = shape.metadata.get("max"), shape.metadata.get("pattern")
    if shape.type_name != "string":
        if largest is not None and value > largest:
            yield f"have value less than or equal to {largest}"
        return
    if largest is not None and len(value) > largest:
        yield f"have length less than or equal to {largest}"
    if pattern and not _fits(pattern, value):
        yield f"satisfy regular expression pattern: {pattern}"


def _fits(pattern: str, value: str) -> bool:
    r"""Says whether a value has a form; one that Python can't read, as of ``\p{L}``, is taken to be had."""
    try:
        return re.fullmatch(pattern, value) is not None
    except re.error:
        return True
