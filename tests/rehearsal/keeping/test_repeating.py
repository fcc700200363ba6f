"""Whether what a journal keeps gives the same AWS again, id by id."""

import dataclasses
import io
import json
import os
import time
import zipfile
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from rehearsal import chance, clock, pause
from rehearsal.faults import control, parse
from rehearsal.keeping import StateError, given, opened, state
from rehearsal.keeping.calls import changes, operation
from rehearsal.keeping.journal import Journal
from rehearsal.keeping.kept import Kept, Standing, failures, require_same, standing
from rehearsal.keeping.repeating import repeat
from rehearsal.keeping.serving import PATH
from rehearsal.keeping.starting import Furniture, start_journal
from rehearsal.survey import survey
from rehearsal.transport import Transport

ACCOUNT, REGION = "123456789012", "us-west-2"
SOMEBODYS = "a-token-of-somebody"
TEMPLATE = {
    "Resources": {
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
        "Subnet": {
            "Type": "AWS::EC2::Subnet",
            "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.0.0.0/24", "AvailabilityZone": "us-west-2a"},
        },
        "Files": {
            "Type": "AWS::FSx::FileSystem",
            "Properties": {
                "FileSystemType": "LUSTRE",
                "StorageCapacity": 1200,
                "SubnetIds": [{"Ref": "Subnet"}],
                "LustreConfiguration": {"DeploymentType": "SCRATCH_2"},
            },
        },
        "Data": {"Type": "AWS::S3::Bucket"},
        "Role": {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "AssumeRolePolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Principal": {"Service": "ec2.amazonaws.com"},
                            "Action": "sts:AssumeRole",
                        }
                    ],
                }
            },
        },
    }
}


@pytest.fixture
def kept_by(services, tmp_path):
    """An embedded AWS before which a journal stands, and clients whose calls come by it."""
    services.reset()
    journal = Journal(services.application, tmp_path / "journal", counts=lambda: bool(services.faults.active))
    transport = Transport(journal)
    yield journal, lambda service: transport.client(service, ACCOUNT, REGION)
    services.reset()


@pytest.fixture
def again(services):
    """Makes the AWS of a journal again, and returns its stacks and a survey of it."""

    def make(kept: Kept):
        services.reset()
        repeat(kept, services.application)
        return standing(services.world), survey(lambda name: services.transport.client(name, ACCOUNT, REGION))

    return make


def deploy(client, template=TEMPLATE, name="demo"):
    client("cloudformation").create_stack(
        StackName=name, TemplateBody=json.dumps(template), Capabilities=["CAPABILITY_IAM"]
    )


def tell(application, method, path, body=None):
    """Says something to the embedded AWS that is none of AWS's calls."""
    content = json.dumps(body or {}).encode()
    environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "CONTENT_LENGTH": str(len(content))}
    list(application({**environ, "wsgi.input": io.BytesIO(content)}, lambda *_: None))


