"""Custom images in ``trnstack plan``."""

import dataclasses
from pathlib import Path

import pytest

from ami.lock import path_for, read, write
from ami.pins import NOT_BUILT, Lock
from bench.locks import copy_resolved
from trnstack.cli.plan import as_text
from trnstack.cli.plan_images import awaiting, sections
from trnstack.environment import plan_file

ENVIRONMENTS = Path(__file__).parents[3] / "environments"
OFFLINE = ENVIRONMENTS / "custom-image-trn1.yaml"


def not_built(lock: Lock) -> Lock:
    """Returns a resolved lock as it is while nobody has built the images."""
    pins = {}
    for name, pin in lock.images.items():
        custom = pin.custom
        if custom:
            custom = dataclasses.replace(custom, image_ids=dict.fromkeys(custom.image_ids, NOT_BUILT))
        pins[name] = dataclasses.replace(pin, custom=custom)
    return dataclasses.replace(lock, images=pins)


@pytest.fixture
def file(tmp_path):
    """The environment with a custom image, its lock resolved and its image built."""
    return copy_resolved(OFFLINE, tmp_path)


@pytest.fixture
def unbuilt(file):
    """The same while the image is to be built."""
    write(not_built(read(path_for(file))), path_for(file))
    return file


class TestSection:
    def test_built(self, file):
        """An image says what it is made of, what builds it, and where it goes."""
        decided = plan_file(file)
        (section,) = sections(decided)
        rows = {line[:18].strip(): line[18:].strip() for line in section[1:] if line[:18].strip()}
        (image,) = decided.images

        assert section[0] == "Custom image neuron"
        assert rows["AMI"] == image.image_id
        assert rows["version"] == image.version
        assert rows["parent"] == f"{image.parent_image_id}, EKS AMI release 1.35.6-20260714"
        assert rows["components"] == "kernel, driver, efa, updates, containers, import, manifest, identity"
        assert rows["volume"] == "100 GiB, encrypted"
        assert rows["built by"] == "trn1.2xlarge in usw2-az4"
        assert rows["starts nodes of"] == "trn1"
        assert rows["regions"] == "us-west-2"
        assert section[-1].strip() == "us-east-2"

    def test_keys_and_accounts(self, file):
        """A copy's key and the accounts that may start instances are told, one a line."""
        decided = plan_file(file)
        (image,) = decided.images
        key = "arn:aws:kms:us-east-2:111122223333:key/0123abcd"
        regions = (image.regions[0], dataclasses.replace(image.regions[1], kms_key_arn=key))
        accounts = ("444455556666", "777788889999")
        shared = dataclasses.replace(image, regions=regions, account_ids=accounts)
        (section,) = sections(dataclasses.replace(decided, images=(shared,)))

        assert [line.strip() for line in section[-3:]] == [
            f"us-east-2, encrypted by {key}",
            "shared with      444455556666",
            "777788889999",
        ]

    def test_nobody_was_asked(self):
        """What an offline lock leaves open is told as such, and not as if it were empty."""
        (section,) = sections(plan_file(OFFLINE))

        assert [line.split()[-1] for line in section[1:3]] == ["unresolved", "unresolved"]
        assert section[4].split() == ["components", "unresolved"]

    def test_none(self):
        """An environment without a custom image has no such section."""
        decided = plan_file(ENVIRONMENTS / "llama3-8b-trn1.yaml")

        assert not list(sections(decided))
        assert "Custom image" not in as_text(decided)


class TestAwaiting:
    def test_commands(self, unbuilt):
        """What is left out is named, and the commands that lead there stand in their order."""
        first, *lines = awaiting(plan_file(unbuilt), "x.yaml")

        assert first == "Left out until their image is built: custom-image-nodes-trn1"
        assert [line.strip().split("  ")[0] for line in lines] == [
            "cdk deploy custom-image-images -c environment=x.yaml",
            "trnstack lock x.yaml",
            "cdk deploy --all -c environment=x.yaml",
        ]

    def test_nobody_was_asked(self):
        """While nobody was asked, the first step is to ask: the image may be there already."""
        _, first, *_ = awaiting(plan_file(OFFLINE), "x.yaml")

        assert first.split("  ")[1] == "trnstack lock x.yaml"

    def test_nothing(self, file):
        """With the image there nothing is left out."""
        assert awaiting(plan_file(file), "x.yaml") == []


class TestCommand:
    def test_not_built(self, run, unbuilt):
        """The plan lists the stacks that are deployed, the image, and what is left out."""
        answer = run("plan", unbuilt)

        assert answer.code == 0
        assert "custom-image-images" in answer.stdout
        assert "image             not built (custom, recipe neuron)" in answer.stdout
        assert "Left out until their image is built: custom-image-nodes-trn1\n" in answer.stdout
        assert f"trnstack lock {unbuilt}" in answer.stdout

    def test_built(self, run, file):
        """With the image there the nodes' stack is one of those that are deployed, and nothing is left out."""
        answer = run("plan", file)

        assert "custom-image-nodes-trn1  node group trn1" in answer.stdout
        assert "Left out" not in answer.stdout
