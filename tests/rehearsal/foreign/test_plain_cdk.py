"""An application that is written the plain CDK way, deployed, changed and destroyed by the real CDK CLI."""

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
CONTEXT = ("-c", "@aws-cdk/aws-ec2:restrictDefaultSecurityGroup=true")

pytestmark = pytest.mark.cli


class Running:
    """The application's stacks, and the embedded AWS that they are in."""

    def __init__(self, aws, folder):
        self.aws = aws
        self.folder = folder
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
        made = session(ACCESS_KEY, SECRET_KEY, None, REGION)
        return made.client(service, endpoint_url=self.aws.endpoint)

    def run(self, *words, arguments=()):
        app = " ".join([sys.executable, str(APP), *arguments])
        options = ["--app", app, "--output", str(self.folder / "cdk.out"), *CONTEXT, "--ci", "--no-notices"]
        done = subprocess.run(
            [str(BIN / "cdk"), *words, *options],
            cwd=self.folder,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]

    def deploy(self, size, instance_type, team):
        self.run("deploy", "--all", "--require-approval", "never", arguments=(str(size), instance_type, team))

    def nodes(self):
        """Returns the only node group, as EKS describes it."""
        eks = self.client("eks")
        (cluster,) = eks.list_clusters()["clusters"]
        (name,) = eks.list_nodegroups(clusterName=cluster)["nodegroups"]
        return eks.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]


@pytest.fixture
def running(tmp_path):
    with server() as aws:
        made = Running(aws, tmp_path)
        made.run("bootstrap", f"aws://{ACCOUNT}/{REGION}", arguments=("0", "m7i.large", "ml"))
        yield made


def test_life(running):
    """It is deployed, its nodes are resized, relabelled and replaced, and after destroy nothing of it is left."""
    running.deploy(2, "m7i.large", "ml")
    first = running.nodes()
    groups = running.client("ec2").describe_security_groups(Filters=[{"Name": "group-name", "Values": ["default"]}])
    tagged = {vpc["VpcId"] for vpc in running.client("ec2").describe_vpcs()["Vpcs"] if not vpc["IsDefault"]}
    (own,) = (group for group in groups["SecurityGroups"] if group["VpcId"] in tagged)
    running.deploy(3, "m7i.large", "research")
    second = running.nodes()
    running.deploy(3, "m7i.xlarge", "research")
    third = running.nodes()

    assert (first["scalingConfig"]["desiredSize"], second["scalingConfig"]["desiredSize"]) == (2, 3)
    assert (first["labels"], second["labels"]) == ({"team": "ml"}, {"team": "research"})
    assert own["IpPermissions"] == own["IpPermissionsEgress"] == []
    assert first["nodegroupName"] == second["nodegroupName"] != third["nodegroupName"]
    assert third["instanceTypes"] == ["m7i.xlarge"]

    running.run("destroy", "--all", "--force", arguments=("3", "m7i.xlarge", "research"))

    assert running.client("eks").list_clusters()["clusters"] == []
    assert [vpc for vpc in running.client("ec2").describe_vpcs()["Vpcs"] if not vpc["IsDefault"]] == []
    assert running.client("iam").list_open_id_connect_providers()["OpenIDConnectProviderList"] == []
