"""What a rehearsal writes, and whether it notices that it is lost."""

from dataclasses import replace

import pytest

from rehearsal.story.data import lost, write


@pytest.fixture
def written(planned, deployed, services):
    """Returns what was written, what stands, and S3's client, in the account with the published cluster."""
    plan = planned("llama3-8b-trn1")
    found = deployed(plan, "llama3-8b-trn1")
    s3 = services.transport.client("s3", "123456789012", plan.region)
    return write(plan, found, s3), found, s3


class TestLost:
    def test_nothing(self, written):
        """What was written is there, under the bucket's policy and with the bucket's key."""
        data, found, s3 = written
        head = s3.head_object(Bucket=data.bucket, Key=data.key)

        assert list(lost(data, found, s3)) == []
        assert data.bucket == "llama3-8b-checkpoints-123456789012-us-east-2"
        assert data.file_system_id == found.file_systems[0].file_system_id
        assert head["ContentLength"] == len(data.content)

    def test_object(self, written):
        """An object that is gone, or is another, is told."""
        data, found, s3 = written
        s3.put_object(Bucket=data.bucket, Key=data.key, Body=b"something else")
        assert list(lost(data, found, s3)) == [f"s3://{data.bucket}/{data.key} holds something else"]

        s3.delete_object(Bucket=data.bucket, Key=data.key)
        assert list(lost(data, found, s3)) == [f"s3://{data.bucket}/{data.key} is gone: NoSuchKey"]

    def test_file_system(self, written):
        """Another file system in the place of the one that stood is told."""
        data, found, s3 = written
        (one,) = found.file_systems
        another = replace(found, file_systems=(replace(one, file_system_id="fs-another"),))

        assert list(lost(data, another, s3)) == [f"file system {data.file_system_id} is gone"]

    def test_without_a_file_system(self, planned, deployed, services):
        """An environment without one has the object alone to lose."""
        plan = planned("dev-trn1")
        found = deployed(plan, "dev-trn1")
        s3 = services.transport.client("s3", "123456789012", plan.region)

        data = write(plan, found, s3)

        assert data.file_system_id is None
        assert list(lost(data, found, s3)) == []
