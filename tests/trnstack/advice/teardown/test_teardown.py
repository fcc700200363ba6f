"""What holds of every teardown: what goes, what stays and costs, in which order, and that commands can be pasted."""

import itertools
import re
import shlex
import subprocess

import boto3
import jmespath
import pytest
from botocore import xform_name

from tests.trnstack.advice.teardown.variants import BLOCK, EARLIER, LUSTRE, PLAIN_LUSTRE, VARIANTS

#: What deletes data, of whatever service.
DELETES_DATA = re.compile(
    r"delete-(file-system|objects|bucket|volume|backup|data-repository)|schedule-key-deletion|\brm\b|\bcancel-"
)
#: Commands of the AWS CLI that are no operations of a service.
_OF_THE_CLI = {("eks", "update-kubeconfig"): {"region", "name", "alias"}, ("s3", "rm"): {"recursive", "region"}}
_OF_EVERY_COMMAND = {"region", "query", "output", "no-paginate"}
_VARIABLE = re.compile(r"\$([A-Z_]+)")


def titles(steps):
    return [step.title for step in steps]


def stacks_that_go(command):
    """Returns the stacks that a command deletes."""
    words = shlex.split(command)
    if words[:2] == ["cdk", "destroy"]:
        return {word for word in words[2:] if not word.startswith("-")}
    return {words[words.index("--stack-name") + 1]} if "delete-stack" in words else set()


class TestEveryEnvironment:
    def test_whatever_holds_data_is_left(self, variant, commands):
        """CDK-04: The ordinary way deletes no protected stack and no data, nor does it tell anybody to."""
        plan, way = variant
        ordinary = (*way.before, *way.steps)
        gone = set().union(*(stacks_that_go(command) for command in commands(ordinary)))

        assert set(way.protected) == {f"{plan.name}-storage", f"{plan.name}-network"}
        assert not gone & set(way.protected)
        for step in ordinary:
            for text in (*step.commands, step.consequence):
                assert not DELETES_DATA.search(text), text

    def test_order(self, variant):
        """CDK-04: Protection is lifted first; nodes go before the cluster; all that is not protected goes."""
        plan, way = variant
        first, *_, last = way.steps
        names = [word for each in last.commands for word in each.split()[2:] if not word.startswith("--")]

        assert [(edit.path, edit.value) for edit in first.edits] == [("eks.deletion_protection", False)]
        assert first.commands == (f"cdk deploy {plan.name}-cluster --exclusively",)
        assert names == [each.stack for each in way.deleted]
        assert set(names) == {stack.name for stack in plan.stacks} - set(way.protected)
        for earlier, later in itertools.combinations(names, 2):
            assert earlier not in plan.stack(later).depends_on

    def test_each_step_says_what_it_does(self, variant):
        """No step is without commands, nor without what comes of it; what deletes data says what is lost."""
        _, way = variant
        for step in (*way.before, *way.steps, *way.removal):
            assert step.commands
            assert step.consequence
            if re.search(r"delete-(file-system|objects)|schedule-key-deletion", " ".join(step.commands)):
                assert re.search(r"\blost\b|nothing .* can be read", step.consequence), step.title

    def test_each_part_is_a_way_of_its_own(self, variant):
        """No title stands twice in one part, so that a step can be named."""
        for part in (variant[1].before, variant[1].steps, variant[1].removal):
            assert len(set(titles(part))) == len(part)


class TestCommands:
    def test_shell_takes_them(self, variant, commands):
        """A shell finds no fault with any of them, whatever is in an environment's prefixes."""
        _, way = variant
        script = "\n".join(commands(way.before, way.steps, way.removal))
        done = subprocess.run(["/bin/bash", "-n"], input=script, capture_output=True, text=True, check=False)

        assert done.stderr == ""

    def test_aws_has_them(self, variant, commands):
        """Every command is one that the AWS CLI has: service, operation, options, and the path into the answer."""
        _, way = variant
        for command in commands(way.before, way.steps, way.removal):
            for inner in _of_aws(command):
                _check(inner)

    def test_kubectl_is_told_which_cluster(self, variant, commands):
        """None asks or changes whichever cluster is the current one: the context is made first, and always named."""
        plan, way = variant
        first, *others = commands(way.before, way.steps, way.removal)

        assert first == (f"aws eks update-kubeconfig --region {plan.region} --name {plan.name} --alias {plan.name}")
        for command in others:
            assert command.count("kubectl ") == command.count(f"kubectl --context {plan.name} ")

    def test_a_stack_is_gone_when_the_next_command_runs(self, variant):
        """CDK-04: delete-stack only asks for a deletion; whatever is told of it waits for its end too."""
        _, way = variant
        for step in (*way.before, *way.steps, *way.removal):
            for text in ("\n".join(step.commands), step.consequence):
                for asked in re.finditer(r"delete-stack .*?--stack-name (\S+)(\n| && )", text):
                    rest = text[asked.end() :]
                    assert rest.startswith("aws cloudformation wait stack-delete-complete ")
                    assert f"--stack-name {asked[1]}" in rest.partition("\n")[0]
                assert text.count("delete-stack ") == text.count("wait stack-delete-complete ")

    def test_variables_are_set_before_they_are_used(self, variant, commands):
        """Each part sets the shell variables that it uses, before it does."""
        _, way = variant
        for part in (way.before, way.removal):
            known = set()
            for command in commands(part):
                loop = re.match(r"for ([A-Z_]+) in (.*?); do (.*); done$", command)
                used = set(_VARIABLE.findall(command)) - ({loop[1]} if loop else set())
                assert used <= known, command
                if assigned := re.match(r"([A-Z_]+)=", command):
                    known.add(assigned[1])


