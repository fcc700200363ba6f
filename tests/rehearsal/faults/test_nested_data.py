"""What holds data in a nested stack: it is retained by its own policies, whatever becomes of the stacks around it."""

import hashlib
import json

import pytest

from rehearsal.faults import parse
from tests.rehearsal.faults.small import REGION, Small, bucket, changed, resource

ASSETS = "assets"
TOPIC = resource("SNS::Topic")
OLD, NEW = ({"Data": bucket(name), "Topic": TOPIC} for name in ("data-old", "data-new"))
GONE = {"Topic": TOPIC}
DELETED = {"Data": {**bucket("data-new"), "UpdateReplacePolicy": "Delete"}, "Topic": TOPIC}


class Nested(Small):
    """An account with a stack ``small`` that has a nested stack ``Inner``."""

    def __init__(self, services) -> None:
        super().__init__(services)
        self.client("s3").create_bucket(Bucket=ASSETS, CreateBucketConfiguration={"LocationConstraint": REGION})

    def outer(self, inner, policies=None, **others):
        """Gives the resources of the outer stack, with the inner one's template put where it is read."""
        body = json.dumps({"Resources": inner}).encode()
        key = hashlib.sha256(body).hexdigest()
        self.client("s3").put_object(Bucket=ASSETS, Key=key, Body=body)
        url = f"https://{ASSETS}.s3.{REGION}.amazonaws.com/{key}"
        return {"Inner": resource("CloudFormation::Stack", policies, TemplateURL=url), **others}

    @property
    def inner(self):
        return next(stack for stack in self.services.world.all() if stack.parent_id)

    def buckets(self) -> set[str]:
        return {one["Name"] for one in self.client("s3").list_buckets()["Buckets"]} - {ASSETS}

    def kept(self):
        """Tells of the first bucket all that shows whether it is the very same."""
        return self.data()["data-old"]


@pytest.fixture
def nested(services):
    """A nested stack whose bucket has data in it."""
    nested = Nested(services)
    assert nested.create(nested.outer(OLD)) == "CREATE_COMPLETE"
    nested.put_data("data-old")
    return nested


class TestReplaced:
    def test_retained(self, nested):
        """The old one stays with its data when the outer update is done, as its own UpdateReplacePolicy says."""
        before = nested.kept()

        assert nested.update(nested.outer(NEW)) == "UPDATE_COMPLETE"
        assert (nested.buckets(), nested.kept()) == ({"data-old", "data-new"}, before)
        assert nested.inner.resources["Data"].physical_id == "data-new"
        skipped = [event.subject.physical_id for event in nested.inner.events if event.status == "DELETE_SKIPPED"]
        assert skipped == ["data-old"]

    def test_policy_of_the_nested_stack(self, nested):
        """That of the nested stack itself is about the stack, and not about what is in it."""
        nested.client("s3").delete_object(Bucket="data-old", Key="run/step-100")
        empty = nested.client("s3").list_object_versions(Bucket="data-old")
        for one in [*empty.get("Versions", ()), *empty.get("DeleteMarkers", ())]:
            nested.client("s3").delete_object(Bucket="data-old", Key=one["Key"], VersionId=one["VersionId"])

        assert nested.update(nested.outer(DELETED, {"UpdateReplacePolicy": "Retain"})) == "UPDATE_COMPLETE"
        assert nested.buckets() == {"data-new"}

    def test_led_back(self, nested):
        """When the outer update fails after it, the old one is in its place again, and the new one is gone."""
        before = nested.kept()
        log = {**resource("Logs::LogGroup", RetentionInDays=30), "DependsOn": "Inner"}
        nested.services.faults.add(parse("access-denied@Log"))

        assert nested.update(nested.outer(NEW, Log=log)) == "UPDATE_ROLLBACK_COMPLETE"
        assert nested.inner.status == "UPDATE_ROLLBACK_COMPLETE"
        assert (nested.buckets(), nested.kept()) == ({"data-old"}, before)
        assert nested.inner.resources["Data"].physical_id == "data-old"
        nested.services.faults.lift()

        assert nested.update(nested.outer(NEW, Log=log)) == "UPDATE_COMPLETE"
        assert (nested.buckets(), nested.kept()) == ({"data-old", "data-new"}, before)

    def test_fails_within(self, nested):
        """So it is when the nested update itself fails."""
        before = nested.kept()
        nested.services.faults.add(parse("access-denied@Topic"))
        renamed = changed(NEW, "Topic", DisplayName="other")
        renamed["Topic"]["DependsOn"] = "Data"

        nested.update(nested.outer(renamed))

        assert nested.status in {"UPDATE_ROLLBACK_COMPLETE", "UPDATE_ROLLBACK_FAILED"}
        nested.services.faults.lift()
        if nested.status == "UPDATE_ROLLBACK_FAILED":
            nested.client("cloudformation").continue_update_rollback(StackName="small")
        assert (nested.status, nested.inner.status) == ("UPDATE_ROLLBACK_COMPLETE", "UPDATE_ROLLBACK_COMPLETE")
        assert (nested.buckets(), nested.kept()) == ({"data-old"}, before)


class TestLeaving:
    def test_from_the_nested_stack(self, nested):
        """What leaves the nested template stays as its DeletionPolicy says."""
        before = nested.kept()

        assert nested.update(nested.outer(GONE)) == "UPDATE_COMPLETE"
        assert nested.kept() == before
        assert "Data" not in nested.inner.records

    def test_with_the_nested_stack(self, nested):
        """So does what was in a nested stack that leaves the outer template."""
        before = nested.kept()

        assert nested.update({"Topic": TOPIC}) == "UPDATE_COMPLETE"
        assert nested.inner.status == "DELETE_COMPLETE"
        assert nested.kept() == before

    def test_with_the_outer_stack(self, nested):
        """So does it when the outer stack goes, and all else goes with it."""
        before = nested.kept()

        assert nested.delete() == "DELETE_COMPLETE"
        assert nested.kept() == before
        assert nested.client("sns").list_topics()["Topics"] == []

    def test_retained_nested_stack(self, nested):
        """A nested stack that is retained stays with all that it has."""
        topics = nested.client("sns").list_topics()["Topics"]
        nested.update(nested.outer(OLD, {"DeletionPolicy": "Retain"}, Beside=TOPIC))

        assert nested.delete() == "DELETE_COMPLETE"
        assert nested.inner.status in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}
        assert nested.client("sns").list_topics()["Topics"] == topics
