"""Writes a checkpoint's worth of bytes to the file system from all pods at once, reads it back, and tells the rates.

Each pod writes its share to several files, and reads those of the next pod, which its own memory does not hold. What is
written is random, so that the file system's compression makes it no smaller.
"""

import json
import mmap
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import trnstack_meeting
import trnstack_pod as pod

BLOCK, FILES = 16 * 2**20, 8
_GB = 10**9
_NO_CACHE = getattr(os, "O_DIRECT", 0)


def files_of(rank, nodes, total, folder):
    """Returns the files of a pod with their bytes.

    Args:
        rank: The pod's number.
        nodes: How many pods there are.
        total: The bytes that all pods write together.
        folder: Where the files lie.
    """
    _, mine = pod.share(total, nodes, rank)
    return [(Path(folder) / f"shard-{rank:04}-{part}", pod.share(mine, FILES, part)[1]) for part in range(FILES)]


def write(file, size, block):
    """Writes a file of so many bytes, and waits until the file system has them."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        view, left = memoryview(block), size
        while left:
            left -= os.write(handle, view[: min(left, len(block))])
        os.fsync(handle)
    finally:
        os.close(handle)


def read(file, size, block):
    """Reads a file past the node's own memory where the file system allows it.

    Raises:
        SystemExit: The file holds something else than was written.
    """
    try:
        handle = os.open(file, os.O_RDONLY | _NO_CACHE)
    except OSError:  # a file system without direct access, such as one in memory
        handle = os.open(file, os.O_RDONLY)
    into, found = mmap.mmap(-1, BLOCK), 0
    try:
        while count := os.readv(handle, [into]):
            # Writes may stop within a block, so what a place holds follows from its distance to the file's start.
            if found % BLOCK == 0 and into[: min(count, 4096)] != block[: min(count, 4096)]:
                raise SystemExit(f"{file} does not hold what was written to it, at byte {found}")
            found += count
    finally:
        into.close()
        os.close(handle)
    if found != size:
        raise SystemExit(f"{file} has {found} bytes in place of {size}")


def timed(meeting, work, files, block):
    """Returns how long all pods together take to do something with their files."""
    meeting.gather()
    begun = time.monotonic()
    with ThreadPoolExecutor(FILES) as threads:
        for done in [threads.submit(work, file, size, block) for file, size in files]:
            done.result()
    meeting.gather()
    return time.monotonic() - begun


def fio(folder):
    """Returns what fio reaches with small files in random order; None where the container has no fio."""
    if shutil.which("fio") is None:
        return None
    folder = folder / "random"
    folder.mkdir()
    sizes = ["--size=1g", "--bs=1m", "--numjobs=8", "--runtime=30", "--time_based", "--group_reporting"]
    how = ["--name=random", "--rw=randrw", "--ioengine=psync", "--output-format=json", f"--directory={folder}"]
    try:
        done = subprocess.run(["fio", *how, *sizes], check=True, capture_output=True, text=True)  # noqa: S603, S607
    finally:
        shutil.rmtree(folder)
    (job,) = json.loads(done.stdout)["jobs"]
    return {f"random_{way}_mbps": round(job[way]["bw_bytes"] / 1e6, 1) for way in ("read", "write")}


def measure(place, meeting, total, folder):
    """Returns the result of one pod; the files are gone afterwards.

    Args:
        place: The pod's place.
        meeting: Where it meets the others.
        total: The bytes that all pods write together.
        folder: A folder that all pods see.
    """
    if place.rank == 0:
        # A job that was killed has left its bytes behind, as many as a checkpoint has.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    # A multiple of the block's length of random bytes, of which each write takes the beginning.
    block = os.urandom(BLOCK)
    block = bytes.fromhex(meeting.gather(block[:4096].hex())[0]) + block[4096:]
    mine = files_of(place.rank, place.nodes, total, folder)
    others = files_of((place.rank + 1) % place.nodes, place.nodes, total, folder)
    try:
        written = timed(meeting, write, mine, block)
        been_read = timed(meeting, read, others, block)
        small = fio(folder) if place.rank == 0 else None
        meeting.gather()
    finally:
        for file, _ in mine:
            file.unlink(missing_ok=True)
    return {
        "kind": "checkpoint-io",
        "nodes": place.nodes,
        "files": FILES * place.nodes,
        "bytes": total,
        "write_seconds": round(written, 3),
        "write_mbps": round(total / written / 1e6, 1),
        "read_seconds": round(been_read, 3),
        "read_mbps": round(total / been_read / 1e6, 1),
        "fio": small,
    }


def main():
    """Runs once in each pod."""
    place = pod.place()
    meeting = trnstack_meeting.Meeting(place, pod.MEETING_PORT, pod.WAIT_SECONDS)
    total = int(os.environ.get("TRNSTACK_CHECKPOINT_BYTES", str(10 * _GB * place.nodes)))
    folder = Path(os.environ["TRNSTACK_MOUNT_PATH"]) / "checkpoint-io" / place.job
    result = measure(place, meeting, total, folder)
    if place.rank == 0:
        pod.tell(result)
    meeting.close()


if __name__ == "__main__":
    main()
