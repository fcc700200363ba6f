"""A small CDK application: a VPC, a subnet if it is asked for, and a nested stack with a bucket and a role for it."""

import sys

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct


class Data(cdk.NestedStack):
    """A bucket that belongs to a team."""

    def __init__(self, scope: Construct, construct_id: str, *, team: str) -> None:
        super().__init__(scope, construct_id)
        bucket = s3.CfnBucket(
            self,
            "Bucket",
            versioning_configuration={"status": "Enabled"},
            tags=[cdk.CfnTag(key="team", value=team)],
        )
        bucket.apply_removal_policy(cdk.RemovalPolicy.DESTROY)
        iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        self.bucket_name = bucket.ref


class Small(cdk.Stack):
    """The application's only stack."""

    def __init__(self, scope: Construct, construct_id: str, *, block: str, team: str) -> None:
        super().__init__(scope, construct_id)
        vpc = ec2.CfnVPC(self, "Vpc", cidr_block="10.0.0.0/16", tags=[cdk.CfnTag(key="team", value=team)])
        data = Data(self, "Data", team=team)
        if block != "none":
            subnet = ec2.CfnSubnet(self, "Subnet", vpc_id=vpc.ref, cidr_block=block)
            subnet.add_resource_dependency(data.nested_stack_resource)
        cdk.CfnOutput(self, "BucketName", value=data.bucket_name)


def main() -> None:
    """Writes the templates for the block and the team that the arguments give."""
    block, team = sys.argv[1:]
    app = cdk.App()
    Small(app, "Small", block=block, team=team)
    app.synth()


main()
