"""A deploy under each fault fails as on AWS, and without the fault the next one stands as if there had been none."""

import pytest

from tests.rehearsal.faults.conftest import CLUSTER, NODES, STORAGE

GROUP, TEMPLATE = "AWS::EKS::Nodegroup", "AWS::EC2::LaunchTemplate"
FILE_SYSTEM, EKS_CLUSTER = "AWS::FSx::FileSystem", "AWS::EKS::Cluster"
NOT_LAUNCHED = "Issue(Code=AsgInstanceLaunchFailures, Message=Could not launch On-Demand Instances. "


def check_failure(account, stack, kind, words) -> None:
    """Sees that one resource of a stack failed, for one reason, and that those made at its side were cancelled."""
    reasons = account.failures(stack)
    assert words in reasons.pop(account.logical_id(stack, kind))
    assert set(reasons.values()) <= {"Resource creation cancelled", "Resource update cancelled"}


@pytest.fixture(scope="class")
def stands(opened):
    """What stands after a deploy without faults, with data in the bucket."""
    assert opened.deploy() is None
    opened.put_data()
    return opened.stands()


@pytest.fixture
def same_data(stands, account):  # noqa: ARG001 - what stands is deployed by then
    """Sees that all that is retained is the very same after a test: the bucket, its objects, the file system, keys."""
    before, ids = account.held(), account.retained()
    yield
    assert ids <= before.keys()
    assert len(ids) > 2
    after = account.held()
    assert {name: after.get(name) for name in before} == before


class TestStorage:
    def test_file_system(self, account):
        """A file system that is never built leaves nothing behind, and the next deploy makes all of the stack."""
        account.fail("fsx-creation-fails")

        assert account.deploy() == STORAGE
        assert account.status(STORAGE) == "ROLLBACK_COMPLETE"
        check_failure(account, STORAGE, FILE_SYSTEM, "(HandlerErrorCode: NotStabilized)")
        assert account.client("fsx").describe_file_systems()["FileSystems"] == []
        assert len(account.client("s3").list_buckets()["Buckets"]) == 1  # that of the templates

        account.lift()

        assert account.deploy(until=STORAGE) is None
        assert account.status(STORAGE) == "CREATE_COMPLETE"

    def test_replacement(self, account):
        """A file system that can't be replaced stays, and so does the bucket with what is in it."""
        assert account.deploy(until=STORAGE) is None
        account.put_data()
        old, held = account.physical_id(STORAGE, FILE_SYSTEM), account.held()
        properties = account.properties(STORAGE, FILE_SYSTEM)
        properties["LustreConfiguration"] = {"DeploymentType": "SCRATCH_2"}
        del properties["KmsKeyId"]
        account.fail("fsx-creation-fails")

        assert account.deploy() == STORAGE
        assert account.status(STORAGE) == "UPDATE_ROLLBACK_COMPLETE"
        check_failure(account, STORAGE, FILE_SYSTEM, "is in FAILED state")
        assert account.physical_id(STORAGE, FILE_SYSTEM) == old
        assert account.held() == held

        account.lift()

        assert account.deploy(until=STORAGE) is None
        new = account.physical_id(STORAGE, FILE_SYSTEM)
        ids = {one["FileSystemId"] for one in account.client("fsx").describe_file_systems()["FileSystems"]}
        assert (new != old, ids) == (True, {old, new})
        assert {name: account.held().get(name) for name in held} == held


