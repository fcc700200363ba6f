"""Functions and layer versions: what AWS refuses of them, and what moto forgets of their settings."""

import functools
import io
import re
import zipfile
from typing import Any

from moto.awslambda.models import LambdaFunction
from moto.awslambda.responses import LambdaResponse
from moto.core.common_types import TYPE_RESPONSE
from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends
from moto.iam.models import iam_backends
from moto.s3.exceptions import MissingBucket
from moto.s3.models import s3_backends

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.interfaces import place_interface, remove_interfaces
from rehearsal.overlays.state import state_of
from rehearsal.overlays.trust import trusts_service
from rehearsal.sessions import core_session

#: Source: Lambda developer guide, "Lambda quotas": deployment package and layers together, unzipped; layers a function;
#: memory from 128 to 10,240 MB; timeout up to 900 seconds.
LARGEST_BYTES = 250 * 1024 * 1024
_MOST_LAYERS = 5
_MEMORY_MB, _TIMEOUT_SECONDS = range(128, 10_241), range(1, 901)
_MAKES_INTERFACES = ("ec2:CreateNetworkInterface", "ec2:*", "'*'", '"*"')
_LAYER = re.compile(r"arn:[a-z-]+:lambda:[a-z0-9-]+:\d{12}:layer:[A-Za-z0-9_-]+:\d+")


