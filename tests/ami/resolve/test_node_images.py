"""The AMIs that nodes start from, one at a time."""

import dataclasses
import datetime as dt

import pytest

from account.refusals import AccountError
from ami.pins import BuiltImage
from ami.resolve import UnansweredError, recommended_release_version
from ami.resolve.node_images import node_image

from .conftest import MINOR, PUBLISHER, REGION, path_of

NEURON = "AL2023_x86_64_NEURON"
TODAY = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)


@pytest.fixture
def pin(chosen):
    return chosen.images["trn1"]


@pytest.fixture
def ask(world, pin):
    def call(**changes):
        return node_image(world.aws, dataclasses.replace(pin, **changes), MINOR, now=TODAY)

    return call


def refusal(ask, **changes):
    with pytest.raises(UnansweredError) as error:
        ask(**changes)
    return error.value.failure


class TestId:
    def test_of_the_named_release(self, ask, world, pin):
        """The id is that of the release's own parameter, beside which its release version is read."""
        found = ask()

        assert found == (world.parameters[f"{path_of(NEURON, pin.release)}/image_id"], PUBLISHER, (), None)
        assert world.asked[0] == (
            "ssm:GetParameters",
            REGION,
            {
                "Names": [
                    "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/neuron/"
                    f"amazon-eks-node-al2023-x86_64-neuron-1.35-v20260625/{name}"
                    for name in ("image_id", "release_version")
                ]
            },
        )

    def test_that_is_known(self, ask, world):
        """An id that is pinned is not looked up; that it still exists is asked."""
        known = world.images[REGION][1]["ImageId"]

        assert ask(image_id=known).image_id == known
        assert world.operations() == ["ec2:DescribeImages"]

    def test_another_release_version(self, ask, world, pin):
        """A release whose version AWS has otherwise is none that the tables describe; both versions are named."""
        world.parameters[f"{path_of(NEURON, pin.release)}/release_version"] = "1.35.7-20260625"

        failure = refusal(ask)

        assert failure.message == (
            "the AL2023_x86_64_NEURON AMI of release v20260625 is 1.35.7-20260625 in us-east-2, and the offline tables "
            "have it as 1.35.6-20260625"
        )
        assert "trnstack lock --ami-release" in failure.hint

    def test_release_version_that_nobody_says(self, ask, world, pin):
        """Where AWS has no release version beside the id, the table's is kept, and that it is the table's is said."""
        del world.parameters[f"{path_of(NEURON, pin.release)}/release_version"]

        (note,) = ask().notes

        assert note == (
            "AWS does not say that the AL2023_x86_64_NEURON AMI of release v20260625 is 1.35.6-20260625: the offline "
            "tables say so"
        )


class TestNeverPublished:
    def test_others_with_the_driver(self, ask, world):
        """A region without the release has others; they are named, and the one to take is one with the same driver."""
        world.parameters = {
            f"{path_of(NEURON, release)}/{name}": "x"
            for release in ("v20260610", "v20260714", "v20260618")
            for name in ("image_id", "image_name", "release_version")
        }
        world.parameters[f"{path_of(NEURON, 'x').rpartition('/')[0]}/recommended/image_id"] = "x"

        failure = refusal(ask)

        assert failure.message == (
            "us-east-2 has no AL2023_x86_64_NEURON AMI of release v20260625 for Kubernetes 1.35; it has v20260714, "
            "v20260618, v20260610"
        )
        assert failure.hint == "with the same driver: trnstack lock --ami-release v20260618 FILE"

    def test_others_without_it(self, ask, world):
        """Where none has the same driver, none is offered in its place."""
        world.parameters = {f"{path_of(NEURON, 'v20260714')}/image_id": "ami-1"}

        failure = refusal(ask)

        assert failure.message.endswith("; it has v20260714")
        assert failure.hint == (
            "none of them is known to have the same driver: use another neuron.sdk or another region"
        )

    def test_no_release_at_all(self, ask, world):
        """A region that has no release for the minor says so."""
        world.parameters = {}

        failure = refusal(ask)

        assert failure.message == (
            "us-east-2 has no AL2023_x86_64_NEURON AMI of release v20260625 for Kubernetes 1.35, nor of any other "
            "release"
        )
        assert "eks.kubernetes_version" in failure.hint

    def test_list_that_is_denied(self, ask, world):
        """Whoever may read single parameters and not lists of them is told which call is denied."""
        world.parameters = {}
        world.refusals["ssm:GetParametersByPath"] = "AccessDeniedException"

        with pytest.raises(AccountError, match="may not call ssm:GetParametersByPath"):
            ask()


