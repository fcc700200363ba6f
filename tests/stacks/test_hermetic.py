"""The same file gives the same templates everywhere, and they hold nothing that a later day would read otherwise."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ami import offline, tables
from ami.lock import path_for, read
from bench.locks import copy_resolved
from trnstack.environment import check_file
from trnstack.findings import has_errors

ROOT = Path(__file__).parents[2]
UNPACKED = str(Path.home() / ".cache" / "aws" / "jsii" / "package-cache")
OF_A_FILE_SYSTEM = {"FileSystemId", "FileSystemDnsName", "FileSystemMountName"}
#: What a template prints after a deploy, by the part of the stack's name that says what it is.
PRINTED = {
    "network": {"VpcId"},
    "storage": {"CheckpointBucket", *OF_A_FILE_SYSTEM, "RootSquashCommand"},
    "images": {"ImageIdNeuron", "RebuildCommandNeuron"},
    "kubernetes": set(),
    "cluster": {"ClusterName", "KubeconfigCommand", "TunnelCommand"},
    "nodes": {"NodeGroupName", "PlacementGroup", "ScaleUpCommand", "NoticesTopic"},
}
#: What depends on the environment: a file system, root squash, a placement group, and a capacity block.
OF_A_BLOCK = {"ScaleUpCommand", "NoticesTopic"}
OPTIONAL = {*OF_A_FILE_SYSTEM, "RootSquashCommand", "PlacementGroup", *OF_A_BLOCK}


def kind(stack: str) -> str:
    """Returns what a stack is, by its name."""
    return next(part for part in PRINTED if stack.endswith(f"-{part}") or f"-{part}-" in stack)


class TestSynthesis:
    def test_twice_gives_the_same(self, templates, variant):
        """A second synthesis in the same process gives the same templates."""
        for name, stacks in templates.items():
            assert variant(name) == stacks

    @pytest.mark.cli
    def test_elsewhere_gives_the_same(self, templates, environment_name, tmp_path):
        """Another home, clock zone, language, hash seed and folder, read by the real program, give the same bytes."""
        home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
        home.mkdir()
        elsewhere.mkdir()
        copy_resolved(ROOT / "environments" / f"{environment_name}.yaml", elsewhere)
        context = json.loads((ROOT / "cdk.json").read_text())["context"]
        settings = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(home),
            "TZ": "Pacific/Chatham",
            "LANG": "tr_TR.UTF-8",
            "LC_ALL": "C",
            "PYTHONHASHSEED": "4711",
            "PYTHONPATH": str(ROOT),
            "AWS_PROFILE": "nobody",
            # Where jsii has unpacked CDK already: unpacking it again for a new home takes half a minute.
            "JSII_RUNTIME_PACKAGE_CACHE_ROOT": os.environ.get("JSII_RUNTIME_PACKAGE_CACHE_ROOT", UNPACKED),
            "CDK_VALIDATION": "false",
            "CDK_OUTDIR": str(tmp_path / "out"),
            "CDK_CONTEXT_JSON": json.dumps(context | {"environment": f"{environment_name}.yaml"}),
        }
        subprocess.run([sys.executable, "-m", "stacks"], cwd=elsewhere, env=settings, check=True)

        here = templates[environment_name]
        for stack in here:
            file = f"{stack}.template.json"
            assert (tmp_path / "out" / file).read_bytes() == (here.folder / file).read_bytes()

    def test_asks_nothing(self, templates):
        """No assembly misses anything that the CLI would have to look up in an account."""
        for stacks in templates.values():
            assert "missing" not in json.loads((stacks.folder / "manifest.json").read_text())

    def test_files_to_upload(self, templates):
        """A template is all that a stack needs; charts, and the CDK's own functions, are uploaded with one stack."""
        for stacks in templates.values():
            plan = stacks.plan
            for stack in stacks:
                assets = json.loads((stacks.folder / f"{stack}.assets.json").read_text())
                paths = {each["source"]["path"] for each in assets["files"].values()} - {f"{stack}.template.json"}
                charts = {f"asset.{release.content_digest[7:]}" for release in plan.kubernetes.releases}
                assert not assets.get("dockerImages")
                if stack == plan.kubernetes.stack:
                    assert charts < paths
                    assert len(paths - charts) == 4  # two functions and two layers
                else:
                    assert paths == set()

    def test_says_nothing_of_this_machine(self, templates):
        """No file of an assembly names a folder of the machine that made it."""
        for stacks in templates.values():
            for file in stacks.folder.glob("*.json"):
                text = file.read_text()
                assert f"{ROOT}/" not in text
                assert str(stacks.folder) not in text


