"""What templates find in the assets' bucket is the same whenever it is made."""

import io
import time
import zipfile
from pathlib import Path

import pytest

from rehearsal.kubectl import helm
from rehearsal.rehearsed import rehearsed
from rehearsal.rehearsed.assets import HANDLER, layer, zipped


@pytest.mark.parametrize("made", [lambda: zipped(HANDLER), lambda: layer(Path("/opt/helm"))])
def test_no_clock_in_archives(made, monkeypatch):
    """An archive has the same bytes at another time, so that what goes by its digest is found again."""
    first = made()
    later = time.localtime(2_000_000_000)
    monkeypatch.setattr(time, "localtime", lambda *_: later)

    assert made() == first
    assert {each.date_time[0] for each in zipfile.ZipFile(io.BytesIO(first)).infolist()} == {2000}


def test_charts_are_rendered_once(environment, monkeypatch):
    """A second environment of a process has its charts' objects without running helm again."""
    with rehearsed(environment("dev-trn1")) as aws:
        first = [release.images for release in aws.survey().clusters[0].releases]
    monkeypatch.setattr(helm, "_run", lambda *_: pytest.fail("helm was run again"))

    with rehearsed(environment("dev-trn1")) as aws:
        assert [release.images for release in aws.survey().clusters[0].releases] == first
    assert first
