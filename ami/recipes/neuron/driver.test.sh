#!/usr/bin/env bash
# Checks on a freshly booted instance that the driver is loaded and sees the Neuron devices.
set -euo pipefail

fail() {
  printf 'driver: %s\n' "$1" >&2
  exit 1
}

needed="the test needs an instance type with Neuron devices, such as trn1.2xlarge"

loaded=$(lsmod)
grep -q '^neuron ' <<<"$loaded" || fail "the neuron module is not loaded; $needed"

# What runs, unlike modinfo, which reads what will run after the next boot.
version=$(<"${ROOT:-}/sys/module/neuron/version")
[[ $version == "$DRIVER" ]] || fail "the loaded neuron module is $version, the lock says $DRIVER"

shopt -s nullglob
devices=("${ROOT:-}"/dev/neuron[0-9]*)
((${#devices[@]} > 0)) || fail "there is no device file /dev/neuron0; $needed"

"${ROOT:-}/opt/aws/neuron/bin/neuron-ls" || fail "neuron-ls can't read the devices"
