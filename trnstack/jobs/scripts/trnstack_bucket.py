"""Keeps in a bucket what a job leaves, checkpoints above all, where its node has a disk and no file system.

By the container's ``aws`` command: the standard library knows no S3.

Sources: AWS CLI, user guide, "Command line return codes"; aws/aws-cli, customizations/s3/subcommands.py: ``s3 ls``
ends with 1 where nothing is listed, and with 254 and others where it was refused.
"""

import os
import shutil
import subprocess
import time
from pathlib import Path

import trnstack_pod as pod

_SECONDS = 60
_NOTHING = 1


class Bucket:
    """Brings a run's checkpoints to a node, and what the node writes to the bucket."""

    def __init__(self, folder, place, kept):
        """Looks what the bucket has.

        Args:
            folder: Where the run keeps its checkpoints on the node.
            place: The run's address in the bucket, ``s3://...`` without a slash at its end.
            kept: How many checkpoints are kept.

        Raises:
            SystemExit: The bucket does not say what it has.
        """
        require("checkpoints")
        self._folder, self._place, self._kept, self._last = folder, place, kept, time.monotonic()
        listed = subprocess.run(  # noqa: S603 - a fixed command
            ["aws", "s3", "ls", "--recursive", f"{place}/"],  # noqa: S607 - the container's
            check=False,
            capture_output=True,
            text=True,
        )
        nothing = listed.returncode == _NOTHING and not listed.stdout.strip()
        if listed.returncode and not nothing:
            told = listed.stderr.strip() or f"exit code {listed.returncode}"
            raise SystemExit(f"whether {place} has checkpoints is not known, so nothing is trained anew: {told}")
        keys = [line.split(maxsplit=3)[-1] for line in listed.stdout.splitlines() if line.strip()]
        self._whole = {key.split("/")[-2] for key in keys if key.endswith(f"/{pod.DONE}")}
        self._knows_the_run = any(key.endswith(f"/{pod.RUN_FILE}") for key in keys)

    def fetch(self):
        """Brings what the run is, and its newest whole checkpoint, where the node has none; the mark of it last.

        Raises:
            SystemExit: It can't be copied.
        """
        if self._knows_the_run:
            _copied(f"{self._place}/{pod.RUN_FILE}", f"{self._folder}/{pod.RUN_FILE}")
        name = pod.newest_complete(self._whole)
        if name is None or pod.complete(self._folder):
            return
        for only in _PARTS_FIRST:
            _copied(f"{self._place}/{name}", f"{self._folder}/{name}", "--recursive", *only)
        print(f"fetched checkpoint {name}", flush=True)

    def tell_the_run(self):
        """Copies what the run is, which is there before its first checkpoint.

        Raises:
            SystemExit: It can't be copied.
        """
        if not self._knows_the_run:
            _copied(f"{self._folder}/{pod.RUN_FILE}", f"{self._place}/{pod.RUN_FILE}")

    def now_and_then(self):
        """Copies new checkpoints when the last look is a while ago; what fails is tried again."""
        if time.monotonic() - self._last >= _SECONDS:
            self.upload()
            self._last = time.monotonic()

    def upload(self):
        """Copies whole checkpoints that the bucket lacks, oldest first, and removes those beyond the kept ones.

        Returns:
            Whether the bucket has all of them now.
        """
        for name in to_upload(pod.complete(self._folder), self._whole):
            if not all(
                copy(f"{self._folder}/{name}", f"{self._place}/{name}", "--recursive", *only) for only in _PARTS_FIRST
            ):
                return False
            self._whole.add(name)
            self._remove()
        return True

    def keep_log(self, file):
        """Copies a pod's log, since the pod's own goes with the pod."""
        copy(str(file), f"{self._place}/logs/{file.name}")

    def _remove(self):
        """Removes the oldest checkpoints, of each its mark first, so that half of one is never taken for a whole."""
        there = sorted(self._whole, key=pod.step_of)
        for name in there[: max(0, len(there) - self._kept)]:
            if removed(f"{self._place}/{name}/{pod.DONE}") and removed(f"{self._place}/{name}/", "--recursive"):
                self._whole.discard(name)


_PARTS_FIRST = (("--exclude", pod.DONE), ("--exclude", "*", "--include", pod.DONE))


def to_upload(local, uploaded):
    """Returns the checkpoints that are whole and not in the bucket yet, oldest first.

    What is older than the newest that the bucket has had, and is not there any more, was removed.
    """
    newest = max(map(pod.step_of, uploaded), default=-1)
    return sorted((name for name in set(local) - set(uploaded) if pod.step_of(name) > newest), key=pod.step_of)


def of_the_job(folder, job, environment=os.environ):
    """Returns the address in the bucket of a job's own part of a folder."""
    return f"s3://{environment['TRNSTACK_CHECKPOINT_BUCKET']}/{folder}/{job}"


def require(what):
    """Ends the pod where nothing could reach the bucket.

    Args:
        what: What would, in the plural.

    Raises:
        SystemExit: The container has not the command for it.
    """
    if shutil.which("aws") is None:
        raise SystemExit(f"the container has no aws command, by which {what} would reach the bucket")


def keep(folder, place):
    """Copies all of a folder to the bucket.

    Args:
        folder: The folder.
        place: The address in the bucket, without a slash at its end.

    Returns:
        What went wrong, as a sentence; None where all of it is there.
    """
    if not any(file.is_file() for file in Path(folder).rglob("*")):
        return f"the program left nothing in {folder}"
    if not copy(str(folder), place, "--recursive"):
        return f"{folder} could not be copied to {place}"
    print(f"{folder} is in {place}", flush=True)
    return None


def _copied(source, target, *extra):
    if not copy(source, target, *extra):
        raise SystemExit(f"{source} could not be copied to {target}")


def copy(source, target, *extra):
    """Returns whether a file, or with ``--recursive`` a folder, was copied to the bucket or from there."""
    return _s3("cp", "--only-show-errors", source, target, *extra)


def removed(place, *extra):
    """Returns whether an object, or with ``--recursive`` all below a prefix, is gone from the bucket."""
    return _s3("rm", "--only-show-errors", place, *extra)


def _s3(*words):
    return subprocess.run(["aws", "s3", *words], check=False).returncode == 0  # noqa: S603, S607
