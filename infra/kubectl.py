"""The functions by which CloudFormation runs ``helm`` and ``kubectl`` against the cluster: those of the CDK."""

import importlib
import re
import zlib
from collections.abc import Sequence
from typing import cast

from aws_cdk import CfnResource, Stack
from aws_cdk.aws_eks_v2 import Cluster, KubectlProvider
from aws_cdk.aws_lambda import LayerVersion
from constructs import Construct, IConstruct

from infra.resource import PARTITION, Value, attribute, managed_policy, policy, resource
from trnstack.plan.quotas import AT_ONCE

#: How long CloudFormation waits for an answer: the function's quarter of an hour, and not the hour that it would wait
#: for one that died. Source: CloudFormation user guide, "AWS::CloudFormation::CustomResource", ``ServiceTimeout``.
SERVICE_TIMEOUT_SECONDS = 960

_OWN_POLICY = "what CDK grants its function: to run the cluster's function, whatever its version"
_BOOTSTRAP = (
    "charts are files that CDK uploads, known by their hash; IAM takes effect too late for a grant that names each of "
    "them and changes in the very deploy that reads the new one"
)
_MANAGED = "AWS keeps this policy in step with what a function in a VPC needs; a copy would fall behind"
_RUNTIME = "the runtime is the newest that this release of the CDK has tested its function with"