@pytest.mark.usefixtures("same_data")
class TestCluster:
    @pytest.fixture
    def storage(self, stands, account):
        """The same account without nodes and cluster."""
        account.delete(NODES)
        account.unprotect()
        account.delete(CLUSTER)
        assert account.client("eks").list_clusters()["clusters"] == []
        return account, stands

    @pytest.mark.parametrize(
        ("fault", "kind", "words"),
        [
            ("api-down", EKS_CLUSTER, "Status Code: 503, Error Code: ServiceUnavailableException"),
            ("access-denied", EKS_CLUSTER, "is not authorized to perform: eks:CreateCluster on resource"),
        ],
    )
    def test_no_cluster(self, storage, fault, kind, words):
        """A stack whose cluster is refused is rolled back; the storage of before is the storage of afterwards."""
        account, stands = storage
        kept = account.physical_id(STORAGE, FILE_SYSTEM)
        account.fail(fault)

        assert account.deploy() == CLUSTER
        assert account.status(CLUSTER) == "ROLLBACK_COMPLETE"
        check_failure(account, CLUSTER, kind, words)

        account.lift()

        assert account.deploy() is None
        assert account.stands() == stands
        assert (account.physical_id(STORAGE, FILE_SYSTEM), account.data()) == (kept, b"weights")

    @pytest.mark.parametrize(
        ("fault", "words"),
        [
            ("no-capacity@system", f"{NOT_LAUNCHED}InsufficientInstanceCapacity - "),
            ("access-denied@eks:CreateNodegroup", "is not authorized to perform: eks:CreateNodegroup on resource"),
        ],
    )
    def test_protected_cluster(self, storage, fault, words):
        """A cluster that is protected against deletion stands in the way back until somebody unprotects it."""
        account, stands = storage
        account.fail(fault)

        assert account.deploy() == CLUSTER
        assert account.status(CLUSTER) == "ROLLBACK_FAILED"
        assert words in account.failures(CLUSTER)[account.logical_id(CLUSTER, GROUP)]
        assert "deletion protection" in account.failures(CLUSTER)[account.logical_id(CLUSTER, EKS_CLUSTER)]

        account.lift()
        account.unprotect()

        assert account.deploy() is None
        assert account.stands() == stands
        assert account.data() == b"weights"

    def test_outage_passes(self, storage):
        """An outage ends by itself: the deploy after it needs nobody to lift the fault."""
        account, stands = storage
        account.fail("api-down")

        assert account.deploy() == CLUSTER
        assert account.services.faults.active == ()
        assert account.deploy() is None
        assert account.stands() == stands


class TestThrottling:
    def test_whole_deploy(self, stands, opened, golden):
        """With three calls in ten throttled a deploy stands as any other, since the handlers try again."""
        again = opened.emptied(golden)
        again.fail("throttling")

        assert again.deploy() is None
        assert again.services.faults.refused()["throttling"] > 60
        again.lift()
        again.put_data()
        assert again.stands() == stands


