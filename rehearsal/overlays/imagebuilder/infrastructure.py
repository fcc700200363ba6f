"""Infrastructure configurations: which instances build and test images, and where."""

from moto.core.responses import ActionResult
from moto.iam.models import iam_backends

from rehearsal.overlays.imagebuilder.base import ImageBuilderBase, Record, check_name, invalid

_KIND = "infrastructure-configuration"
_ARN = "infrastructureConfigurationArn"
_SUMMARY = (
    "arn",
    "name",
    "description",
    "dateCreated",
    "dateUpdated",
    "resourceTags",
    "tags",
    "instanceTypes",
    "instanceProfileName",
    "placement",
)


class Infrastructure(ImageBuilderBase):
    """Image Builder's operations on infrastructure configurations."""

    def create_infrastructure_configuration(self) -> ActionResult:
        """Answers CreateInfrastructureConfiguration."""
        request = self.request
        check_name(request["name"])
        self._check_infrastructure(request)
        record = {"arn": self.arn(_KIND, request["name"]), "dateCreated": self.now(), "tags": {}, **request}
        self.keep(record, "InfrastructureConfiguration")
        return ActionResult({_ARN: record["arn"]})

    def get_infrastructure_configuration(self) -> ActionResult:
        """Answers GetInfrastructureConfiguration."""
        return ActionResult({"infrastructureConfiguration": self.named(self.request[_ARN])})

    def list_infrastructure_configurations(self) -> ActionResult:
        """Answers ListInfrastructureConfigurations."""
        return self.page("infrastructureConfigurationSummaryList", self.of_kind(_KIND), _SUMMARY)

    def update_infrastructure_configuration(self) -> ActionResult:
        """Answers UpdateInfrastructureConfiguration, which takes the whole configuration anew."""
        request = self.request
        arn = request.pop(_ARN)
        old = self.named(arn)
        self._check_infrastructure(request)
        kept = {name: old[name] for name in ("arn", "name", "dateCreated", "tags")}
        self.records[arn] = {**kept, **request, "dateUpdated": self.now()}
        return ActionResult({_ARN: arn})

    def delete_infrastructure_configuration(self) -> ActionResult:
        """Answers DeleteInfrastructureConfiguration; one that a pipeline names stays."""
        arn = self.request[_ARN]
        self.remove(arn, [one for one in self.of_kind("image-pipeline") if one[_ARN] == arn])
        return ActionResult({_ARN: arn})

    def _check_infrastructure(self, request: Record) -> None:
        """Refuses what names something that is not there.

        Source: rhythmictech/terraform-aws-imagebuilder-pipeline issue 16 (the words about the profile); Image Builder
        API reference, CreateInfrastructureConfiguration, ``subnetId``, which needs security groups.
        """
        profiles = iam_backends[self.current_account][self.partition].instance_profiles.values()
        if request["instanceProfileName"] not in {profile.name for profile in profiles}:
            reason = "The provided instance profile does not exist."
            raise invalid("instanceProfileName", f"{reason} Please specify a different instance profile and try again.")
        known = {one["InstanceType"] for one in self.network.describe_instance_types()}
        for instance_type in request.get("instanceTypes", []):
            if instance_type not in known:
                raise invalid("instanceTypes", f"The instance type '{instance_type}' does not exist.")
        subnet_id, group_ids = request.get("subnetId"), request.get("securityGroupIds", [])
        if subnet_id and not group_ids:
            raise invalid("securityGroupIds", "A subnet needs one security group at least.")
        subnets = {name for subnets in self.network.subnets.values() for name in subnets}
        if subnet_id and subnet_id not in subnets:
            raise invalid("subnetId", f"The subnet ID '{subnet_id}' does not exist.")
        for group_id in group_ids:
            if self.network.get_security_group_from_id(group_id) is None:
                raise invalid("securityGroupIds", f"The security group '{group_id}' does not exist.")
