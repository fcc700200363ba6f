"""What a teardown says: what goes, what stays and costs, what comes first, and in which order."""

import datetime as dt
import itertools
import shlex
from dataclasses import replace

import boto3
import jmespath
import pytest
from botocore import xform_name

from trnstack.advice.teardown import teardown

KEY = "arn:aws:kms:us-west-2:111122223333:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
EARLIER = {"existing_bucket": "earlier-checkpoints", "encryption": "s3"}
LINK = {"data_repository_associations": [{"file_system_path": "/checkpoints"}]}
LUSTRE = {"storage_gib": 4800, "throughput_mbps_per_tib": 250, **LINK}
OTHERS = {"file_system_id": "fs-0a1b2c3d4e5f60718", "mount_name": "abcdefgh", "security_group_id": "sg-0c1"}
BLOCK = {
    "type": "capacity_block",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 2,
    "availability_zone_id": "use2-az3",
    "starts_at": dt.datetime(2027, 3, 1, 11, 30, tzinfo=dt.UTC),
    "ends_at": dt.datetime(2027, 3, 8, 11, 30, tzinfo=dt.UTC),
}
#: Environments that differ in what a teardown has to say.
VARIANTS = {
    "plain": {},
    "file system": {"lustre": LUSTRE},
    "all goes": {
        "lustre": {**LUSTRE, "removal_policy": "destroy"},
        "checkpoints": {"removal_policy": "destroy"},
    },
    "locked and copied": {
        "checkpoints": {
            "object_lock_days": 7,
            "object_lock_mode": "COMPLIANCE",
            "replicate_to": {"region": "us-west-2", "bucket_name": "copies", "kms_key_arn": KEY},
        }
    },
    "adopted bucket": {"checkpoints": EARLIER},
    "scratch": {"lustre": {"deployment_type": "SCRATCH_2", "storage_gib": 4800}},
    "block": {"node_group": {"capacity": BLOCK}},
    "custom image": {"node_group": {"image": {"type": "custom", "recipe": "neuron"}}},
}


@pytest.fixture(params=VARIANTS)
def variant(request, planned):
    """Each of the environments in turn, with its teardown."""
    plan = planned(**VARIANTS[request.param])
    return plan, teardown(plan)


@pytest.fixture
def found(planned):
    """Returns the teardown of an environment of the builder."""
    return lambda **sections: teardown(planned(**sections))


def titles(steps):
    return [step.title for step in steps]


def commands(*parts):
    """Returns all commands of some steps."""
    return [command for steps in parts for step in steps for command in step.commands]


class TestEveryEnvironment:
    def test_whatever_holds_data_is_left(self, variant):
        """CDK-04: The ordinary way names no protected stack, and no command that deletes data."""
        plan, way = variant
        text = " ".join(commands(way.before, way.steps)).replace("--region us-east-2 --stack-name ", "")

        assert set(way.protected) == {f"{plan.name}-storage", f"{plan.name}-network"}
        assert not any(f"destroy {stack}" in text or f"delete-stack {stack}" in text for stack in way.protected)
        for verb in (
            "delete-file-system",
            "delete-objects",
            "delete-bucket",
            "schedule-key-deletion",
            " rm ",
            "cancel",
        ):
            assert verb not in text

    def test_order(self, variant):
        """CDK-04: Protection is lifted first; nodes go before the cluster; all that is not protected goes."""
        plan, way = variant
        first, *_, last = way.steps
        (destroy,) = last.commands
        names = [word for word in destroy.split()[2:] if not word.startswith("--")]

        assert (first.edit.path, first.edit.value) == ("eks.deletion_protection", False)
        assert first.commands == (f"cdk deploy {plan.name}-cluster --exclusively",)
        assert names == [each.stack for each in way.deleted]
        assert set(names) == {stack.name for stack in plan.stacks} - set(way.protected)
        for earlier, later in itertools.combinations(names, 2):
            assert earlier not in plan.stack(later).depends_on

    def test_each_step_says_what_it_does(self, variant):
        """No step is without commands, nor without what comes of it."""
        _, way = variant

        assert all(step.commands and step.consequence for step in (*way.before, *way.steps, *way.removal))
        assert "first" not in titles(way.removal)

    def test_commands_of_aws(self, variant):
        """Every command is one that the AWS CLI has: service, operation, options, and the path into the answer."""
        _, way = variant
        for command in commands(way.before, way.steps, way.removal):
            inner = command.partition("=$(")[2].removesuffix(")") or command
            if inner.startswith("aws ") and not inner.startswith("aws s3 "):
                _check(inner)

    def test_variables_are_set_before_they_are_used(self, variant):
        """Each part sets the shell variables that it uses, before it does."""
        _, way = variant
        for part in (way.before, way.removal):
            known = set()
            for command in commands(part):
                used = {
                    name
                    for name in ("FILE_SYSTEM", "BUCKET", "ACCESS_LOG", "VPC", "DATA_KEY", "SECRETS_KEY")
                    if f"${name}" in command
                }
                assert used <= known, command
                if "=" in command.split()[0]:
                    known.add(command.partition("=")[0])


