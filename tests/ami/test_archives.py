import os
from dataclasses import replace
from pathlib import Path

import pytest

from ami import archives, offline
from ami.lock import path_for
from tests.ami.resolve.conftest import INPUTS

LOCK = offline.lock(INPUTS, account_follows=True)
CONTENT = b"archive"


class TestRead:
    def test_bytes(self, tmp_path):
        """An archive with the pinned digest is read."""
        (tmp_path / "x.tgz").write_bytes(CONTENT)

        assert archives.read(tmp_path / "x.tgz", archives.digest_of(CONTENT)) == CONTENT

    def test_missing(self, tmp_path):
        """One that is not there is told."""
        assert archives.read(tmp_path / "x.tgz", "sha256:x").message == "is missing"

    def test_other(self, tmp_path):
        """One with other bytes is told with both digests."""
        (tmp_path / "x.tgz").write_bytes(CONTENT)

        found = archives.read(tmp_path / "x.tgz", "sha256:x")

        assert found.message == f"has {archives.digest_of(CONTENT)}, and the lock pins sha256:x"

    def test_large(self, tmp_path):
        """One that is larger than any chart is not read."""
        (tmp_path / "x.tgz").write_bytes(b"")
        os.truncate(tmp_path / "x.tgz", archives.LONGEST_ARCHIVE_BYTES + 1)

        assert "more than 8 MiB" in archives.read(tmp_path / "x.tgz", "sha256:x").message

    def test_folder(self, tmp_path):
        """What is no file is told."""
        assert archives.read(tmp_path, "sha256:x").message == "can't be read: it is a folder"

    def test_device(self):
        """A file without end is not read."""
        assert archives.read(Path("/dev/zero"), "sha256:x").message == "can't be read: it is no file"

    def test_pipe(self, tmp_path):
        """Nor is waited for what somebody may write."""
        os.mkfifo(tmp_path / "x.tgz")

        assert archives.read(tmp_path / "x.tgz", "sha256:x").message == "can't be read: it is no file"


class TestWrite:
    def test_files(self, tmp_path):
        """The folder is made, and everybody may read what is in it."""
        archives.write(tmp_path / "charts", {"x.tgz": CONTENT})

        assert (tmp_path / "charts" / "x.tgz").read_bytes() == CONTENT
        assert (tmp_path / "charts" / "x.tgz").stat().st_mode & 0o777 == 0o644

    def test_nothing(self, tmp_path):
        """Without archives there is no folder."""
        archives.write(tmp_path / "charts", {})

        assert list(tmp_path.iterdir()) == []

    def test_refused(self, tmp_path):
        """What can't be written leaves nothing of itself."""
        (tmp_path / "charts" / "x.tgz").mkdir(parents=True)

        with pytest.raises(OSError, match=r"Is a directory: '.*/charts/x\.tgz'$"):
            archives.write(tmp_path / "charts", {"x.tgz": CONTENT})
        assert [each.name for each in (tmp_path / "charts").iterdir()] == ["x.tgz"]


class TestNeedless:
    def test_named(self, tmp_path):
        """An archive that some lock names is needed, and any other is not."""
        for name in ("kueue-0.19.2.tgz", "kueue-0.18.0.tgz", "notes.txt"):
            (tmp_path / name).write_bytes(b"")

        assert list(archives.needless(tmp_path, [LOCK])) == [tmp_path / "kueue-0.18.0.tgz"]
        older = replace(LOCK, charts={"kueue": replace(LOCK.charts["kueue"], version="0.18.0")})
        assert list(archives.needless(tmp_path, [LOCK, older])) == []


class TestPlaces:
    def test_beside_the_lock(self, tmp_path):
        """Archives lie in a folder beside lock and environment."""
        lock = path_for(tmp_path / "x.yaml")

        assert archives.folder_of(lock) == tmp_path / "charts"
        assert tmp_path / archives.relative_path("kueue", "1") == archives.folder_of(lock) / "kueue-1.tgz"
