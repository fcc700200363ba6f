"""What comes before a teardown: jobs, exports, volumes and load balancers."""

import pytest

EXPORTED = "wait until everything is exported to the bucket"
COPY = "copy what is needed from the file system"


def titles(steps):
    return [step.title for step in steps]


def test_jobs_come_first(variant):
    """Jobs end before anything is waited for."""
    assert titles(variant[1].before)[0] == "end the jobs"


class TestExport:
    def test_queue(self, named, step):
        """FSX-06: The export queue is asked for by the metric, and what its answers prove is told."""
        flush = step(named("file system").before, EXPORTED)

        assert any("AgeOfOldestQueuedMessage" in command for command in flush.commands)
        assert any("Name=Publisher,Value=AutoExport" in command for command in flush.commands)
        assert "the oldest waiting export is 0: nothing waits. None is no figure, and no proof" in flush.consequence
        assert flush.consequence.endswith("What is exported: /checkpoints. All else on the file system is in no bucket")

    def test_what_an_association_leaves_out(self, named, step):
        """FSX-06: NEW alone carries no changes; deletions alone carry nothing that is written."""
        flush = step(named("several folders").before, EXPORTED)

        assert "What is exported: /runs, /new without changes of files. All else" in flush.consequence

    @pytest.mark.parametrize("name", ["deletions alone", "scratch", "backups"])
    def test_nothing_exported(self, named, step, name):
        """FSX-06: Where nothing that is written is exported, it is copied by hand, and no queue is waited for."""
        before = named(name).before

        assert "no association exports what is written to it" in step(before, COPY).consequence
        assert EXPORTED not in titles(before)

    def test_no_file_system(self, named):
        """Of a file system that is not there nobody speaks."""
        assert not {COPY, EXPORTED} & set(titles(named("plain").before))

    def test_adopted(self, named, step):
        """What stood in a folder before it was linked is not said to be exported."""
        told = step(named("adopted file system").before, EXPORTED)

        assert told.commands[0] == "FILE_SYSTEM=fs-0a1b2c3d4e5f60718"
        assert "in no bucket, and perhaps not what stood in a folder before it was linked" in told.consequence


class TestWhatKubernetesMade:
    def test_volumes_outlive_their_claims(self, named, step):
        """CDK-04: Every volume's policy becomes Retain before anything is deleted, and its id is shown."""
        before = named("plain").before
        keep = step(before, "keep what is on the volumes that Kubernetes made")
        patched, shown = keep.commands

        assert patched == (
            "for VOLUME in $(kubectl --context demo get persistentvolumes --output name); do kubectl --context demo "
            'patch $VOLUME --patch \'{"spec": {"persistentVolumeReclaimPolicy": "Retain"}}\'; done'
        )
        assert "ID:.spec.csi.volumeHandle" in shown
        assert "lost with its claim, with all data and without a snapshot" in keep.consequence
        assert before.index(keep) < titles(before).index("delete the load balancers that Kubernetes made")

    def test_load_balancers(self, named, step):
        """CDK-04: Load balancers go with what they were made for; no claim of a volume is told to be deleted."""
        told = step(named("plain").before, "delete the load balancers that Kubernetes made")

        assert [command.split()[4] for command in told.commands] == ["services", "ingresses"]
        assert "claim" not in told.consequence

    def test_what_is_left(self, named, step):
        """CDK-04: Load balancers and volumes are asked for by the cluster's tags."""
        look = step(named("plain").before, "look what of it is left")

        assert "Key=elbv2.k8s.aws/cluster,Values=demo" in look.commands[0]
        assert "Key=kubernetes.io/cluster/demo,Values=owned" in look.commands[1]
