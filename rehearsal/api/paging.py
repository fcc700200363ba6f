"""Gives lists in pages, as CloudFormation does.

Source: CloudFormation API reference: ListExports ends a page after 100 exports, DescribeStackResources an answer after
100 resources, the other lists a page after 1 MB; that DescribeStackEvents gives 100 at a time is told in
ansible/ansible 41840. That the others do too, the form of a token, and the words for one that no list has given are
unconfirmed.
"""

from collections.abc import Sequence
from typing import TypeVar

from rehearsal.api.errors import ApiError

PAGE = 100

Row = TypeVar("Row")


def page(rows: Sequence[Row], token: str | None, *, newest_first: bool) -> tuple[Sequence[Row], str | None]:
    """Gives a page of a list and the token of the next one; None where it is the last.

    Args:
        rows: The whole list as it is now.
        token: The token that the request brings; None for the first page.
        newest_first: Whether the list grows at its beginning: what is added between two pages is then left out.

    Raises:
        ApiError: The token is none that this list has given.
    """
    start = 0
    if token is not None:
        if not token.isascii() or not token.isdigit() or not 0 < int(token) <= len(rows):
            raise ApiError(f"NextToken {token} is not valid")
        start = len(rows) - int(token) if newest_first else int(token)
    end = start + PAGE
    if end >= len(rows):
        return rows[start:], None
    return rows[start:end], str(len(rows) - end if newest_first else end)
