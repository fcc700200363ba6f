#!/usr/bin/env bash
# Holds the kernel: modules are built for the running one, and another would boot without them.
set -euo pipefail

fail() {
  printf 'kernel: %s\n' "$1" >&2
  exit 1
}

running=$(uname -r)
[[ $running == "$KERNEL".* ]] || fail "the parent runs $running, the lock says $KERNEL"
[[ -d ${ROOT:-}/lib/modules/$running/build ]] || fail "the parent has no headers of $running to build modules with"

# The parent does the same; a lock that is there already is no error.
dnf versionlock add 'kernel*'
