"""The ``kubernetes``, ``observability`` and ``budget`` sections."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from trnstack.spec.base import Section

Email = Annotated[str, StringConstraints(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", max_length=254)]
#: The retention periods that CloudWatch Logs offers, in days. Source: CloudWatch Logs API, PutRetentionPolicy.
RetentionDays = Literal[
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653
]


class Kubernetes(Section):
    """What runs in the cluster beside the jobs."""

    delivery: Annotated[
        Literal["cdk", "gitops"],
        Field(description="cdk: the stacks apply what runs in the cluster; gitops: it is rendered for a repository"),
    ] = "cdk"
    kueue: Annotated[bool, Field(description="Queues and quotas for jobs")] = True
    kubeflow_trainer: Annotated[bool, Field(description="Training jobs as Kubernetes resources")] = True
    neuron_scheduler: Annotated[
        Literal["auto"] | bool, Field(description="auto: on when a job may ask for part of a node")
    ] = "auto"
    fsx_csi: Annotated[Literal["auto"] | bool, Field(description="auto: on when there is a file system")] = "auto"
    s3_csi: Annotated[bool, Field(description="Mounts buckets into pods")] = False
    cloudwatch_observability: Annotated[bool, Field(description="Metrics and logs of nodes and pods in CloudWatch")] = (
        True
    )


class Observability(Section):
    """Who is told of what, and how long logs are kept."""

    alarm_emails: Annotated[tuple[Email, ...], Field(description="Who is told of alarms")] = ()
    log_retention_days: Annotated[RetentionDays, Field(description="How long CloudWatch keeps logs")] = 90
    checkpoint_freshness_intervals: Annotated[
        int, Field(ge=1, le=1000, description="The alarm comes when no new checkpoint appears for this many intervals")
    ] = 3


class Budget(Section):
    """What the environment may cost."""

    monthly_usd: Annotated[int, Field(ge=1, le=1_000_000_000, description="What a month may cost, in US dollars")]
    notify_at_percent: Annotated[
        tuple[Annotated[int, Field(ge=1, le=1000)], ...],
        Field(description="The shares of the budget at which somebody is told, rising"),
    ] = (50, 80, 100)
    idle_minutes: Annotated[
        int, Field(ge=1, le=100_000, description="After how many minutes without work a fleet counts as idle")
    ] = 60
    idle_action: Annotated[
        Literal["notify", "scale_to_zero"],
        Field(description="notify: somebody is told of an idle fleet; scale_to_zero: it is stopped"),
    ] = "notify"
