#!/usr/bin/env bash
# Empties the machine's id, so that every node makes its own at its first boot. The parent is left in this way. Image
# Builder's clean-up touches the file and no more, and the nodes would all have the build instance's id.
# Source: machine-id(5), "Initialization"; Image Builder user guide, "Required post-build clean up".
#
# Nothing after this needs it: checks and clean-up only read packages and files, and on EC2 the Systems Manager agent
# knows its instance by the metadata service (aws/amazon-ssm-agent, common/identity/availableidentities/ec2).
set -euo pipefail

: >"${ROOT:-}/etc/machine-id"
