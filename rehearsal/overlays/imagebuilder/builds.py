"""A build: the AMIs that it makes, in which regions, encrypted with which keys, and for whom."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moto.ssm.models import ssm_backends

from rehearsal.overlays.imagebuilder.base import Record
from rehearsal.overlays.imagebuilder.distributions import with_build_date
from rehearsal.overlays.images import Image, ImageFacts, RootVolume, add_image
from rehearsal.pins.records import image_id_of

_ROOT = "/dev/xvda"


class BuildError(Exception):
    """A build fails; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One build of a recipe.

    Attributes:
        account: The account that builds.
        region: The region that it builds in.
        arn: The image's ARN.
        moment: When it is built, in UTC.
        recipe: The recipe, as Image Builder's API answers it.
        distributions: Which regions get the AMI, and how, as a distribution configuration says it.
    """

    account: str
    region: str
    arn: str
    moment: dt.datetime
    recipe: Mapping[str, Any]
    distributions: Sequence[Record]

    def run(self, parent: Any) -> list[Record]:
        """Makes the AMIs and gives them as the image's output resources.

        Args:
            parent: moto's record of the parent image; None where it is no longer there.

        Raises:
            BuildError: It can't be built, or not be distributed; no AMI was made.
        """
        if parent is None:
            raise BuildError(f"The parent image {self.recipe['parentImage']} does not exist.")
        planned = [(one, self._facts(one, parent)) for one in self.distributions]
        for distribution, facts in planned:
            add_image(self.account, distribution["region"], facts)
            self._publish(distribution, facts.image_id)
        return [
            {
                "region": distribution["region"],
                "image": facts.image_id,
                "name": facts.name,
                "description": facts.description,
                "accountId": self.account,
                "state": {"status": "AVAILABLE"},
            }
            for distribution, facts in planned
        ]

    def _facts(self, distribution: Record, parent: Any) -> ImageFacts:
        """Gives what the AMI of one region will be.

        Source: Image Builder API reference, AmiDistributionConfiguration; aws/aws-parallelcluster, which finds its
        AMIs by the tag Ec2ImageBuilderArn.
        """
        region, ami = distribution["region"], distribution.get("amiDistributionConfiguration", {})
        date = f"{self.moment:%Y-%m-%dT%H-%M-%S.%fZ}"
        tags = {**self.recipe.get("amiTags", {}), **ami.get("amiTags", {})}
        own_description = self.recipe.get("description", "") if region == self.region else ""
        root = self._root(distribution, parent)
        accounts = [one for one in ami.get("launchPermission", {}).get("userIds", []) if one != self.account]
        if accounts and root.encrypted and root.kms_key_id is None:
            raise BuildError(
                f"The AMI in {region} can't be shared with {', '.join(accounts)}: its snapshot is encrypted with the "
                "default key of EBS, which no other account can use."
            )
        return ImageFacts(
            image_id=image_id_of(region, self.arn),
            name=with_build_date(ami.get("name") or f"{self.recipe['name']} {date}", date),
            description=ami.get("description", own_description),
            owner=self.account,
            created=self.moment,
            root=root,
            accounts=tuple(accounts),
            tags={
                **{key: with_build_date(value, date) for key, value in tags.items()},
                "CreatedBy": "EC2 Image Builder",
                "Ec2ImageBuilderArn": self.arn,
            },
        )

    def _root(self, distribution: Record, parent: Any) -> RootVolume:
        """Gives the root volume: the recipe's over the parent's; a region's key encrypts it there.

        Source: EC2 user guide, "Use encryption with EBS-backed AMIs" and "Share an AMI with specific AWS accounts":
        a copy in another region can't keep the key, and a snapshot under the default key can't be shared.
        """
        before = parent.root if isinstance(parent, Image) else RootVolume()
        mappings = self.recipe.get("blockDeviceMappings", [])
        wanted: Record = next((one.get("ebs", {}) for one in mappings if one.get("deviceName") == _ROOT), {})
        here = distribution["region"] == self.region
        key = distribution.get("amiDistributionConfiguration", {}).get("kmsKeyId")
        return RootVolume(
            size_gib=wanted.get("volumeSize", before.size_gib),
            type=wanted.get("volumeType", before.type),
            encrypted=bool(key) or wanted.get("encrypted", before.encrypted),
            kms_key_id=key or (wanted.get("kmsKeyId", before.kms_key_id) if here else None),
        )

    def _publish(self, distribution: Record, image_id: str) -> None:
        """Puts the AMI's id into the parameters of the region that the distribution names."""
        for one in distribution.get("ssmParameterConfigurations", []):
            if one.get("amiAccountId", self.account) != self.account:
                raise NotImplementedError("parameters in other accounts")
            ssm_backends[self.account][distribution["region"]].put_parameter(
                name=one["parameterName"],
                description="",
                value=image_id,
                parameter_type="String",
                allowed_pattern="",
                keyid="",
                overwrite=True,
                tags=[],
                data_type=one.get("dataType", "text"),
                tier=None,
                policies=None,
            )
