"""A lock as a whole: what is asked, what stands in it, and that one failure spoils no more than it must."""

import dataclasses
import datetime as dt
import threading

import pytest

from ami import ami_choice, archives, moving, offline
from ami.archives import digest_of as archive_digest_of
from ami.lock import to_json
from ami.pins import UNRESOLVED
from ami.registry import RegistryError
from ami.resolve import Aws, NoAccountError, ResolveError, for_environment, resolve
from ami.tables import add_on_versions, ami_releases, charts
from rehearsal.charts import archive

from .conftest import ACCOUNT, INPUTS, PUBLISHER, REGION, World, digest_of, path_of

KUEUE = "registry.k8s.io/kueue/kueue:v0.19.2"
EFA = "602401143452.dkr.ecr.us-east-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.20"


def failures(error):
    return [failure.message for failure in error.value.failures]


class TestWhole:
    def test_nothing_is_left(self, resolved, chosen):
        """Every value that was unresolved has one of AWS or a registry, and every other is what it was."""
        lock = resolved().lock

        assert chosen.unresolved
        assert lock.unresolved == ()
        assert lock.neuron.container.digest == digest_of(lock.neuron.container.image)
        assert {pin.owner for pin in lock.images.values()} == {PUBLISHER}
        assert lock.images["trn1"].image_id != lock.images["system"].image_id
        assert lock.images["trn1"] == lock.images["spare"]
        assert lock.charts["kueue"].images == {KUEUE: digest_of(KUEUE)}
        assert (lock.add_ons, lock.neuron.components) == (chosen.add_ons, chosen.neuron.components)

    def test_origin(self, resolved):
        """A lock says that AWS was asked and where, and neither by whom nor when, so that two people's are alike."""
        lock = resolved().lock

        assert (lock.made_from, lock.rehearsal_account) == (f"AWS in {REGION}", None)
        assert ACCOUNT not in to_json(lock)

    def test_twice(self, resolved):
        """Two locks of the same inputs are byte for byte the same, whichever answers come first."""
        assert len({to_json(resolved().lock) for _ in range(5)}) == 1

    def test_again(self, resolved, world, registries):
        """A lock that is current is asked about, and comes out unchanged; known ids are not looked up again."""
        lock = resolved().lock
        world.asked.clear()

        again = for_environment(INPUTS, keep=lock, aws=world.aws, registry=registries)

        assert to_json(again.lock) == to_json(lock)
        assert again.notes == ()
        assert "ssm:GetParameters" not in world.operations()
        assert world.operations().count("ec2:DescribeImages") == 2

    def test_each_thing_once(self, resolved, world, registries):
        """Node groups that start from one AMI ask for it once, and so does everything else."""
        resolved()

        assert sorted(world.operations()) == [
            *["ec2:DescribeImages"] * 2,
            *["eks:DescribeAddonVersions"] * 2,
            *["ssm:GetParameters"] * 2,
            "sts:GetCallerIdentity",
        ]
        assert len(registries.asked) == len(set(registries.asked)) == 5

    def test_never_recommended(self, resolved, world):
        """What is recommended today is nothing to pin by."""
        resolved()

        names = [
            name for operation, _, params in world.asked if operation == "ssm:GetParameters" for name in params["Names"]
        ]
        assert len(names) == 4
        assert not any("recommended" in name for name in names)

    def test_progress(self, resolved):
        """Each answer is told with the number so far and the number in all."""
        told = []
        resolved(progress=lambda *news: told.append(news))

        assert [(done, total) for _, done, total in told] == [(number, 11) for number in range(1, 12)]
        about = {about for about, _, _ in told}
        assert about >= {"add-on coredns", "chart kueue", "chart kueue's archive", f"image {KUEUE}"}

    def test_archives(self, resolved, chosen):
        """Every chart's archive is fetched, pinned by its bytes and handed over under the name that Helm gives it."""
        found = resolved()
        expected = {name: archive(name, pin.version) for name, pin in chosen.charts.items()}

        assert {name: pin.archive for name, pin in found.lock.charts.items()} == {
            name: archive_digest_of(content) for name, content in expected.items()
        }
        assert found.archives == {f"{name}-{chosen.charts[name].version}.tgz": expected[name] for name in expected}

    def test_archives_that_are_there(self, resolved, registries, tmp_path):
        """An archive that lies there with the bytes that the lock pins is not fetched; any other is."""
        first = resolved()
        archives.write(tmp_path, first.archives)
        (tmp_path / "kueue-0.19.2.tgz").write_bytes(b"cut off")
        registries.fetched.clear()

        again = resolved(first.lock, archives=tmp_path)

        assert list(again.archives) == ["kueue-0.19.2.tgz"]
        assert registries.fetched == {first.lock.charts["kueue"].location: first.lock.charts["kueue"].digest}
        assert again.lock == first.lock

    def test_archive_of_another_chart(self, resolved, registries, chosen):
        """A registry that gives another chart for the digest is not believed."""
        registries.archives[chosen.charts["kueue"].location] = archive("kueue", "0.19.1")

        with pytest.raises(ResolveError) as error:
            resolved()

        assert failures(error) == ["chart kueue 0.19.2: its archive holds kueue 0.19.1, and not kueue 0.19.2"]

    def test_archive_that_is_not_pinned(self, resolved):
        """An archive that is not the one of the lock replaces nothing."""
        lock = resolved().lock
        other = dataclasses.replace(lock.charts["kueue"], archive=f"sha256:{'0' * 64}")
        kept = dataclasses.replace(lock, charts={**lock.charts, "kueue": other})

        with pytest.raises(ResolveError, match=f"and the lock pins sha256:{'0' * 64}"):
            resolved(kept)

    def test_rehearsal_serves_its_own(self, world, chosen, registries):
        """A rehearsal's charts are its own, whatever digests the tables and the older lock know."""
        world.address = "http://127.0.0.1:1"
        registries.moved.clear()

        lock = resolve(chosen, aws=world.aws, registry=registries).lock

        assert {pin.digest for pin in lock.charts.values()} == {
            digest_of(f"{pin.location} {pin.version}") for pin in lock.charts.values()
        }

    def test_several_at_a_time(self, resolved, registries, monkeypatch):
        """Questions do not wait for each other: five answers that wait for one another all come."""
        together = threading.Barrier(5, timeout=10)
        digest = registries.digest

        def meet(image):
            together.wait()
            return digest(image)

        monkeypatch.setattr(registries, "digest", meet)

        assert resolved().lock.unresolved == ()

    def test_without_container(self, resolved, world):
        """An SDK without a training container for the framework leaves nothing to ask for."""
        lock = offline.lock(dataclasses.replace(INPUTS, neuron_sdk="2.31.1"), account_follows=True)
        for pin in lock.images.values():
            folder = path_of(pin.ami_type, pin.release)
            world.parameters |= {f"{folder}/image_id": world.images[REGION][0]["ImageId"]}

        assert resolved(lock).lock.neuron.container is None


