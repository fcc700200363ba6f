"""The AMIs of EC2 beside those that moto has: EKS's own, the custom ones of locks, and those that are built here.

They become records of moto's EC2 backend when somebody first looks for an image in an account and region; most accounts
and regions of a rehearsal are never asked.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from moto.ec2.models import ec2_backends
from moto.ec2.models.amis import Ami

from ami.pins import ENVIRONMENT_TAG, RECIPE_TAG, RECIPE_VERSION_TAG
from rehearsal.pins import published
from rehearsal.pins.records import CustomImage, NodeImage, publisher

_ROOT = "/dev/xvda"
_YEARS_TO_DEPRECATION = 2
#: When an AMI was made of which a lock knows that it is there and no more.
_SOME_DAY = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class RootVolume:
    """The root volume of an AMI.

    Attributes:
        size_gib: Its size.
        type: Its type.
        encrypted: Whether its snapshot is encrypted.
        kms_key_id: The key's ARN or id; None for EBS's default key.
    """

    size_gib: int = 20
    type: str = "gp3"
    encrypted: bool = False
    kms_key_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFacts:
    """What an AMI is.

    Attributes:
        image_id: Its id.
        name: Its name.
        description: Its description.
        owner: The account that owns it.
        alias: The owner's alias, ``amazon``; None for an account without one.
        created: When it was made.
        root: Its root volume.
        public: Whether everybody may start instances from it.
        accounts: The further accounts that may.
        tags: Its tags, which its owner alone sees.
    """

    image_id: str
    name: str
    description: str
    owner: str
    created: dt.datetime
    alias: str | None = None
    root: RootVolume = field(default_factory=RootVolume)
    public: bool = False
    accounts: Iterable[str] = ()
    tags: Mapping[str, str] = field(default_factory=dict)


class Image(Ami):
    """An AMI with the root volume that it says, where moto's own have 15 GiB of magnetic storage each.

    Attributes:
        root: The root volume.
        deprecation_time: When EC2 stops listing it to others than its owner.
    """

    def __init__(self, backend: Any, facts: ImageFacts) -> None:
        super().__init__(
            backend,
            facts.image_id,
            name=facts.name,
            description=facts.description,
            owner_id=facts.owner,
            owner_alias=facts.alias,
            public=facts.public,
            virtualization_type="hvm",
            architecture="x86_64",
            hypervisor="xen",
            root_device_type="ebs",
            root_device_name=_ROOT,
            image_location=f"{facts.alias or facts.owner}/{facts.name}",
            region_name=backend.describe_availability_zones()[0].name,
            creation_date=facts.created.replace(tzinfo=None),  # moto's own times have no zone, and are in UTC
            boot_mode="uefi-preferred",
            tags=dict(facts.tags),
        )
        self.root = facts.root
        self.deprecation_time: str | None = None
        self.launch_permissions += [{"UserId": account} for account in facts.accounts]
        # moto has made a snapshot of a magnetic volume; the snapshots of somebody else's AMIs are nobody's to see.
        del backend.snapshots[self.ebs_snapshot.id]
        if facts.owner == backend.account_id:
            self.ebs_snapshot = self._snapshot(backend)

    @property
    def block_device_mappings(self) -> list[dict[str, Any]]:
        """The root volume as DescribeImages tells it."""
        volume = {
            "SnapshotId": self.ebs_snapshot.id,
            "VolumeSize": self.root.size_gib,
            "VolumeType": self.root.type,
            "Encrypted": self.root.encrypted,
            "DeleteOnTermination": True,
        }
        return [{"DeviceName": self.root_device_name, "Ebs": volume}]

    def _snapshot(self, backend: Any) -> Any:
        volume = backend.create_volume(
            size=self.root.size_gib,
            zone_name=backend.describe_availability_zones()[0].name,
            encrypted=self.root.encrypted,
            kms_key_id=self.root.kms_key_id,
            volume_type=self.root.type,
        )
        snapshot = backend.create_snapshot(volume.id, f"Created for {self.id}", self.owner_id, from_ami=self.id)
        snapshot.kms_key_id = volume.kms_key_id
        backend.delete_volume(volume.id)
        return snapshot


def bring_in(backend: Any) -> None:
    """Lets what is published, and is in the backend's region, stand among the backend's AMIs.

    Args:
        backend: moto's EC2 backend of an account and region.
    """
    region = backend.region_name
    for node_image in published().node_images:
        if node_image.image_id(region) not in backend.amis:
            _add(backend, _of_eks(node_image, region), deprecated=True)
    for custom in published().custom_images:
        if custom.region == region and custom.image_id not in backend.amis:
            _add(backend, _of_lock(custom, backend.account_id))


def add_image(account: str, region: str, facts: ImageFacts) -> None:
    """Makes an AMI in an account, and lets the accounts that may use it see it there, without its tags."""
    _add(ec2_backends[account][region], facts)
    for other in facts.accounts:
        if other != account:
            _add(ec2_backends[other][region], replace(facts, tags={}))


def find_image(backend: Any, image_id: str) -> Any:
    """Gives the AMI with an id that stands in an account and region and can be used there, or None."""
    bring_in(backend)
    image = backend.amis.get(image_id)
    return image if image is not None and image.state == "available" else None


def _add(backend: Any, facts: ImageFacts, *, deprecated: bool = False) -> None:
    image = Image(backend, facts)
    if deprecated:
        image.deprecation_time = f"{_years_later(facts.created):%Y-%m-%dT%H:%M:%S.000Z}"
    backend.amis[facts.image_id] = image


def _years_later(moment: dt.datetime) -> dt.datetime:
    leap = (moment.month, moment.day) == (2, 29)
    return moment.replace(year=moment.year + _YEARS_TO_DEPRECATION, day=28 if leap else moment.day)


def _of_lock(image: CustomImage, account: str) -> ImageFacts:
    """Gives what a custom AMI is to an account: its own, with the tags by which it is found, or one shared with it."""
    own = image.owner == account
    tags = {ENVIRONMENT_TAG: image.environment, RECIPE_TAG: image.recipe, RECIPE_VERSION_TAG: image.version}
    return ImageFacts(
        image_id=image.image_id,
        name=image.name,
        description="named by a lock",
        owner=image.owner,
        created=_SOME_DAY,
        accounts=() if own else (account,),
        tags=tags if own else {},
    )


def _of_eks(image: NodeImage, region: str) -> ImageFacts:
    """Gives what one of EKS's AMIs is.

    Source: EC2 user guide, "Deprecate an Amazon EC2 AMI": a public AMI is deprecated two years after its creation.
    """
    kind = "Neuron " if image.variant == "neuron" else ""
    return ImageFacts(
        image_id=image.image_id(region),
        name=image.name,
        description=f"EKS-optimized {kind}Kubernetes node based on Amazon Linux 2023, (k8s: {image.release_version})",
        owner=publisher(region),
        alias="amazon",
        created=image.day,
        public=True,
    )
