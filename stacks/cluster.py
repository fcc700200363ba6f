"""``NAME-cluster``: the EKS control plane, its add-ons, its system nodes and the way in."""

from aws_cdk import CfnResource, Stack
from constructs import Construct

from infra.add_ons import AddOn
from infra.cluster import Cluster
from infra.node_group import NodeGroup
from infra.resource import attribute, export, imported, output
from infra.roles import node_role
from infra.trainer import Trainer
from stacks.base import stack_options
from trnstack.plan import Plan
from trnstack.plan.model import BucketPlan

#: Port forwarding by Session Manager, through a system node, to the private API endpoint.
_TUNNEL = (
    "aws ssm start-session --region {region} --document-name AWS-StartPortForwardingSessionToRemoteHost"
    " --parameters portNumber=443,localPortNumber=8443,host="
    "$(aws eks describe-cluster --region {region} --name {name} --query cluster.endpoint --output text | cut -c9-)"
    " --target $(aws ec2 describe-instances --region {region}"
    " --filters Name=tag:eks:cluster-name,Values={name} Name=tag:eks:nodegroup-name,Values=system"
    " Name=instance-state-name,Values=running"
    " --query 'Reservations[0].Instances[0].InstanceId' --output text)"
)


class ClusterStack(Stack):
    """Holds the control plane and what every node group needs of it.

    Exports ``ClusterName``, ``ClusterSecurityGroup``, ``NodeRoleArn``, ``ClusterEndpoint`` and
    ``ClusterCertificateAuthority``.
    """

    def __init__(self, scope: Construct, *, plan: Plan) -> None:
        name = f"{plan.name}-cluster"
        super().__init__(scope, name, **stack_options(plan, name))
        self._plan = plan
        network, storage = f"{plan.name}-network", f"{plan.name}-storage"
        self._nodes_group_id = imported(network, "NodesSecurityGroup")
        self._subnet_ids = [imported(network, f"Subnet-{subnet}") for subnet in plan.cluster.subnets]
        self._cluster = Cluster(
            self,
            "Cluster",
            cluster=plan.cluster,
            subnet_ids=self._subnet_ids,
            security_group_id=imported(network, "ControlPlaneSecurityGroup"),
            secrets_key_arn=imported(storage, "SecretsKeyArn"),
        )
        self._role = node_role(self, "NodeRole")
        ready = self._add_ons(before_nodes=True, after=[])
        system = self._system_nodes(ready)
        self._add_ons(before_nodes=False, after=[system])
        checkpoints = plan.storage.checkpoints
        Trainer(
            self,
            "Trainer",
            trainer=plan.cluster.trainer,
            cluster_name=self._cluster.resource.ref,
            bucket_name=imported(storage, "CheckpointBucket"),
            prefixes=checkpoints.job_prefixes,
            key_arn=imported(storage, "DataKeyArn") if isinstance(checkpoints, BucketPlan) else checkpoints.kms_key_arn,
            datasets=plan.storage.datasets,
        )
        self._outputs()

    def _add_ons(self, *, before_nodes: bool, after: list[CfnResource]) -> list[CfnResource]:
        return [
            AddOn(
                self,
                f"AddOn-{add_on.name}",
                add_on=add_on,
                cluster_name=self._cluster.resource.ref,
                region=self._plan.region,
                after=after,
            ).resource
            for add_on in self._plan.cluster.add_ons
            if add_on.before_nodes is before_nodes
        ]

    def _system_nodes(self, add_ons: list[CfnResource]) -> CfnResource:
        return NodeGroup(
            self,
            "SystemNodes",
            nodes=self._plan.cluster.system_nodes,
            cluster_name=self._cluster.resource.ref,
            cluster_group_id=self._cluster.security_group_id,
            nodes_group_id=self._nodes_group_id,
            node_role_arn=attribute(self._role, "Arn"),
            subnet_ids=self._subnet_ids,
            after=add_ons,
        ).resource

    def _outputs(self) -> None:
        name, region = self._plan.name, self._plan.region
        export(self, "ClusterName", self._cluster.resource.ref)
        export(self, "ClusterSecurityGroup", self._cluster.security_group_id)
        export(self, "NodeRoleArn", attribute(self._role, "Arn"))
        export(self, "ClusterEndpoint", self._cluster.endpoint)
        export(self, "ClusterCertificateAuthority", self._cluster.certificate_authority)
        output(self, "ClusterName", self._cluster.resource.ref, "The EKS cluster")
        kubeconfig = f"aws eks update-kubeconfig --region {region} --name {name}"
        who = "Lets kubectl find the cluster; add --role-arn ARN to work as one of the roles that the file names"
        output(self, "KubeconfigCommand", kubeconfig, who)
        tunnel = _TUNNEL.format(name=name, region=region)
        output(self, "TunnelCommand", tunnel, "Opens the private API endpoint on port 8443 of this machine")
