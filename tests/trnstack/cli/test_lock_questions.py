"""What ``trnstack lock`` answers about a lock: ``--outdated``, ``--explain``, ``--images``."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ami.explain import names
from ami.lock import path_for, read, write
from ami.resolve import Failure, NoAccountError, Offered
from bench.locks import resolved
from trnstack.catalog import KUBERNETES_VERSIONS

ROOT = Path(__file__).parents[3]
JAX, PRIVATE = (ROOT / "environments" / f"{name}.yaml" for name in ("jax-trn1", "private-trn1"))

#: The line on which the file begins, and at which what is wrong with its lock is said.
START = next(number for number, line in enumerate(JAX.read_text().splitlines(), 1) if line.startswith("schema_version"))


@pytest.fixture
def account_locked(tmp_path):
    """Copies an environment with its lock as an account would have resolved it."""

    def copy(environment):
        file = tmp_path / environment.name
        file.write_bytes(environment.read_bytes())
        write(resolved(read(path_for(environment))), path_for(file))
        return file

    return copy


class TestOutdated:
    def test_table(self, run):
        """Every pin stands beside what fits and what is newest, and reasons follow; nothing to mend ends with 0."""
        answer = run("lock", "--outdated", JAX)
        lines = [line.split() for line in answer.stdout.splitlines()]

        assert (answer.code, answer.stderr) == (0, "")
        assert ["Neuron", "SDK", "2.30.0", "2.31.1", "2.32.0"] in lines
        assert ["EKS", "AMI", "release", "v20260625", "same", "v20260714"] in lines
        assert ["chart", "kueue", "0.19.2", "same", "same"] in lines
        assert ["Kubernetes", "1.35", "1.36", "same"] in lines
        assert "standard support of 1.35 ends on 2027-03-27" in answer.stdout
        assert f"take it: trnstack lock --upgrade --sdk 2.31.1 {JAX}" in answer.stdout

    def test_json(self, run):
        """The same for programs, a row for each pin."""
        rows = json.loads(run("lock", "--outdated", "--json", JAX).stdout)

        assert rows[0]["name"] == "Neuron SDK"
        assert {tuple(row) for row in rows} == {("name", "pinned", "fits", "newest", "reason", "region")}
        assert all(row["region"] is None for row in rows)

    def test_newest_kubernetes(self, run, tmp_path):
        """On the newest Kubernetes version, or one whose next has no AMI release for the SDK, nothing is offered."""
        file = tmp_path / "x.yaml"
        newest = next(reversed(KUBERNETES_VERSIONS))
        file.write_text(JAX.read_text().replace('"1.35"', f'"{newest}"'))
        assert run("lock", "--offline", file).code == 0
        row = next(
            row for row in json.loads(run("lock", "--outdated", "--json", file).stdout) if row["name"] == "Kubernetes"
        )
        assert (row["pinned"], row["fits"], row["newest"]) == (newest, newest, newest)
        known = KUBERNETES_VERSIONS[newest]
        assert row["reason"] == (
            f"standard support of {newest} ends on {known.standard_support_ends}, extended support on "
            f"{known.extended_support_ends}"
        )

        file.write_text(JAX.read_text().replace('"2.30.0"', '"2.29.1"'))
        assert run("lock", "--offline", file).code == 0
        answer = run("lock", "--outdated", file).stdout
        assert "no EKS AMI release with driver 2.27.4.0 is known for 1.36" in answer

    def test_account(self, run, account_locked, monkeypatch):
        """Of a lock that an account made, what the region offers stands beside it."""
        monkeypatch.setattr("ami.resolve.connect", lambda _region: "aws")
        monkeypatch.setattr("ami.resolve.recommended_release_version", lambda *_: "1.35.7-20261101")
        monkeypatch.setattr(
            "ami.resolve.offered_add_on",
            lambda _aws, name, _minor: Offered(
                ("v9.9.9-eksbuild.1",), None if name == "coredns" else "v9.0.0-eksbuild.1"
            ),
        )
        answer = run("lock", "--outdated", account_locked(JAX))

        assert answer.code == 0
        assert "in us-west-2" in answer.stdout.splitlines()[1]
        assert "1.35.7-20261101" in answer.stdout
        assert any(
            line.split()[1:2] == ["coredns"] and line.endswith("v9.9.9-eksbuild.1")
            for line in answer.stdout.splitlines()
        )
        assert any(
            line.split()[1:2] == ["vpc-cni"] and line.endswith("v9.0.0-eksbuild.1")
            for line in answer.stdout.splitlines()
        )

    def test_no_account(self, run, account_locked, monkeypatch):
        """Without credentials the reason is said, and how to see what the tables know."""

        def refuse(_region):
            raise NoAccountError([Failure("no credentials", "run: aws sso login")])

        monkeypatch.setattr("ami.resolve.connect", refuse)
        file = account_locked(JAX)
        answer = run("lock", "--outdated", file)

        assert answer.code == 1
        assert "no credentials" in answer.stderr
        assert f"trnstack lock --outdated --offline {file}" in answer.stderr
        assert run("lock", "--outdated", "--offline", file).code == 0

    def test_unanswered(self, run, account_locked, monkeypatch):
        """A question that the region has no answer to is said with what it was about."""
        from ami.resolve import UnansweredError

        def refuse(*_):
            raise UnansweredError("us-west-2 recommends none", "look at the region")

        monkeypatch.setattr("ami.resolve.connect", lambda _region: "aws")
        monkeypatch.setattr("ami.resolve.recommended_release_version", refuse)
        monkeypatch.setattr("ami.resolve.offered_add_on", lambda *_: Offered(("v1.0.0-eksbuild.1",), None))
        answer = run("lock", "--outdated", account_locked(JAX))

        assert answer.code == 1
        assert "us-west-2 recommends none" in answer.stderr


class TestExplain:
    def test_node_group(self, run):
        """The pin, why, the rules with their sentence, what else there was, and sources."""
        answer = run("lock", "--explain", "trn1", JAX)

        assert (answer.code, answer.stderr) == (0, "")
        for heading in ("Image of node group trn1", "Why", "Rules that it keeps", "What else there was", "Sources"):
            assert f"{heading}\n" in answer.stdout
        assert "  IMG004  driver serves the containers\n" in answer.stdout
        assert "Rules that it breaks" not in answer.stdout

    @pytest.fixture
    def misfit(self, account_locked):
        """An environment whose lock has a driver that does not serve, as after a correction of the tables."""
        file = account_locked(JAX)
        lock = read(path_for(file))
        pin = replace(lock.images["trn1"], neuron_driver="2.21.0.0")
        write(replace(lock, images={**lock.images, "trn1": pin}), path_for(file))
        return file

    def test_broken_rules(self, run, misfit):
        """A pin that breaks a rule is not said to keep it: the rules are asked about this lock."""
        answer = run("lock", "--explain", "trn1", misfit)
        sections = {text.partition("\n")[0]: text.splitlines()[1:] for text in answer.stdout.split("\n\n")}
        codes = {head: [line.split()[0] for line in lines if line[2:5] == "IMG"] for head, lines in sections.items()}

        assert answer.code == 0
        assert codes["Rules that it breaks"] == ["IMG004", "IMG010"]
        assert codes["Rules that it keeps"] == ["IMG005", "IMG014", "IMG015"]
        name, found, hint, *_ = sections["Rules that it breaks"]
        assert name == "  IMG004  driver serves the containers"
        assert found == (
            "          EKS AMI release v20260625 has Neuron driver 2.21.0.0; containers of Neuron SDK 2.30.0 need "
            "2.28.0.0 or later: their runtime 2.32.31.0 does not work on driver 2.26 or older"
        )
        assert hint == f"          hint: fits: v20260625, v20260618, v20260610; run: trnstack lock --upgrade {misfit}"
        assert sections["Why"][1] == "  it is an EKS AMI release for Kubernetes 1.35 with driver 2.21.0.0"

    def test_broken_rules_of_others(self, run, misfit):
        """What is found at another node group's image is none of this one's; the driver's own row has all."""
        assert "Rules that it breaks" not in run("lock", "--explain", "system", misfit).stdout
        assert "Rules that it breaks\n  IMG004" in run("lock", "--explain", "aws-neuronx-dkms", misfit).stdout

    @pytest.mark.parametrize("name", [*names(read(path_for(JAX)))])
    def test_every_name(self, run, name):
        """Whatever the lock pins is explained, by its name in the lock."""
        assert run("lock", "--explain", name, JAX).code == 0

    def test_json(self, run):
        """The same for programs, rules with their sources."""
        (data,) = json.loads(run("lock", "--explain", "trn1", "--json", JAX).stdout)

        assert data["value"]["release"] == "v20260625"
        assert [rule["code"] for rule in data["rules"]] == ["IMG004", "IMG005", "IMG010", "IMG014", "IMG015"]
        assert all(rule["source"] and rule["kept"] and rule["findings"] == [] for rule in data["rules"])

    def test_json_of_broken_rules(self, run, misfit):
        """What breaks a rule is said with it."""
        (data,) = json.loads(run("lock", "--explain", "trn1", "--json", misfit).stdout)
        rules = {rule["code"]: rule for rule in data["rules"]}

        assert [code for code, rule in rules.items() if not rule["kept"]] == ["IMG004", "IMG010"]
        assert [list(finding) for finding in rules["IMG004"]["findings"]] == [["message", "hint"]]

    def test_unknown(self, run):
        """A name that the lock does not pin is answered with the likeliest and all others."""
        answer = run("lock", "--explain", "vpc-cn", JAX)

        assert (answer.code, answer.stdout) == (2, "")
        assert answer.stderr.startswith(
            f"{JAX}: the lock pins no 'vpc-cn'\n  hint: did you mean 'vpc-cni'? it pins: system, trn1, container, "
        )


