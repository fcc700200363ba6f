"""Links between file systems and buckets: what overlaps, and what is adopted."""

from dataclasses import replace

import pytest

from trnstack.advice.impact import Action, Impact, compare
from trnstack.advice.impact.cost import left as left_of

from .conftest import only, side_of

STORAGE, CLUSTER = "llama3-8b-storage", "llama3-8b-cluster"
LINK, FILE_SYSTEM, BUCKET = "AWS::FSx::DataRepositoryAssociation", "AWS::FSx::FileSystem", "AWS::S3::Bucket"
ADOPTED = "fs-0123456789abcdef0"


@pytest.fixture
def pair(golden_side):
    """An environment twice: the second is for the test to edit."""
    return golden_side("llama3-8b-trn1"), golden_side("llama3-8b-trn1")


def resources(side, stack=STORAGE):
    return side.stacks[stack].template["Resources"]


def take(side, kind):
    """Takes the only resource of a type out of the storage stack, and returns it."""
    logical_id, _ = only(side, STORAGE, kind)
    return logical_id, resources(side).pop(logical_id)


def by_id(report):
    return {change.logical_id: change for change in report.changes}


def ways_of(report, logical_id):
    return [way for way in report.ways if way.logical_id == logical_id]


class TestOverlap:
    def test_another_folder(self, pair):
        """A link under another logical id meets the old one too: by its prefix."""
        _, link = take(pair[1], LINK)
        link["Properties"]["FileSystemPath"] = "/other"
        resources(pair[1])["Moved"] = link
        report = compare(*pair)

        assert "its prefix s3://${CheckpointsBucket" in by_id(report)["Moved"].refused[0]
        (way,) = ways_of(report, "Moved")
        assert "AgeOfOldestQueuedMessage" in way.steps[0]
        assert [f"cdk deploy {STORAGE}" in step for step in way.steps] == [False, True, True, False]

    def test_new_file_system(self, pair):
        """A link that moves to the new file system meets nothing."""
        only(pair[1], STORAGE, FILE_SYSTEM)[1]["KmsKeyId"] = "another"
        found = {change.type: change for change in compare(*pair).changes}

        assert found[LINK].action is Action.REPLACE
        assert found[LINK].refused == ()

    def test_one_that_stays(self, pair):
        """A new link meets one that stays, too."""
        _, link = only(pair[1], STORAGE, LINK)
        resources(pair[1])["Inner"] = {"Type": LINK, "Properties": {**link, "FileSystemPath": "/checkpoints/inner"}}

        assert "overlaps with /checkpoints of the link" in by_id(compare(*pair))["Inner"].refused[0]


class TestDeletions:
    """A link that is new carries deletions over like one whose events change."""

    def linked(self, side, **policies):
        _, link = take(side, LINK)
        link["Properties"].update(FileSystemPath="/other", DataRepositoryPath="s3://other/", S3=policies)
        resources(side)["Moved"] = link

    @pytest.mark.parametrize("policy", ["AutoExportPolicy", "AutoImportPolicy"])
    @pytest.mark.parametrize(("event", "impact"), [("DELETED", Impact.LOSES_DATA), ("CHANGED", Impact.NONE)])
    def test_new_link(self, pair, policy, event, impact):
        """With deletions it may lose data from then on."""
        self.linked(pair[1], **{policy: {"Events": ["NEW", event]}})

        assert by_id(compare(*pair))["Moved"].impact is impact

    def test_as_before(self, pair):
        """What another link of the prefix carried over already is nothing new."""
        for side, name in zip(pair, ("First", "Second"), strict=True):
            self.linked(side, AutoExportPolicy={"Events": ["DELETED"]})
            resources(side)[name] = resources(side).pop("Moved")

        assert by_id(compare(*pair))["Second"].impact is Impact.NONE

    def test_new_environment(self, pair):
        """Where nothing stands yet, nothing is lost."""
        self.linked(pair[1], AutoExportPolicy={"Events": ["DELETED"]})
        stacks = {name: stack for name, stack in pair[0].stacks.items() if name != STORAGE}

        assert by_id(compare(replace(pair[0], stacks=stacks), pair[1]))["Moved"].impact is Impact.NONE


