"""Systems Manager's public parameters of EKS's AMIs."""

import json

import pytest
from botocore.exceptions import ClientError

PATH = "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/neuron"
NAME = "amazon-eks-node-al2023-x86_64-neuron-1.35-v20260625"


@pytest.fixture
def ssm(client):
    return client("ssm")


class TestGetParameter:
    def test_of_a_release(self, client, ssm):
        """A release's parameters name the AMI that EC2 has, its name, and its release version."""
        (image,) = client("ec2").describe_images(Filters=[{"Name": "name", "Values": [NAME]}])["Images"]
        found = {
            member: ssm.get_parameter(Name=f"{PATH}/{NAME}/{member}")["Parameter"]["Value"]
            for member in ("image_id", "image_name", "release_version")
        }

        assert found == {"image_id": image["ImageId"], "image_name": NAME, "release_version": "1.35.6-20260625"}

    def test_recommended(self, ssm):
        """The bare name answers in JSON what the names below it answer one by one."""
        parameter = ssm.get_parameter(Name=f"{PATH}/recommended")["Parameter"]
        value = json.loads(parameter["Value"])

        assert value["schema_version"] == "2"
        for member in ("image_id", "image_name", "release_version"):
            assert ssm.get_parameter(Name=f"{PATH}/recommended/{member}")["Parameter"]["Value"] == value[member]
        assert parameter["ARN"] == f"arn:aws:ssm:us-east-2::parameter{PATH}/recommended"

    @pytest.mark.parametrize(
        "name",
        [
            f"{PATH}/{NAME.replace('20260625', '20260626')}/image_id",
            f"{PATH}/{NAME}/owner",
            f"{PATH.replace('1.35', '1.20')}/recommended/image_id",
            "/mine",
        ],
    )
    def test_unknown(self, ssm, name):
        """A release that there never was has no parameter."""
        with pytest.raises(ClientError, match="ParameterNotFound"):
            ssm.get_parameter(Name=name)

    def test_others_are_motos(self, ssm):
        """Parameters of one's own are as they were."""
        ssm.put_parameter(Name="/mine", Type="String", Value="1")

        assert ssm.get_parameter(Name="/mine")["Parameter"]["Value"] == "1"


class TestGetParameters:
    def test_mixed(self, ssm):
        """Public and own parameters come in one answer, and names that nobody has are listed as invalid."""
        ssm.put_parameter(Name="/mine", Type="String", Value="1")
        answer = ssm.get_parameters(Names=["/mine", f"{PATH}/{NAME}/image_id", f"{PATH}/x", "/y"])

        assert {one["Name"] for one in answer["Parameters"]} == {"/mine", f"{PATH}/{NAME}/image_id"}
        assert sorted(answer["InvalidParameters"]) == [f"{PATH}/x", "/y"]

    def test_eleven_names(self, ssm):
        """Ten names are answered, eleven are refused."""
        names = [f"/{number}" for number in range(11)]

        assert len(ssm.get_parameters(Names=names[:10])["InvalidParameters"]) == 10
        with pytest.raises(ClientError, match=r"ValidationException.*less than or equal to 10"):
            ssm.get_parameters(Names=names)


class TestGetParametersByPath:
    def test_pages(self, ssm):
        """All parameters of a variant come by pages of ten."""
        pages = list(ssm.get_paginator("get_parameters_by_path").paginate(Path=PATH, Recursive=True))
        names = [parameter["Name"] for page in pages for parameter in page["Parameters"]]

        assert all(len(page["Parameters"]) <= 10 for page in pages)
        assert len(names) == len(set(names))
        assert f"{PATH}/{NAME}/image_id" in names
        assert f"{PATH}/recommended" in names

    def test_one_level(self, ssm):
        """Without recursion only what lies directly below is answered."""
        names = [one["Name"] for one in ssm.get_parameters_by_path(Path=f"{PATH}/recommended/")["Parameters"]]

        assert names == [f"{PATH}/recommended/{name}" for name in ("image_id", "image_name", "release_version")]
        assert [one["Name"] for one in ssm.get_parameters_by_path(Path=PATH)["Parameters"]] == [f"{PATH}/recommended"]

    def test_others_are_motos(self, ssm):
        """Paths of one's own are as they were."""
        ssm.put_parameter(Name="/mine/a", Type="String", Value="1")

        assert [one["Name"] for one in ssm.get_parameters_by_path(Path="/mine")["Parameters"]] == ["/mine/a"]


@pytest.mark.usefixtures("published_lock")
def test_a_lock_is_newer(ssm):
    """What a lock publishes beside the tables is recommended, with the lock's id."""
    name = f"{PATH.replace('1.35', '1.34')}/recommended/image_id"

    assert ssm.get_parameter(Name=name)["Parameter"]["Value"] == "ami-0123456789abcdef0"