class TestRepeat:
    def test_same_ids(self, services, kept_by, again):
        """Network, file system, bucket, role and stack get the ids that they had, and the survey is the same."""
        journal, client = kept_by
        deploy(client)
        before, found = standing(services.world), survey(client)
        now, found_again = again(journal.kept)

        require_same(before, now)
        assert found_again == found
        assert {stack.status for stack in before} == {"CREATE_COMPLETE"}
        assert before[0].resources["Files"].startswith("fs-")

    def test_new_ids_without_it(self, services, kept_by):
        """The same deploy anew has other ids, so that the test above can fail."""
        _, client = kept_by
        deploy(client)
        before = standing(services.world)
        services.reset()
        Transport(services.application).client("cloudformation", ACCOUNT, REGION).create_stack(
            StackName="demo", TemplateBody=json.dumps(TEMPLATE), Capabilities=["CAPABILITY_IAM"]
        )

        with pytest.raises(StateError, match=r"of stack demo was .*, and is "):
            require_same(before, standing(services.world))

    def test_whatever_is_read_between(self, services, kept_by, again):
        """Reading changes no id, neither before the first call of a service nor between two."""
        journal, client = kept_by
        client("ec2").describe_vpcs()
        client("fsx").describe_file_systems()
        deploy(client)
        for service, question in (("ec2", "describe_subnets"), ("s3", "list_buckets"), ("iam", "list_roles")):
            getattr(client(service), question)()
        client("ec2").create_vpc(CidrBlock="10.1.0.0/16")
        before, found = standing(services.world), survey(client)
        now, found_again = again(journal.kept)

        require_same(before, now)
        assert found_again == found

    def test_change_set_and_deletion(self, services, kept_by, again):
        """A change set by its ARN, an update and a deleted stack come out the same."""
        journal, client = kept_by
        deploy(client)
        deploy(client, {"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}, "gone")
        cloudformation = client("cloudformation")
        changed = {"Resources": {**TEMPLATE["Resources"], "More": {"Type": "AWS::S3::Bucket"}}}
        made = cloudformation.create_change_set(
            StackName="demo",
            ChangeSetName="more",
            TemplateBody=json.dumps(changed),
            Capabilities=["CAPABILITY_IAM"],
        )
        cloudformation.execute_change_set(ChangeSetName=made["Id"])
        cloudformation.delete_stack(StackName="gone")
        before = standing(services.world)
        now, _ = again(journal.kept)

        require_same(before, now)
        assert [(stack.name, stack.status) for stack in before] == [("demo", "UPDATE_COMPLETE")]

    def test_multipart_upload(self, kept_by, again, services):
        """An upload in parts, whose id comes from the machine's entropy, is put together again."""
        journal, client = kept_by
        s3 = client("s3")
        s3.create_bucket(Bucket="parts-demo", CreateBucketConfiguration={"LocationConstraint": REGION})
        upload = s3.create_multipart_upload(Bucket="parts-demo", Key="file")["UploadId"]
        part = s3.upload_part(Bucket="parts-demo", Key="file", UploadId=upload, PartNumber=1, Body=b"content")
        s3.complete_multipart_upload(
            Bucket="parts-demo",
            Key="file",
            UploadId=upload,
            MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]},
        )
        again(journal.kept)
        there = services.transport.client("s3", ACCOUNT, REGION).get_object(Bucket="parts-demo", Key="file")

        assert there["Body"].read() == b"content"

    def test_refused_calls(self, services, kept_by, again):
        """What was refused is refused again, and faults strike the same calls."""
        journal, client = kept_by
        with pytest.raises(ClientError):
            client("ec2").delete_vpc(VpcId="vpc-12345678")
        tell(journal, "PUT", control.PATH, {"faults": ["access-denied@s3:CreateBucket"]})
        deploy(client)
        tell(journal, "DELETE", control.PATH)
        before = standing(services.world)
        now, _ = again(journal.kept)

        assert before[0].status == "ROLLBACK_COMPLETE"
        require_same(before, now)

    def test_another_answer(self, kept_by, again):
        """A call that is answered otherwise than it was ends it, and is named."""
        journal, client = kept_by
        client("ec2").create_vpc(CidrBlock="10.1.0.0/16")
        kept = journal.kept
        calls = [dataclasses.replace(call, status=418) for call in kept.calls]

        with pytest.raises(StateError, match=r"call 1 \(CreateVpc\) was answered with status 418, and is with 200 now"):
            again(dataclasses.replace(kept, calls=calls))

    def test_held_half_way(self, services, kept_by, again):
        """An operation that was held half way when the next call came is held there again."""
        journal, client = kept_by
        tell(journal, "PUT", pause.PATH, {"stack": "demo"})
        deploy(client)
        with pytest.raises(ClientError, match="CREATE_IN_PROGRESS"):
            client("cloudformation").update_stack(
                StackName="demo", TemplateBody=json.dumps(TEMPLATE), Capabilities=["CAPABILITY_IAM"]
            )
        tell(journal, "DELETE", pause.PATH)
        client("ec2").create_vpc(CidrBlock="10.1.0.0/16")
        for _ in range(500):
            if standing(services.world)[0].status == "CREATE_COMPLETE":
                break
            time.sleep(0.01)
        before = standing(services.world)
        now, _ = again(journal.kept)

        assert not pause.holding()
        require_same(before, now)


