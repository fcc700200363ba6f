"""The way from the function to the cluster: its role, its network, its code."""

import pytest
from botocore.exceptions import ClientError

from rehearsal.handlers.base import ResourceError

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "training"}}


def endpoint(make, network, service, group, kind="Interface", **properties: object):
    """Makes a VPC endpoint."""
    of_interfaces = {"SubnetIds": network.subnet_ids, "SecurityGroupIds": [group], "PrivateDnsEnabled": True}
    return make(
        "AWS::EC2::VPCEndpoint",
        f"Endpoint{service.title()}",
        VpcId=network.vpc.physical_id,
        ServiceName=f"com.amazonaws.us-east-2.{service}",
        VpcEndpointType=kind,
        **({**of_interfaces, **properties} if kind == "Interface" else properties),
    )


class TestRole:
    def test_unknown(self, provider, drop):
        """A role without an access entry is not let in."""
        drop(provider.entry)

        with pytest.raises(ResourceError, match="You must be logged in to the server"):
            provider.objects(NAMESPACE)

    def test_may_look(self, provider, change):
        """A role that may only look can't apply anything."""
        looks = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"
        change(provider.entry, AccessPolicies=[{"PolicyArn": looks, "AccessScope": {"Type": "cluster"}}])

        with pytest.raises(ResourceError, match=r"\(Forbidden\): User"):
            provider.objects(NAMESPACE)


class TestNetwork:
    def test_no_way_out(self, provider, gateway, drop):
        """Without a NAT gateway and endpoints the function waits for EKS until its time is over."""
        drop(gateway)

        with pytest.raises(ResourceError, match="timed out after 900 seconds: it can't ask EKS for the cluster"):
            provider.objects(NAMESPACE)

    @pytest.mark.parametrize(
        ("missing", "purpose"),
        [("eks", "ask EKS for the cluster"), ("sts", "sign in"), ("s3", "read charts"), (None, None)],
    )
    def test_endpoints(self, provider, network, cluster, gateway, make, drop, missing, purpose):
        """Endpoints for EKS, STS and S3 do as well, and each of them is needed."""
        table, group = gateway.properties["RouteTableId"], cluster.attributes["ClusterSecurityGroupId"]
        drop(gateway)
        for service in {"eks", "sts"} - {missing}:
            endpoint(make, network, service, group)
        if missing != "s3":
            endpoint(make, network, "s3", group, kind="Gateway", RouteTableIds=[table])
        if missing is None:
            provider.objects(NAMESPACE)
            return
        with pytest.raises(ResourceError, match=f"can't {purpose}, since there is neither"):
            provider.objects(NAMESPACE)

    def test_endpoint_that_lets_it_not_in(self, provider, network, gateway, make, drop):
        """An endpoint whose security group does not let the function in is none."""
        drop(gateway)
        endpoint(make, network, "eks", network.group.physical_id)

        with pytest.raises(ResourceError, match="can't ask EKS"):
            provider.objects(NAMESPACE)

    def test_control_plane_lets_it_not_in(self, provider, network, change):
        """A security group that the control plane does not let in leads nowhere."""
        vpc = {"SubnetIds": network.subnet_ids, "SecurityGroupIds": [network.group.physical_id]}
        change(provider.handler, VpcConfig=vpc)

        with pytest.raises(ResourceError, match=r"gr7\.us-east-2.eks\.amazonaws\.com:443: i/o timeout"):
            provider.objects(NAMESPACE)

    def test_private_endpoint_from_outside(self, provider, change):
        """From outside the VPC a private endpoint can't be reached."""
        change(provider.handler, VpcConfig=None)

        with pytest.raises(ResourceError, match="i/o timeout"):
            provider.objects(NAMESPACE)

    def test_public_endpoint_from_outside(self, provider, cluster, change):
        """A public one can."""
        change(provider.handler, VpcConfig=None)
        change(cluster, ResourcesVpcConfig={**cluster.properties["ResourcesVpcConfig"], "EndpointPublicAccess": True})

        provider.objects(NAMESPACE)

    def test_framework_in_the_vpc(self, provider, network, cluster, gateway, change, drop):
        """The function that CloudFormation calls has to reach Lambda."""
        vpc = {"SubnetIds": network.subnet_ids, "SecurityGroupIds": [cluster.attributes["ClusterSecurityGroupId"]]}
        change(provider.framework, VpcConfig=vpc)
        drop(gateway)

        with pytest.raises(ResourceError, match="can't call the other function"):
            provider.objects(NAMESPACE)


class TestFunction:
    def test_strange_code(self, provider, make):
        """A function of whose code nothing is known is not run, and the resource says so."""
        provider.put("strange.zip", provider.zipped({"main.py": ""}))
        role = make("AWS::IAM::Role", "StrangeRole", AssumeRolePolicyDocument=provider.trust)
        strange = provider.function("Strange", "strange.zip", role)

        with pytest.raises(ResourceError, match=r"does not know the code of function demo-Strange.* a stand-in"):
            make("Custom::Strange", ServiceToken=strange.attributes["Arn"], Word="one")

    def test_no_such_function(self, make, provider):
        """A function that is not there is no function."""
        gone = provider.framework.attributes["Arn"].replace("Framework", "Gone")

        with pytest.raises(ClientError, match="Function not found"):
            make("Custom::Thing", ServiceToken=gone)

    @pytest.mark.parametrize("token", [None, "arn:aws:sns:us-east-2:123456789012:topic"])
    def test_no_function(self, make, token):
        """A custom resource names a function."""
        with pytest.raises(
            ResourceError, match=r"ServiceToken is required|not model Custom::Thing behind arn.*stand_ins="
        ):
            make("Custom::Thing", **({"ServiceToken": token} if token else {}))

    def test_unknown_type(self, provider, make):
        """The function knows its types of resources alone."""
        with pytest.raises(ResourceError, match="unknown resource type Custom::AWSCDK-EKS-Other"):
            make("Custom::AWSCDK-EKS-Other", **provider.properties())

    def test_handler_is_gone(self, provider, drop):
        """The function that CloudFormation calls needs the other one."""
        drop(provider.handler)

        with pytest.raises(ResourceError, match="Function not found: arn:aws:lambda"):
            provider.objects(NAMESPACE)
