"""Scalars in the types that a schema asks for, as far as they can be read so."""

import pytest

from rehearsal.engine.properties import typed


@pytest.mark.parametrize(
    ("asked", "written", "read"),
    [
        ("number", "0.5", 0.5),
        ("number", " 2.5e3 ", 2500.0),
        ("number", "8", 8),
        ("number", "half", "half"),
        ("integer", "8", 8),
        ("integer", "0.5", "0.5"),
        ("boolean", "TRUE", True),
        ("boolean", "yes", "yes"),
        ("string", True, "true"),
        ("string", False, "false"),
        ("string", 8, "8"),
        ("string", 0.5, "0.5"),
        ("string", "0.5", "0.5"),
        (["string", "boolean"], True, True),
        (["string", "integer"], 8, 8),
    ],
)
def test_scalars(asked, written, read):
    """A scalar is read as what is asked for, and stays as it is where it can't be."""
    (found,) = typed({"A": written}, {"properties": {"A": {"type": asked}}}, {}).values()

    assert (found, type(found)) == (read, type(read))
