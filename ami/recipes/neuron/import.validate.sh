#!/usr/bin/env bash
# Checks that the program which imports the containers is the recipe's, and that its unit is enabled.
set -euo pipefail

fail() {
  printf 'import: %s\n' "$1" >&2
  exit 1
}

program=/opt/trnstack/bin/import-images
[[ -x ${ROOT:-}$program && $(<"${ROOT:-}$program") == "${IMPORTER%$'\n'}" ]] || fail "$program is not the recipe's"

state=$(systemctl is-enabled trnstack-images.service || true)
[[ $state == enabled ]] || fail "trnstack-images.service is ${state:-not there}, not enabled"
