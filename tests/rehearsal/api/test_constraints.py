"""What the API asks of names, tags, sizes and options before anything is made."""

import json

import pytest
from botocore.exceptions import ClientError

from rehearsal.limits import MAX_BODY_BYTES, MAX_URL_BYTES


@pytest.fixture
def create(cloudformation, body):
    """Creates a stack of one thing."""

    def make(name="main", sections=None, **options: object):
        return cloudformation.create_stack(StackName=name, TemplateBody=body(sections, A={}), **options)

    return make


@pytest.fixture
def refusal():
    """Gives the message with which a call is refused as a validation error."""

    def of(call, *arguments: object, **options: object) -> str:
        with pytest.raises(ClientError) as refused:
            call(*arguments, **options)
        error = refused.value.response["Error"]
        assert error["Code"] == "ValidationError"
        return error["Message"]

    return of


class TestNames:
    @pytest.mark.parametrize("name", ["with_underscore", "1st", "-x", "dots.in.it"])
    def test_pattern(self, create, cloudformation, refusal, name):
        """A stack's name is of letters, digits and hyphens and begins with a letter."""
        words = refusal(create, name)

        assert words == (
            f"1 validation error detected: Value '{name}' at 'stackName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*"
        )
        assert cloudformation.list_stacks()["StackSummaries"] == []

    def test_length(self, create, refusal):
        """A stack's name has up to 128 characters."""
        create("a" * 128)

        assert "at 'stackName' failed to satisfy constraint: Member must have length" in refusal(create, "a" * 129)

    def test_change_set(self, cloudformation, body, refusal):
        """A change set's name follows the same rule."""
        words = refusal(
            cloudformation.create_change_set,
            StackName="main",
            ChangeSetName="my_set",
            ChangeSetType="CREATE",
            TemplateBody=body(A={}),
        )

        assert "Value 'my_set' at 'changeSetName' failed to satisfy constraint" in words


class TestTags:
    def test_number(self, create, refusal):
        """A stack has up to 50 tags."""
        tags = [{"Key": f"k{number}", "Value": "v"} for number in range(51)]
        create("fifty", Tags=tags[:50])

        assert "at 'tags' failed to satisfy constraint: Member must have length less than or equal to 50" in refusal(
            create, Tags=tags
        )

    @pytest.mark.parametrize(
        ("tag", "says"),
        [
            (("aws:team", "ml"), "aws: prefixed tag key names are not allowed for external use."),
            (("AWS:team", "ml"), "aws: prefixed tag key names are not allowed for external use."),
            (("team", "hpc"), "Tags contain duplicate keys; tag keys must be unique"),
            (("k" * 129, "v"), "at 'tags.1.member.key' failed to satisfy constraint"),
            (("k", "v" * 257), "at 'tags.1.member.value' failed to satisfy constraint"),
        ],
    )
    def test_refused(self, create, refusal, tag, says):
        """Reserved keys, keys that come twice and texts that are too long are refused."""
        tags = [{"Key": key, "Value": value} for key, value in (tag, ("team", "ml"))]

        assert says in refusal(create, Tags=tags)

    def test_update(self, create, cloudformation, body, refusal):
        """An update's tags are held to the same."""
        create()

        words = refusal(
            cloudformation.update_stack,
            StackName="main",
            TemplateBody=body(A={}),
            Tags=[{"Key": "aws:x", "Value": "y"}],
        )
        assert words == "aws: prefixed tag key names are not allowed for external use."


