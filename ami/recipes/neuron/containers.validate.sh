#!/usr/bin/env bash
# Checks that the containers' archives are whole and have the lock's digests, and that containerd's own store, which
# nodeadm copies before a node joins, has none of them.
set -euo pipefail

fail() {
  printf 'containers: %s\n' "$1" >&2
  exit 1
}

read -r -a wanted <<<"$CONTAINERS"
((${#wanted[@]} > 0)) || exit 0

# Everything in an archive is stored under its SHA-256, down from the digest that the lock has.
python3 - "${ROOT:-}/opt/trnstack/images" "${wanted[@]}" <<'PYTHON'
import hashlib
import json
import sys
import tarfile

folder, *containers = sys.argv[1:]
SMALL = 4 << 20


def read(tar, name):
    return json.load(tar.extractfile(name))


def check(path, reference, digest):
    with tarfile.open(path, "r:") as tar:
        there = set()
        for member in tar:
            if member.isfile() and member.name.startswith("blobs/sha256/"):
                stream, found = tar.extractfile(member), hashlib.sha256()
                while part := stream.read(SMALL):
                    found.update(part)
                if member.name != f"blobs/sha256/{found.hexdigest()}":
                    raise ValueError(f"{member.name} has the SHA-256 {found.hexdigest()}")
                there.add(f"sha256:{found.hexdigest()}")
        (top,) = read(tar, "index.json")["manifests"]
        if top["digest"] != digest:
            raise ValueError(f"its digest is {top['digest']}")
        if top["annotations"]["io.containerd.image.name"] != reference:
            raise ValueError(f"its name is {top['annotations']['io.containerd.image.name']}")
        manifest = read(tar, f"blobs/sha256/{digest.partition(':')[2]}")
        for child in manifest.get("manifests", ()):
            platform = child.get("platform", {})
            if (platform.get("os"), platform.get("architecture")) == ("linux", "amd64"):
                manifest = read(tar, f"blobs/sha256/{child['digest'].partition(':')[2]}")
        for part in (manifest["config"], *manifest["layers"]):
            if part["digest"] not in there:
                raise ValueError(f"it lacks {part['digest']}")


listed = []
for container in containers:
    name, _, digest = container.partition("@")
    reference = f"{name.rpartition(':')[0]}@{digest}"
    archive = f"{digest.partition(':')[2]}.tar"
    try:
        check(f"{folder}/{archive}", reference, digest)
    except (OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, tarfile.TarError) as error:
        sys.exit(f"containers: the archive of {reference} is not right: {error}")
    listed.append(f"{archive} {reference}\n")
with open(f"{folder}/images.txt", encoding="utf-8") as stream:
    if list(stream) != listed:
        sys.exit("containers: images.txt does not list the lock's containers")
PYTHON

content=${ROOT:-}/var/lib/containerd/io.containerd.content.v1.content/blobs/sha256
for container in "${wanted[@]}"; do
  [[ ! -e $content/${container##*:} ]] || fail "containerd's own store holds ${container%@*}, and a node would copy it"
done
