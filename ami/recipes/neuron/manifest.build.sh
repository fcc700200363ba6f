#!/usr/bin/env bash
# Writes down what the image holds, as found and not as asked for.
set -euo pipefail

file=${ROOT:-}/etc/trnstack/image.json
listed=${ROOT:-}/opt/amazon/efa_installed_packages

parent=$(imds /latest/meta-data/ami-id)
kernel=$(uname -r)
driver=$(rpm --query --queryformat '%{VERSION}' aws-neuronx-dkms)
tools=$(rpm --query --queryformat '%{VERSION}' aws-neuronx-tools)
efa=$(rpm --query --queryformat '%{VERSION}' efa)
first=$(head -n 1 "$listed")

install -d -m 755 "${file%/*}"
# Python is there because dnf is written in it.
python3 - "$file" "${ROOT:-}" "recipe=$RECIPE" "parent_image=$parent" "neuron_sdk=$SDK" "kernel=$kernel" \
  "neuron_driver=$driver" "neuron_tools=$tools" "efa_installer=${first##*: }" "efa_driver=$efa" \
  "containers=$CONTAINERS" <<'PYTHON'
import json
import os
import sys

path, root, *pairs = sys.argv[1:]
content = dict(pair.split("=", 1) for pair in pairs)
archives = {each: f"/opt/trnstack/images/{each.rpartition(':')[2]}.tar" for each in content["containers"].split()}
try:
    content["containers"] = [
        {"name": name, "archive": archive, "bytes": os.stat(root + archive).st_size}
        for name, archive in archives.items()
    ]
except OSError as error:
    sys.exit(f"manifest: the archive of a container can't be read: {error}")
with open(path, "w", encoding="utf-8") as stream:
    json.dump(content, stream, indent=2)
    stream.write("\n")
PYTHON
chmod 644 "$file"
