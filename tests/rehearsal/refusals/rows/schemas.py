"""What CloudFormation refuses by a type's own schema, before it calls anybody."""

from tests.rehearsal.refusals.bases import cluster, network, node_group, trust
from tests.rehearsal.refusals.harness import Resources, Row, changed, resource

_KEY_POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"AWS": "arn:aws:iam::123456789012:root"},
            "Action": "kms:*",
            "Resource": "*",
        }
    ],
}
_ROLE = {"Role": resource("AWS::IAM::Role", AssumeRolePolicyDocument=trust("ec2.amazonaws.com"))}
_KEY = {"Key": resource("AWS::KMS::Key", KeyPolicy=_KEY_POLICY)}
_LOGS = {"Logs": resource("AWS::Logs::LogGroup", RetentionInDays=30)}
_BUCKET = {"Bucket": resource("AWS::S3::Bucket")}


def row(
    name: str,
    good: Resources,
    refused: str,
    words: str,
    *,
    uncounted: str = "",
    update: bool = False,
    **mistake: object,
) -> Row:
    """Gives a row whose mistake is the properties of one resource."""
    return Row(
        name=name,
        good=good,
        bad=changed(good, refused, **mistake),
        refused=refused,
        code="VALIDATION_FAILED",
        words=f"Properties validation failed for resource {refused} with message: {words}",
        source=f"{good[refused]['Type']}'s schema; words: aws-cloudformation/cloudformation-resource-schema, "
        "ValidationException and the validator behind it",
        uncounted=uncounted,
        update=update,
    )


ROWS = (
    row(
        "schema-ami-type-unknown",
        node_group(),
        "Nodes",
        "#/AmiType: failed validation constraint for keyword [enum]",
        AmiType="AL2023_x86_64_TRAINIUM",
    ),
    row(
        "schema-no-node-at-most",
        node_group(),
        "Nodes",
        "#/ScalingConfig/MaxSize: failed validation constraint for keyword [minimum]",
        ScalingConfig={"MinSize": 0, "DesiredSize": 0, "MaxSize": 0},
        uncounted="botocore refuses it too",
    ),
    row(
        "schema-cluster-name",
        cluster(),
        "Cluster",
        "#/Name: failed validation constraint for keyword [pattern]",
        Name="_bad name",
    ),
    row(
        "schema-session-of-thirteen-hours",
        _ROLE,
        "Role",
        "#/MaxSessionDuration: failed validation constraint for keyword [maximum]",
        MaxSessionDuration=46_800,
    ),
    row(
        "schema-key-pending-three-days",
        _KEY,
        "Key",
        "#/PendingWindowInDays: failed validation constraint for keyword [minimum]",
        PendingWindowInDays="3",
    ),
    row(
        "schema-group-description",
        network(),
        "Group",
        "#/GroupDescription: failed validation constraint for keyword [pattern]",
        GroupDescription="gröup",
    ),
    row(
        "schema-retention-of-42-days",
        _LOGS,
        "Logs",
        "#/RetentionInDays: failed validation constraint for keyword [enum]",
        RetentionInDays=42,
    ),
    row(
        "schema-retention-changed-to-42-days",
        _LOGS,
        "Logs",
        "#/RetentionInDays: failed validation constraint for keyword [enum]",
        RetentionInDays=42,
        update=True,
    ),
    row(
        "schema-tenancy",
        network(),
        "Vpc",
        "#/InstanceTenancy: failed validation constraint for keyword [enum]",
        InstanceTenancy="shared",
    ),
    row(
        "schema-bucket-name",
        _BUCKET,
        "Bucket",
        "#/BucketName: failed validation constraint for keyword [pattern]",
        BucketName="Not-Valid",
    ),
    row(
        "schema-placement-strategy",
        {"Placement": resource("AWS::EC2::PlacementGroup", Strategy="cluster")},
        "Placement",
        "#/Strategy: failed validation constraint for keyword [enum]",
        Strategy="circle",
        uncounted="placement groups",
    ),
)
