"""Takes a checkpoint's worth of bytes the way that it goes without a file system: from a disk to the bucket, and back.

Each pod sends its share, in several files, and fetches that of the next pod, by the command that training jobs use.
Making the files is not counted, nor looking whether they came back whole. As with a checkpoint, the node's memory may
hold still what is sent.
"""

import os
import shutil
import time
from pathlib import Path

import checkpoint_io
import trnstack_bucket
import trnstack_meeting
import trnstack_pod as pod

_GB = 10**9
#: What is left free of the disk, which the node needs itself.
_ROOM = 5 * _GB


def timed(meeting, work, source, target):
    """Returns how long all pods together take to copy a folder each.

    Raises:
        SystemExit: A folder could not be copied.
    """
    meeting.gather()
    begun = time.monotonic()
    if not work(source, target, "--recursive"):
        raise SystemExit(f"{source} could not be copied to {target}")
    meeting.gather()
    return time.monotonic() - begun


def measure(place, meeting, total, folder, target):
    """Returns the result of one pod; the files are gone afterwards, from the disk and from the bucket.

    Args:
        place: The pod's place.
        meeting: Where it meets the others.
        total: The bytes that all pods send together.
        folder: A folder on the node's own disk.
        target: An address in the bucket that is the job's own, without a slash at its end.

    Raises:
        SystemExit: The disk has no room, or what came back is not what was sent.
    """
    if place.rank == 0 and not trnstack_bucket.removed(f"{target}/", "--recursive"):
        raise SystemExit(f"what an earlier job may have left in {target} could not be removed")
    block = os.urandom(checkpoint_io.BLOCK)
    block = bytes.fromhex(meeting.gather(block[:4096].hex())[0]) + block[4096:]
    shutil.rmtree(folder, ignore_errors=True)
    sent, fetched, other = folder / "sent", folder / "fetched", (place.rank + 1) % place.nodes
    sent.mkdir(parents=True)
    mine = checkpoint_io.files_of(place.rank, place.nodes, total, sent)
    needed, free = sum(size for _, size in mine), shutil.disk_usage(folder).free
    if free < needed + _ROOM:
        raise SystemExit(f"the node's disk has {free / _GB:,.1f} GB free, and {needed / _GB:,.1f} GB are to be written")
    try:
        for file, size in mine:
            checkpoint_io.write(file, size, block)
        copy = trnstack_bucket.copy
        written = timed(meeting, copy, str(sent), f"{target}/{place.rank:04}")
        shutil.rmtree(sent)  # what comes back needs its room
        been_read = timed(meeting, copy, f"{target}/{other:04}", str(fetched))
        for file, size in checkpoint_io.files_of(other, place.nodes, total, fetched):
            checkpoint_io.read(file, size, block)
        meeting.gather()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if not trnstack_bucket.removed(f"{target}/{place.rank:04}/", "--recursive"):
            print(f"{target}/{place.rank:04} could not be removed from the bucket, and costs", flush=True)
    return {
        "kind": "checkpoint-io",
        "through": "bucket",
        "nodes": place.nodes,
        "files": checkpoint_io.FILES * place.nodes,
        "bytes": total,
        "write_seconds": round(written, 3),
        "write_mbps": round(total / written / 1e6, 1),
        "read_seconds": round(been_read, 3),
        "read_mbps": round(total / been_read / 1e6, 1),
    }


def main():
    """Runs once in each pod."""
    trnstack_bucket.require("checkpoints")
    place = pod.place()
    meeting = trnstack_meeting.Meeting(place, pod.MEETING_PORT, pod.WAIT_SECONDS)
    total = int(os.environ.get("TRNSTACK_CHECKPOINT_BYTES", str(10 * _GB * place.nodes)))
    folder = Path(os.environ["TRNSTACK_SCRATCH"]) / "checkpoint-io"
    result = measure(place, meeting, total, folder, trnstack_bucket.of_the_job("checkpoint-io", place.job))
    if place.rank == 0:
        pod.tell(result)
    meeting.close()


if __name__ == "__main__":
    main()
