"""Stack policies through the API: how they are set, and how they come with updates and change sets."""

import json

import pytest
from botocore.exceptions import ClientError


def policy(effect, resource="*") -> str:
    return json.dumps({"Statement": [{"Effect": effect, "Action": "Update:*", "Principal": "*", "Resource": resource}]})


@pytest.fixture(autouse=True)
def _stack(cloudformation, body):
    cloudformation.create_stack(StackName="main", TemplateBody=body(A={"X": 1}, B={}))


@pytest.fixture
def shown(cloudformation):
    """Gives the policy that the API shows."""
    return lambda: cloudformation.get_stack_policy(StackName="main").get("StackPolicyBody")


@pytest.fixture
def status(cloudformation):
    return lambda: cloudformation.describe_stacks(StackName="main")["Stacks"][0]["StackStatus"]


class TestSet:
    def test_shown(self, cloudformation, shown):
        """A stack has no policy before one is set; then the text is given back as it came."""
        assert shown() is None

        cloudformation.set_stack_policy(StackName="main", StackPolicyBody=policy("Deny"))

        assert shown() == policy("Deny")

    def test_from_an_address(self, aws, cloudformation, shown):
        """A policy may be read from a bucket."""
        s3 = aws.transport.client("s3", "123456789012", "us-west-2")
        s3.create_bucket(Bucket="assets", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
        s3.put_object(Bucket="assets", Key="policy.json", Body=policy("Allow").encode())
        s3.put_object(Bucket="assets", Key="long.json", Body=b" " * 16_385)
        address = "https://assets.s3.us-west-2.amazonaws.com"

        cloudformation.set_stack_policy(StackName="main", StackPolicyURL=f"{address}/policy.json")

        assert shown() == policy("Allow")
        with pytest.raises(ClientError, match="Member must have length less than or equal to 16384"):
            cloudformation.set_stack_policy(StackName="main", StackPolicyURL=f"{address}/long.json")

    @pytest.mark.parametrize(
        ("given", "says"),
        [
            ({}, "Either StackPolicyBody or StackPolicyURL must be specified"),
            (
                {"StackPolicyBody": "{}", "StackPolicyURL": "https://a.s3.amazonaws.com/b"},
                "You cannot specify both StackPolicyURL and StackPolicyBody",
            ),
            ({"StackPolicyBody": "x"}, "Error validating stack policy: Invalid stack policy"),
            ({"StackPolicyBody": " " * 16_385}, "at 'stackPolicyBody' failed .* less than or equal to 16384"),
            (
                {"StackPolicyBody": policy("Deny", "LogicalResourceId/C")},
                "Error validating stack policy: Unknown logical id 'LogicalResourceId/C' in statement {}",
            ),
        ],
    )
    def test_refused(self, cloudformation, shown, given, says):
        """What is no policy of this stack is refused, and the stack stays without."""
        with pytest.raises(ClientError, match=f"ValidationError.*{says}"):
            cloudformation.set_stack_policy(StackName="main", **given)

        assert shown() is None


class TestUpdate:
    def test_denied(self, cloudformation, body, status):
        """A denied update rolls back; with a policy for this update alone it is made."""
        cloudformation.set_stack_policy(StackName="main", StackPolicyBody=policy("Deny"))
        asked = {"StackName": "main", "TemplateBody": body(A={"X": 2}, B={})}

        cloudformation.update_stack(**asked)

        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        reasons = [event["ResourceStatusReason"] for event in events if event["ResourceStatus"] == "UPDATE_FAILED"]
        assert reasons == ["Action denied by stack policy: Statement [#1] does not allow [Update:*] for resource [*];"]
        assert status() == "UPDATE_ROLLBACK_COMPLETE"
        cloudformation.update_stack(**asked, StackPolicyDuringUpdateBody=policy("Allow"))
        assert status() == "UPDATE_COMPLETE"

    def test_change_set(self, cloudformation, body, status):
        """The execution of a change set obeys the policy too, and takes none for itself alone."""
        cloudformation.set_stack_policy(StackName="main", StackPolicyBody=policy("Deny"))
        cloudformation.create_change_set(StackName="main", ChangeSetName="cs", TemplateBody=body(A={"X": 2}, B={}))

        cloudformation.execute_change_set(StackName="main", ChangeSetName="cs")

        assert status() == "UPDATE_ROLLBACK_COMPLETE"

    def test_policy_of_a_new_stack(self, cloudformation, body):
        """A stack may be made with its policy, which has to name its own resources."""
        named = policy("Deny", "LogicalResourceId/A")
        cloudformation.create_stack(StackName="other", TemplateBody=body(A={}), StackPolicyBody=named)

        assert cloudformation.get_stack_policy(StackName="other")["StackPolicyBody"] == named
        with pytest.raises(ClientError, match="Unknown logical id 'LogicalResourceId/A'"):
            cloudformation.create_stack(StackName="third", TemplateBody=body(B={}), StackPolicyBody=named)

    def test_named_resource_leaves(self, cloudformation, body, status):
        """An update that takes away what the policy names is refused before it begins, by a change set as well."""
        cloudformation.set_stack_policy(StackName="main", StackPolicyBody=policy("Allow", "LogicalResourceId/B"))
        words = "Error validating existing stack policy: Unknown logical id 'LogicalResourceId/B'"

        with pytest.raises(ClientError, match=words):
            cloudformation.update_stack(StackName="main", TemplateBody=body(A={"X": 1}))
        cloudformation.create_change_set(StackName="main", ChangeSetName="cs", TemplateBody=body(A={"X": 1}))
        with pytest.raises(ClientError, match=words):
            cloudformation.execute_change_set(StackName="main", ChangeSetName="cs")

        assert status() == "CREATE_COMPLETE"
