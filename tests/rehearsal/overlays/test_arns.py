"""The parts of ARNs."""

import pytest

from rehearsal.overlays.arns import parsed


def test_parts():
    """The last part keeps its colons."""
    found = parsed("arn:aws:lambda:us-east-2:123456789012:function:f:live")

    assert found == ("aws", "lambda", "us-east-2", "123456789012", "function:f:live")


@pytest.mark.parametrize(
    "text", ["", "arn", "arn:aws:s3:::", "aws:arn:s3:::data", "x:aws:s3:::data", "arn:aws:s3::data"]
)
def test_none(text):
    """What has fewer than six parts, or begins otherwise, is none; an empty resource is a part."""
    assert (parsed(text) is None) is (text != "arn:aws:s3:::")
