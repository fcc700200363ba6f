"""What EC2, EKS and FSx refuse of tags."""

from collections.abc import Iterator
from typing import Any

from tests.rehearsal.refusals.bases import cluster, internet, launch_template, network, node_group
from tests.rehearsal.refusals.harness import Resources, Row, changed, ref, resource
from tests.rehearsal.refusals.rows.fsx import file_system

_INVALID, _EKS, _BAD = "InvalidParameterValue", "InvalidParameterException", "BadRequest"
_UNCONFIRMED = "the words are unconfirmed"
_TWICE = "cloud-custodian/cloud-custodian issue 3792; scylladb/scylla-cluster-tests issue 1532"
_RESERVED = "kubernetes-sigs/cluster-api-provider-aws issue 5120 and pull request 5461"
_LONG = "iriusrisk/GoCD-EC2-Elastic-Agent-Plugin issue 24; EC2 user guide, tag restrictions"
_MANY = "EC2 API reference, error codes, TagLimitExceeded; getmoto/moto pull request 8150"
_SAYS_TWICE, _SAYS_RESERVED = "Duplicate tag key 'team' specified.", "Value ( aws:team ) for parameter key is invalid."


def tags(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    """Gives tags as templates list them."""
    return [{"Key": key, "Value": value} for key, value in pairs]


def many(count: int) -> list[dict[str, str]]:
    """Gives as many tags."""
    return tags(*((f"team-{number}", "ml") for number in range(count)))


_GOOD = tags(("team", "ml"), ("Team", "ml"))
_TWO, _AWS = tags(("team", "ml"), ("team", "it")), tags(("aws:team", "ml"))


def vpc(given: list[dict[str, str]]) -> Resources:
    """A VPC with tags."""
    return {"Vpc": resource("AWS::EC2::VPC", CidrBlock="10.94.0.0/16", Tags=given)}


def carriers() -> Iterator[tuple[str, Resources, str]]:
    """Yields types of EC2 that carry tags: a name, a good template, and the logical id of what carries them."""
    gateways = internet()
    table = {**network(), "Table": resource("AWS::EC2::RouteTable", VpcId=ref("Vpc"))}
    address = {"Address": resource("AWS::EC2::EIP", Domain="vpc")}
    yield "subnet", network(), "SubnetA"
    yield "security-group", network(), "Group"
    yield "internet-gateway", gateways, "Gateway"
    yield "route-table", table, "Table"
    yield "address", address, "Address"
    yield "nat-gateway", private_nat(), "Nat"
    yield "endpoint", endpoint(), "Endpoint"
    yield "placement-group", {"Placement": resource("AWS::EC2::PlacementGroup", Strategy="cluster")}, "Placement"


def private_nat() -> Resources:
    """A private NAT gateway."""
    return {
        **network(),
        "Nat": resource("AWS::EC2::NatGateway", SubnetId=ref("SubnetA"), ConnectivityType="private"),
    }


def endpoint() -> Resources:
    """A gateway endpoint of S3."""
    made = {"VpcId": ref("Vpc"), "ServiceName": "com.amazonaws.us-east-2.s3", "VpcEndpointType": "Gateway"}
    return {**network(), "Endpoint": resource("AWS::EC2::VPCEndpoint", **made)}


def on_every_type() -> Iterator[Row]:
    """Yields a row of each type with a key given twice."""
    for name, good, logical_id in carriers():
        yield Row(
            name=f"tags-twice-on-{name}",
            good=changed(good, logical_id, Tags=_GOOD),
            bad=changed(good, logical_id, Tags=_TWO),
            refused=logical_id,
            code=_INVALID,
            words=_SAYS_TWICE,
            source=_TWICE,
            uncounted="moto has no placement groups" if name == "placement-group" else "",
        )


def row(name: str, bad: Resources, words: str, source: str, **more: Any) -> Row:
    """Gives a row of a VPC."""
    settings = {"code": _INVALID, "good": vpc(_GOOD), **more}
    return Row(name=f"tags-{name}", bad=bad, refused="Vpc", words=words, source=source, **settings)


def template(kind: str, given: list[dict[str, str]]) -> Resources:
    """A node group whose launch template tags instances or volumes."""
    specification = {"ResourceType": kind, "Tags": given}
    return launch_template({"InstanceType": "trn1.32xlarge", "TagSpecifications": [specification]})


def template_row(name: str, kind: str, given: list[dict[str, str]], words: str, source: str) -> Row:
    """Gives a row of what a launch template tags."""
    return Row(
        name=f"tags-{name}-in-a-launch-template",
        good=template(kind, _GOOD),
        bad=template(kind, given),
        refused="Template",
        code=_INVALID,
        words=words,
        source=f"{source}; that it is refused before an instance starts is unconfirmed",
    )


def named_template(given: list[dict[str, str]]) -> Resources:
    """A launch template that has tags itself."""
    return {
        "Template": resource(
            "AWS::EC2::LaunchTemplate",
            LaunchTemplateData={"InstanceType": "m5.large"},
            TagSpecifications=[{"ResourceType": "launch-template", "Tags": given}],
        )
    }


def other(
    name: str, good: Resources, refused: str, words: str, source: str, *, code: str = _EKS, **mistake: Any
) -> Row:
    """Gives a row of what EKS or FSx refuses."""
    return Row(
        name=f"tags-{name}",
        good=good,
        bad=changed(good, refused, **mistake),
        refused=refused,
        code=code,
        words=words,
        source=f"{source}; {_UNCONFIRMED}",
    )


_EKS_API = "EKS API reference, CreateCluster and CreateNodegroup, tags"
_FSX_API = "FSx API reference, Tag and CreateFileSystem, Tags"

ROWS = (
    row("twice", vpc(_TWO), _SAYS_TWICE, _TWICE),
    row("twice-later", vpc(_TWO), _SAYS_TWICE, _TWICE, update=True),
    row("of-aws", vpc(_AWS), _SAYS_RESERVED, _RESERVED),
    row("of-aws-in-capitals", vpc(tags(("AWS:team", "ml"))), "'aws:' are reserved", "Tag Editor user guide, limits"),
    row("of-aws-later", vpc(_AWS), _SAYS_RESERVED, _RESERVED, update=True),
    row(
        "fifty-one",
        vpc(many(51)),
        "The maximum number of Tags for a resource has been reached.",
        _MANY,
        code="TagLimitExceeded",
        good=vpc(many(47)),  # moto counts CloudFormation's three with them
        uncounted="moto refuses it too",
    ),
    row(
        "with-a-key-of-129-letters",
        vpc(tags(("k" * 129, "ml"))),
        "Tag key exceeds the maximum length of 128 characters",
        f"EC2 user guide, tag restrictions; {_UNCONFIRMED}",
        good=vpc(tags(("k" * 128, "ml"))),
    ),
    row(
        "with-a-value-of-257-letters",
        vpc(tags(("team", "v" * 257))),
        "Tag value exceeds the maximum length of 256 characters",
        _LONG,
        good=vpc(tags(("team", "v" * 256))),
    ),
    *on_every_type(),
    template_row("twice", "instance", _TWO, _SAYS_TWICE, _TWICE),
    template_row("of-aws", "volume", _AWS, _SAYS_RESERVED, _RESERVED),
    Row(
        name="tags-twice-of-a-launch-template",
        good=named_template(_GOOD),
        bad=named_template(_TWO),
        refused="Template",
        code=_INVALID,
        words=_SAYS_TWICE,
        source=_TWICE,
    ),
    other("of-aws-on-a-cluster", cluster(Tags=_GOOD), "Cluster", _SAYS_RESERVED, _EKS_API, Tags=_AWS),
    other("fifty-one-on-a-cluster", cluster(Tags=many(50)), "Cluster", "maximum number", _EKS_API, Tags=many(51)),
    other(
        "of-aws-on-nodes", node_group(Tags={"team": "ml"}), "Nodes", _SAYS_RESERVED, _EKS_API, Tags={"aws:team": "ml"}
    ),
    other(
        "with-a-long-key-on-nodes",
        node_group(Tags={"k" * 128: "ml"}),
        "Nodes",
        "Tag key exceeds the maximum length of 128 characters",
        _EKS_API,
        Tags={"k" * 129: "ml"},
    ),
    other("twice-on-a-file-system", file_system(Tags=_GOOD), "FileSystem", _SAYS_TWICE, _FSX_API, code=_BAD, Tags=_TWO),
    other(
        "of-aws-on-a-file-system", file_system(Tags=_GOOD), "FileSystem", _SAYS_RESERVED, _FSX_API, code=_BAD, Tags=_AWS
    ),
)
