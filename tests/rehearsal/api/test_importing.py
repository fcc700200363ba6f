"""Change sets that would import what is there already: the CDK CLI asks for them whenever it bootstraps."""

import json

import pytest

NAME = "kept-and-there"


@pytest.fixture
def propose(client):
    """Makes a change set of a new stack with one bucket, which is to be imported if it is there, and describes it."""
    cloudformation = client("cloudformation")

    def make(name=NAME, policy="Retain") -> dict:
        bucket = {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": name}, "DeletionPolicy": policy}
        made = cloudformation.create_change_set(
            StackName="main",
            ChangeSetName="cs",
            ChangeSetType="CREATE",
            TemplateBody=json.dumps({"Resources": {"Bucket": bucket}}),
            ImportExistingResources=True,
        )
        return cloudformation.describe_change_set(ChangeSetName=made["Id"])

    return make


@pytest.fixture
def bucket(client):
    """A bucket that no stack has made."""
    s3 = client("s3")
    s3.create_bucket(Bucket=NAME, CreateBucketConfiguration={"LocationConstraint": s3.meta.region_name})


def test_nothing_there(client, propose):
    """Where nothing of the name stands, the resource is made as ever."""
    found = propose()
    client("cloudformation").execute_change_set(ChangeSetName=found["ChangeSetId"])

    assert (found["Status"], found["ImportExistingResources"]) == ("CREATE_COMPLETE", True)
    (stack,) = client("cloudformation").describe_stacks(StackName="main")["Stacks"]
    assert stack["StackStatus"] == "CREATE_COMPLETE"


@pytest.mark.usefixtures("bucket")
def test_there(propose):
    """What CloudFormation would import, the rehearsal does not, and says what is in the way."""
    found = propose()

    assert found["Status"] == "FAILED"
    assert found["StatusReason"].startswith(
        "The rehearsal does not model resources that are imported, as [Bucket] would"
    )


@pytest.mark.usefixtures("bucket")
@pytest.mark.parametrize("given", [{"policy": "Delete"}, {"name": {"Fn::Sub": NAME}}])
def test_never_imported(propose, given):
    """What goes with its stack, or has no name that the template writes out, CloudFormation does not import either."""
    assert propose(**given)["Status"] == "CREATE_COMPLETE"
