"""The cluster's objects, as data: what Kubernetes' API takes, with marks for what only a deploy can tell."""

from collections.abc import Mapping
from typing import Any

Object = Mapping[str, Any]
