"""Under which names a bucket answers.

Source: CloudFormation user guide, AWS::S3::Bucket, return values; AWS General Reference, "Amazon S3 endpoints and
quotas"; aws-cdk-lib, region-info/lib/aws-entities.js: the website endpoints of the nine oldest regions have a dash.
"""

from typing import Any

from rehearsal.partitions import url_suffix

_DASHED = frozenset(
    {
        "ap-northeast-1",
        "ap-southeast-1",
        "ap-southeast-2",
        "eu-west-1",
        "sa-east-1",
        "us-east-1",
        "us-gov-west-1",
        "us-west-1",
        "us-west-2",
    }
)


def bucket_attributes(name: str, *, partition: str, region: str) -> dict[str, Any]:
    """Gives what ``Fn::GetAtt`` gives of a bucket.

    Args:
        name: The bucket's name.
        partition: The partition of its region.
        region: The region.
    """
    suffix = url_suffix(partition)
    dash = "-" if region in _DASHED else "."
    return {
        "Arn": f"arn:{partition}:s3:::{name}",
        "DomainName": f"{name}.s3.{suffix}",
        "RegionalDomainName": f"{name}.s3.{region}.{suffix}",
        "DualStackDomainName": f"{name}.s3.dualstack.{region}.{suffix}",
        "WebsiteURL": f"http://{name}.s3-website{dash}{region}.{suffix}",
    }
