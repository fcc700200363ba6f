"""Locks as an account would have resolved them, and stand-ins for charts, beside copies of environments."""

from pathlib import Path

from ami import archives
from ami.lock import path_for, read, write
from ami.pins import Lock
from rehearsal.charts import archive
from rehearsal.pins.made_up import BUILDER, OWNER, digest_of, image_id_of, resolved

__all__ = ["BUILDER", "OWNER", "copy_resolved", "digest_of", "image_id_of", "resolved", "write_resolved"]


def copy_resolved(environment_file: Path, folder: Path) -> Path:
    """Copies an environment and its lock to a folder, the lock resolved, with charts; returns the copy of the file."""
    copy = folder / environment_file.name
    copy.write_bytes(environment_file.read_bytes())
    write_resolved(read(path_for(environment_file)), copy)
    return copy


def write_resolved(lock: Lock, environment_file: Path) -> None:
    """Writes a lock beside an environment file, resolved, and the charts that stand in for those that it pins."""
    write(resolved(lock), path_for(environment_file))
    charts = {archives.file_name(name, pin.version): archive(name, pin.version) for name, pin in lock.charts.items()}
    archives.write(archives.folder_of(path_for(environment_file)), charts)
