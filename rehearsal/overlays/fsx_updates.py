"""What FSx refuses to do to a Lustre file system that stands, which ``trnstack diff`` knows too: one set of rules.

Source: see ``trnstack.advice.impact.lustre``. FSx's own words are not published; its code is ``BadRequest``.
"""

from collections.abc import Mapping
from typing import Any

from rehearsal.overlays.errors import OverlayError
from trnstack.advice.impact.lustre import refusals

_LUSTRE = "LustreConfiguration"


def check_update(file_system: Any, request: Mapping[str, Any]) -> None:
    """Refuses an update of a file system's figures.

    Args:
        file_system: The file system as it stands.
        request: The parameters of UpdateFileSystem.

    Raises:
        OverlayError: FSx's ``BadRequest``.
    """
    before = {
        "StorageType": file_system.storage_type,
        "StorageCapacity": file_system.storage_capacity,
        _LUSTRE: file_system.lustre_configuration,
    }
    before = {name: value for name, value in before.items() if value is not None}
    after = {
        **before,
        **{name: value for name, value in request.items() if name in before},
        _LUSTRE: {**file_system.lustre_configuration, **request.get(_LUSTRE, {})},
    }
    for refused in refusals(before, after):
        raise OverlayError("BadRequest", refused)
