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

# Not by gpg: the parent has gnupg2-minimal, and its own build brings gnupg2-full for as long as it checks anything. The
# fingerprint is the SHA-1 of the key's first packet (RFC 4880, sections 4.2 and 12.2). Nothing may be in the file that
# rpm would trust besides: no other key, and no subkey, which older releases of rpm take without checking that it
# belongs to the key (CVE-2021-3521). The key of Neuron has none.
found=$(
  python3 - "$scratch/key" <<'PYTHON'
import base64
import binascii
import hashlib
import sys

BEGIN, END = (f"-----{side} PGP PUBLIC KEY BLOCK-----" for side in ("BEGIN", "END"))
KEY, CERTIFICATION, OWNER = 6, 2, 13


def packets(data):
    while data:
        if data[0] & 0x40:
            kind, size = data[0] & 0x3F, 1
            if data[1] < 192:
                length = data[1]
            elif data[1] < 224:
                size, length = 2, ((data[1] - 192) << 8) + data[2] + 192
            elif data[1] == 255:
                size, length = 5, int.from_bytes(data[2:6], "big")
            else:
                raise ValueError("a packet of partial length")
        else:
            kind, size = data[0] >> 2 & 0x0F, 1 << (data[0] & 3)
            length = int.from_bytes(data[1 : 1 + size], "big")
        if not data[0] & 0x80 or size == 8 or len(data) < 1 + size + length:
            raise ValueError("a damaged packet")
        yield kind, data[1 + size : 1 + size + length]
        data = data[1 + size + length :]


try:
    with open(sys.argv[1], encoding="ascii") as stream:
        text = stream.read()
    lines = [line.strip() for line in text.splitlines()]
    if text.count("-----BEGIN PGP ") != 1 or not {BEGIN, "", END} <= set(lines):
        raise ValueError("not one block with a public key")
    block = lines[lines.index(BEGIN) : lines.index(END)]
    armor = "".join(line for line in block[block.index("") :] if not line.startswith("="))
    (kind, key), *others = packets(base64.b64decode(armor, validate=True))
    if kind != KEY or key[0] != 4 or {other for other, _ in others} - {CERTIFICATION, OWNER}:
        raise ValueError("something else than one public key without subkeys")
except (OSError, ValueError, IndexError, binascii.Error) as error:
    sys.exit(f"driver: the key of Neuron's repository can't be taken: {error}")
print(hashlib.sha1(b"\x99" + len(key).to_bytes(2, "big") + key).hexdigest().upper())
PYTHON
)
[[ $found == "$GPG_FINGERPRINT" ]] ||
  fail "the key of Neuron's repository has the fingerprint $found, the recipe says $GPG_FINGERPRINT"
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
if rpm --query --quiet aws-neuronx-dkms &&
  [[ $(rpm --query --queryformat '%{VERSION}' aws-neuronx-dkms) != "$DRIVER" ]]; then
  # Removed first: replacing it by an older one fails at the module that is loaded.
  dnf remove -y --noautoremove aws-neuronx-dkms
fi
dnf install -y --enablerepo=neuron "aws-neuronx-dkms-$DRIVER" "aws-neuronx-tools-$TOOLS"
dnf versionlock add aws-neuronx-dkms aws-neuronx-tools