class TestSizes:
    def test_template_in_the_request(self, create, body, refusal):
        """A template of 51,200 bytes may come in the request, and one of a byte more not."""
        room = MAX_BODY_BYTES - len(body(A={})) - len(', "Metadata": {"x": ""}')
        create("full", {"Metadata": {"x": "y" * room}})

        words = refusal(create, "more", {"Metadata": {"x": "y" * (room + 1)}})

        assert "at 'templateBody' failed to satisfy constraint: Member must have length" in words

    def test_template_in_a_bucket(self, aws, cloudformation, body, refusal):
        """A template of 1,000,000 bytes may come from a bucket, and one of a byte more not."""
        s3 = aws.transport.client("s3", "123456789012", "us-west-2")
        s3.create_bucket(Bucket="assets", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
        text = body(A={})
        s3.put_object(Bucket="assets", Key="full", Body=text.ljust(MAX_URL_BYTES).encode())
        s3.put_object(Bucket="assets", Key="more", Body=text.ljust(MAX_URL_BYTES + 1).encode())
        address = "https://assets.s3.us-west-2.amazonaws.com"

        cloudformation.create_stack(StackName="full", TemplateURL=f"{address}/full")

        words = refusal(cloudformation.create_stack, StackName="more", TemplateURL=f"{address}/more")
        assert words == "Template may not exceed 1000000 bytes in size."

    def test_parameter(self, create, refusal):
        """A parameter's value has up to 4,096 bytes, its default too."""
        declared = {"Parameters": {"P": {"Type": "String"}}}
        create("full", declared, Parameters=[{"ParameterKey": "P", "ParameterValue": "x" * 4_096}])

        words = refusal(create, "more", declared, Parameters=[{"ParameterKey": "P", "ParameterValue": "é" * 2_049}])
        assert words == "Parameter 'P' must contain at most 4096 bytes"
        words = refusal(create, "more", {"Parameters": {"P": {"Type": "String", "Default": "x" * 4_097}}})
        assert words == "Template format error: Parameter 'P' default value '[****]' length is greater than 4096."

    @pytest.mark.parametrize(
        ("sections", "says"),
        [
            ({"Description": "x" * 1_025}, "'Description' length is greater than 1024."),
            (
                {"Outputs": {"O": {"Value": "v", "Description": "x" * 1_025}}},
                "Output 'O' description length is greater than 1024.",
            ),
            (
                {"Parameters": {f"P{n}": {"Type": "String", "Default": ""} for n in range(201)}},
                "Number of parameters, 201, is greater than maximum allowed, 200",
            ),
            (
                {"Outputs": {f"O{n}": {"Value": "v"} for n in range(201)}},
                "Number of outputs, 201, is greater than maximum allowed, 200",
            ),
            (
                {"Mappings": {f"M{n}": {"a": {"b": "c"}} for n in range(201)}},
                "Number of mappings, 201, is greater than maximum allowed, 200",
            ),
            (
                {"Mappings": {"M": {f"a{n}": {"b": "c"} for n in range(201)}}},
                "Number of attributes of mapping M, 201, is greater than maximum allowed, 200",
            ),
            ({"Outputs": {"O" * 256: {"Value": "v"}}}, f"Output name {'O' * 256} is longer than 255 characters"),
        ],
    )
    def test_template(self, create, refusal, sections, says):
        """A template's sections have their limits."""
        assert refusal(create, sections=sections) == f"Template format error: {says}"

    def test_resources(self, cloudformation, refusal):
        """A template has up to 500 resources."""
        things = {f"T{number}": {"Type": "Custom::Thing"} for number in range(501)}

        words = refusal(cloudformation.validate_template, TemplateBody=json.dumps({"Resources": things}))

        assert words == "Template format error: Number of resources, 501, is greater than maximum allowed, 500"


class TestParameters:
    @pytest.mark.parametrize(
        ("names", "says"),
        [
            (["P", "P"], "Parameters: [P] are given more than once"),
            (["P", "Q"], "Parameters: [Q] do not exist in the template"),
            ([], "Parameters: [P] must have values"),
        ],
    )
    def test_refused(self, create, refusal, names, says):
        """Each parameter of the template has one value, and nothing else has."""
        given = [{"ParameterKey": name, "ParameterValue": "v"} for name in names]

        assert refusal(create, "main", {"Parameters": {"P": {"Type": "String"}}}, Parameters=given) == says


class TestOptions:
    def test_on_failure_or_rollback(self, create, refusal):
        """What a failure is to do is said in one way."""
        words = refusal(create, OnFailure="DELETE", DisableRollback=False)

        assert words == "Either DisableRollback or OnFailure can be specified, not both."

    def test_left_by_on_failure(self, cloudformation, body, refusal):
        """A stack that was to be left as it failed stays; one with disabled rollback is updated in the same way."""
        broken, mended = body(A={"Refuse": True}), body(A={})
        cloudformation.create_stack(StackName="left", TemplateBody=broken, OnFailure="DO_NOTHING")
        cloudformation.create_stack(StackName="main", TemplateBody=broken, DisableRollback=True)

        words = refusal(cloudformation.update_stack, StackName="left", TemplateBody=mended)
        back = refusal(cloudformation.update_stack, StackName="main", TemplateBody=mended)
        cloudformation.update_stack(StackName="main", TemplateBody=mended, DisableRollback=True)

        assert back.startswith(
            "This stack is currently in a non-terminal [CREATE_FAILED] state. To update the stack from"
        )
        assert "cannot be updated from [CREATE_FAILED] state because it contains [on-failure: DO_NOTHING]" in words
        assert cloudformation.describe_stacks(StackName="main")["Stacks"][0]["StackStatus"] == "UPDATE_COMPLETE"

    @pytest.mark.parametrize(("choice", "end"), [("DO_NOTHING", "CREATE_FAILED"), ("ROLLBACK", "ROLLBACK_COMPLETE")])
    def test_on_stack_failure(self, cloudformation, body, choice, end):
        """A change set says what a failing creation does, and its execution then says nothing else."""
        made = cloudformation.create_change_set(
            StackName="main",
            ChangeSetName="cs",
            ChangeSetType="CREATE",
            TemplateBody=body(A={"Refuse": True}),
            OnStackFailure=choice,
        )
        with pytest.raises(
            ClientError, match="DisableRollback can't be specified for a change set with OnStackFailure"
        ):
            cloudformation.execute_change_set(ChangeSetName=made["Id"], DisableRollback=True)

        cloudformation.execute_change_set(ChangeSetName=made["Id"])

        assert cloudformation.describe_stacks(StackName="main")["Stacks"][0]["StackStatus"] == end

    def test_deletion_on_stack_failure(self, create, cloudformation, body, refusal):
        """A failing creation may delete its stack; an update can't."""
        made = cloudformation.create_change_set(
            StackName="gone",
            ChangeSetName="cs",
            ChangeSetType="CREATE",
            TemplateBody=body(A={"Refuse": True}),
            OnStackFailure="DELETE",
        )
        cloudformation.execute_change_set(ChangeSetName=made["Id"])
        create()

        words = refusal(
            cloudformation.create_change_set,
            StackName="main",
            ChangeSetName="cs",
            TemplateBody=body(A={"X": 1}),
            OnStackFailure="DELETE",
        )

        assert words == "OnStackFailure DELETE is only valid when ChangeSetType is CREATE"
        assert (
            cloudformation.describe_stacks(StackName=made["StackId"])["Stacks"][0]["StackStatus"] == "DELETE_COMPLETE"
        )