class TestTemplates:
    @pytest.mark.parametrize("text", ["latest", "resolve:ssm", "resolve:secretsmanager", "/aws/service/", "Fn::GetAZs"])
    def test_nothing_floats(self, every, text):
        """No template names a thing that is another one tomorrow.

        Scripts of images are looked at by their own tests: they take the package manager off its newest release. A
        function that has no versions is called by $LATEST.
        """
        fixed = ('"latestversionnumber"', '"$latest"')
        for template in every.values():
            made = [each for each in template["Resources"].values() if each["Type"] != "AWS::ImageBuilder::Component"]
            shown = json.dumps(made).lower()
            for each in fixed:
                shown = shown.replace(each, "")
            assert text.lower() not in shown

    def test_parameters(self, every):
        """No template asks a person for a value; what it asks Systems Manager for, CDK or another stack left there."""
        for name, template in every.items():
            found = {key: made["Default"] for key, made in template["Parameters"].items()}
            assert found.pop("BootstrapVersion") == "/cdk-bootstrap/hnb659fds/version"
            assert {made["Type"] for made in template["Parameters"].values()} == {"AWS::SSM::Parameter::Value<String>"}
            left = f"/trnstack/{name.removesuffix('-kubernetes')}/file-system-"
            assert all(kind(name) == "kubernetes" and value.startswith(left) for value in found.values())

    def test_nobody_comes_in_from_everywhere(self, every):
        """No rule lets all addresses in, and what comes from an address range is named by the environment."""
        for template in every.values():
            for rule in template.properties("AWS::EC2::SecurityGroupIngress"):
                assert rule.get("CidrIp") != "0.0.0.0/0"
                assert "CidrIpv6" not in rule
        clients = [
            rule["CidrIp"]
            for template in every.values()
            for rule in template.properties("AWS::EC2::SecurityGroupIngress")
            if "CidrIp" in rule
        ]
        assert sorted(clients) == ["192.168.0.0/20", "192.168.32.0/20"]

    def test_endpoints(self, every):
        """A control plane is reached from its own network; from outside only where the environment names from where."""
        reached = {
            stack: (config["EndpointPrivateAccess"], config["EndpointPublicAccess"], config.get("PublicAccessCidrs"))
            for stack, template in every.items()
            for config in (cluster["ResourcesVpcConfig"] for cluster in template.properties("AWS::EKS::Cluster"))
        }

        assert reached == {
            "adopted-cluster": (True, False, None),
            "custom-image-cluster": (True, False, None),
            "datasets-cluster": (True, False, None),
            "dev-cluster": (True, True, ["198.51.100.0/24"]),
            "existing-cluster": (True, False, None),
            "jax-cluster": (True, False, None),
            "llama2-7b-cluster": (True, False, None),
            "llama3-70b-cluster": (True, False, None),
            "llama3-8b-cluster": (True, False, None),
            "llama3-8b-trn2-block-cluster": (True, False, None),
            "llama3-8b-trn2-cluster": (True, False, None),
            "private-cluster": (True, False, None),
            "trn2-eks-sample-cluster": (True, False, None),
            "ultraserver-trn2u-cluster": (True, False, None),
        }

    def test_outputs(self, every):
        """What is printed after a deploy has the keys that people and scripts rely on."""
        for stack, template in every.items():
            printed, expected = set(template.printed()), PRINTED[kind(stack)]
            assert expected - OPTIONAL <= printed <= expected
            assert all(
                output.get("Description") or "Export" in output for output in template.get("Outputs", {}).values()
            )
        assert set(every["datasets-storage"].printed()) == PRINTED["storage"]
        assert set(every["llama3-8b-storage"].printed()) == PRINTED["storage"] - {"RootSquashCommand"}
        assert set(every["llama3-8b-nodes-trn1"].printed()) == PRINTED["nodes"] - OF_A_BLOCK
        assert set(every["llama3-8b-trn2-block-nodes-trn2"].printed()) == {"NodeGroupName", *OF_A_BLOCK}
        assert "PlacementGroup" not in every["dev-nodes-spot"].printed()

    def test_exports(self, every, plans):
        """Each producer exports its fixed set under the stack's name."""
        fixed = {
            "network": {
                *("VpcId", "NodesSecurityGroup", "LustreSecurityGroup", "EndpointsSecurityGroup"),
                "ControlPlaneSecurityGroup",
            },
            "storage": {"CheckpointBucket", "DataKeyArn", "SecretsKeyArn"},
            "images": set(),
            "kubernetes": set(),
            "cluster": {
                *("ClusterName", "ClusterSecurityGroup", "NodeRoleArn", "ClusterEndpoint"),
                "ClusterCertificateAuthority",
            },
            "nodes": set(),
        }
        for plan in plans.values():
            subnets = {f"Subnet-{subnet.name}" for subnet in plan.network.subnets if subnet.role != "public"}
            for stack in plan.stacks:
                expected = fixed[kind(stack.name)] | (subnets if kind(stack.name) == "network" else set())
                assert {name.partition(":")[2] for name in every[stack.name].exports()} == expected


