"""Lists come in pages, of which none is lost and none comes twice."""

import pytest
from botocore.exceptions import ClientError

from rehearsal.api.paging import PAGE

MANY = 2 * PAGE + 30


@pytest.fixture
def paged(cloudformation):
    """Gives the pages of a list."""

    def of(operation, member, **request: object) -> list[list]:
        pages = cloudformation.get_paginator(operation).paginate(**request)
        return [page[member] for page in pages]

    return of


@pytest.fixture
def large(cloudformation, body):
    """A stack of many things, each of which it exports."""
    names = [f"T{number:03}" for number in range(MANY)]
    exports = {name: {"Value": {"Ref": name}, "Export": {"Name": name}} for name in names[:200]}
    cloudformation.create_stack(
        StackName="main", TemplateBody=body({"Outputs": exports}, **{name: {} for name in names})
    )
    return names


class TestLargeStack:
    def test_resources(self, paged, large):
        """Resources come in their order, a hundred at a time."""
        pages = paged("list_stack_resources", "StackResourceSummaries", StackName="main")

        assert [len(page) for page in pages] == [PAGE, PAGE, 30]
        assert [row["LogicalResourceId"] for page in pages for row in page] == large

    def test_first_resources(self, cloudformation, large):
        """DescribeStackResources knows no pages: it tells the first hundred."""
        rows = cloudformation.describe_stack_resources(StackName="main")["StackResources"]

        assert [row["LogicalResourceId"] for row in rows] == large[:PAGE]

    def test_exports(self, paged, large):
        """Exports come by their names."""
        pages = paged("list_exports", "Exports")

        assert [len(page) for page in pages] == [PAGE, PAGE]
        assert [row["Name"] for page in pages for row in page] == large[:200]

    def test_events(self, cloudformation, body, paged, large):
        """The history comes newest first, and what happens between two pages moves none of it."""
        first = cloudformation.describe_stack_events(StackName="main")
        cloudformation.update_stack(StackName="main", TemplateBody=body(**{name: {} for name in large}, More={}))
        second = cloudformation.describe_stack_events(StackName="main", NextToken=first["NextToken"])

        ids = [
            row["EventId"] for page in paged("describe_stack_events", "StackEvents", StackName="main") for row in page
        ]
        start = ids.index(first["StackEvents"][0]["EventId"])
        shown = [row["EventId"] for page in (first, second) for row in page["StackEvents"]]
        assert shown == ids[start : start + 2 * PAGE]
        assert len(set(ids)) == len(ids) > 2 * MANY

    @pytest.mark.parametrize("token", ["x", "0", "99999", "\u0662"])
    def test_token_of_nobody(self, cloudformation, large, token):  # noqa: ARG002 - there is a next page
        """A token that the list has not given is refused."""
        with pytest.raises(ClientError, match=f"ValidationError.*NextToken {token} is not valid"):
            cloudformation.list_stack_resources(StackName="main", NextToken=token)


class TestManyStacks:
    def test_stacks(self, cloudformation, body, paged):
        """Stacks come newest first, with the deleted ones where all are listed; names may come again."""
        for number in range(PAGE + 5):
            cloudformation.create_stack(StackName=f"s{number}", TemplateBody=body(A={}))
        cloudformation.delete_stack(StackName="s7")
        cloudformation.create_stack(StackName="s7", TemplateBody=body(A={}))

        listed = paged("list_stacks", "StackSummaries")
        shown = paged("describe_stacks", "Stacks")

        assert ([len(page) for page in listed], [len(page) for page in shown]) == ([PAGE, 6], [PAGE, 5])
        assert listed[0][0]["StackName"] == shown[0][0]["StackName"] == "s7"
        assert sum(row["StackStatus"] == "DELETE_COMPLETE" for page in listed for row in page) == 1

    def test_change_sets(self, cloudformation, body, paged):
        """Change sets come in the order in which they were made."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={}))
        for number in range(PAGE + 1):
            cloudformation.create_change_set(
                StackName="main", ChangeSetName=f"c{number}", TemplateBody=body(A={"X": number})
            )

        pages = paged("list_change_sets", "Summaries", StackName="main")

        assert [len(page) for page in pages] == [PAGE, 1]
        assert pages[1][0]["ChangeSetName"] == f"c{PAGE}"


class TestNobody:
    @pytest.mark.parametrize(
        ("call", "words"),
        [
            ("describe_stacks", r"Stack with id nobody does not exist"),
            ("get_template", r"Stack with id nobody does not exist"),
            ("list_stack_resources", r"Stack with id nobody does not exist"),
            ("describe_stack_resources", r"Stack with id nobody does not exist"),
            ("describe_stack_events", r"Stack \[nobody\] does not exist"),
            ("rollback_stack", r"Stack \[nobody\] does not exist"),
            ("continue_update_rollback", r"Stack \[nobody\] does not exist"),
        ],
    )
    def test_words(self, cloudformation, call, words):
        """The words for a stack that is not there are those for which the CDK CLI looks, call by call."""
        with pytest.raises(ClientError, match=f"ValidationError.*{words}$"):
            getattr(cloudformation, call)(StackName="nobody")
