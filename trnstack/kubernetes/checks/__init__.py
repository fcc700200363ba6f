"""What the API server and the webhooks of kinds demand beside the schemas: one module for each subject.

Each check takes an object that is as its schema says, and yields where something is wrong, and what.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from trnstack.kubernetes.checks import jobs, metadata, other_kinds, pods, queues, trainer, workloads

Check = Callable[[Mapping[str, Any]], Iterator[tuple[str, str]]]

CHECKS: tuple[Check, ...] = (
    metadata.problems,
    workloads.problems,
    jobs.problems,
    pods.problems,
    other_kinds.problems,
    queues.problems,
    trainer.problems,
)
