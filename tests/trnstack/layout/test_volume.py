"""The file system's name."""

from trnstack.layout.volume import dns_name


def test_dns_name():
    """A file system that stands already is reached under its id and region."""
    assert dns_name("fs-1", "us-east-2") == "fs-1.fsx.us-east-2.amazonaws.com"