class TestKept:
    def test_moved_tag(self, resolved, registries, world):
        """A tag that means something else now moves no pin; that it was moved is said."""
        lock = resolved().lock
        registries.moved[KUEUE] = f"sha256:{'f' * 64}"

        again = for_environment(INPUTS, keep=lock, aws=world.aws, registry=registries)

        assert again.lock == lock
        assert again.notes == (
            f"{KUEUE} was moved: it means sha256:{'f' * 64} now, and the lock keeps {digest_of(KUEUE)}",
        )

    def test_newer_tables(self, resolved, world, registries, monkeypatch):
        """Newer rows in the tables move nothing that is pinned."""
        lock = resolved().lock
        newer = _newer_tables(monkeypatch)

        again = for_environment(INPUTS, keep=lock, aws=world.aws, registry=registries)

        assert offline.lock(INPUTS).add_ons["coredns"] == newer
        assert to_json(again.lock) == to_json(lock)

    def test_offline_lock_gains_its_answers(self, world, registries, chosen):
        """A lock that was made offline keeps its choices, and gets what they leave open."""
        again = for_environment(INPUTS, keep=chosen, aws=world.aws, registry=registries)

        assert again.lock.unresolved == ()
        assert again.lock.add_ons == chosen.add_ons

    def test_another_container_alone(self, resolved, world, registries):
        """Where one input changes, the pins of the others are kept and not looked up."""
        lock = resolved().lock
        world.asked.clear()

        again = for_environment(
            dataclasses.replace(INPUTS, framework="jax"), keep=lock, aws=world.aws, registry=registries
        )

        assert "jax-training" in again.lock.neuron.container.image
        assert again.lock.images == lock.images
        assert "ssm:GetParameters" not in world.operations()


def _newer_tables(monkeypatch):
    newest = ami_releases()["v20260625"]
    later = dataclasses.replace(
        newest, release="v20270101", release_versions={"1.35": "1.35.9-20270101"}, kernels={"1.35": "6.12"}
    )
    row = dataclasses.replace(add_on_versions()["coredns"]["1.35"], version="v9.0.0-eksbuild.1")
    chart = dataclasses.replace(charts()["kueue"], version="9.0.0")
    add_ons = {**add_on_versions(), "coredns": {"1.35": row}}
    monkeypatch.setattr(ami_choice, "ami_releases", lambda: {"v20270101": later, **ami_releases()})
    monkeypatch.setattr(offline, "add_on_versions", lambda: add_ons)
    monkeypatch.setattr(offline, "charts", lambda: {**charts(), "kueue": chart})
    return row.version


