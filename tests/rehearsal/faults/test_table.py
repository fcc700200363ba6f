"""What a person may write for a fault, and what he is told when he writes something else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rehearsal.faults import FAULTS, Fault, FaultError, check, parse, table

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(scope="module")
def templates():
    folder = GOLDEN / "llama2-7b-trn1"
    return {
        file.name.removesuffix(".template.json"): json.loads(file.read_text())
        for file in folder.glob("*.template.json")
    }


class TestParse:
    def test_every_fault(self):
        """The ten names are read, and written as they were read."""
        assert len(FAULTS) == 10
        for name, kind in FAULTS.items():
            assert parse(name) == Fault(name, kind.default)
            assert parse(str(parse(name))) == parse(name)

    @pytest.mark.parametrize(
        "text",
        ["no-capacity@trn1", "access-denied@fsx:CreateFileSystem", "throttling@ec2", "quota-zero@AWS::EKS::Nodegroup"],
    )
    def test_where(self, text):
        """What stands behind the @ is what the fault concerns."""
        fault = parse(text)

        assert fault.where == text.partition("@")[2]
        assert str(fault) == text

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            (
                "no-capcity",
                "there is no fault 'no-capcity', did you mean 'no-capacity'?\n  hint: there are no-capacity, ",
            ),
            ("", "there is no fault ''\n  hint: there are"),
            ("throttling@", "names nothing behind the @; it takes a service such as ec2"),
            ("api-down@ekz", "AWS has no service 'ekz' as api-down takes it, did you mean 'eks'?"),
            ("access-denied@ekz:CreateCluster", "AWS has no service 'ekz'"),
            (
                "access-denied@s3:PutBucketLifecycle",
                "s3:PutBucketLifecycle is deprecated and is called s3:PutBucketLifecycleConfiguration now",
            ),
            ("access-denied@eks:CreateNodgroup", "eks has no action 'CreateNodgroup', did you mean 'CreateNodegroup'?"),
        ],
    )
    def test_unknown(self, text, told):
        """A name that means nothing is refused with what there is."""
        with pytest.raises(FaultError) as refused:
            parse(text)

        assert told in str(refused.value)

    def test_needs_no_sdk(self):
        """Names are read without what takes long to load."""
        asked = "import sys; from rehearsal.faults import parse; parse('no-capacity'); print(*sys.modules)"
        loaded = subprocess.run(
            [sys.executable, "-c", asked], capture_output=True, text=True, check=True
        ).stdout.split()

        assert "rehearsal.faults.table" in loaded
        assert not {"boto3", "botocore", "moto", "flask", "aws_cdk"} & set(loaded)

    def test_table(self):
        """The help names every fault, with what may stand behind its @."""
        told = table()

        assert all(f"  {kind.name} " in told and kind.where in told and kind.does in told for kind in FAULTS.values())
        assert max(len(line) for line in told.splitlines()) <= 140


class TestCheck:
    @pytest.mark.parametrize(
        "text",
        [
            *(name for name in FAULTS if not name.startswith("reservation")),
            "no-capacity@system",
            "no-capacity@trn1.32xlarge",
            "no-capacity@us-west-2d",
            "no-capacity@usw2-az4",
            "nodes-unhealthy@llama2-7b-nodes-trn1",
            "nodes-unhealthy@llama2-7b-nodes-trn1/NodesNodeGroup7B32C040",
            "fsx-creation-fails@LustreFileSystem4AFDAE78",
            "access-denied@AWS::S3::Bucket",
            "cli-killed@llama2-7b-cluster",
        ],
    )
    def test_meets_something(self, templates, text):
        """A fault that concerns what is to be deployed is fine."""
        check(parse(text), templates)

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("no-capacity@trn2", "no-capacity can't find 'trn2', did you mean 'trn1'?\n  hint: it can meet"),
            ("fsx-creation-fails@Lustre", "fsx-creation-fails can't find 'Lustre'"),
            (
                "reservation-ended",
                "meets nothing: it strikes every node group whose launch template names a reservation",
            ),
            ("cli-killed@llama2-7b-node", "did you mean 'llama2-7b-nodes-trn1'?"),
            ("access-denied@Nothing", "access-denied can't find 'Nothing'"),
        ],
    )
    def test_meets_nothing(self, templates, text, told):
        """A fault that would meet nothing is refused, and a near name is offered."""
        with pytest.raises(FaultError) as refused:
            check(parse(text), templates)

        assert told in str(refused.value)

    def test_two_meanings(self, templates):
        """A logical id that two stacks have is refused with the two that it may be."""
        one = templates["llama2-7b-nodes-trn1"]

        with pytest.raises(FaultError, match="2 times; write a/NodesNodeGroup7B32C040 or b/NodesNodeGroup7B32C040"):
            check(parse("no-capacity@NodesNodeGroup7B32C040"), {"a": one, "b": one})

    def test_nothing_there(self):
        """A fault of file systems says that there is none."""
        with pytest.raises(FaultError, match="meets nothing: the environment has no file system"):
            check(parse("fsx-creation-fails"), {"a": {"Resources": {}}})

    def test_reservations(self):
        """A block's environment can meet the end of its reservation."""
        folder = GOLDEN / "llama3-8b-trn2-block"
        block = {
            file.name.removesuffix(".template.json"): json.loads(file.read_text())
            for file in folder.glob("*.template.json")
        }

        check(parse("reservation-ended"), block)
