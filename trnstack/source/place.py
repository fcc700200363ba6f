"""Where something stands in a file, and how a finding gets there."""

import dataclasses
from dataclasses import dataclass

from trnstack.findings import Finding, InvalidEnvironmentError


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a value stands in the text: line and column from 1."""

    line: int
    column: int


def located(finding: Finding, file: str, mark: Mark) -> Finding:
    """Returns the finding with file, line and column."""
    return dataclasses.replace(finding, file=file, line=mark.line, column=mark.column)


def refusal(file: str, code: str, message: str, hint: str, mark: Mark | None = None) -> InvalidEnvironmentError:
    """Returns the exception that refuses a file as a whole."""
    finding = Finding(code=code, path=(), message=message, hint=hint)
    return InvalidEnvironmentError([located(finding, file, mark or Mark(0, 0))])