class TestExistence:
    @pytest.mark.parametrize("code", ["InvalidAMIID.NotFound", "InvalidAMIID.Unavailable"])
    def test_deregistered(self, ask, world, code):
        """An AMI that EC2 does not know any more was deregistered; its release and the command are named."""
        world.refusals["ec2:DescribeImages"] = code

        failure = refusal(ask)

        assert failure.message == (
            "us-east-2 has no ami-00000000000000001 any more, the AL2023_x86_64_NEURON AMI of release v20260625: it "
            "was deregistered"
        )
        assert failure.hint.startswith("no other release with the same driver is known for Kubernetes 1.35: ")
        assert "Allowed AMIs" in failure.hint

    def test_lately_deregistered(self, ask, world, monkeypatch):
        """So was one of which EC2 answers an empty list."""
        monkeypatch.setattr(world, "_describe_images", lambda *_: {"Images": []}, raising=False)

        assert "it was deregistered" in refusal(ask).message

    @pytest.mark.parametrize("state", ["disabled", "pending", "deregistered", "failed"])
    def test_state(self, ask, world, state):
        """An AMI that exists and is not available is no AMI to start from; its state is named."""
        world.images[REGION][1]["State"] = state

        assert refusal(ask).message == (
            f"ami-00000000000000001, the AL2023_x86_64_NEURON AMI of release v20260625, is {state} in us-east-2, not "
            "available"
        )

    def test_other_error(self, ask, world):
        """An error that says nothing of the AMI is not taken for its end."""
        world.refusals["ec2:DescribeImages"] = "UnauthorizedOperation"

        with pytest.raises(AccountError, match="may not call ec2:DescribeImages"):
            ask()


class TestGone:
    """An AMI that was pinned, and with it whose it was, is given with why it is gone: who needs it is the lock's."""

    KNOWN = "ami-0123456789abcdef0"

    @pytest.fixture
    def deregistered(self, world, pin):
        """Has AWS deregister the release's AMI, whose parameters stay; returns its id."""
        image_id = world.parameters[f"{path_of(NEURON, pin.release)}/image_id"]
        world.images[REGION] = [image for image in world.images[REGION] if image["ImageId"] != image_id]
        return image_id

    def test_pinned(self, ask, deregistered):
        """Its id and its owner are what they were."""
        found = ask(image_id=deregistered, owner=PUBLISHER)

        assert found[:3] == (deregistered, PUBLISHER, ())
        assert found.gone.message.startswith(f"us-east-2 has no {deregistered} any more")

    def test_without_owner(self, ask, deregistered):
        """Without its owner there is nothing to write into a lock."""
        assert "it was deregistered" in refusal(ask, image_id=deregistered).message

    def test_there(self, ask, world):
        """One that is there is not gone."""
        known = world.images[REGION][1]["ImageId"]

        assert ask(image_id=known, owner=PUBLISHER).gone is None

    def test_other_id_of_the_release(self, ask, world, pin):
        """An id that is gone is not put back where AWS has the release by another one; that it is taken is said."""
        found = ask(image_id=self.KNOWN, owner=PUBLISHER)
        own = world.parameters[f"{path_of(NEURON, pin.release)}/image_id"]

        assert (found.image_id, found.owner, found.gone) == (own, PUBLISHER, None)
        (note,) = found.notes
        assert note == (
            f"us-east-2 has no {self.KNOWN} any more, the AL2023_x86_64_NEURON AMI of release v20260625: it was "
            f"deregistered; the lock takes {own} of the same release instead"
        )

    @pytest.mark.parametrize("operation", ["ssm:GetParameters", "ssm:GetParametersByPath"])
    def test_parameters_that_are_denied(self, ask, world, deregistered, operation):
        """Whoever may not read the parameters is told of the AMI, and of what the tables know instead of it."""
        world.refusals[operation] = "AccessDeniedException"
        found = ask(image_id=deregistered, owner=PUBLISHER)

        assert found.gone.message.startswith(f"us-east-2 has no {deregistered} any more")


