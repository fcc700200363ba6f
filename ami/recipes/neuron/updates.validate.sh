#!/usr/bin/env bash
# Checks that nothing changes packages by itself.
set -euo pipefail

fail() {
  printf 'updates: %s\n' "$1" >&2
  exit 1
}

for timer in dnf-automatic dnf-automatic-download dnf-automatic-install dnf-automatic-notifyonly; do
  state=$(systemctl is-enabled "$timer.timer" || true)
  [[ $state == masked ]] || fail "$timer.timer is ${state:-not there}, not masked"
done

shopt -s nullglob
for file in "${ROOT:-}"/etc/cloud/cloud.cfg "${ROOT:-}"/etc/cloud/cloud.cfg.d/*.cfg; do
  if [[ -f $file ]] && grep -Eq '^ *- package[-_]update[-_]upgrade[-_]install' "$file"; then
    fail "cloud-init updates packages at launch: ${file#"${ROOT:-}"}"
  fi
done

release=${ROOT:-}/etc/dnf/vars/releasever
if [[ -f $release && $(<"$release") == latest ]]; then
  fail "dnf follows the latest release: /etc/dnf/vars/releasever"
fi

if rpm --query --quiet kpatch-dnf; then
  fail "kpatch-dnf is installed, which patches the running kernel"
fi
