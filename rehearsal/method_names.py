"""The names of an API class's methods, which moto lists anew with each call, a quarter of what a rehearsal takes.

It is the one thing of moto that is changed in place, and it answers what it answered before: moto's classes, and the
overlays over them, get no methods after they are made.

Source: moto, ``moto/core/responses.py``, ``BaseResponse.call_action``.
"""

import functools

from moto.core import responses, utils


def remember() -> None:
    """Lets moto list a class's methods once in this process."""
    responses.method_names_from_class = _names  # type: ignore[attr-defined]  # moto imports it there by name


@functools.cache
def _names(of: object) -> list[str]:
    return utils.method_names_from_class(of)
