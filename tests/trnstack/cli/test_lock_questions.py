"""What ``trnstack lock`` answers about a lock: ``--outdated``, ``--explain``, ``--images``."""

import json
from pathlib import Path

import pytest

from ami.explain import names
from ami.lock import path_for, read, write
from ami.resolve import Failure, NoAccountError, Offered
from bench.locks import resolved

ROOT = Path(__file__).parents[3]
JAX, PRIVATE = (ROOT / "environments" / f"{name}.yaml" for name in ("jax-trn1", "private-trn1"))


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
        file.write_text(JAX.read_text().replace('"1.35"', '"1.36"'))
        assert run("lock", "--offline", file).code == 0
        assert "  Kubernetes" in run("lock", "--outdated", file).stdout

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

    @pytest.mark.parametrize("name", [*names(read(path_for(JAX)))])
    def test_every_name(self, run, name):
        """Whatever the lock pins is explained, by its name in the lock."""
        assert run("lock", "--explain", name, JAX).code == 0

    def test_json(self, run):
        """The same for programs, rules with their sources."""
        (data,) = json.loads(run("lock", "--explain", "trn1", "--json", JAX).stdout)

        assert data["value"]["release"] == "v20260625"
        assert [rule["code"] for rule in data["rules"]] == ["IMG004", "IMG005", "IMG010", "IMG014"]
        assert all(rule["source"] for rule in data["rules"])

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

    @pytest.mark.parametrize("option", ["--outdated", "--images", "--upgrade"])
    def test_stale(self, run, tmp_path, option):
        """About a lock that does not answer the environment nothing is said but that."""
        file = tmp_path / "x.yaml"
        file.write_text(JAX.read_text().replace('"1.35"', '"1.36"'))
        path_for(file).write_bytes(path_for(JAX).read_bytes())
        answer = run("lock", option, file)

        assert answer.code == 1
        assert "IMG002" in answer.stderr
