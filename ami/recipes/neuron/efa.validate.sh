#!/usr/bin/env bash
# Checks that the EFA installer is the pinned one, and that its module is built for this kernel.
set -euo pipefail

fail() {
  printf 'efa: %s\n' "$1" >&2
  exit 1
}

listed=${ROOT:-}/opt/amazon/efa_installed_packages
[[ -f $listed ]] || fail "the EFA installer has left no list of its packages"
first=$(head -n 1 "$listed")
[[ $first == "# EFA installer version: $EFA_VERSION" ]] ||
  fail "the list of packages begins with '$first', the recipe says $EFA_VERSION"

package=$(rpm --query --queryformat '%{VERSION}' efa) || fail "the package efa is not installed"
grep -Eq "(^| )efa-${package//./\\.}-" "$listed" ||
  fail "the package efa is $package, which installer $EFA_VERSION does not bring"

kernel=$(uname -r)
module=$(modinfo --field version --set-version "$kernel" efa) || fail "there is no efa module for kernel $kernel"
# The module of package 3.0.0 calls itself 3.0.0g.
[[ $module == "$package"?(g) ]] || fail "the efa module for kernel $kernel is $module, its package is $package"

"${ROOT:-}/opt/amazon/efa/bin/fi_info" --version || fail "fi_info does not run"

if rpm --query --quiet efa-nv-peermem; then
  fail "efa-nv-peermem is installed, which needs NVIDIA's driver at boot"
fi
