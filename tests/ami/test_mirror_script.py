"""``ami/mirror/copy.sh``, run with stand-ins for crane, aws and helm whose registry is a folder."""

import hashlib
import os
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
ARCHIVE = f"archive https://charts.example/eks-charts/efa:v0.5.30 {ARCHIVE_DIGEST} {MIRROR}/eks-charts/efa:v0.5.30"
_OF_THE_MACHINE = ("bash", "basename", "cat", "cut", "grep", "mktemp", "rm", "sha256sum", "tr")
#: Each writes what it was asked to the log. The registry holds a file for each name: the digest, or a chart's layer.
CRANE = """
echo "crane $*" >> "$LOG"
place() { printf '%s/%s' "$REGISTRY" "$(printf '%s' "$1" | tr '/:' '__')"; }
case $1 in
  auth) cat > /dev/null ;;
  digest) cat "$(place "$2")" 2>/dev/null ;;
  manifest) cat "$(place "$2")" 2>/dev/null ;;
  copy) [[ -z ${REFUSE_COPY:-} ]] || exit 1; printf '%s' "${COPIED:-${2##*@}}" > "$(place "$3")" ;;
esac
"""
AWS = """
echo "aws $*" >> "$LOG"
case $2 in
  get-login-password) [[ -z ${NO_CREDENTIALS:-} ]] || { echo 'no credentials' >&2; exit 1; }; echo secret ;;
  describe-repositories) grep -q "$8" "$REGISTRY/repositories" 2>/dev/null ;;
  create-repository) echo "$8" >> "$REGISTRY/repositories" ;;
esac
"""
HELM = """
echo "helm $*" >> "$LOG"
case $1 in
  registry) cat > /dev/null ;;
  pull) printf '%s' "${ARCHIVE:-the archive of a chart}" > "$8/$2-${6}.tgz" ;;
  push) digest=$(sha256sum "$2" | cut -d ' ' -f 1)
    name=$(basename "$2" .tgz)
    place=$(printf '%s' "${3#oci://}/${name/-/:}" | tr '/:' '__')
    printf '{"layers":[{"digest":"sha256:%s"}]}' "$digest" > "$REGISTRY/$place" ;;
esac
"""


@pytest.fixture
def tools(tmp_path):
    """A folder with the stand-ins, and of the machine's own tools those that they and the script need."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in _OF_THE_MACHINE:
        (folder / name).symlink_to(shutil.which(name))
    for name, text in {"crane": CRANE, "aws": AWS, "helm": HELM}.items():
        file = folder / name
        file.write_text(f"#!/usr/bin/env bash\nset -euo pipefail\n{text}")
        file.chmod(0o755)
    (tmp_path / "registry").mkdir()
    return folder


@pytest.fixture
def copy(tmp_path, tools):
    """Runs the script with a list; returns what it answered and what the tools were asked."""

    def run(*lines, **settings):
        log = tmp_path / "log"
        log.write_text("")
        settings = {
            "PATH": str(tools),
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
