"""The program that ``cdk`` runs: which AWS it takes for a rehearsal's."""

import os

import pytest

from stacks.__main__ import _is_rehearsal

HERE = ["http://127.0.0.1:80", "http://localhost:80", "http://[::1]:80"]


@pytest.fixture
def settings(monkeypatch):
    """Sets variables, beside which none of AWS's is set."""

    def call(**values):
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            monkeypatch.delenv(name)
        for name, value in values.items():
            monkeypatch.setenv(name, value)

    return call


class TestIsRehearsal:
    @pytest.mark.parametrize("address", HERE)
    def test_here(self, settings, address):
        """Every address that ``trnstack lock`` takes for a rehearsal's is one here."""
        settings(AWS_ENDPOINT_URL=address)
        assert _is_rehearsal()

    @pytest.mark.parametrize("address", ["https://example.com", "http://[::1", "nonsense", ""])
    def test_elsewhere(self, settings, address):
        """No other is, nor what is no address."""
        settings(AWS_ENDPOINT_URL=address)
        assert not _is_rehearsal()

    @pytest.mark.parametrize("address", HERE)
    def test_one_service(self, settings, address):
        """Nor is it one where a service is asked elsewhere, or where the addresses do not count."""
        settings(AWS_ENDPOINT_URL=address, AWS_ENDPOINT_URL_S3="https://example.com")
        assert not _is_rehearsal()

        settings(AWS_ENDPOINT_URL=address, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS="true")
        assert not _is_rehearsal()
