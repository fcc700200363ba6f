"""Faults at the services' door, met by anybody who calls with boto3 as by CloudFormation."""

import io
import json
from datetime import timedelta
from functools import cache

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from rehearsal import clock
from rehearsal.faults import FaultError, parse
from rehearsal.faults.calls import _model

ACCOUNT, REGION = "123456789012", "us-east-2"
ANSWERED = (200, "", "")
ONCE = Config(retries={"max_attempts": 0})


@pytest.fixture
def faults(services):
    services.reset()
    return services.faults


@pytest.fixture(scope="module")
def boto(services):
    """Gives clients that try once only, as a person's own code may."""
    session = services.transport.session(REGION)
    return cache(lambda service: session.client(service, config=ONCE))


def answer(call) -> tuple[int, str, str]:
    """Gives the status, the code and the words with which a call is refused; ``ANSWERED`` where it is not."""
    try:
        call()
    except ClientError as refused:
        error = refused.response
        return error["ResponseMetadata"]["HTTPStatusCode"], error["Error"]["Code"], error["Error"]["Message"]
    return ANSWERED


def refusal(call) -> tuple[int, str, str]:
    """Gives the same of a call that is refused."""
    told = answer(call)
    assert told != ANSWERED
    return told


#: A call by each protocol, and how the service says that the caller may not.
DENIED = [
    ("ec2", "DescribeVpcs", {}, 403, "UnauthorizedOperation"),
    ("iam", "ListRoles", {}, 403, "AccessDenied"),
    ("cloudformation", "DescribeStacks", {}, 403, "AccessDenied"),
    ("fsx", "DescribeFileSystems", {}, 400, "AccessDeniedException"),
    ("kms", "ListKeys", {}, 400, "AccessDeniedException"),
    ("ssm", "GetParameter", {"Name": "x"}, 400, "AccessDeniedException"),
    ("eks", "ListClusters", {}, 403, "AccessDeniedException"),
    ("eks", "DescribeNodegroup", {"clusterName": "a", "nodegroupName": "b"}, 403, "AccessDeniedException"),
    ("scheduler", "GetSchedule", {"Name": "x"}, 403, "AccessDeniedException"),
    ("lambda", "ListFunctions", {}, 403, "AccessDeniedException"),
    ("cloudwatch", "DescribeAlarms", {}, 400, "AccessDeniedException"),
    ("s3", "ListBuckets", {}, 403, "AccessDenied"),
    ("s3", "PutObject", {"Bucket": "data", "Key": "a/b", "Body": b"\xff\xfe"}, 403, "AccessDenied"),
    ("s3", "GetBucketVersioning", {"Bucket": "data"}, 403, "AccessDenied"),
    ("s3", "GetBucketLifecycleConfiguration", {"Bucket": "data"}, 403, "AccessDenied"),
    ("s3", "GetBucketNotificationConfiguration", {"Bucket": "data"}, 403, "AccessDenied"),
    ("s3", "PutBucketNotificationConfiguration", {"Bucket": "a", "NotificationConfiguration": {}}, 403, "AccessDenied"),
]


