import json

import pytest
from botocore.exceptions import ClientError

ROLE = json.dumps({"Resources": {"Role": {"Type": "AWS::IAM::Role", "Properties": {"RoleName": "r"}}}})


@pytest.fixture
def status(cloudformation):
    return lambda name: cloudformation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]


class TestCreateStack:
    def test_answers_when_all_is_done(self, cloudformation, body):
        """The answer comes with the end of the operation, and the stack tells everything about itself."""
        made = cloudformation.create_stack(
            StackName="main",
            TemplateBody=body({"Outputs": {"O": {"Value": {"Ref": "A"}, "Export": {"Name": "x"}}}}, A={}),
            Tags=[{"Key": "team", "Value": "ml"}],
            EnableTerminationProtection=True,
        )

        (stack,) = cloudformation.describe_stacks(StackName=made["StackId"])["Stacks"]
        assert stack["StackStatus"] == "CREATE_COMPLETE"
        assert stack["Tags"] == [{"Key": "team", "Value": "ml"}]
        assert stack["EnableTerminationProtection"] is True
        assert stack["Outputs"][0]["ExportName"] == "x"

    def test_events_newest_first(self, cloudformation, body):
        """The history begins with the newest event, each with its operation and its reason."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={}), ClientRequestToken="t")

        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]

        assert [event["ResourceStatus"] for event in events] == [
            "CREATE_COMPLETE",
            "CREATE_COMPLETE",
            "CREATE_IN_PROGRESS",
            "CREATE_IN_PROGRESS",
        ]
        assert {event["ClientRequestToken"] for event in events} == {"t"}
        assert len({event["OperationId"] for event in events}) == 1
        assert events[-1]["ResourceStatusReason"] == "User Initiated"

    def test_name_is_taken(self, cloudformation, body):
        """A second stack of the name is refused; the same call again is not."""
        call = {"StackName": "main", "TemplateBody": body(A={}), "ClientRequestToken": "t"}
        first = cloudformation.create_stack(**call)

        assert cloudformation.create_stack(**call)["StackId"] == first["StackId"]
        with pytest.raises(cloudformation.exceptions.AlreadyExistsException, match=r"Stack \[main\] already exists"):
            cloudformation.create_stack(**{**call, "ClientRequestToken": "u"})

    def test_template_error(self, cloudformation):
        """A template that is refused is a validation error, and there is no stack."""
        with pytest.raises(ClientError, match=r"ValidationError.*At least one Resources member must be defined"):
            cloudformation.create_stack(StackName="main", TemplateBody="{}")

        assert cloudformation.list_stacks()["StackSummaries"] == []

    def test_too_long(self, cloudformation):
        """A template of more than 51,200 bytes has to come from S3."""
        with pytest.raises(ClientError, match="Member must have length less than or equal to 51200"):
            cloudformation.create_stack(StackName="main", TemplateBody="#" * 51_201)

    def test_capability(self, cloudformation):
        """An IAM resource with a name of its own must be acknowledged by the right capability."""
        for given in ([], ["CAPABILITY_IAM"]):
            with pytest.raises(
                cloudformation.exceptions.InsufficientCapabilitiesException, match=r"\[CAPABILITY_NAMED_IAM\]"
            ):
                cloudformation.create_stack(StackName="main", TemplateBody=ROLE, Capabilities=given)

    @pytest.mark.parametrize(
        "url",
        [
            "https://s3.us-west-2.amazonaws.com/assets/a/b.json",
            "https://assets.s3.us-west-2.amazonaws.com/a/b.json",
            "http://localhost:4711/assets/a/b.json",
            "http://127.0.0.1:4711/assets/a/b.json",
        ],
    )
    def test_template_from_s3(self, aws, cloudformation, body, status, url):
        """A template is read from every form of S3 address."""
        s3 = aws.transport.client("s3", "123456789012", "us-west-2")
        s3.create_bucket(Bucket="assets", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
        s3.put_object(Bucket="assets", Key="a/b.json", Body=body(A={}).encode())

        cloudformation.create_stack(StackName="main", TemplateURL=url)

        assert status("main") == "CREATE_COMPLETE"

    def test_stored_parameter(self, aws, cloudformation, body):
        """A Systems Manager parameter is read from the account that asks."""
        aws.transport.client("ssm", "123456789012", "us-west-2").put_parameter(Name="/v", Value="30", Type="String")
        declared = {"Parameters": {"V": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/v"}}}

        cloudformation.create_stack(StackName="main", TemplateBody=body(declared, A={"Value": {"Ref": "V"}}))

        (parameter,) = cloudformation.describe_stacks(StackName="main")["Stacks"][0]["Parameters"]
        assert parameter == {"ParameterKey": "V", "ParameterValue": "/v", "ResolvedValue": "30"}

    def test_accounts_are_apart(self, aws, cloudformation, body):
        """Keys that AssumeRole gave act in the role's account, which sees its own stacks alone."""
        sts = aws.transport.client("sts", "123456789012", "us-west-2")
        trust = {"Effect": "Allow", "Principal": {"AWS": "123456789012"}, "Action": "sts:AssumeRole"}
        role = aws.transport.client("iam", "210987654321", "us-west-2").create_role(
            RoleName="deploy", AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]})
        )["Role"]
        keys = sts.assume_role(RoleArn=role["Arn"], RoleSessionName="session")["Credentials"]
        there = aws.transport.session(
            "us-west-2",
            access_key=keys["AccessKeyId"],
            secret_key=keys["SecretAccessKey"],
            session_token=keys["SessionToken"],
        ).client("cloudformation")

        made = there.create_stack(StackName="main", TemplateBody=body(A={}))

        assert ":210987654321:" in made["StackId"]
        assert cloudformation.describe_stacks()["Stacks"] == []


