"""Stands in for the AWS CLI in the processes of tests: a folder is the bucket.

``FAKE_BUCKET`` is the folder, and ``FAKE_FAILS`` a pattern: a command in whose words it is found is refused. Ends with
1 where nothing is listed, and with 254 where it was refused, as the CLI does.
"""

import fnmatch
import os
import re
import shutil
import sys
from pathlib import Path

words = sys.argv[1:]
bucket, said = Path(os.environ["FAKE_BUCKET"]), " ".join(words)
with (bucket.parent / "calls").open("a") as calls:
    calls.write(f"{said}\n")
if os.environ.get("FAKE_FAILS") and re.search(os.environ["FAKE_FAILS"], said):
    sys.stderr.write("An error occurred (AccessDenied) when calling the operation\n")
    sys.exit(254)


def place(name: str) -> Path:
    """Returns where a name of the bucket, or of the disk, is."""
    return bucket / name.removeprefix("s3://bucket/").rstrip("/") if name.startswith("s3://bucket/") else Path(name)


def taken(name: str, given: list[str]) -> bool:
    """Tells whether a file is copied: of the patterns that fit the last one counts."""
    found = True
    for option, pattern in zip(given[::2], given[1::2], strict=True):
        if fnmatch.fnmatch(name, pattern):
            found = option == "--include"
    return found


service, command, *rest = words
assert service == "s3"
options = [each for each in rest if each in ("--recursive", "--only-show-errors")]
rest = [each for each in rest if each not in options]
if command == "ls":
    root = place(rest[0])
    keys = [file.relative_to(bucket) for file in sorted(root.rglob("*")) if file.is_file()]
    sys.stdout.writelines(f"2026-01-01 00:00:00 {7:10} {key}\n" for key in keys)
    sys.exit(0 if keys else 1)
if command == "rm":
    target = place(rest[0])
    shutil.rmtree(target, ignore_errors=True) if "--recursive" in options else target.unlink()
    sys.exit(0)
source, target, *patterns = rest
assert command == "cp"
pairs = [(place(source), place(target))]
if "--recursive" in options:
    files = [file for file in pairs[0][0].rglob("*") if file.is_file()]
    names = [str(file.relative_to(pairs[0][0])) for file in files]
    pairs = [(place(source) / name, place(target) / name) for name in names if taken(name, patterns)]
for from_, to in pairs:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(from_, to)
