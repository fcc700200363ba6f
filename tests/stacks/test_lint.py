"""What others know to be wrong: CloudFormation's schemas by cfn-lint, AWS's recommendations by cdk-nag."""

import json
from pathlib import Path
from typing import Any

import pytest

_EVERY_TYPE = "us-east-2"
#: cfn-lint 1.58 does not know that EC2 offers the type in ap-south-2, the only region that has it. This goes when it
#: does, since no such finding is left then.
_CFN_LINT_LACKS = "[E3628: Validate EC2 instance types based on region] ('trn2u.48xlarge' is not one of"
#: A reason says more than that somebody wants it so.
_SHORTEST_REASON = 30


def complaints(files: list[Path], regions: list[str]) -> list[Any]:
    """Returns what cfn-lint finds in templates: errors and warnings."""
    from cfnlint.api import ManualArgs, lint_by_config

    return lint_by_config(ManualArgs(templates=[str(file) for file in files], regions=regions))


@pytest.fixture(scope="module")
def files(templates) -> list[Path]:
    """Every template's file."""
    return [stacks.folder / f"{stack}.template.json" for stacks in templates.values() for stack in stacks]


class TestSchemas:
    def test_templates_are_clean(self, templates, plans):
        """cfn-lint finds neither errors nor warnings; each environment is read in its own region, as types differ."""
        by_region: dict[str, list[Path]] = {}
        for name, stacks in templates.items():
            files = [stacks.folder / f"{stack}.template.json" for stack in stacks]
            by_region.setdefault(plans[name].region, []).extend(files)

        found = [str(match) for region, files in by_region.items() for match in complaints(files, [region])]
        lagging = [text for text in found if _CFN_LINT_LACKS in text]
        assert [text for text in found if text not in lagging] == []
        assert len(lagging) == sum(
            group.launch_template.instance_type == "trn2u.48xlarge"
            for plan in plans.values()
            for group in plan.node_groups
        )

    def test_shared_images_are_clean(self, variant):
        """So is what no environment has: the key of images that other accounts use, and its policy."""
        section = {"copy_to_regions": (), "share_with_accounts": ("444455556666",)}
        stacks = variant("custom-image-trn1", images=section)

        assert complaints([stacks.folder / "custom-image-images.template.json"], [stacks.plan.region]) == []

    def test_what_is_wrong_is_found(self, templates, tmp_path):
        """The check sees a property that CloudFormation does not know and a value that it does not take."""
        broken = json.loads(json.dumps(templates["llama3-8b-trn1"]["llama3-8b-nodes-trn1"]))
        (group,) = (made for made in broken["Resources"].values() if made["Type"] == "AWS::EKS::Nodegroup")
        group["Properties"] |= {"Desired": 1, "AmiType": "AL2023_x86_64_TRAINIUM"}
        file = tmp_path / "broken.template.json"
        file.write_text(json.dumps(broken, indent=1))

        assert {match.rule.id for match in complaints([file], [_EVERY_TYPE])} == {"E3002", "E3030"}


def load(files: list[Path]) -> tuple[Any, dict[tuple[str, str], Any]]:
    """Returns an app that holds templates, and its resources by stack and logical id, as cdk-nag knows them.

    CDK includes an EKS cluster as the class of its second EKS module; cdk-nag looks for the first one's.
    """
    from aws_cdk import App, Stack, aws_eks
    from aws_cdk.cloudformation_include import CfnInclude

    app, resources = App(analytics_reporting=False), {}
    for file in files:
        name = file.name.removesuffix(".template.json")
        stack = Stack(app, name)
        included = CfnInclude(stack, "Template", template_file=str(file))
        for logical_id, made in json.loads(file.read_text())["Resources"].items():
            if made["Type"] == "AWS::EKS::Cluster":
                resource: Any = aws_eks.CfnCluster(
                    stack,
                    logical_id,
                    role_arn="arn:aws:iam::111122223333:role/cluster",
                    resources_vpc_config=_lower(made["Properties"]["ResourcesVpcConfig"]),
                    logging=_lower(made["Properties"]["Logging"]),
                )
            else:
                resource = included.get_resource(logical_id)
            resources[name, logical_id] = resource
    return app, resources


def _lower(value: Any) -> Any:
    if isinstance(value, list):
        return [_lower(each) for each in value]
    if not isinstance(value, dict) or set(value) == {"Fn::ImportValue"}:
        return str(value) if isinstance(value, dict) else value
    return {key[0].lower() + key[1:]: _lower(inner) for key, inner in value.items()}


def findings(app: Any) -> set[tuple[str, str, str]]:
    """Returns what cdk-nag's AwsSolutions pack finds: stack, logical id and rule."""
    from cdk_nag import AwsSolutionsChecks

    report = AwsSolutionsChecks(app).validate_scope(app)
    found = set()
    for violation in report.violations:
        for resource in violation.violating_resources:
            stack, *_, logical_id = resource.construct_path.split("/")
            found.add((stack, logical_id, violation.rule_name))
    return found


@pytest.fixture(scope="module")
def acknowledged(every) -> dict[tuple[str, str, str], str]:
    """What the templates say is as intended, with reasons: stack, logical id and rule."""
    return {
        (stack, logical_id, rule["id"]): rule["reason"]
        for stack, template in every.items()
        for logical_id, made in template["Resources"].items()
        for rule in made.get("Metadata", {}).get("cdk_nag", {}).get("rules_to_suppress", [])
    }


class TestRecommendations:
    def test_findings_are_those_that_are_acknowledged(self, files, acknowledged):
        """cdk-nag finds what the resources themselves acknowledge, no more and no less, and passes them for it."""
        from aws_cdk import Acknowledgment, Validations

        app, resources = load(files)
        found = findings(app)
        for (stack, logical_id, rule), reason in acknowledged.items():
            Validations.of(resources[stack, logical_id]).acknowledge(Acknowledgment(id=rule, reason=reason))

        assert found - set(acknowledged) == set()
        assert set(acknowledged) - found == set()
        assert findings(app) == set()

    def test_reasons(self, acknowledged):
        """Every acknowledgement says why, at some length."""
        assert acknowledged
        assert all(len(reason) >= _SHORTEST_REASON for reason in acknowledged.values())

    def test_what_is_wrong_is_found(self, templates, tmp_path):
        """The pack sees an open bucket, an open group and a public endpoint once they are in a template."""
        cluster, storage, network = (
            json.loads(json.dumps(templates["llama3-8b-trn1"][f"llama3-8b-{name}"]))
            for name in ("cluster", "storage", "network")
        )
        for made in storage["Resources"].values():
            if made["Type"] == "AWS::S3::Bucket":
                made["Properties"] = {}
        for made in network["Resources"].values():
            if made["Type"] == "AWS::EC2::SecurityGroupIngress":
                made["Properties"] = {"GroupId": "sg-1", "IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}
        for made in cluster["Resources"].values():
            if made["Type"] == "AWS::EKS::Cluster":
                made["Properties"]["ResourcesVpcConfig"]["EndpointPublicAccess"] = True
        opened = [tmp_path / f"{name}.template.json" for name in ("cluster", "storage", "network")]
        for file, template in zip(opened, (cluster, storage, network), strict=True):
            file.write_text(json.dumps(template))

        rules = {rule for _, _, rule in findings(load(opened)[0])}

        assert {"AwsSolutions-S1", "AwsSolutions-EC23", "AwsSolutions-EKS1"} <= rules
