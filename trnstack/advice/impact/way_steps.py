"""The ways without loss, step by step, with commands for people to paste.

A step is a sentence; its commands follow on lines of their own, and ``FILE`` in them stands for the environment file.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from trnstack.advice.group_steps import deploy
from trnstack.advice.impact.links import Link
from trnstack.advice.impact.lustre import FILE_SYSTEM as LUSTRE
from trnstack.advice.impact.model import Action, ResourceChange
from trnstack.advice.teardown.asking import FILE_SYSTEM, aws, export_queue
from trnstack.advice.teardown.asking import links as links_command
from trnstack.kubernetes.names import NAMESPACE, VOLUME

_UPDATES, _STORAGE, _TEARDOWN = "docs/updates.md", "docs/storage.md", "docs/teardown.md"
_EXPORT = "FSx for Lustre user guide, Exporting changes to the data repository"
_LINKING = "FSx for Lustre user guide, Linking your file system to an S3 bucket"
_EXPORTED = (
    "every association says AVAILABLE, and the age of the oldest waiting export, in seconds, is 0; None says nothing, "
    "and what failed is in the file system's log alone"
)
#: Source: FSx API reference, AutoImportPolicy: CHANGED "invalidates existing file content on the file system".
_BUCKET_WINS = "where both have a file of a name, the bucket's may win"
#: Of what is written, all; DELETED carries deletions alone.
_WRITTEN = {"NEW", "CHANGED"}
_COPY = "aws s3 sync /MOUNT/FOLDER s3://BUCKET/PREFIX"


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of a way, and where they are documented."""

    texts: tuple[str, ...]
    source: str


def rate(region: str, change: ResourceChange, mbps_per_tib: str) -> Steps:
    """Returns how FSx changes the throughput of a file system that stands."""
    text = "leave the environment file as it is, and change the throughput in FSx, which keeps the files"
    setting = f"--lustre-configuration PerUnitStorageThroughput={mbps_per_tib}"
    update = aws(region, "fsx update-file-system", f"--file-system-id ${FILE_SYSTEM}", setting)
    after = "CloudFormation compares templates and does not see it; to have it in the file too, go on below"
    return Steps(
        (step(f"{text}; reads and writes wait for up to an hour", _id(region, change), update), after),
        f"FSx API reference, UpdateFileSystem; {_UPDATES}",
    )


def beside(region: str, change: ResourceChange, links: Sequence[Link], *, relinks: bool) -> Steps:
    """Returns how a new file system takes the place of one that is replaced."""
    fills = ", and sees the bucket's objects through its associations" if relinks else "; copy to it what jobs need"
    stands = f"deploy: the new file system stands beside the old one, which is retained{fills}"
    steps = (
        *_retain(change),
        *_flush(region, change, links),
        step(stands, deploy(change.stack)),
        _anew(change),
        "compare what jobs read from it",
        _delete(region, "the old one costs money until you delete it, by the id that was shown before the deploy"),
    )
    return Steps(steps, f"{_EXPORT}; {_UPDATES}")


def _anew(change: ResourceChange) -> str:
    """Returns how pods come to mount another file system than before.

    Source: Kubernetes documentation, "Persistent Volumes": a volume's source can't be changed.
    """
    claim = f"kubectl --namespace {NAMESPACE} delete persistentvolumeclaim {VOLUME}"
    apply = deploy(f"{change.stack.removesuffix('-storage')}-kubernetes")
    text = "Kubernetes changes no volume's source: when no pod uses the old one, delete its claim and volume"
    return step(f"{text}, and deploy what makes both anew", claim, f"kubectl delete persistentvolume {VOLUME}", apply)


def given_up(region: str, change: ResourceChange, links: Sequence[Link]) -> Steps:
    """Returns what comes before a file system leaves its stack, with none in its place."""
    volumes = "delete its volumes and claims in Kubernetes while its CSI driver still runs, and note its id, which"
    steps = (
        *_retain(change),
        *_flush(region, change, links),
        step(f"{volumes} no stack tells any more; then deploy", _id(region, change), deploy(change.stack)),
        "take it back by storage.lustre.existing_file_system, in the network that it stands in",
        _delete(region, "or delete it when nothing needs it any more: it costs money until then"),
    )
    return Steps(steps, f"{_EXPORT}; {_STORAGE}")


