"""Writes and reads the checkpoints of JAX runs: each process its own parts, and a mark once all are written."""

import os
import shutil
import zipfile
from pathlib import Path

import jax
import numpy as np
import trnstack_pod as pod
from jax.experimental import multihost_utils


def save(folder, state, *, kept):
    """Writes a checkpoint, and removes those beyond the number that is kept.

    Args:
        folder: Where checkpoints lie, seen by all processes.
        state: Arrays by name; ``step`` names the checkpoint.
        kept: How many checkpoints are kept.
    """
    folder, process = Path(folder), jax.process_index()
    target = folder / f"step-{int(state['step']):08}"
    if process == 0:
        # The same step may have been written before, and been found broken.
        (target / pod.DONE).unlink(missing_ok=True)
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
    _wait("begun")
    parts = {}
    for path, array in jax.tree_util.tree_leaves_with_path(state):
        for part in array.addressable_shards:
            if part.replica_id == 0:
                parts[_key(path, part.index, array.shape)] = np.asarray(part.data)
    _write(target / f"part-{process:05}.npz", lambda file: np.savez(file, **parts))
    _wait("parts")
    if process == 0:
        _write(target / pod.DONE, lambda file: file.write(str(jax.process_count()).encode()))
        names = sorted(pod.complete(folder), key=pod.step_of)
        for name in names[: max(0, len(names) - kept)]:
            (folder / name / pod.DONE).unlink()  # first, so that half of one is never taken for a whole
            shutil.rmtree(folder / name)
    _wait("done")


def newest(folder, state):
    """Returns the state of the newest checkpoint that can be read, spread as the given one.

    Where there is no checkpoint it is the given one. What one process can't read, none takes.

    Raises:
        SystemExit: There are checkpoints and none can be read, or another number of cores has written them.
    """
    names = sorted(pod.complete(folder), key=pod.step_of, reverse=True)
    for name in names:
        try:
            found, broken = _read(Path(folder) / name, state), ""
        except _BROKEN as error:
            found, broken = None, f"{type(error).__name__}: {error}"
        if broken:
            print(f"checkpoint {name} can't be read, {broken}", flush=True)
        if all(_told_by_all(found is not None)):
            if jax.process_index() == 0:
                print(f"resuming from {Path(folder) / name}", flush=True)
            return found
    if names:
        raise SystemExit(f"none of the checkpoints in {folder} can be read, and nothing is trained anew over them")
    if jax.process_index() == 0:
        print("starting from random weights", flush=True)
    return state


#: What a file raises that was cut off, or lost bytes, before the file system had it.
_BROKEN = (OSError, EOFError, ValueError, zipfile.BadZipFile)


def _read(folder, state):
    """Returns the state that a checkpoint holds, spread as the given one."""
    files = [np.load(file) for file in sorted(folder.glob("part-*.npz"))]
    written = int((folder / pod.DONE).read_text(encoding="utf-8"))
    if len(files) != written:
        raise ValueError(f"{len(files)} parts of {written}")
    where = {key: file for file in files for key in file.files}

    def of(path, array):
        def part(index):
            key = _key(path, index, array.shape)
            if key not in where:
                raise SystemExit(f"checkpoint {folder} has no {key}: it was written by another number of cores")
            return where[key][key]

        return jax.make_array_from_callback(array.shape, array.sharding, part)

    return jax.tree_util.tree_map_with_path(of, state)


def _write(file, write):
    """Writes a file so that it has its name only when the file system has its bytes."""
    part = file.with_suffix(".part")
    with part.open("wb") as opened:
        write(opened)
        opened.flush()
        os.fsync(opened.fileno())
    part.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _told_by_all(value):
    """Returns what each process says."""
    if jax.process_count() == 1:
        return [value]
    return [bool(each) for each in multihost_utils.process_allgather(np.array(value))]


def _key(path, index, shape):
    """Returns the name of a part: the array's, and where in it the part begins and ends."""
    bounds = (part.indices(length)[:2] for part, length in zip(index, shape, strict=True))
    return f"{jax.tree_util.keystr(path)}|{'_'.join(f'{start}-{stop}' for start, stop in bounds)}"


def _wait(name):
    if jax.process_count() > 1:
        multihost_utils.sync_global_devices(f"checkpoint {name}")