class TestGone:
    """An id that AWS says is gone is put back neither by a plain lock nor by an upgrade."""

    GONE = "ami-0123456789abcdef0"

    @pytest.fixture
    def locked(self, resolved):
        """A lock that pins an id that is gone."""
        lock = resolved().lock
        images = {
            name: pin if name == "system" else dataclasses.replace(pin, image_id=self.GONE)
            for name, pin in lock.images.items()
        }
        return dataclasses.replace(lock, images=images)

    @pytest.mark.parametrize("choose", [offline.lock, moving.upgraded], ids=["lock", "upgrade"])
    def test_other_id(self, locked, resolved, choose):
        """The release's own takes its place, and that is said."""
        older = {"keep" if choose is offline.lock else "old": locked}
        answer = resolved(choose(INPUTS, **older))

        assert answer.lock == resolved().lock
        assert self.GONE in answer.notes[0]
        assert answer.notes[0].endswith(
            f"the lock takes {answer.lock.images['trn1'].image_id} of the same release instead"
        )

    @pytest.mark.parametrize("choose", [offline.lock, moving.upgraded], ids=["lock", "upgrade"])
    def test_release(self, resolved, world, choose):
        """Where the release itself is gone, what fits in its place is named, and no upgrade that changes nothing."""
        lock = resolved().lock
        older = {"keep" if choose is offline.lock else "old": lock}
        image_id = lock.images["trn1"].image_id
        world.images[REGION] = [image for image in world.images[REGION] if image["ImageId"] != image_id]
        world.parameters[f"{path_of('AL2023_x86_64_NEURON', 'v20260618')}/image_id"] = "ami-2"

        with pytest.raises(ResolveError) as error:
            resolved(choose(INPUTS, **older))

        (failure,) = error.value.failures
        assert failure.message.startswith(f"us-east-2 has no {image_id} any more")
        assert "trnstack lock --ami-release v20260618 FILE" in failure.hint
        assert "--upgrade" not in failure.hint


class TestAccount:
    def test_of_the_environment(self, resolved):
        """Credentials of the account that the environment names are the right ones."""
        assert resolved(account=ACCOUNT).lock.unresolved == ()

    def test_another(self, resolved, world):
        """Credentials of another account are refused before anything else is asked; both accounts are named."""
        with pytest.raises(NoAccountError) as error:
            resolved(account="999988887777")

        assert failures(error) == [
            f"the credentials are of account {ACCOUNT}, and the environment is for account 999988887777"
        ]
        assert world.operations() == ["sts:GetCallerIdentity"]

    @pytest.mark.parametrize(
        ("code", "message"),
        [
            ("ExpiredToken", "the AWS credentials have expired"),
            ("InvalidClientTokenId", "AWS does not accept the credentials (InvalidClientTokenId)"),
        ],
    )
    def test_refused(self, resolved, world, code, message):
        """Credentials that AWS does not take are one sentence, and not one for each thing to ask."""
        world.refusals["sts:GetCallerIdentity"] = code

        with pytest.raises(NoAccountError) as error:
            resolved()

        assert failures(error) == [message]

    def test_region_that_is_not_enabled(self, world, registries, chosen):
        """A region that the account has not switched on is said to be that."""
        world.refusals["sts:GetCallerIdentity"] = "InvalidClientTokenId"

        with pytest.raises(NoAccountError) as error:
            resolve(chosen, aws=Aws(world.client, region="ap-south-2"), registry=registries)

        assert failures(error) == ["ap-south-2 is not enabled in the account"]
        assert "enable-region --region-name ap-south-2" in error.value.failures[0].hint