def _check(command):
    _, service, operation, *options = shlex.split(command.partition(" > ")[0].replace("$((", "").replace("))", ""))
    client = boto3.client("s3" if service == "s3api" else service, region_name="us-east-2")
    model = next(
        client.meta.service_model.operation_model(name)
        for name in client.meta.service_model.operation_names
        if xform_name(name, "-") == operation
    )
    known = {xform_name(name, "-") for name in model.input_shape.members} | {"region", "query", "output", "max-items"}
    named = [option.removeprefix("--") for option in options if option.startswith("--")]
    assert {name.removeprefix("no-") if name not in known else name for name in named} <= known, command
    if "query" in named:
        jmespath.compile(options[options.index("--query") + 1])


class TestKept:
    def test_published_cluster(self, found):
        """FSX-13: A file system of 4,800 GiB at 0.21 USD goes on costing 1,008 USD; two keys cost 2."""
        kept = {each.what: each for each in found(lustre=LUSTRE).kept}

        assert kept["file system, PERSISTENT_2 SSD, 4,800 GiB"].monthly_usd == pytest.approx(1008)
        assert kept["2 KMS keys"].monthly_usd == 2
        assert kept["bucket demo-checkpoints-ACCOUNT-us-east-2"].monthly_usd is None
        assert "21.42 USD a TB" in kept["bucket demo-checkpoints-ACCOUNT-us-east-2"].note
        assert "1 NAT gateway" in kept["network: VPC, subnets and security groups"].note

    def test_no_price(self, found):
        """A price that was not found is none, and never 0."""
        (file_system, *_) = found(lustre={**LUSTRE, "throughput_mbps_per_tib": 125}).kept

        assert file_system.monthly_usd is None
        assert "not found" in file_system.note

    def test_what_no_stack_made(self, found):
        """A bucket that is adopted, copies and datasets stay whoever takes the environment down."""
        of = {"datasets": [{"name": "c4", "bucket_name": "some-datasets", "prefix": "c4"}]}
        kept = found(storage={**of, "checkpoints": EARLIER}).kept

        assert {each.what for each in kept if not each.stack} == {
            "bucket earlier-checkpoints",
            "dataset c4 in some-datasets",
        }

    @pytest.mark.parametrize(
        ("capacity", "usd", "note"),
        [
            (BLOCK, 0.0, "can't be cancelled"),
            (
                {
                    "type": "capacity_reservation",
                    "capacity_reservation_id": "cr-0123456789abcdef0",
                    "instance_count": 2,
                    "availability_zone_id": "use2-az3",
                },
                None,
                "aws ec2 cancel-capacity-reservation --region us-east-2 --capacity-reservation-id cr-0123456789abcdef0",
            ),
        ],
    )
    def test_reservation(self, found, capacity, usd, note):
        """A reservation is billed with nodes and without, and says how that ends; two groups of one are one."""
        group = {"capacity": capacity, "node_count": 1}
        groups = [{**group, "name": name} for name in ("trn1-a", "trn1-b")]
        (reservation,) = (each for each in found(node_groups=groups).kept if "reservation" in each.what)

        assert reservation.monthly_usd == usd
        assert note in reservation.note

    def test_image(self, found):
        """The AMI of a custom image stays in every region that got it."""
        kept = found(**VARIANTS["custom image"], images={"copy_to_regions": [{"region": "us-west-2"}]}).kept

        assert any("in us-east-2, us-west-2" in each.what for each in kept)


