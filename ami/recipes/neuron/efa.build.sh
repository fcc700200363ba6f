#!/usr/bin/env bash
# Installs the pinned EFA installer's kernel module and libfabric. Nothing of the archive runs before its sum is right.
set -euo pipefail

fail() {
  printf 'efa: %s\n' "$1" >&2
  exit 1
}

archive=aws-efa-installer-$EFA_VERSION.tar.gz
listed=${ROOT:-}/opt/amazon/efa_installed_packages

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

curl --fail --silent --show-error --location --proto '=https' --retry 5 \
  --output "$scratch/$archive" "https://efa-installer.amazonaws.com/$archive"
sum=$(sha256sum "$scratch/$archive")
[[ ${sum%% *} == "$EFA_SHA256" ]] || fail "the SHA-256 of $archive is ${sum%% *}, the recipe says $EFA_SHA256"
tar --extract --file "$scratch/$archive" --directory "$scratch"

# The installer leaves a newer package as it is and still writes down its own version, so the parent's go first. By rpm
# and not by dnf: other packages need the library, and dnf would remove those too. dkms also serves Neuron's driver.
if [[ -f $listed ]]; then
  old=()
  packages=$(grep -v '^#' "$listed" || true)
  for package in $packages; do
    if [[ $package != dkms* ]] && rpm --query --quiet "$package"; then
      old+=("$package")
    fi
  done
  ((${#old[@]} == 0)) || rpm --erase --nodeps "${old[@]}"
fi

# Image Builder's instances have no EFA that the installer could try.
(cd "$scratch/aws-efa-installer" && ./efa_installer.sh --yes --no-verify)

# As the parent does: it loads NVIDIA's module at boot, which is not there.
if rpm --query --quiet efa-nv-peermem; then
  rpm --erase --nodeps efa-nv-peermem
fi
