#!/usr/bin/env bash
# Installs the driver and the tools from Neuron's repository, after comparing its key with the pinned fingerprint.
set -euo pipefail

fail() {
  printf 'driver: %s\n' "$1" >&2
  exit 1
}

repository=https://yum.repos.neuron.amazonaws.com
key=/etc/pki/rpm-gpg/RPM-GPG-KEY-aws-neuron

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

curl --fail --silent --show-error --location --proto '=https' --retry 5 \
  --output "$scratch/key" "$repository/GPG-PUB-KEY-AMAZON-AWS-NEURON.PUB"
# Every primary key of the file counts: rpm would trust all of them.
found=$(gpg --homedir "$scratch" --batch --with-colons --show-keys "$scratch/key" |
  awk -F: '$1 == "pub" { primary = 1 } $1 == "fpr" && primary { print $10; primary = 0 }')
[[ $found == "$GPG_FINGERPRINT" ]] ||
  fail "the key of Neuron's repository has the fingerprint ${found//$'\n'/ and }, the recipe says $GPG_FINGERPRINT"
install -D -m 644 "$scratch/key" "${ROOT:-}$key"
rpm --import "${ROOT:-}$key"

# Not enabled: on a node nothing of it is updated in passing.
cat >"${ROOT:-}/etc/yum.repos.d/neuron.repo" <<REPOSITORY
[neuron]
name=Neuron YUM Repository
baseurl=$repository
enabled=0
gpgcheck=1
gpgkey=file://$key
metadata_expire=0
REPOSITORY

# The package's scripts call it, and it hangs where pci-ids.ucw.cz can't be reached. The parent's list will do.
update-pciids() {
  echo "update-pciids: left as the parent has it"
}
export -f update-pciids

dnf versionlock delete aws-neuronx-dkms aws-neuronx-tools || true # the parent holds neither, so far
if [[ $(rpm --query --queryformat '%{VERSION}' aws-neuronx-dkms) != "$DRIVER" ]]; then
  # Removed first: replacing it by an older one fails at the module that is loaded.
  dnf remove -y --noautoremove aws-neuronx-dkms
fi
dnf install -y --enablerepo=neuron "aws-neuronx-dkms-$DRIVER" "aws-neuronx-tools-$TOOLS"
dnf versionlock add aws-neuronx-dkms aws-neuronx-tools
