"""``ami/mirror/copy.sh``, run with stand-ins for crane, aws and helm whose registry is a folder."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ami

SCRIPT = Path(ami.__file__).parent / "mirror" / "copy.sh"
MIRROR = "111122223333.dkr.ecr.us-west-2.amazonaws.com/mirror"
CHART = b"the archive of a chart"
IMAGE_DIGEST, CHART_DIGEST = f"sha256:{'a' * 64}", f"sha256:{'b' * 64}"
ARCHIVE_DIGEST = f"sha256:{hashlib.sha256(CHART).hexdigest()}"
IMAGE = f"image public.ecr.aws/neuron/x:1 {IMAGE_DIGEST} {MIRROR}/neuron/x:1"
OCI_CHART = f"chart registry.k8s.io/kueue/charts/kueue:0.19.2 {CHART_DIGEST} {MIRROR}/kueue/charts/kueue:0.19.2"
CHART_TARGET = f"{MIRROR}/eks-charts/efa:v0.5.30"
ARCHIVE = f"archive https://charts.example/eks-charts/efa:v0.5.30 {ARCHIVE_DIGEST} {CHART_TARGET}"
#: The script needs no other tool of the machine; the digest of a file is told by a stand-in.
_OF_THE_MACHINE = ("bash", "cat", "grep", "mktemp", "rm")
#: Each writes what it was asked to the log. The registry holds a file for each name: the digest, or a chart's manifest.
#: What is not there is answered as crane does: the warning of its HEAD request, then the sentence of its GET request.
CRANE = """
echo "crane $*" >> "$LOG"
place() { local name=${1//\\//_}; printf '%s/%s' "$REGISTRY" "${name//:/_}"; }
case $1 in
  auth) cat > /dev/null ;;
  digest | manifest)
    [[ -z ${READ_FAILS:-} ]] || { printf '%s\\n' "$READ_FAILS" >&2; exit 1; }
    if [[ -e $(place "$2") ]]; then
      held=$(cat "$(place "$2")")
      [[ $1 == manifest || $held != {* ]] || held="sha256:the digest of a manifest"
      printf '%s' "$held"
      exit
    fi
    address="https://${2%%/*}/v2/${2#*/}/manifests/1"
    echo "2026/01/02 03:04:05 HEAD request failed, falling back on GET: HEAD $address: unexpected status code 404" >&2
    echo "Error: fetching manifest $2: GET $address: ${NOT_THERE:-MANIFEST_UNKNOWN: Requested image not found}" >&2
    exit 1 ;;
  copy)
    [[ -z ${REFUSE_COPY:-} ]] || exit 1
    [[ -n ${LOSE_COPY:-} ]] || printf '%s' "${COPIED:-${2##*@}}" > "$(place "$3")" ;;
esac
"""
AWS = """
echo "aws $*" >> "$LOG"
case $2 in
  get-login-password) [[ -z ${NO_CREDENTIALS:-} ]] || { echo 'no credentials' >&2; exit 1; }; echo secret ;;
  describe-repositories)
    ! grep -qx "$8" "$REGISTRY/repositories" 2>/dev/null || exit 0
    error=${DESCRIBE_FAILS:-RepositoryNotFoundException}
    echo "An error occurred ($error) when calling the DescribeRepositories operation: ..." >&2
    exit 254 ;;
  create-repository) echo "$8" >> "$REGISTRY/repositories" ;;
