"""Ten faults, each on the way of a creation and of an update: the next deploy converges, and no data is gone.

The environment has what holds data twice: in a stack that stands already, and in the one that the fault meets. Each
file system, bucket, object and version that was there must be the very same afterwards.
"""

import pytest

from rehearsal.embedded import embedded
from rehearsal.faults import FAULTS, parse
from tests.rehearsal.faults.small import (
    BUCKET,
    DATA,
    Small,
    bucket,
    changed,
    cluster,
    launch_template,
    lustre,
    network,
    nodes,
)

STORES = {**network(), "Lustre": lustre(), "Bucket": bucket("kept-data")}
#: Named by CloudFormation, so that one that outlives a failed creation is in nobody's way.
ARCHIVE = bucket(None, {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"})
SMALL = {
    "Archive": ARCHIVE,
    **network(),
    **cluster(),
    "Bucket": {**bucket(BUCKET), "DependsOn": "Archive"},
    "Lustre": lustre(),
    "Template": launch_template(),
    "Nodes": {**nodes(NodegroupName="nodes"), "DependsOn": ["Lustre", "Bucket"]},
}
GROWN = changed(SMALL, "Nodes", ScalingConfig={"MinSize": 0, "DesiredSize": 2, "MaxSize": 4})
RENEWED = changed(
    SMALL,
    "Template",
    LaunchTemplateData={**launch_template()["Properties"]["LaunchTemplateData"], "EbsOptimized": True},
)
OTHER_STORE = changed(
    SMALL, "Lustre", LustreConfiguration={"DeploymentType": "PERSISTENT_1", "PerUnitStorageThroughput": 50}
)
LIFECYCLE = {"Rules": [{"Status": "Enabled", "NoncurrentVersionExpirationInDays": 30}]}
#: Each fault that AWS has, with the update that meets it; that of the CDK CLI is further below.
UPDATES = {
    "no-capacity": GROWN,
    "quota-zero@nodes": GROWN,
    "reservation-not-active": GROWN,
    "reservation-ended": GROWN,
    "nodes-unhealthy": RENEWED,
    "fsx-creation-fails@Lustre": OTHER_STORE,
    "access-denied@Bucket": changed(SMALL, "Bucket", LifecycleConfiguration=LIFECYCLE),
    "throttling": changed(OTHER_STORE, "Bucket", LifecycleConfiguration=LIFECYCLE),
    "api-down": GROWN,
}
CLI = "cli-killed"


def test_all_ten():
    """Every fault is met here."""
    assert {*(parse(text).name for text in UPDATES), CLI} == set(FAULTS)
    assert len(UPDATES) + 1 == 10


@pytest.fixture
def small(services):
    """An account with a stack that holds data."""
    small = Small(services)
    assert small.create(STORES, "stores") == "CREATE_COMPLETE"
    small.put_data("kept-data")
    return small


def held(before, after) -> None:
    """Sees that whatever held data does so still, and is the very same."""
    assert {name: after.get(name) for name in before} == before


def ever_retained(small) -> set[str]:
    """Gives the ids of what was made under a policy that retains it whatever happens."""
    return {
        event.subject.physical_id
        for event in small.stack().events
        if event.subject.logical_id == "Archive" and event.status in {"CREATE_COMPLETE", "DELETE_SKIPPED"}
    }


@pytest.mark.parametrize("fault", UPDATES)
class TestCreation:
    def test_converges(self, small, fault):
        """The stack that the fault met is made anew; what it had to retain is there, and so is all of the other's."""
        before = small.data()
        small.services.faults.add(parse(fault))
        small.create(SMALL)
        failed, left = small.status, small.data()

        assert sum(small.services.faults.refused().values()) > 0
        assert failed == ("CREATE_COMPLETE" if fault == "throttling" else "ROLLBACK_COMPLETE")
        held(before, left)
        assert ever_retained(small) <= left.keys()
        assert ever_retained(small)
        if failed == "ROLLBACK_COMPLETE":
            assert left.keys() == before.keys() | ever_retained(small)
        small.services.faults.lift()

        if failed == "ROLLBACK_COMPLETE":
            assert small.again(SMALL) == "CREATE_COMPLETE"

        held(left, small.data())
        assert set(small.ends().values()) == {"CREATE_COMPLETE"}
        assert small.data().keys() == left.keys() | {small.ids()[name] for name in ("Archive", "Bucket", "Lustre")}


@pytest.mark.parametrize("fault", UPDATES)
class TestUpdate:
    def test_converges(self, small, fault):
        """The update that the fault met goes through the next time; what held data is as it was, replaced or not."""
        assert small.create(SMALL) == "CREATE_COMPLETE"
        small.put_data()
        before, ids = small.data(), small.ids()
        small.services.faults.add(parse(fault))

        small.update(UPDATES[fault])

        assert sum(small.services.faults.refused().values()) > 0
        assert small.status == ("UPDATE_COMPLETE" if fault == "throttling" else "UPDATE_ROLLBACK_COMPLETE")
        small.services.faults.lift()
        held(before, small.data())
        if fault != "throttling":
            assert (small.ids(), small.data()) == (ids, before)
            assert small.update(UPDATES[fault]) == "UPDATE_COMPLETE"

        held(before, small.data())
        replaced = {name for name in ids if small.ids()[name] != ids[name]}
        assert replaced == ({"Lustre"} if "fsx" in fault or fault == "throttling" else set())
        assert set(small.ends().values()) <= {"CREATE_COMPLETE", "UPDATE_COMPLETE"}
        _goes_and_leaves_its_data(small)


@pytest.fixture(scope="module")
def answering():
    """An AWS that answers at once, as CloudFormation does, whoever asked being killed meanwhile."""
    return embedded(hold_seconds=0)


class TestKilled:
    @pytest.fixture
    def small(self, answering):
        small = Small(answering)
        small.create(STORES, "stores")
        assert small.rest("stores") == "CREATE_COMPLETE"
        small.put_data("kept-data")
        return small

    def test_creation(self, small):
        """A creation goes on without its caller, and the next deploy finds nothing left to do."""
        before = small.data()
        small.create(SMALL)
        refused = small.client("cloudformation").exceptions.ClientError

        assert small.rest() == "CREATE_COMPLETE"
        held(before, small.data())
        ids = small.ids()
        with pytest.raises(refused, match=r"No updates are to be performed\."):
            small.update(SMALL)
        assert small.ids() == ids

    def test_update(self, small):
        """So does an update, which another one can follow when it has ended."""
        small.create(SMALL)
        small.rest()
        small.put_data()
        before = small.data()
        small.update(OTHER_STORE)
        assert small.rest() == "UPDATE_COMPLETE"
        held(before, small.data())

        small.update(GROWN | {"Lustre": OTHER_STORE["Lustre"]})

        assert small.rest() == "UPDATE_COMPLETE"
        held(before, small.data())


def _goes_and_leaves_its_data(small) -> None:
    """Deletes the stack and sees that all its data stays, and with the file systems the network that they are in."""
    before = small.data()
    assert small.delete() == "DELETE_FAILED"
    assert set(small.codes().values()) == {"DependencyViolation"}
    assert small.data() == before
    assert DATA in before[BUCKET][1].values()
