#!/usr/bin/env bash
# Checks that the containers are in containerd, whole, unpacked and safe from garbage collection.
set -euo pipefail

fail() {
  printf 'containers: %s\n' "$1" >&2
  exit 1
}

read -r -a wanted <<<"$CONTAINERS"

systemctl start containerd
trap 'systemctl stop containerd' EXIT

ready=$(ctr --namespace k8s.io images check --quiet)
for container in "${wanted[@]}"; do
  name=${container%@*}
  reference=${name%:*}@${container##*@}
  grep -Fxq "$reference" <<<"$ready" || fail "$reference is not whole and unpacked in containerd"
  listing=$(ctr --namespace k8s.io images list "name==$reference")
  [[ $listing == *io.cri-containerd.pinned=pinned* ]] || fail "$reference is not pinned"
done
