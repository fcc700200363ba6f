"""Under which names a bucket answers.

Source: CloudFormation user guide, AWS::S3::Bucket, return values; AWS General Reference, "Amazon S3 endpoints and
quotas"; botocore, data/endpoints.json, ``dnsSuffix`` of each partition; aws-cdk-lib, region-info/lib/aws-entities.js:
the website endpoints of the nine oldest regions have a dash.
"""

from typing import Any

_SUFFIXES = {
    "aws-cn": "amazonaws.com.cn",
    "aws-iso": "c2s.ic.gov",
    "aws-iso-b": "sc2s.sgov.gov",
    "aws-iso-e": "cloud.adc-e.uk",
    "aws-iso-f": "csp.hci.ic.gov",
    "aws-eusc": "amazonaws.eu",
}
_SUFFIX = "amazonaws.com"
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
    suffix = _SUFFIXES.get(partition, _SUFFIX)
    dash = "-" if region in _DASHED else "."
    return {
        "Arn": f"arn:{partition}:s3:::{name}",
        "DomainName": f"{name}.s3.{suffix}",
        "RegionalDomainName": f"{name}.s3.{region}.{suffix}",
        "DualStackDomainName": f"{name}.s3.dualstack.{region}.{suffix}",
        "WebsiteURL": f"http://{name}.s3-website{dash}{region}.{suffix}",
    }
