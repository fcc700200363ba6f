"""The program that ``cdk`` runs: what it is given, and which AWS it takes for a rehearsal's."""

import json
import os
from pathlib import Path

import pytest

from bench.locks import copy_resolved
from stacks.__main__ import _is_rehearsal, main

EXAMPLE = Path(__file__).parents[2] / "environments" / "llama3-8b-trn1.yaml"

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


class TestSettings:
    """What can't be used is said in a sentence, without a traceback and without waiting."""

    @pytest.fixture(autouse=True)
    def alone(self, monkeypatch):
        """Without the variables of whoever runs the tests."""
        for name in ("CDK_OUTDIR", "CDK_CONTEXT_JSON", "TRNSTACK_ENVIRONMENT", "TRNSTACK_LOCK"):
            monkeypatch.delenv(name, raising=False)

    @pytest.mark.parametrize(
        ("context", "said"),
        [
            ("[]", "CDK_CONTEXT_JSON: is no JSON object"),
            ("1", "CDK_CONTEXT_JSON: is no JSON object"),
            ("{", "CDK_CONTEXT_JSON: is not JSON"),
            ("[" * 100_000, "CDK_CONTEXT_JSON: is not JSON"),
            ('{"lock": true}', "context lock: should be the name of a file, not True"),
            ('{"environment": ["x"]}', "context environment: should be the name of a file, not ['x']"),
            ('{"environment": "x\\u0000.yaml"}', "context environment: should be the name of a file"),
        ],
    )
    @pytest.mark.usefixtures("no_collection")
    def test_context(self, monkeypatch, capsys, context, said):
        """A context that is none, and a value that names no file."""
        monkeypatch.setenv("CDK_CONTEXT_JSON", context)

        assert main() == 2
        assert capsys.readouterr().err.startswith(said)

    @pytest.mark.parametrize("context", ["", "{}", '{"environment": null, "lock": false}'])
    def test_nothing(self, monkeypatch, capsys, context):
        """Without an environment it is said how one is named."""
        monkeypatch.setenv("CDK_CONTEXT_JSON", context)

        assert main() == 2
        assert capsys.readouterr().err.startswith("name the environment file")

    @pytest.mark.parametrize(
        ("folder", "said"),
        [
            ("/proc/x", "no such file or directory"),
            ("/proc", "no such file or directory"),
            ("/dev/null", "file exists"),
            ("/dev/null/x", "not a directory"),
        ],
    )
    def test_folder(self, monkeypatch, capsys, tmp_path, folder, said):
        """A folder in which nothing can be written, before Node is started."""
        file = copy_resolved(EXAMPLE, tmp_path)
        monkeypatch.setenv("CDK_CONTEXT_JSON", json.dumps({"environment": str(file)}))
        monkeypatch.setenv("CDK_OUTDIR", folder)

        assert main() == 2
        assert capsys.readouterr().err.startswith(f"{folder}: templates can't be written there: {said}\n")
