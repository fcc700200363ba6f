"""The properties of a custom resource, as the function that works in the cluster reads them."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from rehearsal.kubectl.world import FunctionError


def known(properties: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Gives the properties that a function reads; one that it would leave out in silence is refused by its name.

    Raises:
        FunctionError: There is one that it does not read.
    """
    own = {name: value for name, value in properties.items() if name not in {"ServiceToken", "ServiceTimeout"}}
    strange = sorted(set(own) - set(names))
    if strange:
        raise FunctionError(
            f"the function does not read the property {strange[0]}; it reads {', '.join(sorted(names))}"
        )
    return own


def given(properties: Mapping[str, Any], name: str) -> Any:
    """Gives a property that must be there.

    Raises:
        FunctionError: It is not there, with the words of the function's code.
    """
    if name not in properties:
        raise FunctionError(f"KeyError: '{name}'")
    return properties[name]


def read_json(text: str, name: str) -> Any:
    """Gives what a property says in JSON.

    Raises:
        FunctionError: It is not JSON.
    """
    try:
        return json.loads(text)
    except ValueError as error:
        raise FunctionError(f"{name}: JSONDecodeError: {error}") from error