class TestImages:
    def test_list(self, run, account_locked):
        """A line for each image and chart, with its digest and its name in the environment's mirror."""
        file = account_locked(PRIVATE)
        lock = read(path_for(file))
        answer = run("lock", "--images", file)
        lines = answer.stdout.splitlines()
        image = lock.neuron.container

        assert answer.code == 0
        assert (
            f"image {image.image} {image.digest} "
            f"111122223333.dkr.ecr.us-west-2.amazonaws.com/mirror/{image.image.partition('/')[2]}"
        ) in lines
        assert len(lines) == 1 + len(lock.charts) + sum(len(pin.images) for pin in lock.charts.values())

    def test_json(self, run, account_locked):
        """The same for programs."""
        rows = json.loads(run("lock", "--images", "--json", account_locked(JAX)).stdout)

        assert {tuple(row) for row in rows} == {("kind", "source", "digest", "target")}
        assert all(row["target"] == "" for row in rows)

    def test_unresolved(self, run):
        """Without digests a copy could not be checked, so there is no list but the command that resolves them."""
        answer = run("lock", "--images", JAX)

        assert (answer.code, answer.stdout) == (1, "")
        assert answer.stderr.startswith(f"{JAX}: the lock has no digest of ")
        assert answer.stderr.endswith(f"hint: run: trnstack lock {JAX}\n")


