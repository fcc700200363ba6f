#!/usr/bin/env bash
# Checks that driver and tools are the lock's, that the module is built for this kernel, and that dnf holds them.
set -euo pipefail

fail() {
  printf 'driver: %s\n' "$1" >&2
  exit 1
}

held=$(dnf versionlock list --quiet)

expect() {
  local package=$1 version=$2 found
  found=$(rpm --query --queryformat '%{VERSION}' "$package") || fail "$package is not installed"
  [[ $found == "$version" ]] || fail "$package is $found, the lock says $version"
  grep -Eq "^$package-[0-9]+:${version//./\\.}-" <<<"$held" || fail "dnf does not hold $package at $version"
}

expect aws-neuronx-dkms "$DRIVER"
expect aws-neuronx-tools "$TOOLS"

kernel=$(uname -r)
module=$(modinfo --field version --set-version "$kernel" neuron) || fail "there is no neuron module for kernel $kernel"
[[ $module == "$DRIVER" ]] || fail "the neuron module for kernel $kernel is $module, the lock says $DRIVER"

grep -qx 'enabled=0' "${ROOT:-}/etc/yum.repos.d/neuron.repo" || fail "Neuron's repository is enabled"
