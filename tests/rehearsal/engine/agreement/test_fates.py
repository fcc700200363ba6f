"""What becomes of the old resource is what diff and the change set said, whatever policies it has."""

import pytest

from .harness import REMOVED, REPLACED
from .rows import SUBJECT
from .test_mended import subject, template
from .test_table import agree

KEPT, GONE = "DELETE_SKIPPED", "DELETE_COMPLETE"


def policies(deletion, replacement):
    given = {"DeletionPolicy": deletion, "UpdateReplacePolicy": replacement}
    return {name: value for name, value in given.items() if value}


@pytest.mark.parametrize("deletion", [None, "Delete", "Retain", "RetainExceptOnCreate"])
class TestFates:
    @pytest.mark.parametrize(("replacement", "old"), [(None, GONE), ("Delete", GONE), ("Retain", KEPT)])
    def test_replaced(self, place, deletion, replacement, old):
        """Of what is replaced UpdateReplacePolicy decides, and DeletionPolicy has no say."""
        before, after = (subject("AWS::SNS::Topic TopicName", TopicName=name) for name in ("one", "two"))

        said, done = agree(place, template(Thing=before), template(Thing={**after, **policies(deletion, replacement)}))

        assert (done.outcomes[SUBJECT].what, done.outcomes[SUBJECT].old) == (REPLACED, old)
        assert done.preview[SUBJECT].policy == f"ReplaceAnd{replacement or 'Delete'}"
        assert said[SUBJECT].retained is (old == KEPT)

    @pytest.mark.parametrize("replacement", [None, "Retain"])
    def test_removed(self, place, deletion, replacement):
        """Of what leaves the template DeletionPolicy decides, and UpdateReplacePolicy has no say."""
        one = {**subject("AWS::SNS::Topic TopicName"), **policies(deletion, replacement)}
        stays = deletion in {"Retain", "RetainExceptOnCreate"}

        said, done = agree(place, template(Thing=one), template())

        assert (done.outcomes[SUBJECT].what, done.outcomes[SUBJECT].old) == (REMOVED, KEPT if stays else GONE)
        assert done.preview[SUBJECT].policy == ("Retain" if stays else "Delete")
        assert said[SUBJECT].retained is stays
