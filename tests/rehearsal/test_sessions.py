"""Sessions that read nothing of a person's."""

import pytest

from rehearsal.sessions import session


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
def test_no_proxy(monkeypatch, name):
    """A proxy of the person's is not asked for what is on this machine."""
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("no_proxy", "example.com")
    client = session("key", "secret", None, "us-east-2").client("sts", endpoint_url="http://127.0.0.1:1")

    assert client._endpoint.http_session._proxy_config.proxy_url_for("http://127.0.0.1:1/") is None