class TestAccessDenied:
    @pytest.mark.parametrize(("service", "operation", "parameters", "status", "code"), DENIED)
    def test_one_action(self, faults, boto, service, operation, parameters, status, code):
        """The action is denied in its service's way and no other is."""
        client = boto(service)
        name = next(name for name, of in client.meta.method_to_api_mapping.items() if of == operation)
        other = "iam:CreateUser" if service == "ec2" else "ec2:CreateVpc"
        faults.add(parse(f"access-denied@{other}"))
        assert answer(lambda: getattr(client, name)(**parameters))[1] != code
        faults.add(parse(f"access-denied@{service}:{operation}"))

        told = refusal(lambda: getattr(client, name)(**parameters))

        assert told[:2] == (status, code)
        assert f"is not authorized to perform: {service}:{operation} on resource" in told[2]

    def test_after_other_calls(self, faults, boto):
        """An action is known by its request, whatever clients of S3 have called before."""
        s3 = boto("s3")
        s3.create_bucket(Bucket="first", CreateBucketConfiguration={"LocationConstraint": REGION})
        s3.put_object(Bucket="first", Key="a", Body=b"a")
        _model.cache_clear()
        faults.add(parse("access-denied@s3:CreateBucket"))
        faults.add(parse("access-denied@s3:PutObject"))

        assert refusal(lambda: s3.create_bucket(Bucket="second"))[1] == "AccessDenied"
        assert refusal(lambda: s3.put_object(Bucket="first", Key="b", Body=b"b"))[1] == "AccessDenied"

    def test_reading_is_not_writing(self, faults, boto):
        """A bucket that may not be written can still be made and read."""
        s3 = boto("s3")
        faults.add(parse("access-denied@s3:PutObject"))
        s3.create_bucket(Bucket="data", CreateBucketConfiguration={"LocationConstraint": REGION})

        assert refusal(lambda: s3.put_object(Bucket="data", Key="a", Body=b"a"))[1] == "AccessDenied"
        assert s3.list_objects_v2(Bucket="data")["KeyCount"] == 0


class TestThrottling:
    @pytest.mark.parametrize(
        ("service", "operation", "status", "code"),
        [
            ("ec2", "describe_vpcs", 503, "RequestLimitExceeded"),
            ("s3", "list_buckets", 503, "SlowDown"),
            ("eks", "list_clusters", 429, "ThrottlingException"),
            ("iam", "list_roles", 400, "Throttling"),
            ("fsx", "describe_file_systems", 400, "ThrottlingException"),
            ("lambda", "list_functions", 429, "TooManyRequestsException"),
        ],
    )
    def test_three_in_ten(self, faults, boto, service, operation, status, code):
        """Of twenty calls six are throttled, the same ones each time, and no two in a row."""
        faults.add(parse(f"throttling@{service}"))
        call = getattr(boto(service), operation)
        answers = [answer(call)[:2] for _ in range(20)]

        assert "".join("+" if one == ANSWERED[:2] else "-" for one in answers) == "-++-++-+++" * 2
        assert set(answers) == {ANSWERED[:2], (status, code)}
        assert faults.refused() == {f"throttling@{service}": 6}

    def test_one_service(self, faults, boto):
        """Another service's calls are neither throttled nor counted."""
        faults.add(parse("throttling@ec2"))

        assert [boto("eks").list_clusters()["clusters"] for _ in range(10)] == [[]] * 10

    def test_handlers_do_not_wait(self, faults, services, monkeypatch):
        """What the engine calls is tried again at once, however often a real handler would wait."""
        waits = []
        client = services.transport.client("eks", ACCOUNT, REGION)
        monkeypatch.setattr("botocore.endpoint.time.sleep", waits.append)
        faults.add(parse("throttling@eks"))

        assert [client.list_clusters()["clusters"] for _ in range(14)] == [[]] * 14
        assert len(waits) == 6
        assert set(waits) == {0}


class TestOutage:
    def test_ends_by_calls(self, faults, boto):
        """After one operation with its five attempts the minute is over."""
        faults.add(parse("api-down"))
        client = boto("eks")

        for _ in range(5):
            assert refusal(client.list_clusters)[:2] == (503, "ServiceUnavailableException")
        assert client.list_clusters()["clusters"] == []
        assert faults.active == ()

    def test_ends_by_the_clock(self, faults, boto):
        """A minute of the rehearsal's clock ends it too, counted from its first refusal."""
        faults.add(parse("api-down"))
        clock.advance_to(clock.now() + timedelta(hours=1))
        client = boto("eks")
        refusal(client.list_clusters)
        clock.advance_to(clock.now() + timedelta(seconds=59))
        refusal(client.list_clusters)
        clock.advance_to(clock.now() + timedelta(seconds=2))

        assert client.list_clusters()["clusters"] == []

    def test_one_service(self, faults, boto):
        """The other services are up."""
        faults.add(parse("api-down@fsx"))

        assert boto("eks").list_clusters()["clusters"] == []
        assert refusal(boto("fsx").describe_file_systems)[0] == 503


