"""What the real CDK CLI does with a stack that is left as it failed, with one that drifted, and with a nested one."""

import subprocess
import sys
from pathlib import Path

import pytest

from rehearsal.process import server
from rehearsal.sessions import environment, session
from rehearsal.transport import ACCESS_KEY, SECRET_KEY

BIN = Path(sys.executable).parent
APP = Path(__file__).parent / "app.py"
REGION, ACCOUNT = "us-east-2", "123456789012"
#: A block that the VPC does not have.
OUTSIDE = "10.99.0.0/24"

pytestmark = pytest.mark.cli


class Small:
    """The application's stack, and the embedded AWS that it is in."""

    def __init__(self, aws, folder):
        self.aws, self.folder = aws, folder
        self.variables = {
            **environment(),
            **aws.environment(region=REGION, account=ACCOUNT),
            "JSII_NODE": str(BIN / "node"),
            "CDK_HOME": str(folder / "cdk-home"),
            "CDK_DISABLE_CLI_TELEMETRY": "1",
            "CDK_DISABLE_VERSION_CHECK": "1",
            "NO_PROXY": "127.0.0.1,localhost",
            "CDK_VALIDATION": "false",
            "TMPDIR": str(folder),
        }

    def client(self, service):
        return session(ACCESS_KEY, SECRET_KEY, None, REGION).client(service, endpoint_url=self.aws.endpoint)

    def run(self, *words):
        """Runs the CLI; gives its exit status and what it printed."""
        done = subprocess.run(
            [str(BIN / "cdk"), *words, "--ci", "--no-notices"],
            cwd=self.folder,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def deploy(self, *words, block="none", team="ml"):
        """Deploys the application as it is with a block and a team."""
        app = ("--app", f"{sys.executable} {APP} {block} {team}", "--output", str(self.folder / "cdk.out"))
        return self.run("deploy", "Small", "--require-approval", "never", *app, *words)

    def on_stack(self, *words):
        """Runs a command on the stack as it was written last."""
        return self.run(*words, "--app", str(self.folder / "cdk.out"))

    def stacks(self) -> dict[str, str]:
        """Gives the statuses of the application's stacks: of ``Small`` and of the nested one, as ``Data``."""
        found = self.client("cloudformation").describe_stacks()["Stacks"]
        shown = {"Data" if "ParentId" in one else one["StackName"]: one["StackStatus"] for one in found}
        return {name: status for name, status in shown.items() if name != "CDKToolkit"}


@pytest.fixture
def small(tmp_path):
    """The application, deployed."""
    with server() as aws:
        made = Small(aws, tmp_path)
        for status, printed in (made.run("bootstrap", f"aws://{ACCOUNT}/{REGION}"), made.deploy()):
            assert status == 0, printed
        yield made


def test_ways(small):
    """A deploy left as it failed is led back, what was changed by hand shows, and what is nested goes with its root."""
    assert small.stacks() == {"Small": "CREATE_COMPLETE", "Data": "CREATE_COMPLETE"}

    status, printed = small.deploy("--no-rollback", block=OUTSIDE, team="research")
    assert status != 0
    assert small.stacks()["Small"] == "UPDATE_FAILED", printed
    status, printed = small.on_stack("rollback", "Small")
    assert status == 0, printed
    assert small.stacks() == {"Small": "UPDATE_ROLLBACK_COMPLETE", "Data": "UPDATE_ROLLBACK_COMPLETE"}

    assert small.on_stack("drift", "Small", "--fail")[0] == 0
    (vpc,) = (vpc for vpc in small.client("ec2").describe_vpcs()["Vpcs"] if not vpc["IsDefault"])
    assert {"Key": "team", "Value": "ml"} in vpc["Tags"]
    small.client("ec2").create_tags(Resources=[vpc["VpcId"]], Tags=[{"Key": "team", "Value": "somebody"}])
    status, printed = small.on_stack("drift", "Small", "--fail")
    assert status != 0
    assert all(word in printed for word in ("AWS::EC2::VPC", "somebody", "1 resource has drifted")), printed

    status, printed = small.deploy(team="research")
    assert status == 0, printed
    assert small.stacks() == {"Small": "UPDATE_COMPLETE", "Data": "UPDATE_COMPLETE"}
    status, printed = small.on_stack("destroy", "Small", "--force")
    assert status == 0, printed
    assert small.stacks() == {}
