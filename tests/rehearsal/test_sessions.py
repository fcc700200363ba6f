"""Sessions that read nothing of a person's."""

import pytest

from rehearsal.sessions import core_session, session


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
def test_no_proxy(monkeypatch, name):
    """A proxy of the person's is not asked for what is on this machine."""
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("no_proxy", "example.com")
    client = session("key", "secret", None, "us-east-2").client("sts", endpoint_url="http://127.0.0.1:1")

    assert client._endpoint.http_session._proxy_config.proxy_url_for("http://127.0.0.1:1/") is None


def test_models_are_loaded_once(monkeypatch, tmp_path):
    """Sessions share what a service is made by, and take none of a person's own models."""
    monkeypatch.setenv("AWS_DATA_PATH", str(tmp_path))
    one, other = (session("key", "secret", None, region).client("sts") for region in ("us-east-2", "us-west-2"))

    assert one.meta.service_model._service_description is other.meta.service_model._service_description
    assert str(tmp_path) not in core_session().get_component("data_loader").search_paths
