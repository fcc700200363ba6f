"""What comes before a teardown, or something is lost or left behind."""

from collections.abc import Iterator

from trnstack.advice.teardown.asking import aws, context, each, kubectl
from trnstack.advice.teardown.export import flush
from trnstack.advice.teardown.model import Step
from trnstack.plan.model import Plan

_RETAIN = '\'{"spec": {"persistentVolumeReclaimPolicy": "Retain"}}\''
#: What is needed of a volume when its cluster is gone: the id of the EBS volume or file system behind it.
_VOLUME_COLUMNS = (
    "NAME:.metadata.name,POLICY:.spec.persistentVolumeReclaimPolicy,CLAIM:.spec.claimRef.name,"
    "DRIVER:.spec.csi.driver,ID:.spec.csi.volumeHandle"
)


def before(plan: Plan) -> Iterator[Step]:
    """Yields what to do first: jobs end, what they wrote reaches the bucket, what Kubernetes made is kept or goes.

    Source: EKS API reference, DeleteCluster: services with load balancers are to be deleted before the cluster.
    """
    yield end_jobs(plan)
    if plan.storage.lustre:
        yield flush(plan)
    yield keep_volumes(plan)
    yield Step(
        title="delete the load balancers that Kubernetes made",
        commands=(
            kubectl(plan, "get services --all-namespaces --field-selector spec.type=LoadBalancer"),
            kubectl(plan, "get ingresses --all-namespaces"),
        ),
        consequence="they belong to no stack: delete these services and ingresses while their controllers still run. "
        "With the cluster gone nobody deletes them, they go on costing, and keep the network from being deleted",
    )
    yield left_behind(plan)


def end_jobs(plan: Plan) -> Step:
    """Returns how jobs end and write out what they have; pods that run on would hold the claim on the file system.

    Source: Kubernetes documentation, "Use Cascading Deletion": in the foreground, a job goes after its pods;
    "Persistent Volumes", Storage Object in Use Protection.
    """
    namespace = plan.cluster.trainer.namespace
    kinds = "trainjobs,jobsets,jobs" if plan.kubernetes.runtimes else "jobs"
    return Step(
        title="end the jobs",
        commands=(
            context(plan),
            kubectl(plan, f"delete {kinds} --all --namespace {namespace} --cascade=foreground"),
            kubectl(plan, f"get pods --namespace {namespace}"),
        ),
        consequence=f"kubectl knows this cluster as {plan.cluster.name}, and each command here names it. A file is "
        "exported when it is closed; what a job did since its newest checkpoint is lost. The last command prints no "
        "pod",
    )


def keep_volumes(plan: Plan) -> Step:
    """Returns how what is on volumes outlives its claims.

    Source: Kubernetes documentation, "Persistent Volumes", Reclaiming: Delete takes the storage behind a volume with
    its claim, and is the default of storage classes; "Change the Reclaim Policy of a PersistentVolume".
    """
    retained = kubectl(plan, f"patch $VOLUME --patch {_RETAIN}")
    return Step(
        title="keep what is on the volumes that Kubernetes made",
        commands=(
            each("VOLUME", kubectl(plan, "get persistentvolumes --output name"), retained),
            kubectl(plan, f"get persistentvolumes --output custom-columns={_VOLUME_COLUMNS}"),
        ),
        consequence="a volume whose policy is Delete is lost with its claim, with all data and without a snapshot: "
        "the first makes every policy Retain. Volumes belong to no stack, and go on costing until you delete each by "
        "its id",
    )


def left_behind(plan: Plan) -> Step:
    """Returns how to see what Kubernetes made and stacks do not own.

    Source: kubernetes-sigs/aws-load-balancer-controller, its tag elbv2.k8s.aws/cluster on load balancers, target groups
    and security groups; kubernetes-sigs/aws-ebs-csi-driver, docs/tagging.md; kubernetes/cloud-provider-aws, tags of
    load balancers.
    """
    name, arns, operation = plan.cluster.name, "'ResourceTagMappingList[].ResourceARN'", "resourcegroupstaggingapi"
    kinds = "--resource-type-filters elasticloadbalancing ec2:volume ec2:snapshot"
    return Step(
        title="look what of it is left",
        commands=(
            aws(
                plan.region,
                f"{operation} get-resources",
                f"--tag-filters Key=elbv2.k8s.aws/cluster,Values={name}",
                query=arns,
            ),
            aws(
                plan.region,
                f"{operation} get-resources",
                kinds,
                f"--tag-filters Key=kubernetes.io/cluster/{name},Values=owned",
                query=arns,
            ),
            aws(
                plan.region,
                "ec2 describe-volumes",
                "--filters Name=tag-key,Values=CSIVolumeName Name=status,Values=available",
                query="'Volumes[].[VolumeId,Size]'",
            ),
        ),
        consequence="the first two print no load balancer; volumes are those that you keep. The third lists volumes of "
        "any cluster of the region that nothing uses, for drivers that do not tag theirs with the cluster's name. "
        "Look once more when the cluster is gone",
    )
