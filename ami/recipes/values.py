"""What an environment's lock puts into a recipe."""

import re
from dataclasses import dataclass

#: What each value looks like, and how that is said to a person. The values become part of a shell script.
_FORMS = {
    "sdk": (r"\d+\.\d+\.\d+", "a release such as 2.32.0"),
    "driver": (r"\d+(\.\d+){3}", "a package version such as 2.30.2.0"),
    "tools": (r"\d+(\.\d+){3}", "a package version such as 2.32.28.0"),
    "kernel": (r"\d+\.\d+", "a kernel's major and minor version such as 6.12"),
}
_CONTAINER = r"[a-z0-9][a-z0-9.-]*(:\d+)?(/[a-z0-9][a-z0-9._-]*)+:\w[\w.-]{0,127}@sha256:[0-9a-f]{64}"


class InvalidValueError(ValueError):
    """A recipe can't be filled with a value.

    Attributes:
        message: Which value and what it should be, in lower case without a full stop.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeValues:
    """The pins of a lock that go into an image.

    Attributes:
        sdk: The Neuron SDK's release, such as ``2.32.0``.
        driver: The version of aws-neuronx-dkms, such as ``2.30.2.0``.
        tools: The version of aws-neuronx-tools, such as ``2.32.28.0``.
        kernel: The major and minor version of the parent's kernel, such as ``6.12``.
        containers: The containers that the image brings along, as ``repository:tag@sha256:...``; may be empty.

    Raises:
        InvalidValueError: A value does not have its form; an ``unresolved`` digest is one.
    """

    sdk: str
    driver: str
    tools: str
    kernel: str
    containers: tuple[str, ...]

    def __post_init__(self) -> None:
        for name, (pattern, form) in _FORMS.items():
            value = getattr(self, name)
            if not re.fullmatch(pattern, value, re.ASCII):
                raise InvalidValueError(f"{name} {value!r} should be {form}")
        for container in self.containers:
            if not re.fullmatch(_CONTAINER, container, re.ASCII):
                raise InvalidValueError(f"container {container!r} should be repository:tag@sha256: and 64 hex digits")