class TestFailures:
    def test_all_of_them(self, resolved, world, registries):
        """Everything that fails is told, not the first of it alone, and what failed for one reason is told once."""
        world.refusals["eks:DescribeAddonVersions"] = "AccessDeniedException"
        world.images[REGION] = []
        registries.refused[KUEUE] = RegistryError(f"registry.k8s.io has no {KUEUE}", "look for another tag")

        with pytest.raises(ResolveError) as error:
            resolved()

        told = failures(error)
        assert len(told) == 4
        assert (
            "the credentials may not call eks:DescribeAddonVersions (asked for add-on coredns, add-on vpc-cni)" in told
        )
        assert f"registry.k8s.io has no {KUEUE}" in told
        assert sum("it was deregistered" in message for message in told) == 2
        assert all(failure.hint for failure in error.value.failures)

    def test_in_the_lock_s_order(self, resolved, world):
        """Failures come in the order of the lock, whichever answer came first."""
        world.add_ons = {}

        for _ in range(3):
            with pytest.raises(ResolveError) as error:
                resolved()
            assert [message.split("add-on ")[1].split()[0] for message in failures(error)] == ["coredns", "vpc-cni"]

    def test_throttled(self, resolved, world):
        """AWS's asking for patience is said as that, once it has been given all the patience there is."""
        world.refusals["ssm:GetParameters"] = "ThrottlingException"

        with pytest.raises(ResolveError) as error:
            resolved()

        (message,) = failures(error)
        assert message.startswith(
            "SSM in us-east-2 asks for patience (ThrottlingException) (asked for AMI 1.35.6-20260625"
        )

    def test_ecr_gives_no_password(self, world, chosen):
        """Where ECR denies its password, the images that need one are named."""

        class AskedForCredentials:
            def __init__(self, aws):
                self.aws = aws

            def digest(self, image):
                self.aws.ecr_credentials(image.partition("/")[0])
                return digest_of(image)

            def chart_digest(self, location, version):
                return digest_of(f"{location} {version}")

            def chart_archive(self, location, version, _digest):
                return archive(location.rpartition("/")[2], version)

        world.refusals["ecr:GetAuthorizationToken"] = "AccessDeniedException"
        aws = world.aws

        with pytest.raises(ResolveError) as error:
            resolve(chosen, aws=aws, registry=AskedForCredentials(aws))

        assert failures(error) == [f"the credentials may not call ecr:GetAuthorizationToken (asked for image {EFA})"]


class TestRehearsal:
    def test_says_so(self, world, registries, chosen):
        """A lock of an embedded AWS carries its account, so that nobody takes it for one of AWS."""
        world.address = "http://127.0.0.1:1"
        lock = resolve(chosen, aws=world.aws, registry=registries).lock

        assert (lock.made_from, lock.rehearsal_account) == (f"a rehearsal in {REGION}", ACCOUNT)
        assert lock.unresolved == ()

    def test_takes_no_id_of_aws(self, resolved, world, registries):
        """Ids and digests of AWS are none of the embedded one: there everything is asked for anew."""
        real = resolved().lock
        rehearsed = World(address="http://127.0.0.1:1", parameters=world.parameters, add_ons=world.add_ons)
        rehearsed.images = {REGION: [{**image, "OwnerId": ACCOUNT} for image in world.images[REGION]]}

        lock = for_environment(INPUTS, keep=real, aws=rehearsed.aws, registry=registries).lock

        assert rehearsed.operations().count("ssm:GetParameters") == 2
        assert {pin.owner for pin in lock.images.values()} == {ACCOUNT}

    def test_gives_none_to_aws(self, world, registries, chosen):
        """Nor does AWS get any of a rehearsal's."""
        world.address = "http://127.0.0.1:1"
        rehearsed = resolve(chosen, aws=world.aws, registry=registries).lock
        world.address = None
        world.asked.clear()

        lock = for_environment(INPUTS, keep=rehearsed, aws=world.aws, registry=registries).lock

        assert (lock.made_from, lock.rehearsal_account) == (f"AWS in {REGION}", None)
        assert world.operations().count("ssm:GetParameters") == 2

    def test_in_two_places(self, world, registries, chosen):
        """Services that are asked here and there would leave nobody sure of what the lock is of."""
        here = dataclasses.replace(world, address="http://127.0.0.1:1")
        aws = Aws(lambda service, region: (here if service == "ssm" else world).client(service, region), region=REGION)

        with pytest.raises(ResolveError, match=r"AWS is asked in several places: .*ssm at http://127"):
            resolve(chosen, aws=aws, registry=registries)


class TestClock:
    def test_deprecated(self, resolved):
        """An AMI that is deprecated is pinned; since when it is, and that nodes start from it still, is said."""
        later = dt.datetime(2028, 7, 1, tzinfo=dt.UTC)
        answer = resolved(now=lambda: later)

        assert len(answer.notes) == 2
        assert all(
            "is deprecated in us-east-2 since 2028-06-25: nodes start from it until" in note for note in answer.notes
        )
        assert answer.lock == resolved().lock

    def test_unresolved_is_never_written(self, resolved, world):
        """There is no lock at all where something is missing."""
        world.parameters.clear()

        with pytest.raises(ResolveError) as error:
            resolved()
        assert not any(UNRESOLVED in message for message in failures(error))