class TestUpdateStack:
    def test_update(self, cloudformation, body, status):
        """An update ends in UPDATE_COMPLETE."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={"X": 1}))

        cloudformation.update_stack(StackName="main", TemplateBody=body(A={"X": 2}))

        assert status("main") == "UPDATE_COMPLETE"

    def test_nothing_to_do(self, cloudformation, body):
        """An update that changes nothing is refused in the words that the CDK CLI looks for."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={"X": 1}))

        with pytest.raises(ClientError, match=r"No updates are to be performed\.$"):
            cloudformation.update_stack(StackName="main", UsePreviousTemplate=True)

    def test_after_a_rolled_back_creation(self, cloudformation, body):
        """A stack in ROLLBACK_COMPLETE can only be deleted."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={"Refuse": True}))

        with pytest.raises(ClientError, match="is in ROLLBACK_COMPLETE state and can not be updated"):
            cloudformation.update_stack(StackName="main", TemplateBody=body(A={}))

    def test_disabled_rollback(self, cloudformation, body, status):
        """Without rollback an update stays as it failed until it is rolled back."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={}))
        cloudformation.update_stack(StackName="main", TemplateBody=body(A={"Refuse": True}), DisableRollback=True)
        assert status("main") == "UPDATE_FAILED"

        cloudformation.rollback_stack(StackName="main")

        assert status("main") == "UPDATE_ROLLBACK_COMPLETE"


class TestDeleteStack:
    def test_termination_protection(self, cloudformation, body):
        """A protected stack is not deleted before its protection is taken off."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={}), EnableTerminationProtection=True)
        with pytest.raises(ClientError, match="cannot be deleted while TerminationProtection is enabled"):
            cloudformation.delete_stack(StackName="main")

        cloudformation.update_termination_protection(StackName="main", EnableTerminationProtection=False)
        cloudformation.delete_stack(StackName="main")

        with pytest.raises(ClientError, match="Stack with id main does not exist"):
            cloudformation.describe_stacks(StackName="main")

    def test_deleted_stack_by_its_arn(self, cloudformation, body, status):
        """A deleted stack is still shown to who knows its ARN."""
        made = cloudformation.create_stack(StackName="main", TemplateBody=body(A={}))
        cloudformation.delete_stack(StackName="main")

        assert status(made["StackId"]) == "DELETE_COMPLETE"

    def test_unknown(self, cloudformation):
        """Deleting what is not there is no error."""
        answer = cloudformation.delete_stack(StackName="nobody")

        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200


class TestTelling:
    def test_resources(self, cloudformation, body):
        """Resources are shown by stack, by logical id and by physical id."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={}, B={}))
        listed = cloudformation.list_stack_resources(StackName="main")["StackResourceSummaries"]
        physical_id = listed[1]["PhysicalResourceId"]

        (one,) = cloudformation.describe_stack_resources(StackName="main", LogicalResourceId="B")["StackResources"]
        detail = cloudformation.describe_stack_resource(StackName="main", LogicalResourceId="B")["StackResourceDetail"]

        assert [row["LogicalResourceId"] for row in listed] == ["A", "B"]
        assert one["PhysicalResourceId"] == detail["PhysicalResourceId"] == physical_id
        assert len(cloudformation.describe_stack_resources(PhysicalResourceId=physical_id)["StackResources"]) == 2

    def test_template(self, cloudformation, body):
        """The template comes back as it was given, and its summary tells what it declares."""
        given = body({"Parameters": {"P": {"Type": "String", "Default": "d"}}, "Description": "x"}, A={})
        cloudformation.create_stack(StackName="main", TemplateBody=given)

        summary = cloudformation.get_template_summary(StackName="main")

        assert cloudformation.get_template(StackName="main")["TemplateBody"] == json.loads(given)
        assert summary["ResourceTypes"] == ["Custom::Thing"]
        assert summary["Parameters"][0]["DefaultValue"] == "d"
        assert cloudformation.validate_template(TemplateBody=ROLE)["Capabilities"] == ["CAPABILITY_NAMED_IAM"]

    def test_exports_and_imports(self, cloudformation, body):
        """Exports are listed, and their users."""
        out = {"Outputs": {"O": {"Value": "v", "Export": {"Name": "net:V"}}}}
        made = cloudformation.create_stack(StackName="net", TemplateBody=body(out, A={}))
        cloudformation.create_stack(StackName="main", TemplateBody=body(B={"V": {"Fn::ImportValue": "net:V"}}))

        assert cloudformation.list_exports()["Exports"] == [
            {"ExportingStackId": made["StackId"], "Name": "net:V", "Value": "v"}
        ]
        assert cloudformation.list_imports(ExportName="net:V")["Imports"] == ["main"]

    def test_operation_events(self, cloudformation, body):
        """DescribeEvents tells a stack's operations, and nothing of a change set."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={}))

        assert len(cloudformation.describe_events(StackName="main")["OperationEvents"]) == 4
        assert cloudformation.describe_events(ChangeSetName="any")["OperationEvents"] == []

    def test_not_modelled(self, cloudformation):
        """A call that nobody models is a clear service error, which SDKs do not retry."""
        with pytest.raises(ClientError, match="does not model this call of cloudformation") as refusal:
            cloudformation.detect_stack_set_drift(StackSetName="main")

        assert refusal.value.response["ResponseMetadata"]["RetryAttempts"] == 0