class TestWhatIsKept:
    def test_no_reads(self, kept_by):
        """Of calls that only read, the first of each service is kept and no other."""
        journal, client = kept_by
        for _ in range(3):
            client("ec2").describe_vpcs()
            client("eks").list_clusters()

        assert len(journal.kept.calls) == 2

    def test_reads_that_a_fault_counts(self, services, kept_by):
        """While faults are in force, which count every call, reads are kept too."""
        journal, client = kept_by
        client("ec2").describe_vpcs()
        services.faults.add(parse("throttling@s3"))
        client("ec2").describe_vpcs()

        assert len(journal.kept.calls) == 2

    def test_nothing_of_a_persons_own(self, kept_by):
        """Neither a signature nor a session token is kept."""
        journal, _ = kept_by
        client = Transport(journal).session(REGION, session_token=SOMEBODYS).client("ec2")
        client.create_vpc(CidrBlock="10.1.0.0/16")
        (call,) = journal.kept.calls

        assert SOMEBODYS not in json.dumps(dict(call.request))
        assert "Signature=" + "0" * 64 in call.request["HTTP_AUTHORIZATION"]

    @pytest.mark.parametrize(
        ("environ", "body", "named", "kept"),
        [
            ({"REQUEST_METHOD": "GET", "PATH_INFO": "/clusters"}, b"", None, False),
            ({"REQUEST_METHOD": "POST", "PATH_INFO": "/clusters"}, b"{}", None, True),
            ({"REQUEST_METHOD": "POST", "PATH_INFO": "/ListImages"}, b"{}", "ListImages", False),
            ({"REQUEST_METHOD": "PUT", "PATH_INFO": "/bucket/ListImages"}, b"x", None, True),
            (
                {"REQUEST_METHOD": "POST", "PATH_INFO": "/", "HTTP_X_AMZ_TARGET": "AmazonSSM.GetParameter"},
                b"{}",
                "GetParameter",
                False,
            ),
            (
                {
                    "REQUEST_METHOD": "POST",
                    "PATH_INFO": "/",
                    "CONTENT_TYPE": "application/x-www-form-urlencoded; charset=utf-8",
                },
                b"Action=CreateVpc&Version=2016-11-15",
                "CreateVpc",
                True,
            ),
        ],
    )
    def test_operation(self, environ, body, named, kept):
        """The operation is known in every protocol that says it; what is not known to read only is kept."""
        assert operation(environ, body) == named
        assert changes(environ, body) is kept


class TestState:
    @pytest.fixture
    def saved(self, services, tmp_path, monkeypatch):
        """A state of one stack, and the folder that it lies in."""
        monkeypatch.setenv(clock.VARIABLE, os.environ[clock.VARIABLE])
        services.reset()
        application = start_journal(services, Furniture(), tmp_path / "first", None)
        transport = Transport(application)
        deploy(lambda service: transport.client(service, ACCOUNT, REGION))
        chunks = application({"REQUEST_METHOD": "GET", "PATH_INFO": PATH}, lambda *_: None)
        file = tmp_path / "state"
        file.write_bytes(b"".join(chunks))
        yield file
        services.reset()

    def test_there_and_back(self, services, saved, tmp_path):
        """What is loaded stands as it was saved, goes on in a journal, and can be saved again with all of it."""
        before = standing(services.world)
        services.reset()
        application = start_journal(services, Furniture(), tmp_path / "second", opened(saved))
        transport = Transport(application)
        transport.client("ec2", ACCOUNT, REGION).create_vpc(CidrBlock="10.1.0.0/16")
        chunks = application({"REQUEST_METHOD": "GET", "PATH_INFO": PATH}, lambda *_: None)
        (tmp_path / "more").write_bytes(b"".join(chunks))

        require_same(before, standing(services.world))
        assert len(opened(tmp_path / "more").kept.calls) == len(opened(saved).kept.calls) + 1

    def test_other_version(self, saved):
        """A state of another version is refused by name."""
        self._rewrite(saved, lambda document: {**document, "version": 99})

        with pytest.raises(StateError, match="is a saved rehearsal of version 99, and this trnstack reads version 1"):
            opened(saved)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda document: {**document, "format": "something"}, "is no saved rehearsal"),
            (lambda document: {**document, "calls": [{"number": 1}]}, "its list of calls is not whole"),
            (lambda _: [], "is no saved rehearsal"),
        ],
    )
    def test_broken(self, saved, change, message):
        """A state whose list is something else is refused."""
        self._rewrite(saved, change)

        with pytest.raises(StateError, match=message):
            opened(saved)

    def test_other_body(self, saved):
        """A call's body that is not the one is refused."""
        self._rewrite(saved, lambda document: document, body=b"something else")

        with pytest.raises(StateError, match=r"a call's body [0-9a-f]{12} is another one"):
            opened(saved)

    @pytest.mark.parametrize(("content", "message"), [(None, "can't be read"), (b"text", "is no saved rehearsal")])
    def test_no_state(self, tmp_path, content, message):
        """A file that is not there, or is something else, is refused."""
        file = tmp_path / "state"
        if content is not None:
            file.write_bytes(content)

        with pytest.raises(StateError, match=message):
            opened(file)

    @pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there are no devices here")
    @pytest.mark.parametrize("file", ["/dev/zero", "/dev/stdin", "/"])
    def test_no_file(self, file):
        """What is no regular file, and may never end, is not read."""
        with pytest.raises(StateError, match=r"is no saved rehearsal, as it is no regular file\n  hint: make it anew"):
            opened(Path(file))

    def test_fifo(self, tmp_path):
        """A pipe, to which nobody may ever write, is not waited for."""
        os.mkfifo(tmp_path / "pipe")

        with pytest.raises(StateError, match="no regular file"):
            opened(tmp_path / "pipe")

    @pytest.mark.parametrize("beginning", [b"", b"PK\x03\x04"])
    def test_too_large(self, tmp_path, beginning):
        """A file larger than any state is refused by its size."""
        file = tmp_path / "state"
        with file.open("wb") as to:
            to.write(beginning)
            to.truncate((1 << 30) + 1)

        with pytest.raises(StateError, match="larger than 1 GiB"):
            opened(file)

    def test_bomb(self, saved, monkeypatch):
        """An archive that unpacks to more than any state does is refused before anything is unpacked."""
        monkeypatch.setattr(state, "_MOST_UNPACKED", 100)

        with pytest.raises(StateError, match="unpacks to more than"):
            opened(saved)

    def test_not_the_same(self, services, saved, tmp_path):
        """A state whose stacks come out otherwise than they were saved is refused."""

        def renamed(document):
            (stack,) = document["standing"]
            return {**document, "standing": [{**stack, "resources": {**stack["resources"], "Vpc": "vpc-1"}}]}

        self._rewrite(saved, renamed)
        services.reset()

        with pytest.raises(StateError, match="Vpc of stack demo was vpc-1, and is vpc-"):
            start_journal(services, Furniture(), tmp_path / "second", opened(saved))

    @staticmethod
    def _rewrite(file, change, body=None):
        with zipfile.ZipFile(file) as archive:
            content = {name: archive.read(name) for name in archive.namelist()}
        content["state.json"] = json.dumps(change(json.loads(content["state.json"]))).encode()
        if body:
            content |= {name: body for name in content if name.startswith("bodies/")}
        with zipfile.ZipFile(file, "w") as archive:
            for name, each in content.items():
                archive.writestr(name, each)


