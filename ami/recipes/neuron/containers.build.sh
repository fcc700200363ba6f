#!/usr/bin/env bash
# Brings the containers into containerd, in Kubernetes' namespace. They are stored without their tag: for a pod that
# names tag and digest, containerd looks for the digest alone.
set -euo pipefail

fail() {
  printf 'containers: %s\n' "$1" >&2
  exit 1
}

read -r -a wanted <<<"$CONTAINERS"

# The parent leaves containerd stopped, for nodeadm to start.
systemctl start containerd
trap 'systemctl stop containerd' EXIT

# Prints the password for a registry; nothing where it takes anonymous pulls.
password() {
  local region
  case $1 in
    *.dkr.ecr.*.amazonaws.com | *.dkr.ecr.*.amazonaws.com.cn)
      region=${1#*.dkr.ecr.}
      aws ecr get-login-password --region "${region%%.*}" || fail "the instance profile may not sign in to $1"
      ;;
    public.ecr.aws)
      # Its sign-in is in us-east-1 alone. An instance profile need not allow it: pulls are then throttled sooner.
      aws ecr-public get-login-password --region us-east-1 || true
      ;;
  esac
}

for container in "${wanted[@]}"; do
  name=${container%@*}
  reference=${name%:*}@${container##*@}
  secret=$(password "${container%%/*}")
  options=()
  [[ -z $secret ]] || options=(--user "AWS:$secret")
  attempt=1
  until ctr --namespace k8s.io images pull "${options[@]}" "$reference"; do
    ((attempt++ < 4)) || fail "$reference could not be pulled"
    sleep 15
  done
  # Otherwise the kubelet's garbage collection takes it when the disk fills.
  ctr --namespace k8s.io images label "$reference" io.cri-containerd.pinned=pinned
done
sync
