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

    delivery: Literal["cdk", "gitops"] = "cdk"
    kueue: bool = True
    kubeflow_trainer: bool = True
    neuron_scheduler: Literal["auto"] | bool = "auto"
    fsx_csi: Annotated[Literal["auto"] | bool, Field(description="auto: on when there is a file system")] = "auto"
    s3_csi: bool = False
    cloudwatch_observability: bool = True


class Observability(Section):
    """Who is told of what, and how long logs are kept."""

    alarm_emails: tuple[Email, ...] = ()
    log_retention_days: RetentionDays = 90
    checkpoint_freshness_intervals: Annotated[int, Field(ge=1, le=1000)] = 3


class Budget(Section):
    """What the environment may cost."""

    monthly_usd: Annotated[int, Field(ge=1, le=1_000_000_000)]
    notify_at_percent: tuple[Annotated[int, Field(ge=1, le=1000)], ...] = (50, 80, 100)
    idle_minutes: Annotated[int, Field(ge=1, le=100_000)] = 60
    idle_action: Literal["notify", "scale_to_zero"] = "notify"
