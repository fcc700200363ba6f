"""What comes before a teardown, or something is lost or left behind."""

from collections.abc import Iterator

from trnstack.advice.teardown.asking import FILE_SYSTEM, aws, file_system
from trnstack.advice.teardown.model import Step
from trnstack.plan.model import Plan


def before(plan: Plan) -> Iterator[Step]:
    """Yields what to do first: jobs end, what they wrote reaches the bucket, what Kubernetes made goes.

    Source: EKS API reference, DeleteCluster: services with load balancers are to be deleted before the cluster.
    """
    yield Step(
        title="end the jobs",
        commands=(f"kubectl get pods --namespace {plan.cluster.trainer.namespace}",),
        consequence="a file is exported when it is closed, and what a job has not written out goes with its node",
    )
    if plan.storage.lustre:
        yield flush(plan)
    yield Step(
        title="delete what Kubernetes made outside the cluster",
        commands=(
            "kubectl get services --all-namespaces --field-selector spec.type=LoadBalancer",
            "kubectl get ingresses --all-namespaces",
            "kubectl get persistentvolumes",
        ),
        consequence="load balancers and volumes belong to no stack: delete these services and ingresses, and the "
        "claims of volumes whose reclaim policy is Delete, while their controllers still run. With the cluster gone "
        "nobody deletes them, they go on costing, and load balancers keep the network from being deleted",
    )
    yield left_behind(plan)


def flush(plan: Plan) -> Step:
    """Returns how to see that everything is in the bucket.

    Source: FSx API reference, DeleteFileSystem, for the metric; CloudWatch user guide, metrics of AWS/FSx, for its
    dimensions; FSx API reference, DataRepositoryAssociation, ``Lifecycle``.
    """
    lustre = plan.storage.lustre
    exported = [each.file_system_path for each in (lustre.associations if lustre else ()) if each.auto_export]
    if not exported:
        return Step(
            title="copy what is needed from the file system",
            commands=(file_system(plan),),
            consequence="no association exports it: nothing of it reaches a bucket by itself",
        )
    return Step(
        title="wait until everything is exported to the bucket",
        commands=(
            file_system(plan),
            aws(
                plan.region,
                "fsx describe-data-repository-associations",
                f"--filters Name=file-system-id,Values=${FILE_SYSTEM}",
                query="'Associations[].[FileSystemPath,Lifecycle]'",
            ),
            aws(
                plan.region,
                "cloudwatch get-metric-statistics --namespace AWS/FSx --metric-name AgeOfOldestQueuedMessage",
                f"--dimensions Name=FileSystemId,Value=${FILE_SYSTEM} Name=Publisher,Value=AutoExport",
                "--start-time $(($(date +%s) - 900)) --end-time $(date +%s) --period 60 --statistics Maximum",
                query="'sort_by(Datapoints, &Timestamp)[-1].Maximum'",
            ),
        ),
        consequence="every association says AVAILABLE (one that is MISCONFIGURED exports nothing), and the age of the "
        f"oldest waiting export is 0. What is exported: {', '.join(exported)}. All else on the file system is in no "
        "bucket",
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
        title="look that nothing of it is left",
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
        consequence="the first two print nothing; the third lists volumes of any cluster of the region that nothing "
        "uses, for drivers that do not tag theirs with the cluster's name. Look once more when the cluster is gone",
    )