class TestBackups:
    def backed_up(self, side):
        logical_id, properties = only(side, STORAGE, FILE_SYSTEM)
        properties["LustreConfiguration"]["AutomaticBackupRetentionDays"] = 7
        return logical_id

    def test_link_that_goes(self, pair):
        """FSx takes no backups while the link stands, which goes only after the update; the way has two deploys."""
        name = self.backed_up(pair[1])
        link, _ = take(pair[1], LINK)
        report = compare(*pair)

        assert f"as this one is by {link}" in by_id(report)[name].refused[0]
        (way,) = ways_of(report, name)
        assert sum("cdk deploy" in step for step in way.steps) == 2

    def test_without_links(self, pair):
        """Without any, it takes them."""
        for side in pair:
            take(side, LINK)
        name = self.backed_up(pair[1])

        assert by_id(compare(*pair))[name].refused == ()


class TestAdoptedFileSystem:
    @pytest.fixture
    def adopting(self, pair):
        """The environment, which names a file system by its id in place of its own."""
        own, _ = take(pair[1], FILE_SYSTEM)
        link, properties = only(pair[1], STORAGE, LINK)
        properties["FileSystemId"] = ADOPTED
        outputs = pair[1].stacks[STORAGE].template["Outputs"]
        outputs["FileSystemId"]["Value"] = ADOPTED
        return own, link, compare(*pair)

    def test_same_or_other(self, adopting):
        """Whether it is the same, templates don't tell: it counts as lost, and the way has both cases, in order."""
        own, link, report = adopting
        changes = by_id(report)

        assert changes[own].impact is Impact.LOSES_DATA
        assert f"if {ADOPTED} is {own} itself, nothing changes, or FSx refuses the overlap" in changes[link].reason
        assert any(f"is {ADOPTED}, only the account knows" in note for note in report.notes)
        (way,) = ways_of(report, own)
        flush, rest, look, same, other, anew, _ = way.steps
        assert "wait until /checkpoints is exported" in flush
        assert "all else is on the file system alone" in rest
        assert f"--logical-resource-id {own}" in look
        assert "deploy once without existing_file_system and without its associations" in same
        assert "if it prints another id" in other
        assert "delete its claim and volume" in anew

    def test_deletes_by_no_variable(self, adopting):
        """What is deleted is named by hand: after a deploy, the command that showed the id shows another."""
        _, _, report = adopting
        deleting = [step for way in report.ways for step in way.steps if "delete-file-system" in step]

        assert deleting
        assert all(step.endswith("--file-system-id OLD-ID") for step in deleting)

    def test_without_links(self, pair):
        """Without new links nothing overlaps, and one deploy does it."""
        own, _ = take(pair[1], FILE_SYSTEM)
        take(pair[1], LINK)
        pair[1].stacks[STORAGE].template["Outputs"]["FileSystemId"]["Value"] = ADOPTED
        (way,) = ways_of(compare(*pair), own)

        assert not any("deploy once without" in step for step in way.steps)

    @pytest.mark.parametrize("linked", [True, False])
    def test_one_that_is_left(self, pair, linked):
        """One that is adopted no more is lost to jobs, which see none of its files, whether it was linked or not."""
        for side, name in zip(pair, (ADOPTED, "fs-0fedcba9876543210"), strict=True):
            take(side, FILE_SYSTEM)
            side.stacks[STORAGE].template["Outputs"]["FileSystemId"]["Value"] = name
            if linked:
                only(side, STORAGE, LINK)[1]["FileSystemId"] = name
            else:
                take(side, LINK)
        report = compare(*pair)
        change = by_id(report)[ADOPTED]

        assert (change.action, change.impact, change.retained) == (Action.LEAVE, Impact.LOSES_DATA, True)
        (way,) = ways_of(report, ADOPTED)
        assert ("wait until /checkpoints is exported" in way.steps[0]) is linked
        assert f"FILE_SYSTEM={ADOPTED}" in way.steps[0]
        assert [left.what for left in left_of(pair[0], report)] == [f"file system {ADOPTED}"]

    def test_bucket_that_is_left(self, pair):
        """So is the objects' sight of a bucket that no stack made, and that gives way to another."""
        for side, name in zip(pair, ("some-bucket-of-ours", "some-bucket-of-theirs"), strict=True):
            side.stacks[STORAGE].template["Outputs"]["CheckpointBucket"]["Value"] = name
        report = compare(*pair)
        (change,) = report.changes

        assert (change.logical_id, change.impact) == ("some-bucket-of-ours", Impact.LOSES_DATA)
        assert "s3://some-bucket-of-ours s3://NEW" in ways_of(report, change.logical_id)[0].steps[0]


