#!/usr/bin/env bash
# Checks that the kernel is the lock's and that dnf holds it.
set -euo pipefail

fail() {
  printf 'kernel: %s\n' "$1" >&2
  exit 1
}

running=$(uname -r)
[[ $running == "$KERNEL".* ]] || fail "the instance runs $running, the lock says $KERNEL"

# A lock reads kernel6.12-0:6.12.94-123.180.amzn2023.*, the running kernel the same with its architecture at the end.
release=${running%.*}
held=$(dnf versionlock list --quiet)
grep -Eq "^kernel[0-9.]*-[0-9]+:${release//./\\.}\." <<<"$held" || fail "dnf does not hold kernel $release"
