"""Decides the EKS cluster and its add-ons."""

import json

from ami.pins import EKS_OPTIMIZED, SYSTEM, Inputs, Lock
from trnstack.catalog.effective import instance_type_of
from trnstack.kubernetes.names import NAMESPACE, SERVICE_ACCOUNT
from trnstack.layout.addresses import MINIMUM_IP_TARGET, WARM_IP_TARGET
from trnstack.plan.model import AddOnPlan, ClusterPlan, PodIdentityPlan, TrainerPlan
from trnstack.plan.nodes import control_plane_zone_ids, system_nodes, uses_efa
from trnstack.plan.vpc import service_cidr_of
from trnstack.spec import Environment
from trnstack.spec.node_groups import CustomImage, NodeGroup

#: What every node needs to have a network, and pods to have permissions, so it stands before the first node joins.
BEFORE_NODES = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent")
#: What nodes run, so it becomes active only when there are some.
AFTER_SYSTEM_NODES = ("coredns", "eks-node-monitoring-agent")
FSX_CSI_DRIVER, S3_CSI_DRIVER = "aws-fsx-csi-driver", "aws-mountpoint-s3-csi-driver"
NEURON_CHART, EFA_CHART, KUEUE_CHART, TRAINER_CHART = (
    *("neuron-helm-chart", "aws-efa-k8s-device-plugin", "kueue", "kubeflow-trainer"),
)


_CONFIGURATION = {
    "vpc-cni": {"env": {"MINIMUM_IP_TARGET": str(MINIMUM_IP_TARGET), "WARM_IP_TARGET": str(WARM_IP_TARGET)}},
}
_POD_IDENTITY = {
    "vpc-cni": PodIdentityPlan(
        namespace="kube-system",
        service_account="aws-node",
        managed_policies=("AmazonEKS_CNI_Policy",),
        actions=(),
    ),
    # The volume is made by CloudFormation and mounted by its name, so the driver may look but not create or delete.
    FSX_CSI_DRIVER: PodIdentityPlan(
        namespace="kube-system",
        service_account="fsx-csi-controller-sa",
        managed_policies=(),
        actions=("fsx:DescribeFileSystems",),
    ),
}


def add_on_names(environment: Environment) -> tuple[str, ...]:
    """Returns the add-ons that the environment's cluster has, in the order in which they are installed."""
    asked = environment.kubernetes.fsx_csi
    fsx_csi = environment.storage.lustre is not None if asked == "auto" else asked
    asked_for = {FSX_CSI_DRIVER: fsx_csi, S3_CSI_DRIVER: environment.kubernetes.s3_csi}
    return (*BEFORE_NODES, *AFTER_SYSTEM_NODES, *(name for name, wanted in asked_for.items() if wanted))


def chart_names(environment: Environment) -> tuple[str, ...]:
    """Returns the Helm charts that the environment's cluster has."""
    efa = any(uses_efa(group, instance_type_of(group)) for group in environment.node_groups)
    asked = {
        NEURON_CHART: True,
        EFA_CHART: efa,
        KUEUE_CHART: environment.kubernetes.kueue,
        TRAINER_CHART: environment.kubernetes.kubeflow_trainer,
    }
    return tuple(name for name, wanted in asked.items() if wanted)


def uses_neuron_scheduler(environment: Environment) -> bool:
    """Tells whether the Neuron scheduler runs: ``auto`` is where a node has several devices to ask for a part of."""
    asked = environment.kubernetes.neuron_scheduler
    if asked == "auto":
        return any(instance_type_of(group).neuron_devices > 1 for group in environment.node_groups)
    return asked


def lock_inputs(environment: Environment) -> Inputs:
    """Returns the parts of the environment that its lock must answer."""
    return Inputs(
        environment=environment.name,
        region=environment.region,
        kubernetes_version=environment.eks.kubernetes_version,
        neuron_sdk=environment.neuron.sdk,
        framework=environment.neuron.framework,
        images={SYSTEM: EKS_OPTIMIZED, **{group.name: _image_input(group) for group in environment.node_groups}},
        image_regions=tuple(sorted(copy.region for copy in environment.images.copy_to_regions)),
        add_ons=tuple(sorted(add_on_names(environment))),
        charts=tuple(sorted(chart_names(environment))),
        chart_settings=("neuron_scheduler",) if uses_neuron_scheduler(environment) else (),
    )


def _image_input(group: NodeGroup) -> str:
    """Returns what a group's nodes start from, as the lock is asked for it."""
    if isinstance(group.image, CustomImage):
        from ami.recipes import source_hash  # noqa: PLC0415 - reads files that only a custom image needs

        return f"custom {group.image.recipe} {source_hash(group.image.recipe)}"
    return EKS_OPTIMIZED


def cluster(environment: Environment, lock: Lock) -> ClusterPlan:
    """Returns the cluster with everything in it decided."""
    section = environment.eks
    return ClusterPlan(
        name=environment.name,
        kubernetes_version=section.kubernetes_version,
        support_type=section.support_type,
        public_access_cidrs=section.public_access_cidrs if section.endpoint_access == "public_and_private" else (),
        log_types=section.control_plane_logs,
        log_retention_days=environment.observability.log_retention_days,
        administrators=section.admin_role_arns,
        trainers=section.trainer_role_arns,
        viewers=section.viewer_role_arns,
        deletion_protection=section.deletion_protection,
        subnets=tuple(f"system-{zone_id}" for zone_id in control_plane_zone_ids(environment)),
        service_cidr=service_cidr_of(environment),
        add_ons=tuple(_add_on(name, lock) for name in add_on_names(environment)),
        system_nodes=system_nodes(environment, lock),
        trainer=TrainerPlan(namespace=NAMESPACE, service_account=SERVICE_ACCOUNT),
    )


def _add_on(name: str, lock: Lock) -> AddOnPlan:
    configuration = _CONFIGURATION.get(name)
    return AddOnPlan(
        name=name,
        version=lock.add_ons[name],
        configuration=json.dumps(configuration, sort_keys=True) if configuration else "",
        pod_identity=_POD_IDENTITY.get(name),
        before_nodes=name in BEFORE_NODES,
    )