def adopted(region: str, change: ResourceChange, links: Sequence[Link], ids: Sequence[str], *, relinks: bool) -> Steps:
    """Returns how a stack gives up its file system for one that is named by its id: the same, or another one.

    CloudFormation compares values once references are worked out, so for the same file system it may see no change of
    its links; nothing published promises that, and where it does replace them, FSx refuses: two deploys are safe.
    """
    same = f"if it prints {' or '.join(ids)}, it is the same file system, is retained, and goes on under its id"
    if links and relinks:
        same += (
            ": deploy once without existing_file_system and without its associations, which leaves files and objects, "
            "then deploy the new file, which links it anew. In one deploy, the new link would meet the old one"
        )
    other = "if it prints another id: copy what is on that one alone, from a pod that mounts both, and deploy"
    steps = (
        *_retain(change),
        *_flush(region, change, links),
        step("see which file system leaves the stack", _id(region, change)),
        step(same, deploy(change.stack)),
        step(f"{other}; jobs that start then mount the other file system", deploy(change.stack)),
        _anew(change),
        _delete(region, "that one costs money until you delete it"),
    )
    return Steps(steps, f"{_LINKING}; {_STORAGE}")


def named_no_more(region: str, change: ResourceChange, links: Sequence[Link]) -> Steps:
    """Returns what comes before something that no stack made gives way to another one."""
    if change.type != LUSTRE:
        on = (
            "to go on with what is in it, leave existing_bucket as it was, or copy before jobs start from the other one"
        )
        return Steps(
            (
                step(on, f"aws s3 sync --source-region {region} s3://{change.logical_id} s3://NEW"),
                step("then deploy; the bucket stands as it is, with every version", deploy(change.stack)),
            ),
            f"S3 user guide, Copying, moving, and renaming objects; {_STORAGE}",
        )
    seen = f"then deploy: jobs that start from then on see nothing of {change.logical_id}, which stands as it is"
    return Steps(
        (*_flush(region, change, links), step(f"{seen}, and costs money on", deploy(change.stack))),
        f"{_EXPORT}; {_STORAGE}",
    )


def link(region: str, change: ResourceChange) -> Steps:
    """Returns how a link gets another folder or prefix: the old one goes first."""
    query = "\"Stacks[0].Outputs[?OutputKey=='FileSystemId'].OutputValue\""
    stacks = aws(region, "cloudformation describe-stacks", f"--stack-name {change.stack}", query=query)
    commands = (f"{FILE_SYSTEM}=$({stacks})", links_command(region), export_queue(region))
    out = "take the association out of the environment file, and deploy: the link goes, files and objects stay"
    back = "put the new one in, and deploy again: its folder gets what is under its prefix in the bucket"
    wins = f"write nothing there meanwhile: {_BUCKET_WINS}"
    return Steps(
        (
            step(f"end the jobs that write to its folder, and wait until all is exported: {_EXPORTED}", *commands),
            step(out, deploy(change.stack)),
            step(f"{back}; {wins}. What is in another, old folder stays there", deploy(change.stack)),
            "deploy the cluster's stack too, before jobs use another prefix: their role goes by it",
        ),
        f"{_LINKING}; {_UPDATES}",
    )


def backups(region: str, change: ResourceChange, links: Sequence[Link]) -> Steps:
    """Returns how a file system that is linked gets backups: it can have one of the two."""
    return Steps(
        (
            *_flush(region, change, links),
            step("deploy without the associations and without backups; files and objects stay", deploy(change.stack)),
            step("deploy with backups: from then on nothing reaches a bucket by itself", deploy(change.stack)),
        ),
        f"{_LINKING}; FSx for Lustre user guide, Working with backups",
    )


def bucket(region: str, change: ResourceChange) -> Steps:
    """Returns how what is in a bucket stays in reach."""
    on = "storage.checkpoints.existing_bucket with its kms_key_arn"
    copy = "or copy before jobs start from the other bucket; S3 Batch Operations does it for many objects"
    return Steps(
        (
            *_retain(change),
            f"keep the old bucket, if what is there is to be read on: by its old name, or by {on}",
            step(copy, f"aws s3 sync --source-region {region} s3://OLD s3://NEW"),
            "the old bucket stands with every version until you delete it",
        ),
        f"S3 user guide, Copying, moving, and renaming objects; Batch Operations; {_STORAGE}",
    )


def key(change: ResourceChange) -> Steps:
    """Returns how what a key encrypted stays readable."""
    return Steps(
        (
            *_retain(change),
            "keep the old key enabled: what was encrypted with it can be read by it alone",
            "objects that are copied are encrypted with the new one; volumes and file systems are not encrypted anew",
        ),
        "KMS developer guide, Rotating keys manually",
    )


