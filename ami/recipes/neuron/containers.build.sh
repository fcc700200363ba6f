#!/usr/bin/env bash
# Brings the containers into the image as archives, which a node imports once it is up.
#
# Not as a part of /var/lib/containerd: before kubelet starts, nodeadm copies that to the array of local disks, from a
# volume that EBS fills as it is read. Gigabytes of containers would stand in the way of joining, for which EKS gives a
# node 15 minutes. So the parent's store stays as it is, and they pass through a containerd of their own.
# Source: awslabs/amazon-eks-ami at 81fec2e, templates/al2023/runtime/bin/setup-local-disks; EKS user guide,
# "Troubleshoot problems with Amazon EKS clusters and nodes" (NodeCreationFailure).
set -euo pipefail

fail() {
  printf 'containers: %s\n' "$1" >&2
  exit 1
}

read -r -a wanted <<<"$CONTAINERS"
((${#wanted[@]} > 0)) || exit 0

folder=${ROOT:-}/opt/trnstack/images
store=$folder/store

rm -rf "$store" # what an attempt has left that was ended
install -d -m 755 "$folder"
install -d -m 700 "$store"
# Kubernetes' part is not needed, and would look after the network of pods.
cat >"$store/config.toml" <<'CONFIG'
version = 2
disabled_plugins = ["io.containerd.grpc.v1.cri"]
CONFIG
containerd --config "$store/config.toml" --root "$store/root" --state "$store/state" \
  --address "$store/containerd.sock" --log-level warn &
daemon=$!
finish() {
  kill "$daemon" 2>/dev/null || true
  wait "$daemon" || true
  rm -rf "$store"
}
trap finish EXIT

ctr() {
  command ctr --address "$store/containerd.sock" "$@"
}

attempt=1
until ctr version &>/dev/null; do
  ((attempt++ < 30)) || fail "containerd does not start"
  sleep 1
done

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

: >"$store/images.txt"
for container in "${wanted[@]}"; do
  # Without its tag: for a pod that names tag and digest, containerd looks for the digest alone.
  name=${container%@*}
  reference=${name%:*}@${container##*@}
  archive=${container##*:}.tar
  if [[ ! -f $folder/$archive ]]; then
    secret=$(password "${container%%/*}")
    options=()
    [[ -z $secret ]] || options=(--user "AWS:$secret")
    attempt=1
    # What is shown of the progress would fill the log.
    until ctr content fetch --platform linux/amd64 "${options[@]}" "$reference" >/dev/null; do
      ((attempt++ < 4)) || fail "$reference could not be pulled"
      sleep 15
    done
    # Local, so that the file is whole when the command returns.
    ctr images export --local --platform linux/amd64 "$store/$archive" "$reference"
    chmod 644 "$store/$archive"
    mv "$store/$archive" "$folder/$archive"
  fi
  printf '%s %s\n' "$archive" "$reference" >>"$store/images.txt"
done
mv "$store/images.txt" "$folder/images.txt"
sync