class TestInstances:
    @pytest.mark.parametrize(
        ("fault", "instance_type", "code"),
        [
            ("no-capacity", "trn1.32xlarge", "InsufficientInstanceCapacity"),
            ("no-capacity@t3.medium", "t3.medium", "InsufficientInstanceCapacity"),
            ("quota-zero", "trn1.2xlarge", "VcpuLimitExceeded"),
        ],
    )
    def test_start_of_one(self, faults, boto, fault, instance_type, code):
        """RunInstances is refused as a node group's launches are."""
        ec2 = boto("ec2")
        asked = {"MinCount": 1, "MaxCount": 1, "ImageId": "ami-12345678"}
        faults.add(parse(fault))

        assert refusal(lambda: ec2.run_instances(InstanceType=instance_type, **asked))[1] == code
        assert len(ec2.run_instances(InstanceType="m5.large", **asked)["Instances"]) == 1


class TestFaults:
    def test_lifted(self, faults, boto):
        """A fault that is lifted is gone, and the others are not."""
        faults.add(parse("access-denied@eks:ListClusters"))
        faults.add(parse("access-denied@ec2:DescribeVpcs"))
        faults.lift(parse("access-denied@eks:ListClusters"))

        assert boto("eks").list_clusters()["clusters"] == []
        assert refusal(boto("ec2").describe_vpcs)[1] == "UnauthorizedOperation"

    def test_unknown_is_not_lifted(self, faults):
        """Who lifts what is not in force is told."""
        with pytest.raises(FaultError, match="throttling is not in force"):
            faults.lift(parse("throttling"))

    def test_reset(self, faults, services):
        """An AWS that is emptied has no faults left."""
        faults.add(parse("throttling"))
        services.reset()

        assert faults.active == ()


class TestControl:
    @pytest.fixture
    def ask(self, services):
        """Asks the server about its faults; gives the status and what it says."""

        def ask(method, body=b"", path="/_rehearsal/faults", **headers: str) -> tuple[str, dict]:
            statuses: list[str] = []
            environ = unsigned(method, path, body) | headers
            answer = b"".join(services.application(environ, lambda status, _: statuses.append(status)))
            return statuses[0], json.loads(answer)

        return ask

    def test_set_and_lifted(self, faults, ask, boto):
        """PUT lets faults be in force and no others, GET tells them, DELETE lifts all."""
        asked = json.dumps({"faults": ["throttling@ec2", "access-denied@eks:ListClusters"]}).encode()

        assert ask("PUT", asked) == (
            "200 OK",
            {
                "faults": ["throttling@ec2", "access-denied@eks:ListClusters"],
                "refused": {"throttling@ec2": 0, "access-denied@eks:ListClusters": 0},
            },
        )
        assert faults.active == (parse("throttling@ec2"), parse("access-denied@eks:ListClusters"))
        refusal(boto("eks").list_clusters)
        assert ask("GET")[1]["refused"]["access-denied@eks:ListClusters"] == 1
        assert ask("PUT", b'{"faults": ["api-down"]}')[1]["faults"] == ["api-down@eks"]
        assert ask("DELETE") == ("200 OK", {"faults": [], "refused": {}})

    @pytest.mark.parametrize(
        ("method", "body", "told"),
        [
            ("PUT", b'{"faults": ["nothing"]}', "there is no fault 'nothing'"),
            ("PUT", b'{"faults": ["cli-killed"]}', "--scenario faults --fault cli-killed"),
            ("PUT", b"{", "the body is no JSON"),
            ("PUT", b'["throttling"]', "the body should be"),
            ("PATCH", b"", "takes GET, PUT and DELETE, not PATCH"),
        ],
    )
    def test_refused(self, ask, faults, method, body, told):
        """What can't be done is refused in words, and what was in force stays."""
        faults.add(parse("throttling"))
        status, answer = ask(method, body)

        assert status == "400 Bad Request"
        assert told in answer["message"]
        assert faults.active == (parse("throttling"),)


def unsigned(method, path, body) -> dict:
    """Gives a WSGI request that nobody has signed."""
    return {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "HTTP_HOST": "127.0.0.1",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    }