class TestGivenUp:
    def test_file_system(self, pair):
        """A file system that goes with nothing in its place: no step speaks of a new one."""
        own, _ = take(pair[1], FILE_SYSTEM)
        take(pair[1], LINK)
        report = compare(*pair)
        (way,) = ways_of(report, own)

        assert "new" not in " ".join(way.steps)
        assert any("existing_file_system" in step for step in way.steps)
        assert "go on while it is retained" in by_id(report)[own].feels[0]

    def test_one_that_would_be_deleted(self, pair):
        """One that its stack deletes is to be retained first, in a deploy of its own."""
        for side in pair:
            resource = resources(side)[only(side, STORAGE, FILE_SYSTEM)[0]]
            resource["DeletionPolicy"] = resource["UpdateReplacePolicy"] = "Delete"
        own, _ = take(pair[1], FILE_SYSTEM)
        (way,) = ways_of(compare(*pair), own)

        assert way.steps[0].startswith("first deploy with removal_policy: retain")
        assert "leave it so in the file" not in way.steps[0]

    def test_one_that_would_be_replaced(self, pair):
        """What the new template says counts for one that is replaced: it has to say retain in the later deploys too."""
        for side in pair:
            resource = resources(side)[only(side, STORAGE, FILE_SYSTEM)[0]]
            resource["DeletionPolicy"] = resource["UpdateReplacePolicy"] = "Delete"
        own, properties = only(pair[1], STORAGE, FILE_SYSTEM)
        properties["StorageType"] = "HDD"
        (way,) = ways_of(compare(*pair), own)

        assert way.steps[0].startswith("first deploy with removal_policy: retain")
        assert "leave it so in the file, for every deploy below" in way.steps[0]

    def test_key_that_would_be_deleted(self, pair):
        """So is a key, without which nothing that it encrypted can be read."""
        own = next(name for name, made in resources(pair[0]).items() if made["Type"] == "AWS::KMS::Key")
        for policy in ("DeletionPolicy", "UpdateReplacePolicy"):
            resources(pair[0])[own].pop(policy)
        del resources(pair[1])[own]
        (way,) = ways_of(compare(*pair), own)

        assert way.steps[0].startswith("first deploy with removal_policy: retain")


class TestAdoptedBucket:
    NAME = "llama3-8b-checkpoints-111122223333-us-east-2"

    def adopt(self, side, name):
        """Takes both buckets and their policies out, and names one in their place."""
        outputs = side.stacks[STORAGE].template["Outputs"]
        for logical_id, made in list(resources(side).items()):
            if made["Type"] in {BUCKET, "AWS::S3::BucketPolicy"}:
                del resources(side)[logical_id]
        for output in outputs.values():
            if "Checkpoints" in str(output["Value"]):
                output["Value"] = name
        link, properties = only(side, STORAGE, LINK)
        properties["DataRepositoryPath"] = f"s3://{name}"
        resources(side)[link].pop("DependsOn", None)

    def test_same(self, pair):
        """A bucket is known again by its name: it is retained and goes on, and nothing that refers to it moves."""
        self.adopt(pair[1], self.NAME)
        report = compare(*pair)

        assert {change.impact for change in report.changes} == {Impact.IN_PLACE}
        assert {change.action for change in report.changes} == {Action.DELETE}
        assert len(report.changes) == 4
        assert (report.refusals, report.ways) == ((), ())

    def test_another(self, pair):
        """Another one is another one: the old is left, its link is refused, its export is in use."""
        self.adopt(pair[1], "some-other-bucket")
        report = compare(*pair)
        lost = [change for change in report.changes if change.impact is Impact.LOSES_DATA]

        assert {change.type for change in lost} == {BUCKET}
        assert any(change.refused for change in report.changes if change.type == LINK)
        assert [refusal.stack for refusal in report.refusals] == [STORAGE]
        (way,) = [way for way in report.ways if any("s3 sync --source-region us-east-2" in step for step in way.steps)]
        assert way.logical_id.startswith("CheckpointsBucket")

    def test_longer_name(self, pair):
        """A name that only begins like the old one is another bucket's."""
        self.adopt(pair[1], f"{self.NAME}-copy")

        assert compare(*pair).impact is Impact.LOSES_DATA

    def test_not_retained(self, pair):
        """A bucket that goes with its stack is lost, whoever names it."""
        for made in resources(pair[0]).values():
            made.pop("DeletionPolicy", None)
        self.adopt(pair[1], self.NAME)

        assert compare(*pair).impact is Impact.LOSES_DATA


