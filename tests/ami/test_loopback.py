"""Whether an address is of this machine."""

import pytest

from ami.loopback import is_loopback


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:80", "http://127.1.2.3", "http://[::1]:80/x", "http://localhost:80", "https://LOCALHOST"]
)
def test_here(url):
    """The network of 127.0.0.1, ::1 and localhost are."""
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "http://127.0.0.1.example.com",
        "http://localhost.example.com",
        "http://10.0.0.1",
        "http://0.0.0.0",
        "127.0.0.1:80",
        "http://[::1",
        "nonsense",
        "",
    ],
)
def test_elsewhere(url):
    """Other hosts are not, nor is what is no URL."""
    assert not is_loopback(url)
