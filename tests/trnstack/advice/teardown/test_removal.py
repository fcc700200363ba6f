"""The way that takes network and storage too: what each step takes, and that no stack's deletion takes data."""

import shlex
from json import loads

import jmespath
import pytest

from tests.trnstack.advice.teardown.variants import VARIANTS

KEEP = "keep data when the storage stack goes"
EXPORT = "export what is in no bucket yet, and see that nothing failed"
STORAGE = "delete the storage stack"
FILE_SYSTEM = "delete the file system"
ORDER = [
    "note what only the stack's outputs tell",
    EXPORT,
    STORAGE,
    FILE_SYSTEM,
    "delete the network stack",
    "empty the bucket",
    "delete the buckets",
    "schedule the keys' deletion",
]


def titles(steps):
    return [step.title for step in steps]


def option(command, name):
    words = shlex.split(command)
    return words[words.index(name) + 1]


class TestOrder:
    def test_retained(self, named):
        """The file system goes before the network that it stands in, the bucket after its links; keys last."""
        assert titles(named("file system").removal) == ORDER

    @pytest.mark.parametrize(
        ("name", "edits"),
        [
            ("all goes", ["storage.checkpoints", "storage.lustre"]),
            ("bucket goes", ["storage.checkpoints"]),
            ("file system goes", ["storage.lustre"]),
        ],
    )
    def test_destroyed(self, named, step, name, edits):
        """FSX-13: What would go with the stack outlives it first; then each goes by a step of its own."""
        removal = named(name).removal
        keep = step(removal, KEEP)
        deploy, policies = keep.commands

        assert [(edit.path, edit.value) for edit in keep.edits] == [
            (f"{path}.removal_policy", "retain") for path in edits
        ]
        assert deploy == "cdk deploy demo-storage --exclusively"
        order = [title for title in ORDER if title != EXPORT or name != "file system goes"]
        assert titles(removal) == [order[0], KEEP, *order[1:]]
        template = {
            "Resources": {
                "Log": {"Type": "AWS::Logs::LogGroup"},
                "Bucket": {"Type": "AWS::S3::Bucket", "DeletionPolicy": "Delete"},
                "Files": {"Type": "AWS::FSx::FileSystem", "DeletionPolicy": "RetainExceptOnCreate"},
            }
        }
        assert jmespath.search(option(policies, "--query"), {"TemplateBody": template}) == [
            ["AWS::S3::Bucket", "Delete"],
            ["AWS::FSx::FileSystem", "RetainExceptOnCreate"],
        ]

    def test_nothing_to_keep(self, variant):
        """Where all is retained as it is, no edit is asked for."""
        plan, way = variant
        made = (plan.storage.checkpoints, plan.storage.lustre)

        assert (KEEP in titles(way.removal)) == any(getattr(each, "retain", True) is False for each in made)

    def test_adopted(self, named, commands):
        """What no stack made is deleted by no step, nor is a key that may have encrypted it."""
        text = " ".join(commands(named("adopted bucket").removal))

        assert "delete-bucket" not in text
        assert "delete-objects" not in text
        assert "schedule-key-deletion" not in text

    def test_adopted_file_system(self, named, commands):
        """A file system that is adopted is looked at, and neither exported by a task nor deleted."""
        way = named("adopted file system")
        text = " ".join(commands(way.removal))

        assert "FILE_SYSTEM=fs-0a1b2c3d4e5f60718" in commands(way.removal)
        for verb in ("delete-file-system", "schedule-key-deletion", "update-data-repository", "create-data-repository"):
            assert verb not in text
        assert [each.note for each in way.kept if "fs-0a1b" in each.what] == ["no stack made it, and none deletes it"]


