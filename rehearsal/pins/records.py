"""What is published, as plain records."""

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ami.tables import eks_registries
from ami.variants import VARIANTS

_FAMILY = "amazon-linux-2023/x86_64"
#: The account that owns EKS's AMIs and registries in most regions; ami/charts.yaml has the regions' own.
MAIN_ACCOUNT = "602401143452"
RELEASE_FORMAT = "v%Y%m%d"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeImage:
    """An EKS-optimized AMI of AL2023 for x86_64.

    Attributes:
        minor: The Kubernetes minor, such as ``1.35``.
        variant: ``standard`` or ``neuron``.
        release: The release's name, such as ``v20260714``.
        release_version: What a node group names, such as ``1.35.6-20260714``.
        known_ids: The AMI's id in the regions where somebody knows it.
    """

    minor: str
    variant: str
    release: str
    release_version: str
    known_ids: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The AMI's name.

        Source: aws/karpenter-provider-aws, pkg/providers/amifamily/al2023.go; awslabs/amazon-eks-ami issue 1843.
        """
        return f"amazon-eks-node-al2023-x86_64-{self.variant}-{self.minor}-{self.release}"

    @property
    def day(self) -> dt.datetime:
        """The beginning of the release's day, which its name tells."""
        return dt.datetime.strptime(self.release, RELEASE_FORMAT).replace(tzinfo=dt.UTC)

    @property
    def path(self) -> str:
        """Where the parameters of its minor and variant are in Systems Manager, without a slash at the end.

        Source: EKS user guide, "Retrieve recommended Amazon Linux AMI IDs".
        """
        return f"/aws/service/eks/optimized-ami/{self.minor}/{_FAMILY}/{self.variant}"

    def image_id(self, region: str) -> str:
        """Gives its id in a region: the one that somebody knows, or one that follows from region and name."""
        return self.known_ids.get(region) or image_id_of(region, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomImage:
    """A custom AMI that a lock names, from which whoever uses the lock may start nodes.

    Attributes:
        image_id: Its id.
        region: The region that it is in.
        owner: The account that built it.
        environment: The name of the environment that it is of.
        recipe: The name of its recipe.
        version: The recipe's version.
    """

    image_id: str
    region: str
    owner: str
    environment: str
    recipe: str
    version: str

    @property
    def name(self) -> str:
        """A name for it; a lock does not know the one that it has."""
        return f"{self.recipe}-{self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Artefact:
    """A container image, or a chart that was pushed like one.

    Attributes:
        host: The host of the registry's API.
        repository: The path in the registry.
        tag: The tag.
        chart: Whether it is a Helm chart.
        digest: What the tag is known to mean, ``sha256:...``; None where nobody says.
    """

    host: str
    repository: str
    tag: str
    chart: bool
    digest: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedChart:
    """A version of a chart in an HTTP repository.

    Attributes:
        host: The repository's host.
        path: The repository's path on it, without a slash at the end.
        name: The chart's name.
        version: The version.
        digest: The archive's digest, ``sha256:...``; None where nobody says.
    """

    host: str
    path: str
    name: str
    version: str
    digest: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Everything that is published.

    Attributes:
        node_images: The EKS-optimized AMIs, newest first.
        custom_images: The custom AMIs of locks.
        add_ons: The versions of each add-on by Kubernetes minor; the first is the minor's default.
        artefacts: The images and charts of registries, by host, repository and tag.
        charts: The charts of HTTP repositories.
    """

    node_images: Sequence[NodeImage]
    custom_images: Sequence[CustomImage]
    add_ons: Mapping[str, Mapping[str, Sequence[str]]]
    artefacts: Mapping[tuple[str, str, str], Artefact]
    charts: Sequence[ArchivedChart]

    def node_image(self, *, ami_type: str | None, release_version: str | None) -> NodeImage | None:
        """Gives the AMI that a node group names by its AMI type and release version; None where there is none."""
        wanted = (variant_of(ami_type or ""), release_version)
        return next((one for one in self.node_images if (one.variant, one.release_version) == wanted), None)

    def recommended(self) -> Iterable[NodeImage]:
        """Gives the newest AMI of each minor and variant."""
        newest: dict[str, NodeImage] = {}
        for image in self.node_images:
            newest.setdefault(image.path, image)
        return newest.values()


def variant_of(ami_type: str) -> str | None:
    """Gives the variant that is EKS's AMI type; None for a type that is not AL2023's for x86_64."""
    return VARIANTS.get(ami_type)


def image_id_of(region: str, name: str) -> str:
    """Gives an AMI an id that follows from where it is and how it is called."""
    return f"ami-{hashlib.sha256(f'{region} {name}'.encode()).hexdigest()[:17]}"


def publisher(region: str) -> str:
    """Gives the account that publishes EKS's AMIs in a region: the one of its add-on images.

    Source: eksctl, pkg/eks/api.go and pkg/ami/auto_resolver.go, which find AMIs and images by one function,
    EKSResourceAccountID.
    """
    return eks_registries().get(region, MAIN_ACCOUNT).partition(".")[0]
