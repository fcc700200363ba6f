#!/usr/bin/env bash
# Runs on a node, as trnstack-images.service: brings the image's containers into containerd. A container that is there
# already is left as it is, nothing is removed, and one that fails costs time alone: its pods pull it.
set -euo pipefail

folder=${ROOT:-}/opt/trnstack/images
mapfile -t lines <"$folder/images.txt"

failed=0
for line in "${lines[@]}"; do
  read -r archive reference <<<"$line"
  present=$(ctr --namespace k8s.io images list --quiet)
  if ! grep -Fxq "$reference" <<<"$present"; then
    # The archive has the name, which appears when everything is unpacked, so that no pod starts from half of it. What
    # is shown of the progress would fill the journal.
    if ! ctr --namespace k8s.io images import "$folder/$archive" >/dev/null; then
      echo "images: $reference could not be imported; pods pull it from its registry" >&2
      failed=1
      continue
    fi
  fi
  # Otherwise the kubelet's garbage collection takes it when the disk fills.
  ctr --namespace k8s.io images label "$reference" io.cri-containerd.pinned=pinned
done
exit "$failed"
