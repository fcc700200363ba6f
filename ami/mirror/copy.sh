#!/usr/bin/env bash
# Copies what `trnstack lock --images FILE` lists into the environment's mirror, by digest, and checks each copy.
#
#   trnstack lock --images environments/x.yaml | ami/mirror/copy.sh -
#
# Each line is: KIND SOURCE DIGEST TARGET. KIND is image, chart (of an OCI registry) or archive (a chart of an HTTP
# repository). What is in the mirror already is left alone, so a run that was interrupted can be repeated. Repositories
# of ECR are made where they are missing, with tags that can't be moved and a scan of each push.
#
# Needs crane (github.com/google/go-containerregistry), for ECR the AWS CLI with credentials of the mirror's account,
# and for an archive helm 3.8 or later.
#
# Source: Amazon ECR user guide, "Image tag mutability", "Private registry authentication"; Helm, "Use OCI-based
# registries"; crane copy and crane digest.
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
  [[ $made == *" $name "* ]] && return 0
  if ! aws ecr describe-repositories --region "$region" --registry-id "${host%%.*}" --repository-names "$name" \
    >/dev/null 2>&1; then
    aws ecr create-repository --region "$region" --registry-id "${host%%.*}" --repository-name "$name" \
      --image-tag-mutability IMMUTABLE --image-scanning-configuration scanOnPush=true >/dev/null ||
      fail "repository $name can't be made in $host: see the lines above"
  fi
  made+="$name "
}

# Tells whether the mirror holds something already; another thing under the same name ends the run.
is_there() {
  local kind=$1 digest=$2 target=$3 held
  if [[ $kind == archive ]]; then
    [[ $(crane manifest "$target" 2>/dev/null) == *"$digest"* ]]
    return
  fi
  held=$(crane digest "$target" 2>/dev/null) || return 1
  [[ $held == "$digest" ]] && return 0
  fail "$target is there with $held, and the lock says $digest: delete it there, or use another mirror"
}

# Copies an image, or a chart of an OCI registry, under its digest: `image:tag` by `image@digest`.
copy() {
  local source=$1 digest=$2 target=$3 held
  sign_in "${source%%/*}" crane
  crane copy "${source%:*}@$digest" "$target" || fail "$source is not copied: see the lines above"
  held=$(crane digest "$target") || fail "$target can't be read back: see the lines above"
  [[ $held == "$digest" ]] || fail "$target has $held after the copy, and the lock says $digest"
}

# Copies a chart of an HTTP repository: the archive's own digest is checked, then that of the layer that holds it.
archive() {
  local source=$1 digest=$2 target=$3 chart=${1##*/} file held
  need helm 'it fetches charts of HTTP repositories'
  helm pull "${chart%%:*}" --repo "${source%/*}" --version "${chart#*:}" --destination "$folder" >/dev/null ||
    fail "$source can't be fetched: see the lines above"
  file=$(printf '%s\n' "$folder"/*.tgz)
  held="sha256:$(sha256sum "$file" | cut -d ' ' -f 1)"
  [[ $held == "$digest" ]] || fail "$source has $held, and the lock says $digest"
  sign_in "${target%%/*}" helm
  helm push "$file" "oci://${target%/*}" >/dev/null || fail "$source is not pushed: see the lines above"
  rm "$file"
  [[ $(crane manifest "$target") == *"$digest"* ]] || fail "$target does not hold $digest after the copy"
}

[[ $# -eq 1 ]] || fail 'usage: copy.sh LIST, or - for standard input; trnstack lock --images FILE makes the list'
list=$1
[[ $list == - ]] && list=/dev/stdin
[[ -r $list ]] || fail "$1 can't be read"
need crane 'it copies images between registries'
mapfile -t lines <"$list"
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
  if is_there "$kind" "$digest" "$target"; then
    outcome='is there already'
  elif [[ $kind == archive ]]; then
    archive "$source" "$digest" "$target"
    outcome=copied
  else
    copy "$source" "$digest" "$target"
    outcome=copied
  fi
  printf '[%d/%d] %s %s\n' "$number" "${#lines[@]}" "$target" "$outcome"
done