class Kubectl(Construct):
    """Defines the function that works in the cluster, and the one that CloudFormation calls.

    The first stands in the VPC and reaches the cluster's private endpoint, EKS and S3 there. CDK would put the second
    beside it, where it would need a way to Lambda; it speaks with nothing in the VPC, so it stays outside. Neither has
    a concurrency of its own: most accounts can't spare any, and what works on one release waits for what it stands on.

    Source: aws-cdk-lib 2.275, ``aws-eks-v2/lib/kubectl-provider`` and ``custom-resource-handlers/dist/aws-eks-v2``:
    the function runs ``aws eks update-kubeconfig``, ``aws s3 cp``, ``helm`` and ``kubectl``, and signs its token for
    the cluster by itself.

    CloudFormation calls by events, which Lambda would repeat for six hours, and run twice more where a function fails:
    while the stack is rolled back already. So each is run once, and none that CloudFormation has given up.

    Logs go to groups of the stack, which outlive the functions; neither function may make one for what it says last.

    Source: Lambda developer guide, "How Lambda handles errors and retries with asynchronous invocation".

    Attributes:
        service_token: What a custom resource names as ``ServiceToken``.
        ready: What must stand before the first of them, and go after the last.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        cluster_name: str,
        kubernetes_version: str,
        subnet_ids: Sequence[Value],
        security_group_ids: Sequence[Value],
        chart_bucket: str,
        retention_days: int,
    ) -> None:
        super().__init__(scope, construct_id)
        provider = KubectlProvider(
            self,
            "Provider",
            cluster=Cluster.from_cluster_attributes(self, "Cluster", cluster_name=cluster_name),
            kubectl_layer=_layer(self, kubernetes_version),
        )
        self.service_token: str = provider.service_token
        handler, framework = provider.node.find_child("Handler"), provider.node.find_child("Provider")
        framework = framework.node.find_child("framework-onEvent")
        entry = self._access(cluster_name, _of(handler, "ServiceRole"))
        reading = self._reading(chart_bucket, _of(handler, "ServiceRole"))
        function = _resource(handler)
        function.add_property_override(
            "VpcConfig", {"SubnetIds": list(subnet_ids), "SecurityGroupIds": list(security_group_ids)}
        )
        # A function in a VPC takes a minute to stand: by then the cluster knows the role.
        function.add_resource_dependency(entry)
        self._limit(handler)
        no_groups = self._no_groups(_of(handler, "ServiceRole"), _of(framework, "ServiceRole"))
        self._log("HandlerLog", handler, retention_days, after=no_groups)
        self._log("FrameworkLog", framework, retention_days, after=no_groups)
        self.ready: tuple[CfnResource, ...] = (reading, self._once(_resource(framework)))
        self._lines: dict[int, CfnResource] = {}
        for each in (function, _resource(framework)):
            # CDK names a function's role among what it waits for, although it refers to it.
            each.add_metadata("cfn-lint", {"config": {"ignore_checks": ["W3005"]}})
        _acknowledge(function, {"AwsSolutions-L1": _RUNTIME})
        basic = "service-role/AWSLambdaBasicExecutionRole"
        _acknowledge(_of(framework, "ServiceRole"), {_managed_rule(basic): _MANAGED})
        versions = f"AwsSolutions-IAM5[Resource::<{function.logical_id}.Arn>:*]"
        _acknowledge(_of(framework.node.find_child("ServiceRole"), "DefaultPolicy"), {versions: _OWN_POLICY})

    def in_turn(self, made: CfnResource, name: str) -> CfnResource:
        """Lets a custom resource wait for the one before it in its line, of which there are ``AT_ONCE``.

        The line follows from the name alone, so that what comes and goes leaves most of the others' as they are.

        Args:
            made: The resource; it must not have to stand before any that came earlier.
            name: What it is known by.
        """
        line = zlib.crc32(name.encode()) % AT_ONCE
        if line in self._lines:
            made.add_resource_dependency(self._lines[line])
        self._lines[line] = made
        return made

    def _once(self, framework: CfnResource) -> CfnResource:
        """Lets an event be run once, and dropped when CloudFormation no longer waits for it."""
        properties = {
            "FunctionName": framework.ref,
            "Qualifier": "$LATEST",
            "MaximumRetryAttempts": 0,
            "MaximumEventAgeInSeconds": SERVICE_TIMEOUT_SECONDS,
        }
        return resource(self, "Once", "AWS::Lambda::EventInvokeConfig", properties)

    def _access(self, cluster_name: str, role: CfnResource) -> CfnResource:
        """Lets the function do everything in the cluster, as charts define roles and kinds of their own."""
        admin = ["arn:", PARTITION, ":eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"]
        properties = {
            "ClusterName": cluster_name,
            "PrincipalArn": attribute(role, "Arn"),
            "Type": "STANDARD",
            "AccessPolicies": [{"AccessScope": {"Type": "cluster"}, "PolicyArn": {"Fn::Join": ["", admin]}}],
        }
        return resource(self, "AccessEntry", "AWS::EKS::AccessEntry", properties)

    def _reading(self, bucket: str, role: CfnResource) -> CfnResource:
        objects = {"Fn::Join": ["", ["arn:", PARTITION, f":s3:::{bucket}/*"]]}
        properties = {**policy("charts", [{"Action": "s3:GetObject", "Resource": objects}]), "Roles": [role.ref]}
        name = Stack.of(self).resolve(bucket)
        text = re.sub(r"\$\{([^}]+)\}", r"<\1>", name["Fn::Sub"] if isinstance(name, dict) else name)
        rule = f"AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::{text}/*]"
        return resource(self, "ReadCharts", "AWS::IAM::Policy", properties, acknowledge={rule: _BOOTSTRAP})

    def _limit(self, handler: IConstruct) -> None:
        """Leaves the function no more than it needs: it pulls nothing from ECR, since charts come as files."""
        role, vpc_access = _of(handler, "ServiceRole"), "service-role/AWSLambdaVPCAccessExecutionRole"
        role.add_property_override("ManagedPolicyArns", [managed_policy(vpc_access)])
        handler.node.try_remove_child("HasEcrPublic")
        _acknowledge(role, {_managed_rule(vpc_access): _MANAGED})

    def _no_groups(self, *roles: CfnResource) -> CfnResource:
        """Keeps Lambda from making a log group in the functions' name, as AWS's own policies for them allow."""
        everywhere = {"Fn::Join": ["", ["arn:", PARTITION, ":logs:*:*:*"]]}
        denied = policy("no-log-groups", [{"Effect": "Deny", "Action": "logs:CreateLogGroup", "Resource": everywhere}])
        return resource(self, "NoLogGroups", "AWS::IAM::Policy", {**denied, "Roles": [role.ref for role in roles]})

    def _log(self, construct_id: str, function: IConstruct, retention_days: int, *, after: CfnResource) -> None:
        """Keeps a function's log for as long as the environment says, in place of the CDK's two years and for ever.

        The group stands before the function and goes after it, while what comes before it in turn still stands.
        """
        function.node.try_remove_child("LogGroup")
        group = resource(self, construct_id, "AWS::Logs::LogGroup", {"RetentionInDays": retention_days}, after=[after])
        _resource(function).add_property_override("LoggingConfig", {"LogGroup": group.ref})


def _layer(scope: Construct, kubernetes_version: str) -> LayerVersion:
    """Returns the layer with the ``kubectl`` and ``helm`` of the cluster's minor; a package for each minor."""
    minor = kubernetes_version.replace(".", "")[1:]
    package = importlib.import_module(f"aws_cdk.lambda_layer_kubectl_v{minor}")
    layer: LayerVersion = getattr(package, f"KubectlV{minor}Layer")(scope, "Kubectl")
    return layer


def _of(construct: IConstruct, child: str) -> CfnResource:
    return _resource(construct.node.find_child(child))


def _resource(construct: IConstruct) -> CfnResource:
    """Returns what CDK's construct renders."""
    return cast("CfnResource", construct.node.default_child)


def _managed_rule(name: str) -> str:
    return f"AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/{name}]"


def _acknowledge(made: CfnResource, rules: dict[str, str]) -> None:
    made.add_metadata(
        "cdk_nag", {"rules_to_suppress": [{"id": rule, "reason": reason} for rule, reason in rules.items()]}
    )