class TestExport:
    def test_automatic_export_ends_first(self, named, step):
        """FSX-06: FSx takes no task beside automatic export: it ends, associations are ready, and then the task."""
        off, ready, task, asked, *_ = step(named("file system").removal, EXPORT).commands
        inner = off.partition("do ")[2].partition("; done")[0]

        assert loads(option(inner, "--s3")) == {"AutoExportPolicy": {"Events": []}}
        listed = {"Associations": [{"AssociationId": "dra-1", "S3": {"AutoExportPolicy": {"Events": ["NEW"]}}}]}
        silent = {"AssociationId": "dra-2", "S3": {"AutoImportPolicy": {"Events": ["NEW"]}}}
        listed["Associations"].append(silent)
        asked_for = off.partition("$(")[2].partition("); do")[0]
        assert jmespath.search(option(asked_for, "--query"), listed) == ["dra-1"]
        assert "Lifecycle" in ready
        assert task.startswith("TASK=$(aws fsx create-data-repository-task ")
        assert "--type EXPORT_TO_REPOSITORY --paths checkpoints --report" in task
        assert "Status.FailedCount" in asked

    def test_paths(self, named, step):
        """Only folders that export are named, without a slash before them; datasets are not written to."""
        told = step(named("several folders").removal, EXPORT)

        assert "--paths runs new gone --report" in told.commands[2]
        assert "not yet in the bucket of /runs, /new, /gone." in told.consequence

    def test_whole_file_system(self, named, step):
        """A file system that is linked as a whole is exported as a whole."""
        assert "--paths" not in step(named("whole file system").removal, EXPORT).commands[2]

    @pytest.mark.parametrize(
        ("fields", "path"),
        [({}, "s3://some-bucket/last-export"), ({"prefix": "it's/(1)"}, "s3://some-bucket/it's/(1)/last-export")],
    )
    def test_report(self, found, step, fields, path):
        """What failed is told by name, within the prefix that is linked, whatever characters that has."""
        lustre = {"data_repository_associations": [{"file_system_path": "/checkpoints", **fields}]}
        command = step(found(lustre=lustre).removal, EXPORT).commands[2].removeprefix("TASK=$(").removesuffix(")")

        assert loads(option(command.replace("$BUCKET", "some-bucket"), "--report")) == {
            "Enabled": True,
            "Format": "REPORT_CSV_20191124",
            "Scope": "FAILED_FILES_ONLY",
            "Path": path,
        }

    def test_log(self, named, step):
        """FSX-06: The log is read before it goes with the stack, which says that it does; without one nobody speaks."""
        logged, silent = named("logged").removal, named("not logged").removal
        last = step(logged, EXPORT).commands[-1]

        assert last.startswith("aws logs filter-log-events --region us-east-2 --log-group-name /aws/fsx/demo ")
        assert titles(logged).index(EXPORT) < titles(logged).index(STORAGE)
        assert "the log of exports" in step(logged, STORAGE).consequence
        assert "aws logs" not in " ".join(step(silent, EXPORT).commands)
        assert "log" not in step(silent, EXPORT).consequence
        assert "the log of exports" not in step(silent, STORAGE).consequence

    def test_deletions_alone(self, named):
        """FSX-06: A folder of which nothing but deletions was exported is exported before it goes."""
        assert EXPORT in titles(named("deletions alone").removal)

    @pytest.mark.parametrize("name", ["plain", "backups", "scratch"])
    def test_nothing_linked(self, named, name):
        """Without a link there is no task."""
        assert EXPORT not in titles(named(name).removal)


class TestFileSystem:
    def test_linked(self, named, step):
        """A linked file system has no backup, and its step says so."""
        told = step(named("file system").removal, FILE_SYSTEM)

        assert told.commands[0] == "aws fsx delete-file-system --region us-east-2 --file-system-id $FILE_SYSTEM"
        assert "lost, for good; FSx takes no backup of it. It is gone" in told.consequence

    @pytest.mark.parametrize("name", ["backups", "file system goes"])
    def test_last_backup(self, named, step, name):
        """Daily backups go with the file system, and a last one that does not is taken by default."""
        told = step(named(name).removal, FILE_SYSTEM)

        assert told.commands[0].endswith(" --lustre-configuration SkipFinalBackup=false")
        assert "FSx takes a last backup, which stays and costs until you delete it" in told.consequence
        assert "lost, for good, its daily backups too." in told.consequence

    def test_root_squash(self, named, step):
        """With root squash no last backup is promised, and how it would be had is told."""
        told = step(named("root squash").removal, FILE_SYSTEM)

        assert "SkipFinalBackup" not in told.commands[0]
        assert "FSx takes no backup of it while root squash is on (RootSquash=0:0 turns it off)" in told.consequence

    def test_scratch(self, named, step):
        """Scratch has no backups."""
        told = step(named("scratch").removal, FILE_SYSTEM)

        assert "SkipFinalBackup" not in told.commands[0]
        assert "FSx takes no backup of it. It is gone" in told.consequence


