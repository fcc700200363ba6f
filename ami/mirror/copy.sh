#!/usr/bin/env bash
# Copies what `trnstack lock --images FILE` lists into the environment's mirror, by digest, and checks each copy.
#
#   trnstack lock --images environments/x.yaml | ami/mirror/copy.sh -
#
# Each line is: KIND SOURCE DIGEST TARGET. KIND is image, chart (of an OCI registry) or archive (a chart of an HTTP
# repository). What is in the mirror already is left alone, so a run that was interrupted can be repeated; what is there
# with other content, or can't be read, ends the run before anything is written over it. Repositories of ECR are made
# where they are missing, with tags that can't be moved and a scan of each push.
#
# Needs bash 3.2 or later, as macOS has it, crane (github.com/google/go-containerregistry), for ECR the AWS CLI with
# credentials of the mirror's account, and for an archive helm 3.8 or later.
#
# Source: Amazon ECR user guide, "Image tag mutability", "Private registry authentication"; Amazon ECR API reference,
# DescribeRepositories, RepositoryNotFoundException; Helm, "Use OCI-based registries", and its pkg/registry/client.go,
# whose push makes the archive, byte for byte, a layer of the manifest; go-containerregistry,
# pkg/v1/remote/transport/error.go, which words a registry's refusal; containers/image issue 2203, Harbor's code.
set -euo pipefail

fail() {
  printf 'copy.sh: %s\n' "$1" >&2
  exit 1
}

need() {
  command -v "$1" >/dev/null || fail "$1 is not installed: $2"
}

ecr_host='^[0-9]{12}\.dkr\.ecr(-fips)?\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$'
digest_form='^sha256:[0-9a-f]{64}$'
name_form='^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$'
# What crane ends with where a registry says that it has no such name: a code of the registry's, or the bare status.
not_there='^Error: .*GET https?://[^ ]+/manifests/[^ ]+: '
not_there+='((MANIFEST_UNKNOWN|NAME_UNKNOWN|NOT_FOUND): |unexpected status code 404( |$))'
# The layer of a manifest in which Helm keeps a chart's archive, and its digest.
chart_layer='"application/vnd\.cncf\.helm\.chart\.content\.v1\.tar\+gzip",[^{}]*"digest": *"(sha256:[0-9a-f]{64})"'
signed_in=' '
made=' '

# Signs in to a host of ECR, once; other hosts are asked as they are.
sign_in() {
  local host=$1 tool=$2 password
  [[ $host =~ $ecr_host ]] || return 0
  [[ $signed_in == *" $tool $host "* ]] && return 0
  need aws 'it signs in to ECR'
  password=$(aws ecr get-login-password --region "${BASH_REMATCH[2]}") || fail "no sign-in to $host: see the lines above"
  case $tool in
    crane) crane auth login "$host" --username AWS --password-stdin <<<"$password" >/dev/null ;;
    helm) helm registry login "$host" --username AWS --password-stdin <<<"$password" >/dev/null ;;
  esac || fail "$host refuses the sign-in: see the lines above"
  signed_in+="$tool $host "
}

# Makes the repository of a target in ECR where it is missing.
repository() {
  local target=$1 host=${1%%/*} name region
  [[ $host =~ $ecr_host ]] || return 0
  region=${BASH_REMATCH[2]}
  name=${target#*/}
  name=${name%:*}
  [[ $made == *" $host/$name "* ]] && return 0
  if ! aws ecr describe-repositories --region "$region" --registry-id "${host%%.*}" --repository-names "$name" \
    >/dev/null 2>"$folder/refusal"; then
    if ! grep -q '(RepositoryNotFoundException)' "$folder/refusal"; then
      cat "$folder/refusal" >&2
      fail "$host can't be asked for the repository $name: see the lines above"
    fi
    aws ecr create-repository --region "$region" --registry-id "${host%%.*}" --repository-name "$name" \
      --image-tag-mutability IMMUTABLE --image-scanning-configuration scanOnPush=true >/dev/null ||
      fail "repository $name can't be made in $host: see the lines above"
  fi
  made+="$host/$name "
}

