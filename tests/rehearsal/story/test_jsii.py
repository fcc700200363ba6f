"""Synthesis in a rehearsal needs no home folder that can be written."""

from pathlib import Path

import pytest

from rehearsal.story.jsii import jsii_cache


class TestJsiiCache:
    def test_usual(self, tmp_path, monkeypatch):
        """Where the home folder can be written, jsii's cache stays where every other synthesis finds it."""
        monkeypatch.setattr(Path, "home", lambda: tmp_path)

        assert jsii_cache(tmp_path / "own") == {}

    @pytest.mark.parametrize("home", ["/proc/nope", "/dev/null"])
    def test_no_home(self, tmp_path, monkeypatch, home):
        """Elsewhere the rehearsal's own folder does."""
        monkeypatch.setattr(Path, "home", lambda: Path(home))

        assert jsii_cache(tmp_path) == {"JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(tmp_path / "jsii")}
