"""Functions and layers of Lambda, and what Lambda refuses of them."""

import pytest
from botocore.exceptions import ClientError

from rehearsal.handlers.base import ResourceError
from rehearsal.overlays.awslambda import functions
from tests.rehearsal.assets import zipped

TRUST = {
    "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}]
}
CODE = {"S3Bucket": "code", "S3Key": "code.zip"}


@pytest.fixture
def role(make, client):
    """A role that Lambda may take; the bucket with the code stands beside it."""
    s3 = client("s3")
    s3.create_bucket(Bucket="code", CreateBucketConfiguration={"LocationConstraint": "us-east-2"})
    s3.put_object(Bucket="code", Key="code.zip", Body=zipped({"index.py": "x" * 90}))
    s3.put_object(Bucket="code", Key="text.zip", Body=b"no archive")
    policy = "arn:aws:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole"
    made = make("AWS::IAM::Role", "Role", AssumeRolePolicyDocument=TRUST, ManagedPolicyArns=[policy])
    return made.attributes["Arn"]


@pytest.fixture
def function(make, role):
    """Makes a function."""

    def build(**properties: object):
        given = {"Code": CODE, "Handler": "index.handler", "Runtime": "python3.13", "Role": role, **properties}
        return make("AWS::Lambda::Function", "Function", **given)

    return build


def configuration(client, made):
    return client("lambda").get_function_configuration(FunctionName=made.physical_id)


class TestFunction:
    def test_made(self, client, function):
        """A function has the settings of its template, a generated name, and the stack's tags."""
        made = function(MemorySize=1024, Timeout=900, Environment={"Variables": {"A": "1"}})
        found = configuration(client, made)

        assert made.physical_id.startswith("demo-Function-")
        assert made.attributes["Arn"] == found["FunctionArn"]
        assert (found["MemorySize"], found["Timeout"], found["Environment"]) == (1024, 900, {"Variables": {"A": "1"}})
        assert client("lambda").list_tags(Resource=made.attributes["Arn"])["Tags"]["team"] == "ml"

    def test_changed(self, client, function, change):
        """Code, settings and concurrency change in place; what is taken out gets its default."""
        made = function(MemorySize=1024, ReservedConcurrentExecutions=2)
        before = configuration(client, made)["CodeSha256"]
        client("s3").put_object(Bucket="code", Key="new.zip", Body=zipped({"index.py": "new"}))
        change(made, Code={**CODE, "S3Key": "new.zip"}, MemorySize=None, Timeout=60, ReservedConcurrentExecutions=None)
        found = configuration(client, made)

        assert found["CodeSha256"] != before
        assert (found["MemorySize"], found["Timeout"]) == (128, 60)
        assert "Concurrency" not in client("lambda").get_function(FunctionName=made.physical_id)

    def test_unknown_property(self, function):
        """A property that Lambda does not have is refused by its name."""
        with pytest.raises(ResourceError, match="does not model property MemorySiez"):
            function(MemorySiez=128)

    def test_deleted(self, client, function, drop):
        """A deleted function is gone, and deleting it again is no failure."""
        made = function()
        drop(made)
        drop(made)

        assert client("lambda").list_functions()["Functions"] == []

    def test_may_not_make_interfaces(self, make, network, function):
        """In a VPC the role has to be allowed to make interfaces."""
        role = make("AWS::IAM::Role", "Poor", AssumeRolePolicyDocument=TRUST).attributes["Arn"]
        vpc = {"SubnetIds": network.subnet_ids, "SecurityGroupIds": [network.group.physical_id]}

        with pytest.raises(ClientError, match="does not have permissions to call CreateNetworkInterface on EC2"):
            function(Role=role, VpcConfig=vpc)

    def test_interfaces(self, client, network, function, drop):
        """A function in a VPC has an interface in each subnet, which keeps the subnet as long as it is there."""
        made = function(VpcConfig={"SubnetIds": network.subnet_ids, "SecurityGroupIds": [network.group.physical_id]})

        with pytest.raises(ClientError, match="DependencyViolation"):
            client("ec2").delete_subnet(SubnetId=network.subnet_ids[0])
        drop(made)
        client("ec2").delete_subnet(SubnetId=network.subnet_ids[0])

    @pytest.mark.parametrize(
        ("properties", "says"),
        [
            ({"Code": {**CODE, "S3Key": "gone.zip"}}, "The specified key does not exist: gone.zip"),
            ({"Code": {**CODE, "S3Bucket": "gone"}}, "The specified key does not exist"),
            ({"Code": {**CODE, "S3Key": "text.zip"}}, "Could not unzip uploaded file"),
            ({"Code": {"ImageUri": "example.com/x:1"}}, "that is not in S3"),
            ({"Runtime": "python2.6"}, "Value python2.6 at 'runtime' failed"),
            ({"MemorySize": 64}, "MemorySize, value: 64, valid min value: 128"),
            ({"MemorySize": 10241}, "less than or equal to 10240"),
            ({"Timeout": 901}, "'Timeout' value failed .* less than or equal to 900"),
            ({"Layers": ["arn:aws:lambda:us-east-2:123456789012:layer:x:1"] * 6}, "more than 5 layers"),
            ({"Layers": ["layer"]}, "Layer version ARN layer is not one"),
            ({"Layers": ["arn:aws:lambda:us-east-2:123456789012:layer:gone:1"]}, "does not exist"),
            ({"VpcConfig": {"SubnetIds": ["subnet-1"], "SecurityGroupIds": []}}, "Both SubnetIds and SecurityGroupIds"),
            ({"VpcConfig": {"SubnetIds": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}}, "InvalidSubnetID.NotFound"),
        ],
    )
    def test_refused(self, function, properties, says):
        """What AWS would not take is refused in its words."""
        with pytest.raises((ClientError, ResourceError), match=says):
            function(**properties)

    def test_security_group_is_missing(self, network, function):
        """A security group has to be there."""
        with pytest.raises(ClientError, match=r"InvalidGroup\.NotFound\. sg-1"):
            function(VpcConfig={"SubnetIds": network.subnet_ids, "SecurityGroupIds": ["sg-1"]})

    @pytest.mark.parametrize("known", [True, False])
    def test_role(self, network, function, known):
        """A role that Lambda may not take, and one that is not there, are refused."""
        role = network.role_arn if known else "arn:aws:iam::123456789012:role/gone"

        with pytest.raises(ClientError, match="cannot be assumed by Lambda"):
            function(Role=role)