def logs(region: str, change: ResourceChange) -> Steps:
    """Returns how logs are kept when their group goes."""
    options = "--log-group-name $GROUP --from 0 --to $(date +%s)000 --destination BUCKET"
    export = aws(region, "logs create-export-task", options, f"--destination-prefix {change.logical_id}")
    text = "if they are wanted, export the logs first, to a bucket whose policy lets CloudWatch Logs write"
    steps = (step(text, f"GROUP=$({_asked(region, change)})", export), step("then deploy", deploy(change.stack)))
    return Steps(steps, "CloudWatch Logs user guide, Exporting log data to Amazon S3")


def elsewhere(region: str, system: ResourceChange | None, links: Sequence[Link], *, moved: bool) -> Steps:
    """Returns how work goes on in an environment of another name, region or account."""
    copy = "deploy the new one, and copy what it is to go on with: file systems and keys don't leave their region"
    adopt = "to go on with what was trained, adopt it: storage.checkpoints.existing_bucket with kms_key_arn"
    stays = "storage.lustre.existing_file_system with network.existing_vpc, since a file system stays in its VPC"
    sync = f"aws s3 sync --source-region {region} s3://OLD --region NEW-REGION s3://NEW"
    there = (
        (step(copy, deploy("--all"), sync),)
        if moved
        else (f"{adopt}, and {stays}", step("deploy the new one, and start jobs there", deploy("--all")))
    )
    return Steps(
        (
            "if only what people call it changes, leave name and region as they are: a tag can say it",
            *(_flush(region, system, links) if system else ("end the jobs",)),
            *there,
            "take the old one down by its own file, which says what stays: trnstack teardown OLD",
        ),
        f"{_STORAGE}; {_TEARDOWN}",
    )


def step(text: str, *commands: str) -> str:
    """Returns a step with its commands, each on a line of its own."""
    return "\n".join((text, *commands))


def _flush(region: str, change: ResourceChange, links: Sequence[Link]) -> tuple[str, ...]:
    """Returns how everything that is to be kept gets into the bucket."""
    folders = ", ".join(_folder(link) for link in links if _WRITTEN & set(link.exports))
    if not folders:
        copy = "end the jobs that write, and copy what is to be kept from a pod that mounts the file system"
        return (step(f"{copy}: no association exports any of it by itself", _id(region, change), _COPY),)
    wait = f"end the jobs that write, and wait until {folders} is exported: {_EXPORTED}"
    return (
        step(wait, _id(region, change), links_command(region), export_queue(region)),
        step("all else is on the file system alone: copy what is to be kept from a pod that mounts it", _COPY),
    )


def _folder(link: Link) -> str:
    """Returns a folder, with what its link carries over where that is not all that is written."""
    left = _WRITTEN - set(link.exports)
    return f"{link.folder} (but for {' and '.join(sorted(left))})" if left else link.folder


def _id(region: str, change: ResourceChange) -> str:
    """Returns the command that puts a file system's id into the shell variable, and shows it."""
    if change.action is Action.LEAVE:
        return f"{FILE_SYSTEM}={change.logical_id}"
    return f"{FILE_SYSTEM}=$({_asked(region, change)}); echo ${FILE_SYSTEM}"


def _asked(region: str, change: ResourceChange) -> str:
    """Returns the command that shows the id of what stands."""
    names = f"--stack-name {change.stack} --logical-resource-id {change.logical_id}"
    query = "StackResourceDetail.PhysicalResourceId"
    return aws(region, "cloudformation describe-stack-resource", names, query=query)


def _delete(region: str, text: str) -> str:
    """Returns the step that ends its costs. After a deploy, the shell variable's command would name another."""
    return step(text, aws(region, "fsx delete-file-system", "--file-system-id OLD-ID"))


def _retain(change: ResourceChange) -> tuple[str, ...]:
    """Returns what comes before everything else where a resource would be deleted with what it holds."""
    if change.retained:
        return ()
    text = "first deploy with removal_policy: retain and nothing else changed, or it is deleted with what it holds"
    # What is replaced goes by what the new template says of it, what leaves its stack by what the old one said.
    keep = "; leave it so in the file, for every deploy below" if change.action is Action.REPLACE else ""
    return (step(f"{text}{keep}", deploy(change.stack)),)
