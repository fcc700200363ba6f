"""What the rehearsal keeps of a cluster and of a node group, as records that moto's own backend holds."""

import base64
import hashlib
from typing import Any

from moto.core.utils import utcnow
from moto.eks.models import Cluster, Nodegroup

from rehearsal import chance
from rehearsal.kubernetes import ApiServer

Request = dict[str, Any]
_LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")


class ClusterRecord(Cluster):
    """A cluster with everything that EKS's API answers, and with what is in it.

    moto's serializer reads the answer's members from attributes by their names in snake case.

    Attributes:
        addons: Its add-ons as EKS's API answers them, by name.
        access_entries: Its access entries as EKS's API answers them, by principal ARN.
        access_policies: The associated access policies by principal ARN and policy ARN.
        pod_identity_associations: Its associations as EKS's API answers them, by id.
        association_count: How many associations it has had.
        updates: The updates of the cluster, its node groups and add-ons, by id.
        interface_ids: The network interfaces of its control plane.
        kubernetes: What is in it.
    """

    def __init__(self, *, backend: Any, request: Request, vpc_id: str) -> None:
        super().__init__(
            name=request["name"],
            role_arn=request["roleArn"],
            resources_vpc_config=_vpc_config(request["resourcesVpcConfig"], vpc_id),
            account_id=backend.account_id,
            region_name=backend.region_name,
            aws_partition=backend.partition,
            version=request.get("version"),
            tags=dict(request.get("tags", {})),
            encryption_config=request.get("encryptionConfig"),
            client_request_token=request.get("clientRequestToken"),
        )
        self._set_network(request.get("kubernetesNetworkConfig", {}))
        self.logging: dict[str, Any] = {"clusterLogging": []}
        self.log(request.get("logging", {"clusterLogging": []}))
        self.access_config = {"authenticationMode": "CONFIG_MAP", **request.get("accessConfig", {})}
        self.upgrade_policy = {"supportType": "EXTENDED", **request.get("upgradePolicy", {})}
        self.zonal_shift_config = {"enabled": False, **request.get("zonalShiftConfig", {})}
        self.deletion_protection = request.get("deletionProtection", False)
        for member in ("controlPlaneScalingConfig", "storageConfig", "computeConfig", "remoteNetworkConfig"):
            if member in request:
                setattr(self, _snake(member), request[member])
        self._set_identity(backend.region_name)
        self.addons: dict[str, dict[str, Any]] = {}
        self.access_entries: dict[str, dict[str, Any]] = {}
        self.access_policies: dict[str, dict[str, dict[str, Any]]] = {}
        self.pod_identity_associations: dict[str, dict[str, Any]] = {}
        self.association_count = 0
        self.updates: dict[str, dict[str, Any]] = {}
        self.interface_ids: list[str] = []
        self.kubernetes = ApiServer(lambda: self.version)

    def log(self, logging: Request) -> None:
        """Turns log types on or off; those that aren't named stay as they are."""
        state = dict.fromkeys(_LOG_TYPES, False)
        for setup in [*self.logging["clusterLogging"], *logging.get("clusterLogging", [])]:
            state.update(dict.fromkeys(setup.get("types", []), setup.get("enabled", False)))
        groups = ([name for name, on in state.items() if on is wanted] for wanted in (True, False))
        pairs = zip(groups, (True, False), strict=True)
        self.logging = {"clusterLogging": [{"types": types, "enabled": on} for types, on in pairs if types]}

    def _set_network(self, config: Request) -> None:
        self.kubernetes_network_config = {"serviceIpv4Cidr": "172.20.0.0/16", "ipFamily": "ipv4", **config}

    def _set_identity(self, region: str) -> None:
        """Gives the cluster addresses of the form that EKS's have, which follow from its ARN."""
        digest = hashlib.sha256(self.arn.encode()).hexdigest()[:32].upper()
        self.endpoint = f"https://{digest}.gr7.{region}.eks.amazonaws.com"
        self.identity = {"oidc": {"issuer": f"https://oidc.eks.{region}.amazonaws.com/id/{digest}"}}
        certificate = f"-----BEGIN CERTIFICATE-----\n{digest}\n-----END CERTIFICATE-----\n"
        self.certificate_authority = {"data": base64.b64encode(certificate.encode()).decode()}
        self.platform_version = "eks.1"


class NodegroupRecord(Nodegroup):
    """A node group with its nodes.

    Attributes:
        nodes: The ids of its instances, oldest first.
    """

    def __init__(self, *, cluster: ClusterRecord, backend: Any, request: Request) -> None:
        super().__init__(
            cluster_name=cluster.name,
            node_role=request["nodeRole"],
            nodegroup_name=request["nodegroupName"],
            subnets=request["subnets"],
            account_id=backend.account_id,
            region_name=backend.region_name,
            aws_partition=backend.partition,
            scaling_config=dict(request.get("scalingConfig", {"minSize": 1, "maxSize": 2, "desiredSize": 2})),
            labels=dict(request.get("labels", {})),
            taints=list(request.get("taints", [])),
            tags=dict(request.get("tags", {})),
            launch_template=dict(request["launchTemplate"]) if "launchTemplate" in request else None,
            capacity_type=request.get("capacityType"),
            version=request.get("version", cluster.version),
            update_config=request.get("updateConfig", {"maxUnavailable": 1, "updateStrategy": "DEFAULT"}),
            node_repair_config=request.get("nodeRepairConfig", {"enabled": False}),
        )
        vars(self).update(  # over moto's defaults: EKS answers nothing where the launch template decides
            ami_type=request.get("amiType"),
            instance_types=request.get("instanceTypes"),
            disk_size=request.get("diskSize"),
            remote_access=request.get("remoteAccess"),
            release_version=request.get("releaseVersion"),
            warm_pool_config=request.get("warmPoolConfig"),
        )
        self.resources = {"autoScalingGroups": [{"name": f"eks-{self.nodegroup_name}-{self.uuid}"}]}
        self.health = {"issues": []}
        self.nodes: list[str] = []


def new_update(cluster: ClusterRecord, kind: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Notes an update that has been made, and gives it as EKS's API answers the request for it."""
    update_id = str(chance.new_uuid())
    update = {
        "id": update_id,
        "status": "Successful",
        "type": kind,
        "params": [{"type": name, "value": str(value)} for name, value in parameters.items()],
        "createdAt": utcnow(),
        "errors": [],
    }
    cluster.updates[update_id] = update
    return {**update, "status": "InProgress"}


def _vpc_config(config: Request, vpc_id: str) -> dict[str, Any]:
    """Gives the cluster's network settings with EKS's defaults.

    Source: EKS API reference, VpcConfigRequest.
    """
    settings = {
        "securityGroupIds": [],
        "endpointPublicAccess": True,
        "endpointPrivateAccess": False,
        **config,
        "vpcId": vpc_id,
    }
    open_to_all = ["0.0.0.0/0"] if settings["endpointPublicAccess"] else []
    return {"publicAccessCidrs": open_to_all, **settings}


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
