"""Distribution configurations: how AMIs are called, which regions get them, and who may start instances from them."""

import re

from moto.core.responses import ActionResult

from rehearsal.overlays.imagebuilder.base import ImageBuilderBase, Record, check_name, invalid
from rehearsal.sessions import core_session

_KIND = "distribution-configuration"
_ARN = "distributionConfigurationArn"
_SUMMARY = ("arn", "name", "description", "dateCreated", "dateUpdated", "tags", "regions")
_MODELLED = ("region", "amiDistributionConfiguration", "ssmParameterConfigurations")
_MODELLED_OF_AMI = ("name", "description", "amiTags", "kmsKeyId", "launchPermission")
_BUILD_DATE = re.compile(r"\{\{\s*imagebuilder:buildDate\s*\}\}")
#: Source: Image Builder API reference, AmiDistributionConfiguration, ``name``.
_AMI_NAME = re.compile(r"[-_A-Za-z0-9{][-_A-Za-z0-9\s:{}.]+[-_A-Za-z0-9}]")
_LONGEST = 127
_ACCOUNT = re.compile(r"\d{12}")


class Distributions(ImageBuilderBase):
    """Image Builder's operations on distribution configurations."""

    def create_distribution_configuration(self) -> ActionResult:
        """Answers CreateDistributionConfiguration."""
        request = self.request
        check_name(request["name"])
        _check(request["distributions"])
        record = {
            "arn": self.arn(_KIND, request["name"]),
            "dateCreated": self.now(),
            "timeoutMinutes": 720,
            "tags": {},
            **request,
        }
        self.keep(record, "DistributionConfiguration")
        return ActionResult({_ARN: record["arn"]})

    def get_distribution_configuration(self) -> ActionResult:
        """Answers GetDistributionConfiguration."""
        return ActionResult({"distributionConfiguration": self.named(self.request[_ARN])})

    def list_distribution_configurations(self) -> ActionResult:
        """Answers ListDistributionConfigurations."""
        records = self.of_kind(_KIND)
        lines = [{**one, "regions": [part["region"] for part in one["distributions"]]} for one in records]
        return self.page("distributionConfigurationSummaryList", lines, _SUMMARY)

    def update_distribution_configuration(self) -> ActionResult:
        """Answers UpdateDistributionConfiguration, which takes the whole configuration anew."""
        request = self.request
        arn = request.pop(_ARN)
        old = self.named(arn)
        _check(request["distributions"])
        kept = {name: old[name] for name in ("arn", "name", "dateCreated", "timeoutMinutes", "tags")}
        self.records[arn] = {**kept, **request, "dateUpdated": self.now()}
        return ActionResult({_ARN: arn})

    def delete_distribution_configuration(self) -> ActionResult:
        """Answers DeleteDistributionConfiguration; one that a pipeline names stays."""
        arn = self.request[_ARN]
        self.remove(arn, [one for one in self.of_kind("image-pipeline") if one.get(_ARN) == arn])
        return ActionResult({_ARN: arn})


def with_build_date(text: str, build_date: str) -> str:
    """Gives a text with the build's date for the tag that stands for it; other tags are not modelled.

    Source: Image Builder API reference, AmiDistributionConfiguration, ``name``.
    """
    done = _BUILD_DATE.sub(build_date, text)
    if "{{" in done:
        raise NotImplementedError(f"the dynamic tag in {text}")
    return done


def _check(distributions: list[Record]) -> None:
    known = core_session().get_available_regions("ec2")
    for place, one in enumerate(distributions):
        parameter = f"distributions[{place}]"
        unmodelled = set(one) - set(_MODELLED)
        unmodelled |= set(one.get("amiDistributionConfiguration", {})) - set(_MODELLED_OF_AMI)
        if unmodelled:
            raise NotImplementedError(f"{min(unmodelled)} of a distribution")
        if one["region"] not in known:
            raise invalid(f"{parameter}.region", f"The region '{one['region']}' does not exist.")
        _check_ami(f"{parameter}.amiDistributionConfiguration", one.get("amiDistributionConfiguration", {}))


def _check_ami(parameter: str, ami: Record) -> None:
    """Refuses the settings of AMIs that Image Builder refuses.

    Source: hashicorp/terraform-provider-aws issue 36610, which quotes the words about the name.
    """
    name = ami.get("name")
    if name is not None and not (_AMI_NAME.fullmatch(name) and len(name) <= _LONGEST):
        raise invalid(f"{parameter}.name", f"'{name}' does not match the pattern {_AMI_NAME.pattern}.")
    if name is not None and not _BUILD_DATE.search(name):
        reason = "The EC2 AMI name must contain '{{ imagebuilder:buildDate }}' to ensure that the name will be unique."
        raise invalid(f"{parameter}.name", reason)
    permission = ami.get("launchPermission", {})
    for account in permission.get("userIds", []):
        if not _ACCOUNT.fullmatch(account):
            raise invalid(f"{parameter}.launchPermission.userIds", f"'{account}' is no account's id.")
    if set(permission) - {"userIds"}:
        raise NotImplementedError("launch permissions for others than accounts")
