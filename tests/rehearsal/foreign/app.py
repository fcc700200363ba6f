"""A network, a cluster and nodes as somebody writes them with the CDK who never heard of this project."""

import sys

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_eks_v2 as eks
from aws_cdk import aws_iam as iam

EVERYWHERE = eks.AccessScopeType.CLUSTER

size, instance_type, team = sys.argv[1:4]
app = cdk.App()
stack = cdk.Stack(app, "plain", env=cdk.Environment(account="123456789012", region="us-east-2"))
cdk.Tags.of(stack).add("Team", team)
vpc = ec2.Vpc(stack, "Vpc", max_azs=2, nat_gateways=1)
cluster = eks.Cluster(
    stack,
    "Cluster",
    vpc=vpc,
    version=eks.KubernetesVersion.V1_34,
    default_capacity_type=eks.DefaultCapacityType.NODEGROUP,
    default_capacity=0,
)
cluster.add_nodegroup_capacity(
    "Nodes",
    ami_type=eks.NodegroupAmiType.AL2023_X86_64_STANDARD,
    instance_types=[ec2.InstanceType(instance_type)],
    min_size=0,
    desired_size=int(size),
    max_size=6,
    labels={"team": team},
)
cluster.grant_access(
    "Admins",
    iam.Role(stack, "Admin", assumed_by=iam.AccountRootPrincipal()).role_arn,
    [eks.AccessPolicy.from_access_policy_name("AmazonEKSClusterAdminPolicy", access_scope_type=EVERYWHERE)],
)
issuer = cluster.cluster_open_id_connect_issuer_url
iam.OidcProviderNative(stack, "Provider", url=issuer, client_ids=["sts.amazonaws.com"])
ec2.BastionHostLinux(stack, "Bastion", vpc=vpc)
cdk.CfnOutput(stack, "ClusterName", value=cluster.cluster_name)
app.synth()