class TestStorageStack:
    @pytest.mark.parametrize(
        ("name", "adopted_by"),
        [
            (
                "file system",
                "by storage.checkpoints.existing_bucket and storage.lustre.existing_file_system; a new one",
            ),
            ("plain", "by storage.checkpoints.existing_bucket;"),
            ("adopted bucket", "by storage.lustre.existing_file_system"),
        ],
    )
    def test_what_is_left_can_be_adopted(self, named, step, name, adopted_by):
        """FSX-13: Only what is left is offered for adoption."""
        told = step(named(name).removal, STORAGE).consequence

        assert f"A later environment takes them {adopted_by}" in told
        assert ("the links between folders and buckets" in told) == (name != "plain")
        assert ("bucket's name taken" in told) == ("existing_bucket" in adopted_by)


class TestNetwork:
    def test_interfaces(self, named, step):
        """CDK-04: What nodes left is deleted by the cluster's tag; whose the others are is shown."""
        noted, left, there, *_ = step(named("plain").removal, "delete the network stack").commands

        assert noted.startswith("VPC=")
        assert (
            "Name=vpc-id,Values=$VPC Name=status,Values=available Name=tag:cluster.k8s.amazonaws.com/name,Values=demo"
            in left
        )
        assert "aws ec2 delete-network-interface --region us-east-2 --network-interface-id $INTERFACE; done" in left
        assert "[NetworkInterfaceId,Status,RequesterId,Description]" in there
        assert "delete-network-interface" not in there


class TestBuckets:
    def test_a_page_at_a_time(self, named, step):
        """What is listed at once is what one request deletes, delete markers counted."""
        listed, _ = step(named("plain").removal, "empty the bucket").commands

        assert "--no-paginate --max-keys 1000" in listed
        assert "--max-items" not in listed

    def test_files_that_were_never_read(self, named, step):
        """FSX-06: Files of a linked file system may have their data in the bucket alone."""
        linked, alone = (step(named(name).removal, "empty the bucket") for name in ("file system", "plain"))

        assert "files of a file system that stands, if it never read them" in linked.consequence
        assert "file system" not in alone.consequence

    @pytest.mark.parametrize(
        ("mode", "who"), [("GOVERNANCE", "whoever may bypass governance"), ("COMPLIANCE", "nobody")]
    )
    def test_locked(self, found, step, mode, who):
        """Locked versions can't be deleted before their time, and copies elsewhere are not."""
        section = {**VARIANTS["locked and copied"]["checkpoints"], "object_lock_mode": mode}
        empty = step(found(checkpoints=section).removal, "empty the bucket")

        assert f"Locked versions can be deleted after 7 days, before that by {who}." in empty.consequence
        assert "The copies in copies stay." in empty.consequence


class TestImages:
    def test_every_version(self, found, step):
        """AMIs are found by the environment's tag, of earlier versions too, once in every region that got them."""
        images = {"copy_to_regions": [{"region": "us-west-2"}]}
        told = step(found(**VARIANTS["custom image"], images=images).removal, "deregister the custom images")

        assert [option(command, "--region") for command in told.commands] == ["us-east-2", "us-west-2"]
        for command in told.commands:
            assert "--owners self --region" in command
            assert option(command, "--filters") == "Name=tag:trnstack:environment,Values=demo"