class TestElsewhere:
    def test_another_name(self, golden_side):
        """Of an environment of another name nothing is touched: one way for all of it, and jobs go on."""
        old = golden_side("llama3-8b-trn1")
        report = compare(old, golden_side("llama3-70b-trn1"))
        (way,) = report.ways

        assert way.of == "all of the old environment"
        assert any("existing_vpc" in step for step in way.steps)
        assert any("two environments, of other names" in note for note in report.notes)
        assert all(" is destroyed: " in text for change in report.changes for text in change.feels)

    def test_another_region(self, golden_side):
        """In another region nothing can be adopted, so it is copied; each side's changes say where they are."""
        old, new = golden_side("llama3-8b-trn1"), golden_side("llama3-8b-trn1")
        report = compare(old, side_of(*((s.name, s.template) for s in new.stacks.values()), region="us-west-2"))
        (way,) = report.ways

        assert {change.place for change in report.changes} == {"us-east-2", "us-west-2"}
        assert any("aws s3 sync --source-region us-east-2" in step for step in way.steps)
        assert not any("existing_vpc" in step for step in way.steps)


class TestWays:
    def test_rate(self, pair):
        """FSx itself changes the throughput of SSD, so that way comes first."""
        only(pair[1], STORAGE, FILE_SYSTEM)[1]["LustreConfiguration"]["PerUnitStorageThroughput"] = 500
        first, second = ways_of(compare(*pair), only(pair[1], STORAGE, FILE_SYSTEM)[0])

        assert "--lustre-configuration PerUnitStorageThroughput=500" in first.steps[0]
        assert any("stands beside the old one" in step for step in second.steps)

    @pytest.mark.parametrize("setting", [{"StorageType": "HDD"}, {"EfaEnabled": True}])
    def test_rate_that_fsx_does_not_change(self, pair, setting):
        """That of HDD, and with EFA, it does not."""
        for side, rate in zip(pair, (500, 1000), strict=True):
            _, properties = only(side, STORAGE, FILE_SYSTEM)
            (properties if "StorageType" in setting else properties["LustreConfiguration"]).update(setting)
            properties["LustreConfiguration"]["PerUnitStorageThroughput"] = rate

        assert len(ways_of(compare(*pair), only(pair[1], STORAGE, FILE_SYSTEM)[0])) == 1

    def test_logs(self, golden_side):
        """Logs that go with their group can be exported before."""
        old, new = golden_side("llama3-8b-trn1"), golden_side("llama3-8b-trn1")
        logical_id, _ = only(new, CLUSTER, "AWS::Logs::LogGroup")
        del resources(new, CLUSTER)[logical_id]
        (way,) = compare(old, new).ways

        assert "aws logs create-export-task --region us-east-2 --log-group-name $GROUP" in way.steps[0]
        assert f"--logical-resource-id {logical_id}" in way.steps[0]
        assert "nothing but logs is lost" in next(each for each in compare(old, new).changes).reason
