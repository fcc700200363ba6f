"""Reads and writes files that a person names, whatever lies there. Stands on the standard library alone."""

import errno
import os
import tempfile
from pathlib import Path


def up_to(file: Path, longest_bytes: int) -> bytes:
    """Returns a file's content; of one that is longer than that, a byte more than that.

    A pipe would be waited for, and a device such as ``/dev/zero`` read without end: neither is opened.

    Raises:
        OSError: It is missing, is no file, or can't be read.
    """
    if file.exists() and not file.is_file():
        raise OSError(errno.EINVAL, f"it is {'a folder' if file.is_dir() else 'no file'}", str(file))
    with file.open("rb") as stream:
        return stream.read(longest_bytes + 1)


def write(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all, for everybody to read; a link stays one, and what it leads to is written.

    Raises:
        OSError: It can't be written; whatever was there is there still, and nothing else. The error names the file.
    """
    target = resolved_link(path)
    written = beside(target, content)
    try:
        written.chmod(0o644)  # a temporary file is its owner's alone
        written.replace(target)
    except OSError as error:
        written.unlink()
        raise OSError(error.errno, error.strerror, str(target)) from error


def resolved_link(path: Path) -> Path:
    """Returns where a path leads: to replace a link itself would leave what it leads to as it was."""
    return Path(os.path.realpath(path))


def beside(path: Path, content: bytes) -> Path:
    """Writes a temporary file beside another one, which it is to replace, and returns it.

    Raises:
        OSError: It can't be written whole, as on a full disk; nothing is left of it. The error names the file beside
            which it was to be.
    """
    name = ""
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as stream:
            name = stream.name
            stream.write(content)
    except OSError as error:
        if name:
            Path(name).unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
    return Path(name)