class TestRequireSame:
    ONE = Standing("demo", ACCOUNT, REGION, "CREATE_COMPLETE", {"Vpc": "vpc-1"})

    @pytest.mark.parametrize(
        ("found", "message"),
        [
            ([], "stack demo does not stand again"),
            (
                [dataclasses.replace(ONE, status="CREATE_FAILED")],
                "stack demo was CREATE_COMPLETE, and is CREATE_FAILED",
            ),
            ([dataclasses.replace(ONE, resources={})], "Vpc of stack demo was vpc-1, and is not there"),
            ([ONE, dataclasses.replace(ONE, name="more")], "stack more was not saved, and stands"),
        ],
    )
    def test_differs(self, found, message):
        """The first difference is told."""
        with pytest.raises(StateError, match=message):
            require_same([self.ONE], found)

    def test_reason(self, services, kept_by):
        """Of a stack that failed this time, what its first resource was told is said, and nothing guessed."""
        template = {"Resources": {"Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/8"}}}}
        deploy(kept_by[1], template)
        why = failures(services.world)

        with pytest.raises(StateError) as refused:
            require_same([self.ONE], standing(services.world), why)
        first, reason, hint = str(refused.value).splitlines()
        assert first == "the saved AWS is not the same again: stack demo was CREATE_COMPLETE, and is ROLLBACK_COMPLETE"
        assert reason.startswith("  Vpc CREATE_FAILED: ")
        assert "10.0.0.0/8" in reason
        assert "version" not in hint

    def test_same(self):
        """What stands as it was saved is fine."""
        require_same([self.ONE], [self.ONE])


class TestGiven:
    def test_there_and_back(self, tmp_path):
        """Seeds, locks and archives are read, and lie in a folder again; a lock that comes twice is one."""
        (tmp_path / "charts").mkdir()
        for name in ("seed", "a", "b", "charts/kueue-1.tgz"):
            (tmp_path / name).write_text(name)
        seed, charts = tmp_path / "seed", tmp_path / "charts"
        first = given.read(seed=seed, pins=[tmp_path / "a"], charts=charts)
        second = given.read(seed=None, pins=[tmp_path / "a", tmp_path / "b"], charts=None)
        given.lay_out(given.together(first, second), tmp_path / "out")

        assert [file.read_text() for file in given.locks_in(tmp_path / "out")] == ["a", "b"]
        assert (tmp_path / "out" / given.SEED).read_text() == "seed"
        assert (given.charts_in(tmp_path / "out") / "kueue-1.tgz").read_text() == "charts/kueue-1.tgz"

    def test_no_way_out(self, tmp_path):
        """A name that leads out of the folder leads nowhere."""
        given.lay_out({"charts/../../escaped": b"x", "../escaped": b"x"}, tmp_path / "out")

        assert not (tmp_path / "escaped").exists()


class TestChance:
    def test_seeded(self):
        """Within a seed ids come again; without one they don't."""
        found = []
        for _ in range(2):
            with chance.seeded("demo"):
                found.append([chance.new_uuid(), chance.new_uuid()])

        assert found[0] == found[1]
        assert found[0][0] != found[0][1]
        assert chance.new_uuid() != chance.new_uuid()
