#!/usr/bin/env bash
# Turns off whatever could change packages by itself. AL2023 locks an image to one release of its repositories and
# updates nothing at launch, and has live patching off; this keeps it so.
set -euo pipefail

# Masked although dnf-automatic is not installed, so that it would not start if it were.
systemctl mask dnf-automatic.timer dnf-automatic-download.timer dnf-automatic-install.timer \
  dnf-automatic-notifyonly.timer

shopt -s nullglob
for file in "${ROOT:-}"/etc/cloud/cloud.cfg "${ROOT:-}"/etc/cloud/cloud.cfg.d/*.cfg; do
  if [[ -f $file ]]; then
    sed -E -i 's/^( *)- package[-_]update[-_]upgrade[-_]install/\1# - package-update-upgrade-install/' "$file"
  fi
done

# An override that floats; without it dnf stays at the release of the parent.
release=${ROOT:-}/etc/dnf/vars/releasever
if [[ -f $release && $(<"$release") == latest ]]; then
  rm "$release"
fi

dnf clean all
