"""Values and keys that look right and are not, found in real files."""

import pytest

from trnstack.findings import InvalidEnvironmentError

BASE = "arn:aws:iam::111122223333:role/"


def finding_of(environment, **sections):
    with pytest.raises(InvalidEnvironmentError) as refused:
        environment(**sections)
    (finding,) = refused.value.findings
    return finding


@pytest.mark.parametrize("key", ["starts_at", "ends_at"])
def test_key_of_another_type(environment, key):
    """A block's key in a reservation is known, only not there: nobody is asked whether he meant what he wrote."""
    capacity = {
        "type": "capacity_reservation",
        "capacity_reservation_id": "cr-0123456789abcdef0",
        "instance_count": 2,
        "availability_zone_id": "use2-az3",
        key: "x",
    }
    finding = finding_of(environment, node_group={"capacity": capacity})

    assert finding.message == f"key '{key}' belongs to another type than the one that is given here"
    assert "did you mean" not in finding.hint


@pytest.mark.parametrize("role", ["a//b", "a/", "/a", "r" * 65])
def test_roles_that_iam_has_not(environment, role):
    """A role's name has 1 to 64 characters, and its path no empty part."""
    assert finding_of(environment, eks={"admin_role_arns": [BASE + role]}).code == "SPEC008"


@pytest.mark.parametrize(
    "role", ["a", "ops/a", "r" * 64, "aws-reserved/sso.amazonaws.com/us-west-2/AWSReservedSSO_Admin_0123456789abcdef"]
)
def test_roles_that_iam_has(environment, role):
    """Paths are fine, those of IAM Identity Center among them."""
    assert environment(eks={"admin_role_arns": [BASE + role]})


@pytest.mark.parametrize("prefix", ["//mirror", "/mi..-", "/-mirror", "/mirror/"])
def test_mirrors_that_ecr_has_not(environment, prefix):
    """A repository's name has parts that start and end with a letter or digit."""
    mirror = f"111122223333.dkr.ecr.us-east-2.amazonaws.com{prefix}"
    assert finding_of(environment, network={"image_mirror": mirror}).code == "SPEC008"


@pytest.mark.parametrize(
    "prefix", ["/runs", "runs//a", "*", "runs/a*", "runs/?", "${aws:username}", "s3://x", "r" * 901]
)
def test_prefixes_that_jobs_can_not_have(environment, prefix):
    """A leading slash names nothing, and what a policy takes for a pattern or a variable names more than is meant."""
    finding = finding_of(environment, checkpoints={"job_prefixes": ["evaluations", prefix]})

    assert finding.code == "SPEC008"
    assert finding.path == ("storage", "checkpoints", "job_prefixes", 1)


@pytest.mark.parametrize("prefix", ["*", "runs/a*"])
@pytest.mark.parametrize("part", ["datasets", "lustre"])
def test_prefixes_that_jobs_get(environment, part, prefix):
    """What is linked, and what of a dataset is read, goes into the policy of the jobs' role as well."""
    dataset = {"name": "c4", "bucket_name": "some-datasets", "prefix": prefix}
    sections = {
        "datasets": [dataset],
        "lustre": {"data_repository_associations": [{"file_system_path": "/a", "prefix": prefix}]},
    }
    finding = finding_of(environment, **{part: sections[part]})

    assert finding.code == "SPEC008"
    assert finding.path[-1] == "prefix"


@pytest.mark.parametrize("prefix", ["", "runs", "runs/", "runs/llama3_8b", "r" * 900])
def test_prefixes_that_jobs_can_have(environment, prefix):
    """With and without a slash at the end; the empty one is all of the bucket."""
    assert environment(checkpoints={"job_prefixes": [prefix]})