class TestEventInvokeConfig:
    @pytest.fixture
    def config(self, make, function):
        """What becomes of a function's events."""
        return make(
            "AWS::Lambda::EventInvokeConfig",
            FunctionName=function().physical_id,
            Qualifier="$LATEST",
            MaximumRetryAttempts=0,
            MaximumEventAgeInSeconds=960,
        )

    def found(self, client, config):
        """Returns what Lambda says of a function's events."""
        name = config.physical_id.partition("|")[0]
        return client("lambda").get_function_event_invoke_config(FunctionName=name, Qualifier="$LATEST")

    def test_made(self, client, config):
        """It is known by the function and the version."""
        found = self.found(client, config)

        assert config.physical_id.endswith("|$LATEST")
        assert (found["MaximumRetryAttempts"], found["MaximumEventAgeInSeconds"]) == (0, 960)

    def test_changed(self, client, config, change):
        """What is not changed stays as it is, and what is taken out has its default."""
        change(config, MaximumEventAgeInSeconds=60)
        found = self.found(client, config)
        assert (found["MaximumRetryAttempts"], found["MaximumEventAgeInSeconds"]) == (0, 60)
        change(config, MaximumEventAgeInSeconds=None)

        assert "MaximumEventAgeInSeconds" not in self.found(client, config)

    def test_deleted(self, client, config, drop):
        """Without it the function's events have the defaults again."""
        drop(config)

        with pytest.raises(ClientError, match="ResourceNotFound"):
            self.found(client, config)


class TestLayer:
    @pytest.fixture
    def layer(self, make, request):
        """A layer of the same archive as the function."""
        request.getfixturevalue("role")
        return make("AWS::Lambda::LayerVersion", "Layer", Content=CODE, LicenseInfo="Apache-2.0")

    def test_made(self, client, layer):
        """A layer version is known by its ARN, and has a generated name."""
        (found,) = client("lambda").list_layers()["Layers"]

        assert (
            layer.physical_id
            == found["LatestMatchingVersion"]["LayerVersionArn"]
            == layer.attributes["LayerVersionArn"]
        )
        assert found["LayerName"].startswith("demo-Layer-")

    def test_used(self, client, layer, function, drop):
        """A function uses it; deleted, it is gone for others."""
        made = function(Layers=[layer.physical_id])
        assert [each["Arn"] for each in configuration(client, made)["Layers"]] == [layer.physical_id]
        drop(layer)

        assert client("lambda").list_layers()["Layers"] == []

    def test_too_large(self, layer, function, monkeypatch):
        """Code and layers together, unzipped, have a limit."""
        monkeypatch.setattr(functions, "LARGEST_BYTES", 179)

        with pytest.raises(ClientError, match=r"the maximum allowed size of 179 bytes\. The actual size is 180"):
            function(Layers=[layer.physical_id])

    def test_no_archive(self, make, role):
        """What is no archive is refused."""
        assert role
        with pytest.raises(ClientError, match="Could not unzip uploaded file"):
            make("AWS::Lambda::LayerVersion", Content={**CODE, "S3Key": "text.zip"})
