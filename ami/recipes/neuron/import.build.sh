#!/usr/bin/env bash
# Installs the program that imports the image's containers into containerd, and the unit that runs it on a node.
#
# The unit is wanted by kubelet and by no target, and comes after it: nodeadm starts kubelet last, the boot is over
# without this unit, and nothing waits for it or minds that it fails. A restart, which is how nodeadm starts kubelet,
# pulls it in like a start. Image Builder's instances join no cluster, so nothing is imported on them.
#
# Reading is held to half of what any gp3 volume gives, 125 MiB/s, since the system is on the same volume, whose device
# has in general no scheduler that knows of an idle class. What is unpacked, containerd writes, at its own priority.
# Source: awslabs/amazon-eks-ami at 81fec2e, nodeadm-run.service, kubelet.service, nodeadm/internal/kubelet/daemon.go;
# systemd, src/core/transaction.c; systemd.resource-control(5); EBS user guide, "General Purpose SSD volumes".
set -euo pipefail

program=/opt/trnstack/bin/import-images

install -d -m 755 "${ROOT:-}${program%/*}"
printf '%s' "$IMPORTER" >"${ROOT:-}$program"
chmod 755 "${ROOT:-}$program"

cat >"${ROOT:-}/etc/systemd/system/trnstack-images.service" <<UNIT
[Unit]
Description=Import the containers of the image into containerd
After=nodeadm-run.service containerd.service kubelet.service
ConditionPathExists=/opt/trnstack/images/images.txt

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=$program
Nice=19
IOSchedulingClass=idle
IOReadBandwidthMax=/opt/trnstack/images 60M

[Install]
WantedBy=kubelet.service
UNIT
systemctl enable trnstack-images.service