class TestBefore:
    def test_export(self, found):
        """The export queue of the file system is asked for by the metric, and what is not exported is told."""
        flush = next(step for step in found(lustre=LUSTRE).before if "exported" in step.title)

        assert any("AgeOfOldestQueuedMessage" in command for command in flush.commands)
        assert any("Name=Publisher,Value=AutoExport" in command for command in flush.commands)
        assert "the oldest waiting export is 0. What is exported: /checkpoints." in flush.consequence

    def test_nothing_exported(self, found):
        """A file system that no association exports is copied by hand; of one that is not there nobody speaks."""
        assert "copy what is needed from the file system" in titles(found(**VARIANTS["scratch"]).before)
        assert not any("file system" in title or "exported" in title for title in titles(found().before))

    def test_jobs_come_first(self, variant):
        """Jobs end before anything is waited for."""
        assert titles(variant[1].before)[0] == "end the jobs"

    def test_what_kubernetes_made(self, found):
        """CDK-04: Load balancers and volumes are asked for in the cluster, then by the cluster's tags."""
        delete, look = found().before[-2:]

        assert [command.split()[2] for command in delete.commands] == ["services", "ingresses", "persistentvolumes"]
        assert "Key=elbv2.k8s.aws/cluster,Values=demo" in look.commands[0]
        assert "Key=kubernetes.io/cluster/demo,Values=owned" in look.commands[1]


class TestSteps:
    def test_protection_that_is_lifted(self, found):
        """Where the file says so already it stays as it is, and the deploy is there all the same."""
        first = found(eks={"deletion_protection": False}).steps[0]

        assert first.edit is None
        assert first.commands == ("cdk deploy demo-cluster --exclusively",)

    def test_group_that_awaits_its_image(self, found):
        """What stands of a node group that the app leaves out goes by its name, before the cluster."""
        way = found(**VARIANTS["custom image"])

        assert "aws cloudformation delete-stack --region us-east-2 --stack-name demo-nodes-trn1" in commands(way.steps)
        assert titles(way.steps).index("end the node groups whose image is still to be built") < len(way.steps) - 1
        assert "demo-nodes-trn1" not in way.steps[-1].commands[0]


class TestRemoval:
    def test_retained(self, found):
        """The file system goes before the network that it stands in; keys last, since nothing is read without."""
        order = titles(found(lustre=LUSTRE).removal)

        assert order == [
            "note what only the stack's outputs tell",
            "wait until everything is exported to the bucket",
            "delete the storage stack",
            "delete the file system",
            "delete the network stack",
            "empty the bucket",
            "delete the buckets",
            "schedule the keys' deletion",
        ]

    def test_destroyed_with_the_stack(self, found):
        """What goes with the storage stack is emptied before, and said to be lost with it."""
        removal = found(**VARIANTS["all goes"]).removal
        stack = next(step for step in removal if step.title == "delete the storage stack")

        assert titles(removal).index("empty the bucket") < removal.index(stack)
        assert "delete the file system" not in titles(removal)
        assert "What was on the file system is lost at once" in stack.consequence
        assert "existing_bucket" not in stack.consequence

    def test_adopted(self, planned):
        """What no stack made is deleted by no step."""
        plan = planned(checkpoints=EARLIER, lustre=LUSTRE)
        text = " ".join(commands(teardown(plan).removal))

        assert "delete-bucket" not in text
        assert "earlier-checkpoints" not in text
        assert "schedule-key-deletion" not in text, "it may be what encrypts the adopted bucket"

    def test_adopted_file_system(self, planned):
        """A file system that is adopted is looked at, and not deleted."""
        plan = planned(lustre=LUSTRE)
        adopted = replace(
            plan.storage,
            lustre=_existing(plan),
        )
        way = teardown(replace(plan, storage=adopted))

        assert f"FILE_SYSTEM={OTHERS['file_system_id']}" in commands(way.before)
        assert "delete-file-system" not in " ".join(commands(way.removal))
        assert "schedule-key-deletion" not in " ".join(commands(way.removal))
        assert [each.note for each in way.kept if "fs-0a1b" in each.what] == ["no stack made it, and none deletes it"]

    @pytest.mark.parametrize(
        ("mode", "who"), [("GOVERNANCE", "whoever may bypass governance"), ("COMPLIANCE", "nobody")]
    )
    def test_locked(self, found, mode, who):
        """Locked versions can't be deleted before their time, and copies elsewhere are not."""
        section = {**VARIANTS["locked and copied"]["checkpoints"], "object_lock_mode": mode}
        empty = next(step for step in found(checkpoints=section).removal if step.title == "empty the bucket")

        assert f"Locked versions can be deleted after 7 days, before that by {who}." in empty.consequence
        assert "The copies in copies stay." in empty.consequence


def _existing(plan):
    from trnstack.plan.model import ExistingLustrePlan

    made = plan.storage.lustre
    return ExistingLustrePlan(**OTHERS, root_squash=None, mount_path=made.mount_path, associations=made.associations)
