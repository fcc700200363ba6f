#!/usr/bin/env bash
# Checks that what was written down is what the lock says.
set -euo pipefail

file=${ROOT:-}/etc/trnstack/image.json

python3 - "$file" "$KERNEL" "recipe=$RECIPE" "neuron_sdk=$SDK" "neuron_driver=$DRIVER" "neuron_tools=$TOOLS" \
  "efa_installer=$EFA_VERSION" "containers=$CONTAINERS" <<'PYTHON'
import json
import sys

path, kernel, *pairs = sys.argv[1:]
try:
    with open(path, encoding="utf-8") as stream:
        content = json.load(stream)
except (OSError, ValueError) as error:
    sys.exit(f"manifest: /etc/trnstack/image.json can't be read: {error}")
content["containers"] = " ".join(each["name"] for each in content.get("containers", []))
for pair in pairs:
    name, wanted = pair.split("=", 1)
    found = content.get(name)
    if found != wanted:
        sys.exit(f"manifest: {name} is {found or 'none'}, the lock says {wanted or 'none'}")
if not content.get("kernel", "").startswith(f"{kernel}."):
    sys.exit(f"manifest: kernel is {content.get('kernel')}, the lock says {kernel}")
PYTHON