# Prints the digest of what the mirror has under a name: of an archive that of the layer in which Helm keeps it, of all
# else the manifest's. Prints nothing where the registry says that nothing is there; any other refusal ends the run.
in_mirror() {
  local kind=$1 target=$2 question=digest answer
  [[ $kind == archive ]] && question=manifest
  if ! answer=$(crane "$question" "$target" 2>"$folder/refusal"); then
    grep -Eq "$not_there" "$folder/refusal" && return 0
    cat "$folder/refusal" >&2
    fail "$target can't be read, so nothing is copied there: see the lines above"
  fi
  if [[ $kind == archive ]]; then
    if [[ $answer =~ $chart_layer ]]; then answer=${BASH_REMATCH[1]}; else answer='something that is no chart'; fi
  fi
  printf '%s' "$answer"
}

# Copies an image, or a chart of an OCI registry, under its digest: `image:tag` by `image@digest`.
copy() {
  local source=$1 digest=$2 target=$3
  sign_in "${source%%/*}" crane
  crane copy "${source%:*}@$digest" "$target" || fail "$source is not copied: see the lines above"
}

# Prints the digest of a file: Linux has sha256sum, macOS has shasum.
sha256() {
  local sum
  if command -v sha256sum >/dev/null; then sum=$(sha256sum <"$1"); else sum=$(shasum -a 256 <"$1"); fi || return 1
  printf 'sha256:%s' "${sum%% *}"
}

# Copies a chart of an HTTP repository, whose archive has to be the lock's byte for byte.
archive() {
  local source=$1 digest=$2 target=$3 chart=${1##*/} file held
  need helm 'it fetches charts of HTTP repositories'
  helm pull "${chart%%:*}" --repo "${source%/*}" --version "${chart#*:}" --destination "$folder" >/dev/null ||
    fail "$source can't be fetched: see the lines above"
  file=$(printf '%s\n' "$folder"/*.tgz)
  held=$(sha256 "$file") || fail "$file can't be checked: see the lines above"
  [[ $held == "$digest" ]] || fail "$source has $held, and the lock says $digest"
  sign_in "${target%%/*}" helm
  helm push "$file" "oci://${target%/*}" >/dev/null || fail "$source is not pushed: see the lines above"
  rm "$file"
}

[[ $# -eq 1 ]] || fail 'usage: copy.sh LIST, or - for standard input; trnstack lock --images FILE makes the list'
list=$1
[[ $list == - ]] && list=/dev/stdin
[[ -r $list ]] || fail "$1 can't be read"
need crane 'it copies images between registries'
lines=()
while IFS= read -r line || [[ -n $line ]]; do lines+=("$line"); done <"$list"
[[ ${#lines[@]} -gt 0 ]] || fail "$1 is empty: trnstack lock --images FILE makes the list"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

number=0
for line in "${lines[@]}"; do
  number=$((number + 1))
  read -r kind source digest target rest <<<"$line"
  [[ $target == - ]] && fail "line $number has no target: write network.image_mirror in the environment file"
  [[ -z $rest && ${source#https://} =~ $name_form && $digest =~ $digest_form && $target =~ $name_form ]] ||
    fail "line $number is not KIND SOURCE DIGEST TARGET"
  [[ $kind == image || $kind == chart || $kind == archive ]] || fail "line $number is of unknown kind $kind"
  sign_in "${target%%/*}" crane
  repository "$target"
  held=$(in_mirror "$kind" "$target") || exit 1
  if [[ -z $held ]]; then
    if [[ $kind == archive ]]; then archive "$source" "$digest" "$target"; else copy "$source" "$digest" "$target"; fi
    held=$(in_mirror "$kind" "$target") || exit 1
    [[ $held == "$digest" ]] || fail "$target has ${held:-nothing} after the copy, and the lock says $digest"
    outcome=copied
  elif [[ $held == "$digest" ]]; then
    outcome='is there already'
  else
    fail "$target is there with $held, and the lock says $digest: delete it there, or use another mirror"
  fi
  printf '[%d/%d] %s %s\n' "$number" "${#lines[@]}" "$target" "$outcome"
done