class TestStacks:
    def test_tags(self, templates, plans):
        """Stacks carry the environment's tags; a node group's none, or a tag edit would replace its placement group."""
        for name, stacks in templates.items():
            artifacts = stacks.artifacts()
            for stack in plans[name].stacks:
                tags = artifacts[stack.name]["properties"].get("tags", {})
                assert tags == ({} if "-nodes-" in stack.name else dict(plans[name].tags))

    def test_node_tags_are_fixed(self, every, plans):
        """Nodes and volumes say what they belong to, and carry none of the tags that an environment may change."""
        for plan in plans.values():
            for group in plan.node_groups:
                data = every[group.stack].one("AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
                for specification in data["TagSpecifications"]:
                    tags = {tag["Key"]: tag["Value"] for tag in specification["Tags"]}
                    assert tags == {
                        "Name": f"{plan.name}-{group.name}",
                        "trnstack:environment": plan.name,
                        "trnstack:node-group": group.name,
                        "managed-by": "trnstack",
                    }

    def test_termination_protection(self, templates):
        """What others stand on, and what holds data, is not deleted by a slip of the hand; nodes and cluster may be."""
        for stacks in templates.values():
            artifacts = stacks.artifacts()
            for stack in stacks:
                protected = artifacts[stack]["properties"].get("terminationProtection", False)
                assert protected is (kind(stack) in {"network", "storage"})

    def test_account(self, variant):
        """An environment that names its account is deployed to no other, and its bucket's name says which."""
        stacks = variant("dev-trn1", account="111122223333")
        names = {made["BucketName"] for made in stacks["dev-storage"].properties("AWS::S3::Bucket")}
        artifacts = stacks.artifacts()

        assert names == {"dev-checkpoints-111122223333-us-east-1", "dev-access-logs-111122223333-us-east-1"}
        assert {artifacts[stack]["environment"] for stack in stacks} == {"aws://111122223333/us-east-1"}


class TestNewerTables:
    """A lock made today gives the same templates when the tables know more than today."""

    @pytest.fixture
    def newer(self, monkeypatch):
        """Adds an SDK, an AMI release that fits most environments, add-on builds and charts that are newer than any."""
        sdk = next(iter(tables.sdk_releases().values()))
        image = next(iter(tables.ami_releases().values()))
        newer_sdk = replace(
            sdk,
            sdk="2.99.0",
            components=dict.fromkeys(sdk.components, ("9.9.9",)),
            training_containers={name: f"public.ecr.aws/neuron/{name}:9" for name in sdk.training_containers},
            eks_ami_releases=("v20991231",),
        )
        newer_image = replace(
            image,
            release="v20991231",
            neuron_driver="2.28.0.0",
            release_versions={minor: f"{minor}.99-20991231" for minor in image.release_versions},
        )
        add_ons = {
            name: {minor: replace(row, version="v9.9.9-eksbuild.9") for minor, row in rows.items()}
            for name, rows in tables.add_on_versions().items()
        }
        charts = {name: replace(row, version="9.9.9", digest=None) for name, row in tables.charts().items()}
        fitting = {
            name: replace(row, eks_ami_releases=("v20991231", *row.eks_ami_releases))
            for name, row in tables.sdk_releases().items()
            if row.driver == newer_image.neuron_driver
        }
        known = {
            "sdk_releases": {"2.99.0": newer_sdk, **tables.sdk_releases(), **fitting},
            "ami_releases": {"v20991231": newer_image, **tables.ami_releases()},
            "add_on_versions": add_ons,
            "charts": charts,
        }
        users = [module for name, module in sys.modules.items() if name.split(".")[0] in {"ami", "trnstack"}]
        for module in users:
            for name, table in known.items():
                if hasattr(module, name):
                    monkeypatch.setattr(module, name, lambda table=table: table)

    @pytest.mark.usefixtures("newer")
    def test_same_templates(self, templates, environment_name, tmp_path, variant):
        """Check, plan and synthesis are what they were, and locking anew moves nothing."""
        file = copy_resolved(ROOT / "environments" / f"{environment_name}.yaml", tmp_path)
        lock = read(path_for(file))
        checked = check_file(file)

        assert not has_errors(checked.findings)
        assert offline.lock(lock.inputs, keep=lock) == lock
        assert variant(environment_name) == templates[environment_name]

    @pytest.mark.usefixtures("newer")
    def test_a_new_lock_would_move(self):
        """The tables of this test are ones that would move a lock that nothing holds."""
        lock = read(path_for(ROOT / "environments" / "llama3-8b-trn1.yaml"))
        moved = offline.lock(lock.inputs)

        assert moved.images["trn1"].release == "v20991231"
        assert set(moved.add_ons.values()) == {"v9.9.9-eksbuild.9"}
        assert {pin.version for pin in moved.charts.values()} == {"9.9.9"}
