"""A template that is nobody's here: a network, a cluster and nodes by hand, through both ways to the embedded AWS."""

import base64
from pathlib import Path

import pytest

from rehearsal.process import server
from rehearsal.sessions import session
from rehearsal.transport import ACCESS_KEY, SECRET_KEY

TEMPLATE = (Path(__file__).parent / "cluster.yaml").read_text(encoding="utf-8")
ACCOUNT, REGION, NAME = "123456789012", "us-east-2", "foreign"


class Sample:
    """The template's stack, and the clients of the AWS that it is in."""

    def __init__(self, client):
        self.client = client
        self.cloudformation = client("cloudformation")
        self.id = ""

    def create(self, **parameters):
        self.id = self.cloudformation.create_stack(TemplateBody=TEMPLATE, **self._request(parameters))["StackId"]
        return self.ended("stack_create_complete")

    def update(self, **parameters):
        self.cloudformation.update_stack(UsePreviousTemplate=True, **self._request(parameters))
        return self.ended("stack_update_complete")

    def delete(self):
        self.cloudformation.delete_stack(StackName=self.id)
        return self.ended("stack_delete_complete")

    def ended(self, end):
        """Waits for the end of an operation, and returns the outputs."""
        waiting = {"Delay": 1, "MaxAttempts": 60}
        self.cloudformation.get_waiter(end).wait(StackName=self.id, WaiterConfig=waiting)
        (stack,) = self.cloudformation.describe_stacks(StackName=self.id)["Stacks"]
        return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}

    def resources(self):
        """Returns the ids of what stands, by the names in the template."""
        found = self.cloudformation.describe_stack_resources(StackName=self.id)["StackResources"]
        return {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in found}

    def nodes(self):
        cluster, name = self.resources()["NodeGroup"].split("/")
        return self.client("eks").describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]

    @staticmethod
    def _request(parameters):
        given = [{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()]
        return {"StackName": NAME, "Capabilities": ["CAPABILITY_IAM"], "Parameters": given}


def in_process(request):
    services = request.getfixturevalue("services")
    services.reset()
    yield lambda service: services.transport.client(service, ACCOUNT, REGION)


def by_loopback(_):
    made = session(ACCESS_KEY, SECRET_KEY, None, REGION)
    with server() as aws:
        yield lambda service: made.client(service, endpoint_url=aws.endpoint)


@pytest.fixture(params=[in_process, pytest.param(by_loopback, marks=pytest.mark.cli)])
def sample(request):
    """The template in an AWS that has nothing yet, asked within the process and over HTTP."""
    way = request.param(request)
    yield Sample(next(way))
    next(way, None)


class TestLife:
    def test_create(self, sample):
        """Ranges are computed, conditions and parameters hold, outputs are exported, and texts are put together."""
        outputs = sample.create()
        ec2, made = sample.client("ec2"), sample.resources()
        subnets = ec2.describe_subnets(Filters=[{"Name": "vpc-id", "Values": [made["Vpc"]]}])["Subnets"]
        (export,) = sample.cloudformation.list_exports()["Exports"]
        told = ec2.describe_instance_attribute(InstanceId=made["Bastion"], Attribute="userData")["UserData"]["Value"]
        labels = sample.nodes()["labels"]

        assert sorted(subnet["CidrBlock"] for subnet in subnets) == [f"10.20.{part * 16}.0/20" for part in range(4)]
        assert "MoreOfVpc" not in made
        assert outputs["Subnets"] == f"{made['PrivateSubnet1']},{made['PrivateSubnet2']}"
        assert (export["Name"], export["Value"]) == (f"{NAME}-cluster", outputs["ClusterName"])
        assert labels == {"team": "platform", "network": "10-20-0-0"}
        assert outputs["NodeGroupId"] == made["NodeGroup"]
        assert decoded(told).splitlines()[1:] == [
            f"aws eks update-kubeconfig --region {REGION} --name {outputs['ClusterName']}",
            "echo ${HOME}",
        ]

    def test_what_only_samples_have(self, sample):
        """The types that no environment of the project has stand as they were asked for."""
        sample.create()
        made = sample.resources()
        (acl,) = sample.client("ec2").describe_network_acls(NetworkAclIds=[made["Guard"]])["NetworkAcls"]
        named = {"AutoScalingGroupNames": [made["OwnNodes"]]}
        (group,) = sample.client("autoscaling").describe_auto_scaling_groups(**named)["AutoScalingGroups"]
        provider = sample.client("iam").get_open_id_connect_provider(OpenIDConnectProviderArn=made["Provider"])
        cluster, profile = made["Serverless"].split("/")
        fargate = sample.client("eks").describe_fargate_profile(clusterName=cluster, fargateProfileName=profile)
        own = {"Name": "association.association-id", "Values": [made["GuardOfPrivate2"]]}

        assert {(one["RuleNumber"], one["Egress"]) for one in acl["Entries"]} >= {(100, False), (100, True)}
        assert [association["SubnetId"] for association in acl["Associations"]] == [made["PrivateSubnet2"]]
        assert sample.client("ec2").describe_network_acls(Filters=[own])["NetworkAcls"] == [acl]
        assert len(group["Instances"]) == 1
        assert {tag["Key"]: tag["PropagateAtLaunch"] for tag in group["Tags"]}["Team"] is False
        assert provider["ClientIDList"] == ["sts.amazonaws.com"]
        assert fargate["fargateProfile"]["selectors"] == [{"namespace": "jobs", "labels": {"size": "small"}}]
        assert made["SpotMayStart"].startswith("AWSServiceRoleFor")

    def test_update(self, sample):
        """A size and a label change in place, another instance type replaces the node group, and then it all goes."""
        sample.create()
        first, before = sample.resources(), sample.nodes()
        sample.update(Nodes="3", Team="research")
        second, after = sample.resources(), sample.nodes()
        sample.update(Nodes="3", Team="research", NodeType="m7i.xlarge")
        third, replaced = sample.resources(), sample.nodes()

        assert first == second
        assert (before["scalingConfig"]["desiredSize"], after["scalingConfig"]["desiredSize"]) == (2, 3)
        assert after["labels"]["team"] == "research"
        assert {name for name in third if third[name] != second[name]} == {"NodeGroup"}
        assert replaced["instanceTypes"] == ["m7i.xlarge"]

        sample.update(NodeType="m7i.xlarge", Nodes="0", WithBastion="no", FurtherRange="10.21.0.0/16")
        last = sample.resources()
        assert last.keys() == {*third, "MoreOfVpc"} - {"NodeGroup", "Bastion"}

        assert sample.delete() == {}
        assert left(sample) == []


def decoded(text):
    """Returns user data as it was written."""
    return base64.b64decode(text).decode()


def left(sample):
    """Returns what is left of the sample in the account."""
    ec2, iam = sample.client("ec2"), sample.client("iam")
    vpcs = [vpc["VpcId"] for vpc in ec2.describe_vpcs()["Vpcs"] if not vpc["IsDefault"]]
    interfaces = [each["NetworkInterfaceId"] for each in ec2.describe_network_interfaces()["NetworkInterfaces"]]
    instances = [each for one in ec2.describe_instances()["Reservations"] for each in one["Instances"]]
    running = [each["InstanceId"] for each in instances if each["State"]["Name"] != "terminated"]
    roles = [role["RoleName"] for role in iam.list_roles()["Roles"] if NAME in role["RoleName"]]
    clusters = sample.client("eks").list_clusters()["clusters"]
    providers = iam.list_open_id_connect_providers()["OpenIDConnectProviderList"]
    groups = sample.client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    return [*vpcs, *interfaces, *running, *roles, *clusters, *providers, *groups]
