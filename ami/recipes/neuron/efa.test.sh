#!/usr/bin/env bash
# Checks that the EFA module loads, and that libfabric finds the EFA where there is one.
set -euo pipefail

fail() {
  printf 'efa: %s\n' "$1" >&2
  exit 1
}

modprobe efa || fail "the efa module can't be loaded"
package=$(rpm --query --queryformat '%{VERSION}' efa)
version=$(<"${ROOT:-}/sys/module/efa/version")
[[ $version == "$package"?(g) ]] || fail "the loaded efa module is $version, its package is $package"

# Image Builder starts instances with an ordinary interface; an EFA is there only for who tests elsewhere.
for device in "${ROOT:-}"/sys/bus/pci/devices/*; do
  if [[ -f $device/vendor && $(<"$device/vendor") == 0x1d0f && $(<"$device/device") == 0xefa* ]]; then
    "${ROOT:-}/opt/amazon/efa/bin/fi_info" -p efa -t FI_EP_RDM || fail "fi_info does not find the EFA of this instance"
    exit 0
  fi
done
echo "efa: this instance has no EFA, so fi_info was not asked for one"
