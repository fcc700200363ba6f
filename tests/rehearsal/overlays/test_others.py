"""FSx, CloudTrail, and which services have overlays."""

import pytest
from botocore.exceptions import ClientError

from rehearsal.overlays import overlay_for


def test_overlay_for():
    """A service without an overlay is left to moto."""
    assert overlay_for("s3") is None
    assert overlay_for("eks").__mro__[-2].__module__.startswith("moto")


def test_no_events(client):
    """CloudTrail's history is empty, and asking for it is no error."""
    assert client("cloudtrail").lookup_events()["Events"] == []


class TestFsx:
    @pytest.fixture
    def fsx(self, client):
        return client("fsx")

    @pytest.fixture
    def file_system(self, fsx, network):
        answer = fsx.create_file_system(
            FileSystemType="LUSTRE",
            StorageCapacity=4800,
            SubnetIds=network.subnet_ids[:1],
            SecurityGroupIds=[network.group.physical_id],
            LustreConfiguration={"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
        )
        return answer["FileSystem"]

    def test_answer_in_full(self, client, network, file_system):
        """The answer has what moto leaves out, and the interface stands in EC2."""
        assert file_system["Lifecycle"] == "AVAILABLE"
        assert file_system["VpcId"] == network.vpc.physical_id
        (interface,) = client("ec2").describe_network_interfaces()["NetworkInterfaces"]
        assert file_system["NetworkInterfaceIds"] == [interface["NetworkInterfaceId"]]
        assert interface["Groups"][0]["GroupId"] == network.group.physical_id

    def test_scratch_mounts_as_fsx(self, fsx, network):
        """The first generation's mount name is fsx."""
        answer = fsx.create_file_system(FileSystemType="LUSTRE", StorageCapacity=1200, SubnetIds=network.subnet_ids[:1])

        assert answer["FileSystem"]["LustreConfiguration"]["MountName"] == "fsx"

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"SubnetIds": ["subnet-00000000"]}, "subnet ID 'subnet-00000000' does not exist"),
            ({"SubnetIds": []}, "exactly one subnet"),
            ({"SecurityGroupIds": ["sg-00000000"]}, "security group ID 'sg-00000000' does not exist"),
        ],
    )
    def test_missing_network(self, fsx, network, changed, message):
        """A subnet or a group that doesn't stand is refused."""
        request = {"FileSystemType": "LUSTRE", "StorageCapacity": 1200, "SubnetIds": network.subnet_ids[:1]}

        with pytest.raises(ClientError, match=message):
            fsx.create_file_system(**{**request, **changed})

    def test_capacity_only_grows(self, fsx, file_system):
        """FSX-12: A smaller capacity is refused, and so is the same one again."""
        for capacity in (2400, 4800):
            with pytest.raises(ClientError, match="must be greater than the current 4800 GiB"):
                fsx.update_file_system(FileSystemId=file_system["FileSystemId"], StorageCapacity=capacity)

    def test_unknown(self, fsx):
        """An unknown file system is an error."""
        with pytest.raises(ClientError, match="FileSystemNotFound"):
            fsx.describe_file_systems(FileSystemIds=["fs-01234567"])

    def test_paths_of_associations_do_not_overlap(self, fsx, file_system):
        """Two associations can't share a part of the file system."""
        association = {"FileSystemId": file_system["FileSystemId"], "DataRepositoryPath": "s3://training-data"}
        fsx.create_data_repository_association(**association, FileSystemPath="/data")
        fsx.create_data_repository_association(**association, FileSystemPath="/data2")

        with pytest.raises(ClientError, match="overlaps"):
            fsx.create_data_repository_association(**association, FileSystemPath="/data/train")
