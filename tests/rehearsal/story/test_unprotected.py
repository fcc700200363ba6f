"""The edit that a rehearsal makes before it takes a cluster down."""

from pathlib import Path

import pytest

from ami.lock import path_for
from rehearsal.story.unprotected import without_deletion_protection
from trnstack.environment import plan_file

ENVIRONMENTS = sorted((Path(__file__).parents[3] / "environments").glob("*.yaml"))


@pytest.mark.parametrize("file", ENVIRONMENTS, ids=lambda file: file.stem)
def test_changes_one_thing(tmp_path, file):
    """The copy plans to the same but for deletion protection, and keeps the person's comments."""
    copy = without_deletion_protection(file, tmp_path)
    before, after = plan_file(file), plan_file(copy, lock_file=path_for(file))

    assert before.cluster.deletion_protection
    assert not after.cluster.deletion_protection
    assert (after.network, after.storage, after.node_groups) == (before.network, before.storage, before.node_groups)
    assert after.cluster.add_ons == before.cluster.add_ons
    assert file.read_text().splitlines()[0] == copy.read_text().splitlines()[0]
