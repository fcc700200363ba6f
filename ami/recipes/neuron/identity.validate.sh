#!/usr/bin/env bash
# Checks that the image has no machine's id, and that an instance of it has made one.
set -euo pipefail

fail() {
  printf 'identity: %s\n' "$1" >&2
  exit 1
}

id=$(<"${ROOT:-}/etc/machine-id")
if [[ $PHASE == validate ]]; then
  [[ -z $id ]] || fail "/etc/machine-id is not empty, and every node would be the same machine"
else
  [[ $id =~ ^[0-9a-f]{32}$ ]] || fail "the instance has made no id of its own in /etc/machine-id"
fi
