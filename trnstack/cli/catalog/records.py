"""The catalog as JSON."""

import dataclasses
import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from trnstack.catalog import CHIPS, INSTANCE_TYPES, KUBERNETES_VERSIONS, ULTRASERVERS
from trnstack.catalog.instance_types import LIST_PRICES
from trnstack.catalog.traps import NEVER_TRUSTED, traps_of
from trnstack.cli.catalog.overview import cores


def everything() -> dict[str, Any]:
    """Returns the whole catalog."""
    return {
        "instance_types": [_instance_type(name) for name in INSTANCE_TYPES],
        "list_prices": plain(LIST_PRICES),
        "chips": [plain(chip) for chip in CHIPS.values()],
        "ultraservers": [plain(row) for row in ULTRASERVERS.values()],
        "kubernetes_versions": [plain(row) for row in KUBERNETES_VERSIONS.values()],
        "never_trusted": [plain(trap) for trap in NEVER_TRUSTED],
    }


def of_type(name: str) -> dict[str, Any]:
    """Returns an instance type with its chip in full."""
    row = INSTANCE_TYPES[name]
    return {
        **_instance_type(name),
        "list_prices": plain(LIST_PRICES),
        "chip": plain(CHIPS[row.chip]),
        "never_trusted": [plain(trap) for trap in traps_of(name)],
    }


def to_json(value: Any) -> str:
    """Returns JSON in a stable order."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False)


def plain(value: Any) -> Any:
    """Returns rows, mappings and dates as JSON has them."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, dt.date) else value


def _instance_type(name: str) -> dict[str, Any]:
    row = INSTANCE_TYPES[name]
    physical, logical = cores(row)
    return {
        **plain(row),
        "physical_cores": physical,
        "logical_cores": logical,
        "device_memory_gib": row.neuron_devices * CHIPS[row.chip].memory_gib,
    }
