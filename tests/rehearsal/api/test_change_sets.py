import pytest
from botocore.exceptions import ClientError

NO_CHANGES = "The submitted information didn't contain changes. Submit different information to create a change set."


@pytest.fixture
def propose(cloudformation, body):
    """Makes a change set of the stack ``main`` and describes it."""

    def make(kind="UPDATE", sections=None, **things: object) -> dict:
        made = cloudformation.create_change_set(
            StackName="main", ChangeSetName="cs", ChangeSetType=kind, TemplateBody=body(sections, **things)
        )
        return cloudformation.describe_change_set(ChangeSetName=made["Id"])

    return make


@pytest.fixture
def status(cloudformation):
    return lambda: cloudformation.describe_stacks(StackName="main")["Stacks"][0]["StackStatus"]


class TestCreation:
    def test_review_then_create(self, cloudformation, propose, status):
        """A new stack waits in review until its change set is executed."""
        found = propose("CREATE", A={})
        assert (found["Status"], found["ExecutionStatus"], status()) == (
            "CREATE_COMPLETE",
            "AVAILABLE",
            "REVIEW_IN_PROGRESS",
        )
        assert [change["ResourceChange"]["Action"] for change in found["Changes"]] == ["Add"]

        cloudformation.execute_change_set(ChangeSetName="cs", StackName="main")

        assert status() == "CREATE_COMPLETE"
        assert cloudformation.list_change_sets(StackName="main")["Summaries"] == []

    def test_refused_template_leaves_no_stack(self, cloudformation, propose):
        """A template error leaves no stack in review behind."""
        with pytest.raises(ClientError, match="Unresolved resource dependencies"):
            propose("CREATE", A={"X": {"Ref": "B"}})

        assert cloudformation.list_stacks()["StackSummaries"] == []

    def test_existing(self, cloudformation, body, propose):
        """A stack that is there can't be created by a change set."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={}))

        with pytest.raises(ClientError, match="already exists and cannot be created again with the changeSet"):
            propose("CREATE", A={})

    def test_in_review(self, cloudformation, body, propose, status):
        """A stack in review is there for everybody but an update; another set of changes may create it."""
        propose("CREATE", A={})
        for call, words in (
            (cloudformation.update_stack, {}),
            (cloudformation.create_change_set, {"ChangeSetName": "u"}),
        ):
            with pytest.raises(ClientError, match=r"ValidationError.*Stack \[main\] does not exist"):
                call(StackName="main", TemplateBody=body(A={}), **words)
        made = cloudformation.create_change_set(
            StackName="main", ChangeSetName="second", ChangeSetType="CREATE", TemplateBody=body(A={}, B={})
        )
        cloudformation.execute_change_set(ChangeSetName=made["Id"])

        assert status() == "CREATE_COMPLETE"
        assert len(cloudformation.list_stack_resources(StackName="main")["StackResourceSummaries"]) == 2

    def test_made_without_it(self, cloudformation, body, propose, status):
        """CreateStack makes a stack that waits in review, whose change set is obsolete then."""
        found = propose("CREATE", A={})
        made = cloudformation.create_stack(StackName="main", TemplateBody=body(B={}))

        assert (made["StackId"], status()) == (found["StackId"], "CREATE_COMPLETE")
        assert cloudformation.describe_change_set(ChangeSetName=found["ChangeSetId"])["ExecutionStatus"] == "OBSOLETE"

    def test_name_of_its_stack(self, cloudformation, body):
        """The stack of a change set may be named by its ARN, which the refusal of another name tells."""
        with pytest.raises(ClientError) as refusal:
            cloudformation.create_change_set(
                StackName="a_b", ChangeSetName="cs", ChangeSetType="CREATE", TemplateBody=body(A={})
            )

        assert refusal.value.response["Error"]["Message"] == (
            "1 validation error detected: Value 'a_b' at 'stackName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*|arn:[-a-zA-Z0-9:/._+]*"
        )

    def test_stack_that_is_gone(self, cloudformation, body):
        """A deleted stack is not made again under its ARN."""
        arn = cloudformation.create_stack(StackName="main", TemplateBody=body(A={}))["StackId"]
        cloudformation.delete_stack(StackName="main")

        with pytest.raises(ClientError, match=rf"Stack \[{arn}\] already exists and cannot be created again"):
            cloudformation.create_change_set(
                StackName=arn, ChangeSetName="cs", ChangeSetType="CREATE", TemplateBody=body(A={})
            )

    def test_discarded(self, cloudformation, propose):
        """The stack in review is deleted after its change set, as ``cdk diff`` does."""
        propose("CREATE", A={})
        cloudformation.delete_change_set(StackName="main", ChangeSetName="cs")
        cloudformation.delete_stack(StackName="main")

        assert cloudformation.describe_stacks()["Stacks"] == []


class TestUpdate:
    @pytest.fixture(autouse=True)
    def stack(self, cloudformation, body):
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={"X": 1}, B={}))

    def test_changes(self, cloudformation, propose, status):
        """Every change is told with its reasons, and comes true when the set is executed."""
        found = propose(A={"X": 2}, C={})
        changes = {one["ResourceChange"]["LogicalResourceId"]: one["ResourceChange"] for one in found["Changes"]}

        assert {name: change["Action"] for name, change in changes.items()} == {
            "A": "Modify",
            "C": "Add",
            "B": "Remove",
        }
        assert changes["A"]["Replacement"] == "False"
        assert changes["A"]["Details"] == [
            {
                "Target": {"Attribute": "Properties", "Name": "X", "RequiresRecreation": "Never"},
                "Evaluation": "Static",
                "ChangeSource": "DirectModification",
            }
        ]

        cloudformation.execute_change_set(ChangeSetName=found["ChangeSetId"])
        assert status() == "UPDATE_COMPLETE"

    def test_no_changes(self, cloudformation, propose):
        """A set without changes fails in the words that the CDK CLI looks for, and can't be executed."""
        found = propose(A={"X": 1}, B={})

        assert (found["Status"], found["StatusReason"], found["ExecutionStatus"]) == (
            "FAILED",
            NO_CHANGES,
            "UNAVAILABLE",
        )
        with pytest.raises(cloudformation.exceptions.InvalidChangeSetStatusException):
            cloudformation.execute_change_set(ChangeSetName=found["ChangeSetId"])

    def test_executed(self, cloudformation, propose):
        """One that was executed is found by its ARN alone, says how it went, and is not executed again."""
        arn = propose(A={"X": 2}, B={})["ChangeSetId"]
        cloudformation.execute_change_set(ChangeSetName="cs", StackName="main")

        found = cloudformation.describe_change_set(ChangeSetName=arn)
        assert (found["Status"], found["ExecutionStatus"]) == ("CREATE_COMPLETE", "EXECUTE_COMPLETE")
        assert [one["ResourceChange"]["Action"] for one in found["Changes"]] == ["Modify"]
        assert cloudformation.get_template(ChangeSetName=arn)["TemplateBody"]
        assert cloudformation.describe_stacks(StackName="main")["Stacks"][0]["ChangeSetId"] == arn
        assert cloudformation.list_change_sets(StackName="main")["Summaries"] == []
        with pytest.raises(cloudformation.exceptions.ChangeSetNotFoundException):
            cloudformation.describe_change_set(StackName="main", ChangeSetName="cs")
        for call in (cloudformation.execute_change_set, cloudformation.delete_change_set):
            with pytest.raises(
                cloudformation.exceptions.InvalidChangeSetStatusException,
                match=r"in its current execution status of \[EXECUTE_COMPLETE\]",
            ):
                call(ChangeSetName=arn)

    def test_failed_execution(self, cloudformation, propose):
        """An execution that was led back has failed."""
        arn = propose(A={"X": 1}, B={}, C={"Refuse": True})["ChangeSetId"]
        cloudformation.execute_change_set(ChangeSetName=arn)

        assert cloudformation.describe_change_set(ChangeSetName=arn)["ExecutionStatus"] == "EXECUTE_FAILED"

    @pytest.mark.parametrize("ends_well", [True, False])
    def test_obsolete(self, cloudformation, body, propose, status, ends_well):
        """A direct update makes the stack's change sets obsolete, however it ends; they stay until they are deleted."""
        arn = propose(A={"X": 2}, B={})["ChangeSetId"]
        new = body(A={"X": 3}, B={}) if ends_well else body(A={"X": 1}, B={}, C={"Refuse": True})
        cloudformation.update_stack(StackName="main", TemplateBody=new)

        (summary,) = cloudformation.list_change_sets(StackName="main")["Summaries"]
        assert (summary["Status"], summary["ExecutionStatus"]) == ("CREATE_COMPLETE", "OBSOLETE")
        with pytest.raises(
            cloudformation.exceptions.InvalidChangeSetStatusException,
            match=rf"ChangeSet \[{arn}\] cannot be executed in its current execution status of \[OBSOLETE\]",
        ):
            cloudformation.execute_change_set(ChangeSetName="cs", StackName="main")
        cloudformation.delete_change_set(StackName="main", ChangeSetName="cs")
        assert cloudformation.list_change_sets(StackName="main")["Summaries"] == []
        assert status() == ("UPDATE_COMPLETE" if ends_well else "UPDATE_ROLLBACK_COMPLETE")

    def test_execution_deletes_the_others(self, cloudformation, body, propose):
        """What the other change sets tell is true no more."""
        other = cloudformation.create_change_set(
            StackName="main", ChangeSetName="other", TemplateBody=body(A={"X": 5}, B={})
        )
        propose(A={"X": 2}, B={})
        cloudformation.execute_change_set(ChangeSetName="cs", StackName="main")

        with pytest.raises(cloudformation.exceptions.ChangeSetNotFoundException):
            cloudformation.describe_change_set(ChangeSetName=other["Id"])

    def test_still_available(self, cloudformation, body, propose, status):
        """What does not update the stack leaves its change sets as they are."""
        exported = {"Outputs": {"O": {"Value": "v", "Export": {"Name": "x"}}}}
        cloudformation.update_stack(StackName="main", TemplateBody=body(exported, A={"X": 1}, B={}))
        cloudformation.create_stack(StackName="user", TemplateBody=body(U={"X": {"Fn::ImportValue": "x"}}))
        propose(A={"X": 2}, B={}, sections=exported)
        cloudformation.delete_stack(StackName="main")
        assert status() == "UPDATE_COMPLETE"

        cloudformation.execute_change_set(ChangeSetName="cs", StackName="main")

        assert status() == "UPDATE_COMPLETE"
        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        assert "Delete canceled. Cannot delete export x as it is in use by user." in {
            event.get("ResourceStatusReason") for event in events
        }

    def test_direct_update_after_it(self, cloudformation, body, propose):
        """A stack names the change set of its last operation, if it had one."""
        arn = propose(A={"X": 2}, B={})["ChangeSetId"]
        cloudformation.execute_change_set(ChangeSetName=arn)
        cloudformation.update_stack(StackName="main", TemplateBody=body(A={"X": 3}, B={}))

        assert "ChangeSetId" not in cloudformation.describe_stacks(StackName="main")["Stacks"][0]

    def test_after_the_stack(self, cloudformation, propose):
        """Of a deleted stack the change sets are known that were executed."""
        done = propose(A={"X": 2}, B={})["ChangeSetId"]
        cloudformation.execute_change_set(ChangeSetName=done)
        open_one = propose(A={"X": 3}, B={})
        cloudformation.delete_stack(StackName="main")

        assert cloudformation.describe_change_set(ChangeSetName=done)["ExecutionStatus"] == "EXECUTE_COMPLETE"
        with pytest.raises(cloudformation.exceptions.ChangeSetNotFoundException):
            cloudformation.describe_change_set(ChangeSetName=open_one["ChangeSetId"])
        (gone,) = cloudformation.describe_stacks(StackName=open_one["StackId"])["Stacks"]
        assert {"ChangeSetId", "EnableTerminationProtection"} & set(gone) == set()
        assert {"DeletionTime", "LastUpdatedTime"} <= set(gone)

    def test_missing_export(self, propose):
        """A set that imports what nobody exports fails, and says so."""
        found = propose(A={"X": {"Fn::ImportValue": "nobody"}}, B={})

        assert (found["Status"], found["StatusReason"]) == ("FAILED", "No export named nobody found.")

    def test_values(self, cloudformation, body):
        """Values before and after are told when they are asked for."""
        cloudformation.create_change_set(StackName="main", ChangeSetName="cs", TemplateBody=body(A={"X": 2}, B={}))

        found = cloudformation.describe_change_set(StackName="main", ChangeSetName="cs", IncludePropertyValues=True)

        change = found["Changes"][0]["ResourceChange"]
        assert (change["BeforeContext"], change["AfterContext"]) == (
            '{"Properties": {"X": 1}}',
            '{"Properties": {"X": 2}}',
        )

    def test_same_execution_again(self, cloudformation, propose, status):
        """An execution that is sent again, as SDKs do after a lost answer, is done once."""
        propose(A={"X": 2}, B={})
        for _ in range(2):
            cloudformation.execute_change_set(ChangeSetName="cs", StackName="main", ClientRequestToken="t")

        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        assert status() == "UPDATE_COMPLETE"
        assert sum(event["ResourceStatus"] == "UPDATE_IN_PROGRESS" for event in events) == 2

    def test_same_name(self, propose):
        """Two change sets of a stack can't have one name."""
        propose(A={"X": 2})

        with pytest.raises(ClientError, match=r"AlreadyExistsException.*ChangeSet cs already exists"):
            propose(A={"X": 3})

    def test_unknown(self, cloudformation):
        """One that is not there can't be described, and need not be deleted; a name alone says nothing."""
        with pytest.raises(ClientError, match=r"ValidationError.*StackName must be specified if ChangeSetName is not"):
            cloudformation.describe_change_set(ChangeSetName="none")
        for call in (
            cloudformation.execute_change_set,
            cloudformation.describe_change_set,
            cloudformation.delete_change_set,
        ):
            with pytest.raises(ClientError, match=r"ValidationError.*Stack \[nobody\] does not exist"):
                call(StackName="nobody", ChangeSetName="none")
        with pytest.raises(cloudformation.exceptions.ChangeSetNotFoundException):
            cloudformation.describe_change_set(StackName="main", ChangeSetName="none")

        cloudformation.delete_change_set(StackName="main", ChangeSetName="none")

    def test_types_that_are_allowed(self, cloudformation, body):
        """A request may name the types that it is to have, and is refused where the template has others."""
        request = {"StackName": "main", "ChangeSetName": "cs", "TemplateBody": body(A={"X": 2}, B={})}
        words = "Resource type Custom::Thing is not allowed by parameter ResourceTypes [AWS::*, Custom::B*]"
        with pytest.raises(ClientError) as refusal:
            cloudformation.create_change_set(**request, ResourceTypes=["AWS::*", "Custom::B*"])
        assert refusal.value.response["Error"] == {"Type": "Sender", "Code": "ValidationError", "Message": words}

        cloudformation.create_change_set(**request, ResourceTypes=["Custom::*"])

    def test_import_is_refused(self, cloudformation, body):
        """What the rehearsal did not make it can't import."""
        with pytest.raises(ClientError, match="does not model the import of resources"):
            cloudformation.create_change_set(
                StackName="main", ChangeSetName="i", ChangeSetType="IMPORT", TemplateBody=body(A={})
            )

    def test_failing_execution_rolls_back(self, cloudformation, propose, status):
        """An execution that fails leads back."""
        propose(A={"X": 1}, B={}, C={"Refuse": True})

        cloudformation.execute_change_set(ChangeSetName="cs", StackName="main")

        assert status() == "UPDATE_ROLLBACK_COMPLETE"