def _of_aws(command):
    """Returns each command of the AWS CLI in a line: in an assignment, a loop, before a file."""
    inner = re.split(r"\$\((?=aws )|(?<=do )(?=aws )", command)
    ends = (re.split(r"\)\s*$|\); do |; done$| > ", each)[0] for each in inner)
    return [each for each in ends if each.startswith("aws ")]


def _check(command):
    _, service, operation, *options = shlex.split(command.replace("$((", "").replace("))", ""))
    named = {option.removeprefix("--") for option in options if option.startswith("--")}
    known = _OF_THE_CLI.get((service, operation)) or _options(service, operation, options)

    assert named <= known, command
    if "query" in named:
        jmespath.compile(options[options.index("--query") + 1])


def _options(service, operation, words):
    client = boto3.client("s3" if service == "s3api" else service, region_name="us-east-2")
    if operation == "wait":
        assert words[0].replace("-", "_") in client.waiter_names
        return {"region", "stack-name"}
    model = next(
        client.meta.service_model.operation_model(name)
        for name in client.meta.service_model.operation_names
        if xform_name(name, "-") == operation
    )
    members = {xform_name(name, "-"): shape for name, shape in model.input_shape.members.items()}
    flags = {f"no-{name}" for name, shape in members.items() if shape.type_name == "boolean"}
    return {*members, *flags, *_OF_EVERY_COMMAND}


class TestKept:
    def test_published_cluster(self, found):
        """FSX-13: A file system of 4,800 GiB at 0.21 USD goes on costing 1,008 USD; two keys cost 2."""
        kept = {each.what: each for each in found(lustre=LUSTRE).kept}

        assert kept["file system, PERSISTENT_2 SSD, 4,800 GiB"].monthly_usd == pytest.approx(1008)
        assert kept["2 KMS keys"].monthly_usd == 2
        assert kept["bucket demo-checkpoints-ACCOUNT-us-east-2"].monthly_usd is None
        assert "21.42 USD a TB" in kept["bucket demo-checkpoints-ACCOUNT-us-east-2"].note
        assert "1 NAT gateway" in kept["network: VPC, subnets and security groups"].note
        assert "daily backups of the file system" not in kept

    def test_no_price(self, found):
        """A price that was not found is none, and never 0."""
        (file_system, *_) = found(lustre={**LUSTRE, "throughput_mbps_per_tib": 125}).kept

        assert file_system.monthly_usd is None
        assert "not found" in file_system.note

    def test_daily_backups(self, named):
        """FSX-13: Daily backups cost, and end with the file system."""
        kept = {each.what: each for each in named("backups").kept}

        assert kept["daily backups of the file system"].monthly_usd is None
        assert "each for 7 days" in kept["daily backups of the file system"].note
        assert "FSx deletes all of them with the file system" in kept["daily backups of the file system"].note

    def test_no_daily_backups(self, found):
        """Backups that are switched off are not spoken of."""
        kept = found(lustre={**PLAIN_LUSTRE, "automatic_backup_retention_days": 0}).kept

        assert not any("backups" in each.what for each in kept)

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


class TestSteps:
    def test_protection_that_is_lifted(self, found):
        """Where the file says so already it stays as it is, and the deploy is there all the same."""
        first = found(eks={"deletion_protection": False}).steps[0]

        assert first.edits == ()
        assert first.commands == ("cdk deploy demo-cluster --exclusively",)

    def test_group_that_awaits_its_image(self, named, step):
        """What stands of a node group that the app leaves out goes by its name, and is gone before the cluster goes."""
        steps = named("custom image").steps
        waiting = step(steps, "end the node groups whose image is still to be built")

        assert waiting.commands == (
            "aws cloudformation delete-stack --region us-east-2 --stack-name demo-nodes-trn1",
            "aws cloudformation wait stack-delete-complete --region us-east-2 --stack-name demo-nodes-trn1",
        )
        assert steps.index(waiting) < len(steps) - 1
        assert "demo-nodes-trn1" not in steps[-1].commands[0]

    def test_another_stack_on_the_cluster(self, named, step):
        """CDK-04: A stack that the file does not know any more is deleted, and waited for."""
        told = step(named("plain").steps, "look which other stacks stand on the cluster").consequence

        assert "delete-stack --region us-east-2 --stack-name STACK && aws cloudformation wait" in told
