"""The domains under which the services of each partition are.

Source: botocore, data/endpoints.json, ``dnsSuffix`` of each partition; CloudFormation template reference, "Pseudo
parameters reference", ``AWS::URLSuffix``.
"""

_SUFFIXES = {
    "aws-cn": "amazonaws.com.cn",
    "aws-iso": "c2s.ic.gov",
    "aws-iso-b": "sc2s.sgov.gov",
    "aws-iso-e": "cloud.adc-e.uk",
    "aws-iso-f": "csp.hci.ic.gov",
    "aws-eusc": "amazonaws.eu",
}


def url_suffix(partition: str) -> str:
    """Gives the domain of a partition's services, such as ``amazonaws.com``."""
    return _SUFFIXES.get(partition, "amazonaws.com")
