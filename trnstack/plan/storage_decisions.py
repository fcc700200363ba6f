"""Tells what was decided of buckets and file system, and why."""

from collections.abc import Iterator

from trnstack.plan.model import Decision
from trnstack.plan.storage import job_prefixes
from trnstack.spec import Environment
from trnstack.spec.storage import Lustre


def storage_decisions(environment: Environment) -> Iterator[Decision]:
    """Yields what was decided of storage, in the order of the environment file."""
    section, lustre = environment.storage.checkpoints, environment.storage.lustre
    if section.existing_bucket:
        yield Decision(
            path="storage.checkpoints.existing_bucket",
            value=f"{section.existing_bucket}, of which nothing is made or changed",
            reason="its policy, lifecycle and access log are those of where it was made; jobs get access to it",
        )
    prefixes, linked = job_prefixes(environment), environment.storage.linked_prefixes()
    if prefixes or (linked and "" not in linked):
        beside = ", and those that the file adds" if section.job_prefixes else ""
        yield Decision(
            path="storage.checkpoints.job_prefixes",
            value=", ".join(prefixes) or "all of the bucket",
            reason=f"jobs may use those parts of the checkpoint bucket that the file system is linked to{beside}",
        )
    if lustre and lustre.existing_file_system:
        yield Decision(
            path="storage.lustre.existing_file_system",
            value=f"{lustre.existing_file_system.file_system_id}, of which nothing is changed",
            reason="nodes get rules to and from its security group; associations are made where the file asks for them",
        )
    elif lustre:
        yield from _of_lustre(environment, lustre)


def _of_lustre(environment: Environment, lustre: Lustre) -> Iterator[Decision]:
    yield Decision(
        path="storage.lustre.subnet",
        value=f"in {environment.availability_zone_ids[0]}",
        reason="Lustre stands in one zone; the first of the list is home to accelerators and file system",
    )
    if lustre.deployment_type != "SCRATCH_2" and lustre.storage_type != "INTELLIGENT_TIERING":
        yield Decision(
            path="storage.lustre.throughput_mbps_per_tib",
            value=f"{lustre.throughput_mbps_per_tib} MB/s per TiB, for as long as it stands",
            reason="CloudFormation replaces a file system whose rate is edited; docs/updates.md has the way in place",
        )
    if lustre.efa_enabled:
        yield Decision(
            path="storage.lustre.efa_enabled",
            value="on, for as long as it stands",
            reason="FSx takes it at creation only, and then neither type nor rate can be changed in place",
        )