class TestUsage:
    @pytest.mark.parametrize(
        "options",
        [
            ("--images", "--check"),
            ("--outdated", "--upgrade"),
            ("--explain", "trn1", "--images"),
            ("--outdated", "--ami-release", "v20260625"),
            ("--upgrade", "--add-on", "coredns=v1.0.0-eksbuild.1"),
            ("--images", "--sdk", "2.31.1"),
        ],
    )
    def test_one_at_a_time(self, run, options):
        """Options that ask for different things, or mean nothing together, are wrong usage."""
        assert run("lock", *options, JAX).code == 2

    @pytest.mark.parametrize("options", [("--outdated",), ("--images",), ("--upgrade",), ("--explain", "trn1")])
    def test_missing(self, run, tmp_path, options):
        """A lock that is not there is said of the file that it is for, as check says it."""
        file = tmp_path / "x.yaml"
        file.write_bytes(JAX.read_bytes())
        answer = run("lock", *options, file)

        assert (answer.code, answer.stdout) == (1, "")
        assert answer.stderr.splitlines() == [
            f"{file}:{START}:1: IMG001 there is no lock {path_for(file)}, which pins images and add-ons",
            f"  hint: run: trnstack lock {file}, or without an account: trnstack lock --offline {file}",
            "1 error",
        ]
        assert run("check", file).stdout.splitlines()[:2] == answer.stderr.splitlines()[:2]

    @pytest.mark.parametrize("options", [("--outdated",), ("--images",), ("--upgrade",), ("--explain", "trn1")])
    def test_stale(self, run, tmp_path, options):
        """About a lock that does not answer the environment nothing is said but that."""
        file = tmp_path / "x.yaml"
        file.write_text(JAX.read_text().replace('"1.35"', '"1.36"'))
        path_for(file).write_bytes(path_for(JAX).read_bytes())
        answer = run("lock", *options, file)

        assert (answer.code, answer.stdout) == (1, "")
        assert answer.stderr.splitlines() == [
            f"{file}:{START}:1: IMG002 lock {path_for(file)} is stale: kubernetes_version was 1.35, is now 1.36",
            f"  hint: run: trnstack lock {file}",
            "1 error",
        ]
