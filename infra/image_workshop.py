"""Where images are built: the role and the network access of the instances that build and test them, and their log."""

from aws_cdk import CfnResource
from constructs import Construct

from infra.resource import (
    ACCOUNT_ID,
    PARTITION,
    REGION,
    Value,
    assumed_by,
    attribute,
    managed_policy,
    policy,
    resource,
)
from infra.security_groups import HTTPS, NO_TRAFFIC

_SESSION_MANAGER = "AmazonSSMManagedInstanceCore"


class ImageWorkshop(Construct):
    """Defines what the instances that build images may do and reach.

    Their role may fetch the environment's own components and Image Builder's program, write their log, and be driven by
    Systems Manager, which is how Image Builder drives them. AWS's policy for such instances allows components and logs
    of every environment, and keys for components that are encrypted with one, which ours are not. Public registries
    and package repositories take no credentials of AWS's.

    Attributes:
        profile_name: The instance profile.
        security_group_id: A group that lets nothing in, and HTTPS out.
        log_group_name: What Image Builder writes to; the prefix of the name lets its own role do so.
        resources: What must stand before a build starts.

    Source: Image Builder user guide, "Use AWS managed policies for EC2 Image Builder"
    (EC2InstanceProfileForImageBuilder) and "Prerequisites"; Image Builder API reference, PipelineLoggingConfiguration.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        name: str,
        vpc_id: Value,
        endpoints_group_id: Value,
        retention_days: int,
    ) -> None:
        super().__init__(scope, construct_id)
        self.log_group_name = f"/aws/imagebuilder/{name}"
        logs = {"LogGroupName": self.log_group_name, "RetentionInDays": retention_days}
        log_group = resource(self, "LogGroup", "AWS::Logs::LogGroup", logs)
        role = self._role(name, attribute(log_group, "Arn"))
        profile = resource(self, "Profile", "AWS::IAM::InstanceProfile", {"Roles": [role.ref]})
        self.profile_name = profile.ref
        group = self._security_group(name, vpc_id)
        self.security_group_id = attribute(group, "GroupId")
        self.resources = (log_group, self._to_https(), self._to_endpoints(endpoints_group_id))

    def _role(self, name: str, log_group_arn: Value) -> CfnResource:
        components = ["arn:", PARTITION, ":imagebuilder:", REGION, ":", ACCOUNT_ID, f":component/{name}-*/*"]
        program = ["arn:", PARTITION, ":s3:::ec2imagebuilder*"]
        write = ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"]
        statements = [
            {"Action": "imagebuilder:GetComponent", "Resource": {"Fn::Join": ["", components]}},
            {"Action": "s3:GetObject", "Resource": {"Fn::Join": ["", program]}},
            {"Action": write, "Resource": log_group_arn},
        ]
        properties = {
            "AssumeRolePolicyDocument": assumed_by("ec2.amazonaws.com"),
            "ManagedPolicyArns": [managed_policy(_SESSION_MANAGER)],
            "Policies": [policy("build", statements)],
        }
        return resource(self, "Role", "AWS::IAM::Role", properties, acknowledge=_acknowledged(name))

    def _security_group(self, name: str, vpc_id: Value) -> CfnResource:
        properties = {
            "GroupDescription": f"{name}: instances that build images",
            "VpcId": vpc_id,
            "SecurityGroupEgress": [NO_TRAFFIC],
            "Tags": [{"Key": "Name", "Value": f"{name}-images"}],
        }
        return resource(self, "SecurityGroup", "AWS::EC2::SecurityGroup", properties)

    def _to_https(self) -> CfnResource:
        properties = {
            "GroupId": self.security_group_id,
            "CidrIp": "0.0.0.0/0",
            "IpProtocol": "tcp",
            "FromPort": HTTPS,
            "ToPort": HTTPS,
            "Description": "HTTPS: packages, registries and AWS APIs",
        }
        return resource(self, "ToHttps", "AWS::EC2::SecurityGroupEgress", properties)

    def _to_endpoints(self, endpoints_group_id: Value) -> CfnResource:
        """Defines the rule that lets the instances to the VPC's endpoints, which its DNS names for AWS services."""
        properties = {
            "GroupId": endpoints_group_id,
            "SourceSecurityGroupId": self.security_group_id,
            "IpProtocol": "tcp",
            "FromPort": HTTPS,
            "ToPort": HTTPS,
            "Description": "instances that build images to endpoints",
        }
        return resource(self, "ToEndpoints", "AWS::EC2::SecurityGroupIngress", properties)


def _acknowledged(name: str) -> dict[str, str]:
    """Returns the findings about the role that are as intended."""
    component = f"arn:<AWS::Partition>:imagebuilder:<AWS::Region>:<AWS::AccountId>:component/{name}-*/*"
    return {
        f"AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/{_SESSION_MANAGER}]": (
            "AWS keeps this policy in step with what its agent needs; a copy would fall behind"
        ),
        f"AwsSolutions-IAM5[Resource::{component}]": (
            "the environment's own components, whose names change with their content"
        ),
        "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::ec2imagebuilder*]": (
            "AWS's own buckets with Image Builder's program, whose names AWS does not publish in full"
        ),
    }
