"""What must hold of networks from which nothing leads out: images and AWS services come by other ways."""

from collections.abc import Iterator

from trnstack.findings import Finding, Severity
from trnstack.plan.endpoints import needs
from trnstack.spec import Environment


def private_networks_have_an_image_mirror(environment: Environment) -> Iterator[Finding]:
    """NET012: A VPC without a way out has a mirror of the images, since public registries can't be reached from it.

    Source: EKS user guide, "Deploy private clusters with limited internet access".
    """
    network = environment.network
    if not network.existing_vpc and network.nat_gateways == 0 and network.image_mirror is None:
        yield Finding(
            code="NET012",
            path=("network", "nat_gateways"),
            message="without a NAT gateway no image can be pulled from a public registry",
            hint="write nat_gateways: 1, or name an image_mirror",
        )


def image_mirror_is_in_the_region(environment: Environment) -> Iterator[Finding]:
    """NET013: The image mirror is in the environment's region, where its endpoints lead to.

    An endpoint reaches the registries of its own region only; with a NAT gateway each pull would cross regions, at a
    price and slowly.

    Source: ECR user guide, "Amazon ECR interface VPC endpoints", considerations.
    """
    mirror = environment.network.image_mirror
    region = mirror.split(".")[3] if mirror else environment.region
    if region != environment.region:
        yield Finding(
            code="NET013",
            path=("network", "image_mirror"),
            message=f"the image mirror is in {region}, the environment in {environment.region}",
            hint=f"mirror the images in {environment.region}, for example by ECR's replication",
        )


def image_mirror_is_in_the_account(environment: Environment) -> Iterator[Finding]:
    """NET014: The image mirror is in the environment's account, or its repositories' policies let that account in.

    Source: ECR user guide, "Private repository policies": another account pulls only what a policy allows.
    """
    mirror, account = environment.network.image_mirror, environment.account
    if mirror and account and not mirror.startswith(f"{account}."):
        yield Finding(
            code="NET014",
            severity=Severity.WARNING,
            path=("network", "image_mirror"),
            message=f"the image mirror is in account {mirror[: len(account)]}, the environment in {account}",
            hint=f"let account {account} pull from its repositories, or mirror the images in {account}",
        )


def private_networks_have_every_endpoint(environment: Environment) -> Iterator[Finding]:
    """NET015: Endpoints that are listed by hand are all that a VPC without a way out needs.

    Source: EKS user guide, "Deploy private clusters with limited internet access".
    """
    network = environment.network
    if network.existing_vpc or network.nat_gateways or network.interface_endpoints == "auto":
        return
    for need in needs(environment):
        if need.otherwise and need.service not in network.interface_endpoints:
            yield Finding(
                code="NET015",
                path=("network", "interface_endpoints"),
                message=f"without an endpoint for {need.service} {need.otherwise}",
                hint=f"add {need.service}, or write interface_endpoints: auto",
            )


RULES = (
    private_networks_have_an_image_mirror,
    image_mirror_is_in_the_region,
    image_mirror_is_in_the_account,
    private_networks_have_every_endpoint,
)
