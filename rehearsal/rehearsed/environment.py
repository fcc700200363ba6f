"""An environment that stands in the embedded AWS of this process, and what a test does with it."""

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import boto3

from ami.archives import folder_of
from rehearsal import clock
from rehearsal.application import Rehearsal
from rehearsal.faults import check, parse
from rehearsal.kubernetes.server import ApiServer
from rehearsal.kubernetes.view import server_of
from rehearsal.overlays.scheduler_clock import Fired
from rehearsal.pins import publish
from rehearsal.pins.charts import publish_archives
from rehearsal.rehearsed.assets import assets, cache_folder, unpack_helm
from rehearsal.rehearsed.cloudformation import CloudFormation
from rehearsal.rehearsed.errors import RehearsedError
from rehearsal.rehearsed.files import Edits, Planned
from rehearsal.rehearsed.locking import chart_of
from rehearsal.rehearsed.moments import moment_of
from rehearsal.rehearsed.short import shown_short
from rehearsal.rehearsed.stacks import RehearsedStacks
from rehearsal.seed import seed_file
from rehearsal.sessions import core_session
from rehearsal.story.standing import server_options
from rehearsal.survey import survey
from rehearsal.survey.records import Survey
from rehearsal.transport import ACCESS_KEY, ACCOUNT, SECRET_KEY
from trnstack.advice.impact import StackTemplate
from trnstack.advice.teardown import teardown
from trnstack.cli.templates import TemplatesError, templates
from trnstack.plan import Plan
from trnstack.plan.model import ReleasePlan