class TestWayOut:
    """What to do about a release whose AMI is gone."""

    @pytest.fixture
    def hint(self, ask, world):
        """Returns the hint for a release that is gone from a region which has some others."""

        def call(release, *others, **changes):
            version = f"1.35.6-{release.removeprefix('v')}"
            world.parameters |= {f"{path_of(NEURON, other)}/image_id": "ami-1" for other in others}
            world.images[REGION] = []
            pin = {"release": release, "release_version": version, "image_id": "ami-2", "owner": PUBLISHER}
            return ask(**pin, **changes).gone.hint.partition("; where the account allows")[0]

        return call

    @pytest.fixture(autouse=True)
    def no_other_release(self, world):
        """The region has the releases only that a test names."""
        world.parameters.clear()

    def test_newer(self, hint):
        """A newer one with the same driver is what an upgrade takes."""
        assert hint("v20260618", "v20260610", "v20260625") == "take a newer release: trnstack lock --upgrade FILE"

    def test_earlier(self, hint):
        """The newest of the earlier ones is named where no newer one has the driver, which an upgrade would take."""
        assert hint("v20260625", "v20260610", "v20260618", "v20260714") == (
            "take an earlier release with the same driver, to which EKS moves no node group that stands already: "
            "trnstack lock --ami-release v20260618 FILE"
        )

    def test_none(self, hint):
        """Where there is none, an upgrade is no advice."""
        assert hint("v20260625", "v20260714") == (
            "no other release with the same driver is known for Kubernetes 1.35: trnstack lock --outdated FILE says "
            "what is newer"
        )

    def test_tables(self, hint, world):
        """Where the region does not tell what it has, the tables' releases are named."""
        world.refusals["ssm:GetParametersByPath"] = "AccessDeniedException"

        assert "--ami-release v20260618" in hint("v20260625")

    def test_parent(self, hint):
        """A custom image, which installs the driver, is built on any release for the minor."""
        custom = BuiltImage(recipe="neuron", version="x", neuron_driver="x", image_ids={}, owner="x")

        assert hint("v20260625", "v20260618", "v20260714", custom=custom) == (
            "take a newer release: trnstack lock --upgrade FILE"
        )
        assert hint("v20260714", "v20260618", custom=custom).startswith("take an earlier release, to which EKS moves")


class TestDeprecation:
    @pytest.mark.parametrize(("time", "notes"), [("2026-11-30T00:00:00.000Z", 1), ("2026-11-30T00:01:00.000Z", 0)])
    def test_by_the_minute(self, ask, world, time, notes):
        """An AMI is deprecated from its time on."""
        world.images[REGION][1]["DeprecationTime"] = time

        assert len(ask().notes) == notes

    def test_without_a_time(self, ask, world):
        """An AMI of the account's own need not have one."""
        del world.images[REGION][1]["DeprecationTime"]

        assert ask().notes == ()


class TestRecommended:
    def test_release_version(self, world):
        """The newest release is learnt by what is recommended, which nothing is pinned by."""
        world.parameters = {f"{path_of(NEURON, 'x').rpartition('/')[0]}/recommended/release_version": "1.35.9-20270101"}

        assert recommended_release_version(world.aws, NEURON, MINOR) == "1.35.9-20270101"

    def test_none(self, world):
        """A region that recommends nothing says so."""
        with pytest.raises(
            UnansweredError, match=r"us-east-2 recommends no AL2023_x86_64_NEURON AMI for Kubernetes 1\.35"
        ):
            recommended_release_version(world.aws, NEURON, MINOR)
