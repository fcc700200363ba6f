"""File systems and their data repository associations."""

import pytest
from botocore.exceptions import ClientError

LUSTRE = {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250, "EfaEnabled": "false"}


@pytest.fixture
def file_system(make, network):
    return make(
        "AWS::FSx::FileSystem",
        FileSystemType="LUSTRE",
        FileSystemTypeVersion="2.15",
        StorageCapacity="4800",
        SubnetIds=network.subnet_ids[:1],
        SecurityGroupIds=[network.group.physical_id],
        LustreConfiguration=LUSTRE,
    )


def test_attributes(file_system):
    """The mount name and the DNS name can be read."""
    assert len(file_system.attributes["LustreMountName"]) == 8
    assert file_system.attributes["DNSName"].startswith(file_system.physical_id)


def test_update_passes_on_what_differs(client, file_system, change):
    """Capacity and compression change, and members that FSx takes at creation only are not sent again."""
    change(file_system, StorageCapacity=9600, LustreConfiguration={**LUSTRE, "DataCompressionType": "LZ4"})

    (found,) = client("fsx").describe_file_systems()["FileSystems"]
    assert found["StorageCapacity"] == 9600
    assert found["LustreConfiguration"]["DataCompressionType"] == "LZ4"


def test_a_smaller_one_is_refused(client, file_system, change):
    """FSX-12: A template with a smaller capacity fails the update, and the file system stays as it was."""
    with pytest.raises(ClientError, match="must be greater"):
        change(file_system, StorageCapacity=2400)

    (found,) = client("fsx").describe_file_systems()["FileSystems"]
    assert found["StorageCapacity"] == 4800


def test_association(client, make, change, drop, file_system):
    """An association's import policy changes in place, and it goes again."""
    make("AWS::S3::Bucket", BucketName="training-data")
    association = make(
        "AWS::FSx::DataRepositoryAssociation",
        FileSystemId=file_system.physical_id,
        FileSystemPath="/data",
        DataRepositoryPath="s3://training-data",
        BatchImportMetaDataOnCreate=True,
        S3={"AutoImportPolicy": {"Events": ["NEW"]}},
    )
    change(association, S3={"AutoImportPolicy": {"Events": ["NEW", "CHANGED"]}})

    (found,) = client("fsx").describe_data_repository_associations()["Associations"]
    assert found["S3"]["AutoImportPolicy"]["Events"] == ["NEW", "CHANGED"]
    drop(association)
    drop(association)
    assert client("fsx").describe_data_repository_associations()["Associations"] == []


def test_deletion_frees_the_subnet(client, drop, network, file_system):
    """The file system's interface goes with it, so that its subnet can go."""
    drop(file_system)
    drop(network.subnets[0])

    assert client("ec2").describe_network_interfaces()["NetworkInterfaces"] == []
