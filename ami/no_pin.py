"""What is said where the offline tables have no pin."""

import difflib
from collections.abc import Sequence


class NoPinError(Exception):
    """Something that an environment asks for has no pin in the offline tables.

    Attributes:
        message: What has none, in lower case without a full stop.
        hint: What would have one, in the same form.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint


class UnknownReleaseError(NoPinError):
    """An EKS AMI release that was asked for by its name is in no table."""


def meant(name: str, known: Sequence[str], closest: Sequence[str] = ()) -> str:
    """Returns a hint with the known names, the likeliest of them first."""
    closest = closest or difflib.get_close_matches(name, known, n=1)
    question = f"did you mean {closest[0]!r}? " if closest else ""
    return f"{question}known: {', '.join(known)}"


def alternatives(names: Sequence[str]) -> str:
    """Returns names of which one is to be chosen: ``a, b or c``."""
    return listed(names, "or")


def listed(names: Sequence[str], word: str) -> str:
    """Returns names with a word before the last: ``a, b and c``."""
    *head, last = names
    return f"{', '.join(head)} {word} {last}" if head else last