class RehearsedEnvironment:
    """An environment in the embedded AWS of this process.

    Attributes:
        account: The account that it is deployed to: the file's, or 123456789012.
        region: Its region.
        stacks: The stacks that stand, by their names.
    """

    def __init__(self, aws: Rehearsal, made: Planned, folder: Path) -> None:
        """Puts what stands before the first deploy into an empty AWS.

        Args:
            aws: The embedded AWS.
            made: The environment.
            folder: A folder of the environment's own.
        """
        self._aws, self._planned, self._folder = aws, made, folder
        self.account = made.plan.account or ACCOUNT
        self.region = made.plan.region
        self.stacks = RehearsedStacks(aws.world, account=self.account, region=self.region)
        publish(made.lock)
        publish_archives(folder_of(made.lock_file))
        for file in server_options(made.plan, account=self.account, folder=folder)[1:]:
            seed_file(Path(file))
        self._bucket = f"cdk-hnb659fds-assets-{self.account}-{self.region}"
        place = {} if self.region == "us-east-1" else {"LocationConstraint": self.region}
        request = {"CreateBucketConfiguration": place} if place else {}
        self.client("s3").create_bucket(Bucket=self._bucket, **request)

    @property
    def plan(self) -> Plan:
        """The plan that was deployed last, or is to be deployed first."""
        return self._planned.plan

    def client(self, service: str, region: str | None = None) -> Any:
        """Returns a service's boto3 client, in the environment's region unless another one is named."""
        return self._aws.transport.client(service, self.account, region or self.region)

    def session(self, region: str | None = None) -> boto3.Session:
        """Returns a boto3 session whose every call goes to the embedded AWS, for code that is handed one."""
        return self._aws.transport.session(region or self.region, account=self.account)

    def patch_default_session(self) -> None:
        """Makes the embedded AWS what ``boto3.client(...)`` means, until the environment's test ends.

        Clients that code has made before, such as while it was imported, stay what they were.
        """
        boto3.setup_default_session(
            botocore_session=core_session(),
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
            region_name=self.region,
        )
        assert boto3.DEFAULT_SESSION is not None  # noqa: S101 - it was set up above
        self._aws.transport.lead_here(boto3.DEFAULT_SESSION, account=self.account)

    def survey(self) -> Survey:
        """Reads back what stands: networks, clusters, nodes, file systems, buckets, keys, schedules, images."""
        return survey(self.client, lambda endpoint: self._inside(endpoint).described())

    @shown_short
    def deploy(self, edited: Edits | None = None) -> None:
        """Deploys as ``cdk deploy --all`` does: creates or updates each stack of the plan, in its order.

        A stack that is not of the plan any more stays until it is destroyed, as CDK leaves it.

        Args:
            edited: Values that are changed in the environment file before, by their paths, such as
                ``node_groups[0].node_count``. Edits add up. The person's file is left as it is.

        Raises:
            trnstack.findings.InvalidEnvironmentError: The edited file has errors, or needs another lock.
            StackFailedError: A stack failed, and was rolled back; those before it stand, those after were not touched.
            botocore.exceptions.ClientError: CloudFormation refuses a request.
        """
        if edited:
            self._planned = self._planned.edited(edited, self._folder / "edited")
        made = self._templates()
        cloudformation = self._cloudformation()
        for stack in self.plan.stacks:
            template = made[stack.name].template
            for key, content in assets(template, self.plan, charts=self._chart, helm=self._helm):
                self.client("s3").put_object(Bucket=self._bucket, Key=key, Body=content)
            cloudformation.bring(stack, template)

    @shown_short
    def destroy(self, *stacks: str) -> None:
        """Deletes stacks; without names takes the environment down by the steps of ``trnstack teardown``.

        Those steps leave what holds data: the network's and the storage's stack, which have termination protection.

        Args:
            *stacks: Names of stacks, in the order in which they are deleted.

        Raises:
            RehearsedError: A stack of a name does not stand; then none is deleted.
            StackFailedError: A stack is still there.
            botocore.exceptions.ClientError: CloudFormation refuses, such as for termination protection.
        """
        self.stacks.check(stacks)
        cloudformation = self._cloudformation()
        for name in stacks:
            cloudformation.delete(name)
        if stacks:
            return
        for step in teardown(self.plan).steps:
            edits: Edits = {edit.path: edit.value for edit in step.edits}
            if edits:
                self.deploy(edits)
            for command in step.commands:
                program, verb, *words = command.split()
                if (program, verb) == ("cdk", "destroy"):
                    for name in (word for word in words if not word.startswith("-")):
                        cloudformation.delete(name)

    @shown_short
    def fail(self, fault: str) -> None:
        """Lets something go wrong from now on, as ``trnstack rehearse --fault`` does: ``no-capacity@trn1``.

        Args:
            fault: ``NAME`` or ``NAME@WHERE``; ``rehearsal.faults.FAULTS`` has the names.

        Raises:
            rehearsal.faults.FaultError: There is no such fault, or it would meet nothing of this environment.
        """
        asked = parse(fault)
        check(asked, {name: made.template for name, made in self._templates().items()})
        self._aws.faults.add(asked)

    @shown_short
    def mend(self, fault: str | None = None) -> None:
        """Takes a fault back; all of them without one.

        Raises:
            rehearsal.faults.FaultError: It is not in force.
        """
        self._aws.faults.lift(None if fault is None else parse(fault))

    @shown_short
    def advance_to(self, moment: dt.datetime | str) -> list[Fired]:
        """Lets time pass until a moment; returns what fell due on the way: schedules, blocks that end.

        Args:
            moment: The moment with its zone, or its text, such as ``2027-03-01T00:00:00Z``. One that is past moves
                nothing, since the clock never goes back.

        Raises:
            rehearsal.passing.PassingError: It is no moment, has no zone, or too much falls due until then.
        """
        return self._aws.pass_to(moment_of(moment))

    def now(self) -> dt.datetime:
        """Returns what time it is in the embedded AWS."""
        return clock.now()

    def _templates(self) -> Mapping[str, StackTemplate]:
        """Returns the templates of the plan; what was synthesized before is kept, for other processes too.

        Raises:
            RehearsedError: There is no room to make them.
        """
        try:
            return templates(self.plan)
        except TemplatesError as error:
            raise RehearsedError(str(error)) from error

    def _cloudformation(self) -> CloudFormation:
        return CloudFormation(
            self.client("cloudformation"),
            self.client("s3"),
            self._aws.world,
            account=self.account,
            bucket=self._bucket,
        )

    def _chart(self, release: ReleasePlan) -> bytes:
        return chart_of(release, self._planned.lock_file)

    def _helm(self) -> Path:
        return unpack_helm(cache_folder(), self.plan.cluster.kubernetes_version)

    @staticmethod
    def _inside(endpoint: str) -> ApiServer:
        found = server_of(endpoint)
        assert found is not None  # noqa: S101 - a survey asks for clusters that it has found
        return found
