"""The EKS control plane, who may use it, and the log group that it writes to."""

from collections.abc import Sequence

from constructs import Construct

from infra.resource import PARTITION, Properties, Value, attribute, resource
from infra.roles import cluster_role
from trnstack.kubernetes.names import TRAINERS_GROUP, VIEWERS_GROUP
from trnstack.plan.model import ClusterPlan

_ALL_LOG_TYPES = frozenset({"api", "audit", "authenticator", "controllerManager", "scheduler"})


class Cluster(Construct):
    """Defines the control plane.

    What can't be changed later without a new cluster (name, role, encryption, service addresses, who is administrator
    from the start, no self-managed add-ons) is always written out.

    Attributes:
        resource: The cluster.
        security_group_id: The group that EKS makes for control plane and nodes.
        endpoint, certificate_authority: Where its API is, and the certificate, in base64, by which nodes know it.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        cluster: ClusterPlan,
        subnet_ids: Sequence[Value],
        security_group_id: Value,
        secrets_key_arn: Value,
    ) -> None:
        super().__init__(scope, construct_id)
        logs = {"LogGroupName": f"/aws/eks/{cluster.name}/cluster", "RetentionInDays": cluster.log_retention_days}
        log_group = resource(self, "LogGroup", "AWS::Logs::LogGroup", logs)
        role = cluster_role(self, "Role", secrets_key_arn=secrets_key_arn)
        self.resource = resource(
            self,
            "Cluster",
            "AWS::EKS::Cluster",
            {
                "Name": cluster.name,
                "Version": cluster.kubernetes_version,
                "RoleArn": attribute(role, "Arn"),
                "AccessConfig": {"AuthenticationMode": "API", "BootstrapClusterCreatorAdminPermissions": False},
                "BootstrapSelfManagedAddons": False,
                "DeletionProtection": cluster.deletion_protection,
                "EncryptionConfig": [{"Provider": {"KeyArn": secrets_key_arn}, "Resources": ["secrets"]}],
                "KubernetesNetworkConfig": {"IpFamily": "ipv4", "ServiceIpv4Cidr": cluster.service_cidr},
                "Logging": {"ClusterLogging": {"EnabledTypes": [{"Type": kind} for kind in cluster.log_types]}},
                "ResourcesVpcConfig": {
                    "EndpointPrivateAccess": True,
                    "EndpointPublicAccess": bool(cluster.public_access_cidrs),
                    "PublicAccessCidrs": list(cluster.public_access_cidrs) or None,
                    "SecurityGroupIds": [security_group_id],
                    "SubnetIds": list(subnet_ids),
                },
                "UpgradePolicy": {"SupportType": cluster.support_type},
            },
            after=[log_group],
            acknowledge=_acknowledged(cluster),
        )
        self.security_group_id = attribute(self.resource, "ClusterSecurityGroupId")
        self.endpoint = attribute(self.resource, "Endpoint")
        self.certificate_authority = attribute(self.resource, "CertificateAuthorityData")
        for role_arn in cluster.administrators:
            self._administrator(role_arn)
        for role_arn in cluster.trainers:
            self._entry("Trainer", role_arn, {"KubernetesGroups": [TRAINERS_GROUP]})
        for role_arn in cluster.viewers:
            self._entry("Viewer", role_arn, {"KubernetesGroups": [VIEWERS_GROUP]})

    def _administrator(self, role_arn: str) -> None:
        admin = ["arn:", PARTITION, ":eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"]
        policy = {"AccessScope": {"Type": "cluster"}, "PolicyArn": {"Fn::Join": ["", admin]}}
        self._entry("Administrator", role_arn, {"AccessPolicies": [policy]})

    def _entry(self, kind: str, role_arn: str, may: Properties) -> None:
        """Lets a role in, by an access policy of EKS, or as one of a group that objects in the cluster give rights.

        EKS's policies know none of the kinds that charts bring, such as queues and training jobs, so who runs or looks
        at those is in a group.

        Source: EKS user guide, "Review access policy permissions", "Create access entries".
        """
        # The id holds the role and not its place in the list: an edit of the list moves no other entry.
        construct_id = f"{kind}-{role_arn.replace('/', ':')}"
        properties = {"ClusterName": self.resource.ref, "PrincipalArn": role_arn, "Type": "STANDARD", **may}
        resource(self, construct_id, "AWS::EKS::AccessEntry", properties)


def _acknowledged(cluster: ClusterPlan) -> dict[str, str]:
    rules = {}
    for kind in sorted(_ALL_LOG_TYPES - set(cluster.log_types)):
        rules[f"AwsSolutions-EKS2[LogExport::{kind}]"] = "the environment chooses which control plane logs it pays for"
    if cluster.public_access_cidrs:
        rules["AwsSolutions-EKS1"] = "the environment opens the endpoint to the networks that it names, never to all"
    return rules
