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
        """A new stack waits in review until its change set is executed, after which the change set is gone."""
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
        """A change set that is not there can't be described, and need not be deleted."""
        with pytest.raises(cloudformation.exceptions.ChangeSetNotFoundException):
            cloudformation.describe_change_set(StackName="main", ChangeSetName="none")

        cloudformation.delete_change_set(StackName="main", ChangeSetName="none")

    def test_import_is_refused(self, cloudformation, body):
        """What the rehearsal did not make it can't import."""
        with pytest.raises(ClientError, match="can't import resources"):
            cloudformation.create_change_set(
                StackName="main", ChangeSetName="i", ChangeSetType="IMPORT", TemplateBody=body(A={})
            )

    def test_failing_execution_rolls_back(self, cloudformation, propose, status):
        """An execution that fails leads back."""
        propose(A={"X": 1}, B={}, C={"Refuse": True})

        cloudformation.execute_change_set(ChangeSetName="cs", StackName="main")

        assert status() == "UPDATE_ROLLBACK_COMPLETE"