class Functions(LambdaResponse):
    """Lambda's operations on functions and layer versions."""

    def create_function(self) -> TYPE_RESPONSE:
        """Answers CreateFunction."""
        asked = self.json_body
        self._check_role(asked["Role"])
        self._check_settings(asked)
        self._check_permission(asked["Role"], asked.get("VpcConfig", {}))
        self._check_size(self._package(asked["Code"]), asked.get("Layers", []))
        answer = super().create_function()
        self._place(asked["FunctionName"], asked.get("VpcConfig", {}))
        return answer

    def update_function_configuration(self) -> TYPE_RESPONSE:
        """Answers UpdateFunctionConfiguration."""
        asked, function = self.json_body, self._function()
        if "Role" in asked:
            self._check_role(asked["Role"])
        self._check_settings(asked)
        self._check_permission(asked.get("Role", function.role), asked.get("VpcConfig", {}))
        if "Layers" in asked:
            self._check_size(function.code_bytes, asked["Layers"])
        if "VpcConfig" in asked:
            self._place(function.function_name, asked["VpcConfig"])
        return super().update_function_configuration()

    def delete_function(self) -> TYPE_RESPONSE:
        """Answers DeleteFunction; what it has in its subnets goes too."""
        self._place(self._function().function_name, {})
        return super().delete_function()

    def update_function_code(self) -> TYPE_RESPONSE:
        """Answers UpdateFunctionCode."""
        layers = [layer["Arn"] for layer in self._function().layers]
        self._check_size(self._package(self.json_body), layers)
        return super().update_function_code()

    def put_function_event_invoke_config(self) -> ActionResult:
        """Answers PutFunctionEventInvokeConfig; a second one replaces the first, beside which moto keeps it."""
        self._function().event_invoke_config.clear()
        return super().put_function_event_invoke_config()

    def publish_layer_version(self) -> TYPE_RESPONSE:
        """Answers PublishLayerVersion."""
        _unzipped(self._package(self.json_body["Content"]))
        return super().publish_layer_version()

    def _function(self) -> LambdaFunction:
        name = self.path.rstrip("/").split("/functions/", 1)[1].split("/", 1)[0]
        function: LambdaFunction = self.backend.get_function(name, None)
        return function

    def _check_role(self, arn: str) -> None:
        """Refuses a role that is not there or does not trust Lambda.

        Source: Lambda API reference, CreateFunction, InvalidParameterValueException.
        """
        roles = iam_backends[self.current_account][self.partition].roles.values()
        role = next((role for role in roles if role.arn == arn), None)
        if role is None or not trusts_service(role, "lambda.amazonaws.com"):
            raise _invalid("The role defined for the function cannot be assumed by Lambda.")

    def _check_permission(self, arn: str, config: dict[str, Any]) -> None:
        """Refuses a function in a VPC whose role may not make network interfaces, as Lambda makes them in its name.

        It is enough here that a policy names the action, whatever else it says.

        Source: Lambda developer guide, "Giving Lambda functions access to resources in an Amazon VPC", "Required IAM
        permissions".
        """
        if not config.get("SubnetIds"):
            return
        roles = iam_backends[self.current_account][self.partition].roles.values()
        role = next(role for role in roles if role.arn == arn)
        versions = (version for policy in role.managed_policies.values() for version in policy.versions)
        documents = [*role.policies.values(), *(version.document for version in versions if version.is_default)]
        if not any(action in str(document) for document in documents for action in _MAKES_INTERFACES):
            raise _invalid(
                "The provided execution role does not have permissions to call CreateNetworkInterface on EC2"
            )

    def _check_settings(self, asked: dict[str, Any]) -> None:
        runtime = asked.get("Runtime")
        if runtime is not None and runtime not in _runtimes():
            raise _invalid(
                f"Value {runtime} at 'runtime' failed to satisfy constraint: Member must satisfy enum value set"
            )
        for name, allowed in (("MemorySize", _MEMORY_MB), ("Timeout", _TIMEOUT_SECONDS)):
            if name in asked and asked[name] not in allowed:
                raise _invalid(
                    f"'{name}' value failed to satisfy constraint: Member must have value less than or equal to "
                    f"{allowed[-1]} and not less than {allowed[0]}: {asked[name]}"
                )
        layers = asked.get("Layers", [])
        if len(layers) > _MOST_LAYERS:
            raise _invalid(f"Cannot reference more than {_MOST_LAYERS} layers.")
        strange = next((arn for arn in layers if not _LAYER.fullmatch(arn)), None)
        if strange:
            raise _invalid(f"Layer version ARN {strange} is not one.")
        self._check_network(asked.get("VpcConfig", {}))

    def _check_network(self, config: dict[str, Any]) -> None:
        """Refuses subnets and security groups that EC2 does not have, and one without the other."""
        network = ec2_backends[self.current_account][self.region]
        subnet_ids, group_ids = config.get("SubnetIds", []), config.get("SecurityGroupIds", [])
        subnets = {name: one for zone in network.subnets.values() for name, one in zone.items()}
        groups = {name for vpc in network.groups.values() for name in vpc}
        if bool(subnet_ids) is not bool(group_ids):
            raise _invalid("Both SubnetIds and SecurityGroupIds must be provided.")
        for subnet_id in (name for name in subnet_ids if name not in subnets):
            raise _invalid(
                f"Error occurred while DescribeSubnets. EC2 Error Code: InvalidSubnetID.NotFound. {subnet_id}"
            )
        for group_id in (name for name in group_ids if name not in groups):
            message = f"EC2 Error Code: InvalidGroup.NotFound. {group_id}"
            raise _invalid(f"Error occurred while DescribeSecurityGroups. {message}")

    def _place(self, name: str, config: dict[str, Any]) -> None:
        """Puts an interface into each of a function's subnets, in place of those that it has had.

        Source: Lambda developer guide, "Understanding Hyperplane Elastic Network Interfaces (ENIs)".
        """
        network = ec2_backends[self.current_account][self.region]
        kept = state_of(self.current_account, self.region).function_interfaces
        remove_interfaces(network, kept.pop(name, []))
        kept[name] = [
            place_interface(
                network,
                network.get_subnet(subnet_id),
                description=f"AWS Lambda VPC ENI-{name}",
                security_group_ids=config["SecurityGroupIds"],
            )
            for subnet_id in config.get("SubnetIds", [])
        ]

    def _check_size(self, package: bytes, layers: list[str]) -> None:
        """Refuses what does not fit, unzipped, with its layers."""
        size = _unzipped(package)
        for arn in layers:
            layer = self.backend.layers_versions_by_arn(arn)
            size += _unzipped(layer.code_bytes) if layer else 0
        if size > LARGEST_BYTES:
            raise _invalid(
                f"Function code combined with layers exceeds the maximum allowed size of {LARGEST_BYTES} bytes. "
                f"The actual size is {size} bytes."
            )

    def _package(self, code: dict[str, Any]) -> bytes:
        """Gives the bytes of a package in S3; code that is not there is no zip and no image.

        moto takes an object that does not exist as empty code.
        """
        if "S3Key" not in code:
            raise _invalid("The rehearsal does not model code of functions and layers that is not in S3.")
        try:
            found = s3_backends[self.current_account][self.partition].get_object(code["S3Bucket"], code["S3Key"])
        except MissingBucket:
            found = None
        if found is None:
            message = "Error occurred while GetObject. S3 Error Code: NoSuchKey."
            raise _invalid(f"{message} S3 Error Message: The specified key does not exist: {code['S3Key']}")
        content: bytes = found.value
        return content


def _unzipped(package: bytes) -> int:
    """Gives the size of what a package holds; its directory says it, so that nothing is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(package)) as archive:
            return sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile as error:
        raise _invalid("Could not unzip uploaded file. Please check your file, then try to upload again.") from error


@functools.cache
def _runtimes() -> frozenset[str]:
    """Gives the runtimes that Lambda's API knows, in whose model they are listed."""
    model = core_session().get_service_model("lambda")
    return frozenset(model.shape_for("Runtime").enum)


def _invalid(message: str) -> OverlayError:
    return OverlayError("InvalidParameterValueException", message)