@pytest.mark.usefixtures("same_data")
class TestNodes:
    @pytest.fixture
    def without_nodes(self, stands, account):
        account.delete(NODES)
        return account, stands

    @pytest.fixture
    def with_nodes(self, stands, account):
        assert account.deploy() is None
        return account, stands

    @pytest.mark.parametrize(
        ("fault", "words"),
        [
            ("no-capacity", f"{NOT_LAUNCHED}InsufficientInstanceCapacity - We currently do not have sufficient trn1"),
            ("quota-zero@trn1", f"{NOT_LAUNCHED}VcpuLimitExceeded - You have requested more vCPU capacity than your"),
            ("nodes-unhealthy", "Issue(Code=NodeCreationFailure, Message=Instances failed to join the kubernetes"),
            ("access-denied@eks:CreateNodegroup", "is not authorized to perform: eks:CreateNodegroup on resource"),
            ("api-down@ec2", "Status Code: 503, Error Code: Unavailable"),
        ],
    )
    def test_creation(self, without_nodes, fault, words):
        """The stack of the nodes is rolled back, the others stand, and a second deploy is as good as the first."""
        account, stands = without_nodes
        kind = "AWS::EC2::PlacementGroup" if fault == "api-down@ec2" else GROUP
        account.fail(fault)

        assert account.deploy() == NODES
        assert account.status(NODES) == "ROLLBACK_COMPLETE"
        check_failure(account, NODES, kind, words)
        assert account.status(CLUSTER).endswith("CREATE_COMPLETE")

        account.lift()

        assert account.deploy() is None
        assert account.stands() == stands

    @pytest.mark.parametrize(
        ("fault", "words"),
        [
            ("reservation-not-active", "InvalidCapacityReservationState.PendingActivation - Your Capacity Block"),
            ("reservation-ended@cr-0123456789abcdef0", "ReservationCapacityExceeded - The targeted"),
        ],
    )
    def test_reservations(self, without_nodes, fault, words):
        """Nodes of a reservation that has not begun, or is over, don't start; nodes without one do."""
        account, stands = without_nodes
        target = {"CapacityReservationId": "cr-0123456789abcdef0"}
        data = account.properties(NODES, TEMPLATE)["LaunchTemplateData"]
        account.fail(fault)

        assert account.deploy() is None
        assert account.stands() == stands
        account.delete(NODES)
        data["CapacityReservationSpecification"] = {"CapacityReservationTarget": target}
        assert account.deploy() == NODES
        assert account.status(NODES) == "ROLLBACK_COMPLETE"
        check_failure(account, NODES, GROUP, NOT_LAUNCHED + words)

        account.lift()

        assert account.deploy() is None
        account.delete(NODES)

    def test_useless_nodes_are_gone(self, without_nodes):
        """What started and never joined goes with the node group when it is rolled back."""
        account, _ = without_nodes
        before = set(instances(account))
        account.fail("nodes-unhealthy")
        account.deploy()
        new = {name: state for name, state in instances(account).items() if name not in before}

        assert len(new) == 4
        assert set(new.values()) == {"terminated"}

    @pytest.mark.parametrize(
        ("fault", "words"),
        [
            ("nodes-unhealthy", "as new nodes are not joining node group trn1"),
            ("no-capacity@trn1.32xlarge", "InsufficientInstanceCapacity"),
            ("access-denied@eks:UpdateNodegroupVersion", "is not authorized to perform: eks:UpdateNodegroupVersion"),
        ],
    )
    def test_new_nodes(self, with_nodes, fault, words):
        """Nodes that can't be replaced leave the old ones in place; the next deploy replaces them."""
        account, stands = with_nodes
        (volume,) = account.properties(NODES, TEMPLATE)["LaunchTemplateData"]["BlockDeviceMappings"]
        volume["Ebs"]["VolumeSize"] += 20
        old = running(account)
        account.fail(fault)

        assert account.deploy() == NODES
        assert account.status(NODES) == "UPDATE_ROLLBACK_COMPLETE"
        check_failure(account, NODES, GROUP, words)
        assert running(account) == old
        account.lift()
        assert account.stands() == stands
        assert account.deploy() is None
        assert (len(running(account)), running(account) & old) == (len(old), set())

    def test_more_nodes(self, with_nodes):
        """A group that can't grow stays as large as it was."""
        account, stands = with_nodes
        account.properties(NODES, GROUP)["ScalingConfig"].update(DesiredSize=5, MaxSize=5)
        old = running(account)
        account.fail("quota-zero@trn1")

        assert account.deploy() == NODES
        assert account.status(NODES) == "UPDATE_ROLLBACK_COMPLETE"
        account.lift()
        assert (account.stands(), running(account)) == (stands, old)
        assert account.deploy() is None
        assert len(running(account) - old) == 1

    def test_denied_way_back(self, with_nodes):
        """What was denied at its first call was not changed, and nothing has to be changed back."""
        account, stands = with_nodes
        group = account.logical_id(NODES, GROUP)
        account.properties(NODES, GROUP)["ScalingConfig"].update(DesiredSize=5, MaxSize=5)
        account.fail(f"access-denied@{NODES}/{group}")

        assert account.deploy() == NODES
        assert account.status(NODES) == "UPDATE_ROLLBACK_COMPLETE"
        assert "is not authorized to perform" in account.failures(NODES)[group]
        account.lift()
        assert account.stands() == stands

    def test_denied_deletion(self, with_nodes):
        """A stack that can't be deleted says why, and goes when it may; what others use is not deleted at all."""
        account, _ = with_nodes
        before = account.status(CLUSTER)
        account.fail("access-denied@eks:DeleteNodegroup")

        assert account.delete(CLUSTER) == before
        assert account.delete(NODES) == "DELETE_FAILED"
        (reason,) = account.failures(NODES).values()
        assert "is not authorized to perform: eks:DeleteNodegroup" in reason
        account.lift()
        assert account.delete(NODES) in {None, "DELETE_COMPLETE"}
        assert account.deploy() is None


def instances(account) -> dict[str, str]:
    """Gives the states of the instances with Neuron devices."""
    reservations = account.client("ec2").describe_instances()["Reservations"]
    found = [one for reservation in reservations for one in reservation["Instances"]]
    return {one["InstanceId"]: one["State"]["Name"] for one in found if one["InstanceType"].startswith("trn")}


def running(account) -> set[str]:
    return {name for name, state in instances(account).items() if state == "running"}