esac
"""
HELM = """
echo "helm $*" >> "$LOG"
case $1 in
  registry) cat > /dev/null ;;
  pull) printf '%s' "${ARCHIVE:-the archive of a chart}" > "$8/$2-${6}.tgz" ;;
  push)
    name=${2##*/}
    name=${3#oci://}/${name/-/:}
    name=${name%.tgz}
    name=${name//\\//_}
    digest=$("$PYTHON" -c "$DIGEST" < "$2")
    printf "$MANIFEST" "$digest" > "$REGISTRY/${name//:/_}" ;;
esac
"""
SHA256SUM = """
[[ $# -eq 0 ]]
printf '%s  -\\n' "$("$PYTHON" -c "$DIGEST")"
"""
SHASUM = """
[[ $* == '-a 256' ]]
printf '%s  -\\n' "$("$PYTHON" -c "$DIGEST")"
"""
#: Takes from a newer bash what 3.2 lacks, as far as it can be taken; bash 3.2 itself knows no such builtins.
OLD_BASH = "BASH_COMPAT=3.2\nenable -n mapfile readarray 2>/dev/null || :\n"
#: What bash reads since a version after 3.2, which macOS has, with an example each.
NEWER = {
    r"\b(mapfile|readarray|coproc)\b": "mapfile -t lines",
    r"\b(declare|local|typeset) -\w*[Agnlu]": "declare -A held",
    r"\$\{\w+(\[[^]]*\])?[,^]": "${name,,}",
    r"\$\{\w+(\[[^]]*\])?@\w\}": "${name@Q}",
    r"\$\{\w+(\[[^]]*\])?:[^:}]*: *-": "${name:0:-1}",
    r"\[ *-\d+ *\]": "${lines[-1]}",
    r"\|&|&>>|;;?&": "command |& cat",
    r"\[\[? (! )?-v ": "[[ -v name ]]",
    r"\bwait -n\b|\bread -[a-zA-Z]*N|\bprintf -v \w+\[|%\(": "wait -n",
    r"\{\w+\}[<>]": "exec {file}>name",
    r"\b(globstar|lastpipe|inherit_errexit)\b|\$\{?(BASHPID|EPOCH\w+|SRANDOM)": "shopt -s lastpipe",
}


def chart_manifest(digest, *, before=""):
    """Returns what Helm makes of an archive, written with blanks."""
    layer = {"mediaType": "application/vnd.cncf.helm.chart.content.v1.tar+gzip", "digest": digest, "size": 3}
    provenance = {"mediaType": "application/vnd.cncf.helm.chart.provenance.v1.prov", "digest": before, "size": 4}
    return json.dumps({"schemaVersion": 2, "layers": [provenance, layer] if before else [layer]}, indent=1)


@pytest.fixture
def tools(tmp_path):
    """A folder with the stand-ins, and of the machine's own tools those that they and the script need."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in _OF_THE_MACHINE:
        (folder / name).symlink_to(shutil.which(name))
    for name, text in {"crane": CRANE, "aws": AWS, "helm": HELM, "sha256sum": SHA256SUM}.items():
        stand_in(folder / name, text)
    (tmp_path / "registry").mkdir()
    return folder


def stand_in(file, text):
    file.write_text(f"#!/usr/bin/env bash\nset -euo pipefail\n{text}")
    file.chmod(0o755)


@pytest.fixture
def hold(tmp_path):
    """Puts something into the registry under a name."""

    def put(name, content):
        (tmp_path / "registry" / name.replace("/", "_").replace(":", "_")).write_text(content)

    return put


@pytest.fixture
def copy(tmp_path, tools):
    """Runs the script with a list, as bash 3.2 would; returns what it answered and what the tools were asked."""
    restrictions = tmp_path / "old_bash"
    restrictions.write_text(OLD_BASH)

    def run(*lines, **settings):
        log = tmp_path / "log"
        log.write_text("")
        settings = {
            "PATH": str(tools),
            "BASH_ENV": str(restrictions),
            "PYTHON": sys.executable,
            "MANIFEST": chart_manifest("sha256:%s"),
            "DIGEST": "import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())",
            "LOG": str(log),
            "REGISTRY": str(tmp_path / "registry"),
            "TMPDIR": str(tmp_path),
            **settings,
        }
        done = subprocess.run(
            [shutil.which("bash"), SCRIPT, "-"],
            input="".join(f"{line}\n" for line in lines),
            env=settings,
            capture_output=True,
            text=True,
            check=False,
        )
        return done, log.read_text().splitlines()

    return run


def test_lint():
    """The script passes shellcheck, with every check that is optional too."""
    shellcheck = Path(sys.executable).with_name("shellcheck")
    done = subprocess.run([shellcheck, "--severity=style", SCRIPT], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
    assert os.access(SCRIPT, os.X_OK)


class TestOldBash:
    """macOS has bash 3.2, which the script is held to; every other test runs with what a newer bash can do without."""

    @pytest.mark.parametrize(("form", "example"), NEWER.items())
    def test_syntax(self, form, example):
        """Nothing of the script is read by a newer bash alone."""
        lines = [line for line in SCRIPT.read_text().splitlines() if not line.lstrip().startswith("#")]

        assert re.search(form, example)
        assert not [line for line in lines if re.search(form, line)]

    @pytest.mark.usefixtures("copy")
    def test_restrictions(self, tmp_path):
        """The other tests do run without the builtins of a newer bash."""
        done = subprocess.run(
            [shutil.which("bash"), "-c", "mapfile -t lines"],
            env={"BASH_ENV": str(tmp_path / "old_bash"), "PATH": str(tmp_path / "bin")},
            capture_output=True,
            check=False,
        )

        assert done.returncode == 127

    def test_digest_of_macos(self, copy, tools):
        """Where there is no sha256sum, shasum tells an archive's digest."""
        (tools / "sha256sum").unlink()
        stand_in(tools / "shasum", SHASUM)
        done, _ = copy(ARCHIVE)

        assert (done.returncode, done.stderr) == (0, "")


class TestCopies:
    def test_everything(self, copy, tmp_path):
        """Images and OCI charts are copied by digest, archives by Helm; each is shown as it is done."""
        done, asked = copy(IMAGE, OCI_CHART, ARCHIVE)

        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines() == [
            f"[1/3] {MIRROR}/neuron/x:1 copied",
            f"[2/3] {MIRROR}/kueue/charts/kueue:0.19.2 copied",
            f"[3/3] {MIRROR}/eks-charts/efa:v0.5.30 copied",
        ]
        assert f"crane copy public.ecr.aws/neuron/x@{IMAGE_DIGEST} {MIRROR}/neuron/x:1" in asked
        assert f"helm push {tmp_path}" in "\n".join(asked)
        assert not [path for path in tmp_path.iterdir() if path.name.startswith("tmp.")]

    def test_repositories(self, copy):
        """Repositories of ECR are made once, with tags that can't be moved and a scan of each push."""
        _, asked = copy(IMAGE, IMAGE.replace("x:1", "x:2"), OCI_CHART)
        made = [line for line in asked if "create-repository" in line]

        assert [line.partition("--repository-name ")[2].split()[0] for line in made] == [
            "mirror/neuron/x",
            "mirror/kueue/charts/kueue",
        ]
        assert all(
            "--image-tag-mutability IMMUTABLE --image-scanning-configuration scanOnPush=true" in line for line in made
        )
        assert all("--region us-west-2 --registry-id 111122223333 " in line for line in made)

    def test_signs_in_once(self, copy):
        """Each host of ECR is signed in to once, with a password that no command line shows; other hosts are not."""
        _, asked = copy(IMAGE, IMAGE.replace("x:1", "x:2"))

        assert [line for line in asked if "auth login" in line] == [
            f"crane auth login {MIRROR.partition('/')[0]} --username AWS --password-stdin"
        ]
        assert "secret" not in "\n".join(asked)

    def test_source_in_ecr(self, copy):
        """The registry of EKS's own images, in another region, is signed in to as well."""
        _, asked = copy(IMAGE.replace("public.ecr.aws/neuron", "602401143452.dkr.ecr.us-east-2.amazonaws.com/eks"))

        assert "aws ecr get-login-password --region us-east-2" in asked

    def test_another_registry(self, copy):
        """A mirror outside ECR is used as it is."""
        done, asked = copy(IMAGE.replace(MIRROR, "registry.example/mirror"))

        assert done.returncode == 0
        assert not any(line.startswith("aws ") for line in asked)

    def test_again(self, copy):
        """A second run copies nothing, and says so."""
        copy(IMAGE, OCI_CHART, ARCHIVE)
        done, asked = copy(IMAGE, OCI_CHART, ARCHIVE)

        assert done.returncode == 0
        assert done.stdout.count("is there already") == 3
        assert not any(line.startswith(("crane copy", "helm p")) or "create-repository" in line for line in asked)

    @pytest.mark.parametrize(
        "answer",
        [
            "MANIFEST_UNKNOWN: Requested image not found",
            "NAME_UNKNOWN: repository name not known to registry; map[name:neuron/x]",
            "NOT_FOUND: artifact neuron/x:1 not found",
            "unexpected status code 404 Not Found",
            "unexpected status code 404 Not Found: no such page",
        ],
    )
    @pytest.mark.parametrize("line", [IMAGE, ARCHIVE])
    def test_not_there(self, copy, line, answer):
        """Each way in which registries say that they have no such name lets it be copied."""
        done, _ = copy(line, NOT_THERE=answer)

        assert (done.returncode, done.stdout.split()[-1]) == (0, "copied")

    @pytest.mark.parametrize("before", ["", f"sha256:{'e' * 64}"])
    def test_chart_that_is_there(self, copy, hold, before):
        """An archive is known by the layer that holds it, wherever in the manifest that is."""
        hold(CHART_TARGET, chart_manifest(ARCHIVE_DIGEST, before=before))
        done, asked = copy(ARCHIVE)

        assert done.stdout == f"[1/1] {CHART_TARGET} is there already\n"
        assert not any(line.startswith("helm ") for line in asked)

    def test_interrupted(self, copy):
        """What was copied before a failure stays, and the next run goes on from there."""
        copy(IMAGE)
        failed, _ = copy(IMAGE, OCI_CHART, REFUSE_COPY="1")
        done, _ = copy(IMAGE, OCI_CHART)

        assert failed.returncode == 1
        assert "[1/2]" in failed.stdout
        assert done.stdout.splitlines()[0].endswith("is there already")
        assert done.stdout.splitlines()[1].endswith("copied")


class TestRefuses:
    """Whatever is wrong ends the run with one sentence of the script's own."""

    def sentence(self, done):
        assert done.returncode == 1
        return done.stderr.splitlines()[-1]

    def test_another_image_under_the_name(self, copy):
        """What lies under a name with another digest is not overwritten."""
        copy(IMAGE)
        done, _ = copy(IMAGE.replace("a" * 64, "c" * 64))

        assert self.sentence(done) == (
            f"copy.sh: {MIRROR}/neuron/x:1 is there with {IMAGE_DIGEST}, and the lock says sha256:{'c' * 64}: "
            "delete it there, or use another mirror"
        )

    def test_another_archive_under_the_name(self, copy, hold):
        """What lies under an archive's name with another digest is not overwritten."""
        hold(CHART_TARGET, chart_manifest(CHART_DIGEST, before=ARCHIVE_DIGEST))
        done, asked = copy(ARCHIVE)

        assert self.sentence(done) == (
            f"copy.sh: {CHART_TARGET} is there with {CHART_DIGEST}, and the lock says {ARCHIVE_DIGEST}: "
            "delete it there, or use another mirror"
        )
        assert not any(line.startswith("helm ") for line in asked)

    def test_image_under_the_name_of_an_archive(self, copy, hold):
        """An image in a chart's place is not overwritten, even one that has the chart's digest."""
        layer = {"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": ARCHIVE_DIGEST, "size": 3}
        hold(CHART_TARGET, json.dumps({"schemaVersion": 2, "layers": [layer]}))
        done, asked = copy(ARCHIVE)

        assert f"{CHART_TARGET} is there with something that is no chart, and" in self.sentence(done)
        assert not any(line.startswith("helm ") for line in asked)

    @pytest.mark.parametrize(
        "answer",
        [
            "Error: fetching manifest x:1: GET https://m/v2/x/manifests/1: UNAUTHORIZED: authentication required",
            "Error: GET https://m/v2/x/manifests/1: DENIED: Your authorization token has expired",
            "Error: GET https://m/v2/x/manifests/1: TOOMANYREQUESTS: Rate exceeded",
            "Error: GET https://m/v2/x/manifests/1: unexpected status code 500 Internal Server Error: 404",
            "Error: GET https://m/v2/: unexpected status code 404 Not Found",
            "Error: GET https://m/token?scope=x: unexpected status code 404 Not Found",
            'Error: Get "https://m/v2/": dial tcp: lookup m: no such host',
            "HEAD https://m/v2/manifests/1: unexpected status code 404\nError: GET https://m/v2/manifests/1: DENIED: x",
            "killed",
        ],
    )
    @pytest.mark.parametrize("line", [IMAGE, OCI_CHART, ARCHIVE])
    def test_mirror_that_can_not_be_read(self, copy, line, answer):
        """A failed read is no proof that nothing is there: nothing is copied, and the registry's words are shown."""
        done, asked = copy(line, READ_FAILS=answer)

        assert self.sentence(done) == (
            f"copy.sh: {line.split()[-1]} can't be read, so nothing is copied there: see the lines above"
        )
        assert answer in done.stderr
        assert not any(line.startswith(("crane copy", "helm ")) for line in asked)

    def test_lost_after_the_copy(self, copy):
        """A registry that has nothing after the copy is not believed."""
        done, _ = copy(IMAGE, LOSE_COPY="1")

        assert self.sentence(done) == (
            f"copy.sh: {MIRROR}/neuron/x:1 has nothing after the copy, and the lock says {IMAGE_DIGEST}"
        )

    def test_repositories_that_can_not_be_asked_for(self, copy):
        """A repository is made where ECR says that it is missing, not where the question fails."""
        done, asked = copy(IMAGE, DESCRIBE_FAILS="AccessDeniedException")

        assert self.sentence(done) == (
            f"copy.sh: {MIRROR.partition('/')[0]} can't be asked for the repository mirror/neuron/x: "
            "see the lines above"
        )
        assert "(AccessDeniedException)" in done.stderr
        assert not any("create-repository" in line for line in asked)

    def test_other_content_after_the_copy(self, copy):
        """A registry that answers another digest after the copy is not believed."""
        done, _ = copy(IMAGE, COPIED=f"sha256:{'d' * 64}")

        assert self.sentence(done).endswith(f"has sha256:{'d' * 64} after the copy, and the lock says {IMAGE_DIGEST}")

    def test_copy_fails(self, copy):
        """A copy that fails names what was not copied."""
        done, _ = copy(IMAGE, REFUSE_COPY="1")

        assert self.sentence(done) == "copy.sh: public.ecr.aws/neuron/x:1 is not copied: see the lines above"

    def test_other_archive(self, copy):
        """An archive whose bytes are not the lock's is not pushed."""
        done, asked = copy(ARCHIVE, ARCHIVE="another chart")

        assert "and the lock says" in self.sentence(done)
        assert not any(line.startswith("helm push") for line in asked)

    def test_no_credentials(self, copy):
        """Without credentials the sign-in is what failed."""
        done, _ = copy(IMAGE, NO_CREDENTIALS="1")

        assert self.sentence(done) == f"copy.sh: no sign-in to {MIRROR.partition('/')[0]}: see the lines above"

    @pytest.mark.parametrize("tool", ["crane", "aws", "helm"])
    def test_missing_tool(self, copy, tools, tool):
        """A tool that is not installed is named with what it is for."""
        (tools / tool).unlink()
        done, _ = copy(ARCHIVE)

        assert self.sentence(done).startswith(f"copy.sh: {tool} is not installed: it ")

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("image public.ecr.aws/neuron/x:1 unresolved a/b:1", "line 1 is not KIND SOURCE DIGEST TARGET"),
            (f"image x:1 {IMAGE_DIGEST} a/b:1 more", "line 1 is not KIND SOURCE DIGEST TARGET"),
            (f"image -x:1 {IMAGE_DIGEST} a/b:1", "line 1 is not KIND SOURCE DIGEST TARGET"),
            (f"image x:1 {IMAGE_DIGEST} -", "line 1 has no target: write network.image_mirror in the environment file"),
            (f"model x:1 {IMAGE_DIGEST} a/b:1", "line 1 is of unknown kind model"),
        ],
    )
    def test_line(self, copy, line, message):
        """A line that is none of the list's is not guessed at."""
        done, asked = copy(line)

        assert self.sentence(done) == f"copy.sh: {message}"
        assert asked == []

    def test_empty(self, copy):
        """An empty list is a mistake: the command before it in the pipe has failed."""
        done, _ = copy()

        assert self.sentence(done) == "copy.sh: - is empty: trnstack lock --images FILE makes the list"
