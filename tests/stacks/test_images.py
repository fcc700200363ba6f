"""The images' stack, and the stacks of nodes that start from a custom image."""

import dataclasses
import json
import re

import pytest

from ami.pins import NOT_BUILT
from trnstack.layout.user_data import CLUSTER_AUTHORITY, CLUSTER_ENDPOINT

NAME = "custom-image"
ACCOUNTS = ("444455556666", "777788889999")
KEY = "arn:aws:kms:us-east-2:111122223333:key/0123abcd"
TYPES = ("Component", "ImageRecipe", "Image", "InfrastructureConfiguration", "DistributionConfiguration")
AUTO_SCALING = ":role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling"


@pytest.fixture
def stacks(templates):
    """The templates of the environment with a custom image."""
    return templates[NAME + "-trn1"]


@pytest.fixture
def images(stacks):
    """The images' template."""
    return stacks[f"{NAME}-images"]


@pytest.fixture(scope="module")
def shared(variant):
    """The images' template of an environment whose images go to another region and to other accounts."""
    copies = ({"region": "us-east-2", "kms_key_arn": KEY},)
    section = {"copy_to_regions": copies, "share_with_accounts": ACCOUNTS}
    return variant(NAME + "-trn1", images=section)[f"{NAME}-images"]


def builder(resource_type):
    return f"AWS::ImageBuilder::{resource_type}"


def awaiting(plan):
    """Returns the plan as it is while no image is built."""
    groups = tuple(
        dataclasses.replace(
            group,
            awaits_image=True,
            release_version=NOT_BUILT,
            launch_template=dataclasses.replace(group.launch_template, image_id=NOT_BUILT),
        )
        for group in plan.node_groups
    )
    left = tuple(stack for stack in plan.stacks if "-nodes-" not in stack.name)
    made = tuple(dataclasses.replace(image, image_id=NOT_BUILT) for image in plan.images)
    return dataclasses.replace(plan, node_groups=groups, stacks=left, images=made)


class TestBuild:
    def test_parent_and_components(self, images, plans):
        """The recipe takes the lock's EKS AMI as parent, and the components in their order."""
        (planned,) = plans[NAME + "-trn1"].images
        recipe = images.one(builder("ImageRecipe"))
        names = [
            images["Resources"][each["ComponentArn"]["Ref"]]["Properties"]["Name"] for each in recipe["Components"]
        ]

        assert recipe["ParentImage"] == planned.parent_image_id
        assert names == [each.full_name for each in planned.components]
        assert [each["Data"] for each in images.properties(builder("Component"))] == [
            each.document for each in planned.components
        ]

    def test_volume(self, images):
        """What is built is encrypted, by the account's default key as long as nobody else uses it."""
        (root,) = images.one(builder("ImageRecipe"))["BlockDeviceMappings"]

        assert root["DeviceName"] == "/dev/xvda"
        assert (root["Ebs"]["Encrypted"], root["Ebs"]["VolumeType"]) == (True, "gp3")
        assert "KmsKeyId" not in root["Ebs"]
        assert not images.of("AWS::KMS::Key")

    def test_instance(self, images):
        """What builds answers to version 2 of the metadata service alone, lets nothing in, and goes when it fails."""
        infrastructure = images.one(builder("InfrastructureConfiguration"))
        group = images.one("AWS::EC2::SecurityGroup")
        out = images.one("AWS::EC2::SecurityGroupEgress")
        rules = images.properties("AWS::EC2::SecurityGroupIngress")

        assert infrastructure["InstanceMetadataOptions"] == {"HttpTokens": "required", "HttpPutResponseHopLimit": 1}
        assert infrastructure["TerminateInstanceOnFailure"] is True
        assert "KeyPair" not in infrastructure
        assert "SecurityGroupIngress" not in group
        assert (out["FromPort"], out["ToPort"], out["IpProtocol"]) == (443, 443, "tcp")
        assert [rule["GroupId"] for rule in rules] == [{"Fn::ImportValue": f"{NAME}-network:EndpointsSecurityGroup"}]

    def test_role(self, images):
        """The instance may fetch the environment's components and AWS's program, write its log, and no more."""
        role = images.one("AWS::IAM::Role")
        (inline,) = role["Policies"]
        allowed = {
            json.dumps(statement["Action"]): json.dumps(statement["Resource"])
            for statement in inline["PolicyDocument"]["Statement"]
        }

        assert list(allowed) == [
            '"imagebuilder:GetComponent"',
            '"s3:GetObject"',
            '["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"]',
        ]
        assert f":component/{NAME}-*/*" in allowed['"imagebuilder:GetComponent"']
        assert all(resource != '"*"' for resource in allowed.values())
        assert [arn["Fn::Join"][1][-1] for arn in role["ManagedPolicyArns"]] == [
            ":iam::aws:policy/AmazonSSMManagedInstanceCore"
        ]

    def test_log(self, images):
        """Builds write to a group that Image Builder's own role may write to, for as long as the environment says."""
        group = images.one("AWS::Logs::LogGroup")
        (image,) = images.of(builder("Image")).values()
        (log_group,) = images.of("AWS::Logs::LogGroup")

        assert group["LogGroupName"].startswith("/aws/imagebuilder/")
        assert group["RetentionInDays"] == 90
        assert image["Properties"]["LoggingConfiguration"] == {"LogGroupName": group["LogGroupName"]}
        assert log_group in image["DependsOn"]

    def test_amis_stay(self, images):
        """An image that is replaced takes its record along and leaves its AMI, from which nodes may still start."""
        (image,) = images.of(builder("Image")).values()

        assert "DeletionSettings" not in image["Properties"]
        assert "DeletionPolicy" not in image

    def test_tests_run(self, images):
        """Image and pipeline test what they built, and build from the same."""
        (image,), (pipeline,) = (images.properties(builder(kind)) for kind in ("Image", "ImagePipeline"))

        assert image["ImageTestsConfiguration"] == {"ImageTestsEnabled": True}
        assert {**pipeline, **image} == {**image, **pipeline} | {"LoggingConfiguration": image["LoggingConfiguration"]}

    def test_pipeline_runs_when_somebody_starts_it(self, images):
        """Nothing is built by the clock."""
        pipeline = images.one(builder("ImagePipeline"))

        assert pipeline["Status"] == "ENABLED"
        assert "Schedule" not in pipeline
        command = images.printed()["RebuildCommandNeuron"]["Fn::Join"][1][0]
        assert command.startswith("aws imagebuilder start-image-pipeline-execution --region us-west-2 ")


class TestVersions:
    def names(self, template):
        return {
            kind: [properties["Name"] for properties in template.properties(builder(kind))]
            for kind in TYPES
            if kind != "Image"
        }

    def test_unchanged_content_builds_nothing(self, plans, synthesized, images):
        """What does not change what is in the image changes nothing that would build it anew."""
        plan = plans[NAME + "-trn1"]
        (image,) = plan.images
        elsewhere = dataclasses.replace(image, build_instance_type="trn1.32xlarge", account_ids=())
        made = synthesized(dataclasses.replace(plan, images=(elsewhere,)))[f"{NAME}-images"]

        for kind in ("Component", "ImageRecipe", "Image"):
            assert made.of(builder(kind)) == images.of(builder(kind))

    def test_changed_content_is_a_new_image(self, plans, synthesized, images):
        """Another version gives new names to what can't be changed, and leaves those of what can."""
        plan = plans[NAME + "-trn1"]
        text = json.dumps([dataclasses.asdict(image) for image in plan.images])
        version = plan.images[0].version
        (image,) = plan.images
        newer = dataclasses.replace(
            image,
            version="0" * 12,
            name=image.name.replace(version, "0" * 12),
            components=tuple(
                dataclasses.replace(each, full_name=each.full_name.replace(version, "0" * 12))
                for each in image.components
            ),
        )
        made = synthesized(dataclasses.replace(plan, images=(newer,)))[f"{NAME}-images"]
        before, after = self.names(images), self.names(made)

        assert version in text
        assert all(not set(before[kind]) & set(after[kind]) for kind in ("Component", "ImageRecipe"))
        for kind in ("InfrastructureConfiguration", "DistributionConfiguration"):
            assert before[kind] == after[kind]
        assert made.one(builder("ImagePipeline"))["Name"] == images.one(builder("ImagePipeline"))["Name"]

    def test_names_of_amis(self, images, plans):
        """An AMI's name and tags say the version; the date makes the name one of its own, as the same may be built."""
        (planned,) = plans[NAME + "-trn1"].images
        for distribution in images.one(builder("DistributionConfiguration"))["Distributions"]:
            ami = distribution["AmiDistributionConfiguration"]
            assert ami["Name"] == f"{planned.name}-{{{{ imagebuilder:buildDate }}}}"
            assert ami["AmiTags"]["trnstack:recipe-version"] == planned.version
            assert ami["AmiTags"]["trnstack:recipe"] == "neuron"


class TestDistribution:
    def test_regions(self, images):
        """The image goes to its own region and to those that are listed, with their default keys."""
        amis = images.one(builder("DistributionConfiguration"))["Distributions"]

        assert [each["Region"] for each in amis] == ["us-west-2", "us-east-2"]
        for each in amis:
            assert not {"KmsKeyId", "LaunchPermissionConfiguration"} & set(each["AmiDistributionConfiguration"])

    def test_accounts(self, shared):
        """Other accounts may start instances in every region, and each copy is encrypted by a key that they may use."""
        home, copy = (
            each["AmiDistributionConfiguration"]
            for each in shared.one(builder("DistributionConfiguration"))["Distributions"]
        )

        for ami in (home, copy):
            assert ami["LaunchPermissionConfiguration"] == {"UserIds": list(ACCOUNTS)}
        assert copy["KmsKeyId"] == KEY
        (key,) = shared.of("AWS::KMS::Key")
        (root,) = shared.one(builder("ImageRecipe"))["BlockDeviceMappings"]
        assert root["Ebs"]["KmsKeyId"] == {"Fn::GetAtt": [key, "Arn"]}

    def test_another_key_is_another_recipe(self, images, shared):
        """What is encrypted by another key has another name, since Image Builder changes no recipe in place."""
        assert images.one(builder("ImageRecipe"))["Name"] != shared.one(builder("ImageRecipe"))["Name"]

    def test_key_stays(self, shared):
        """The key outlives the stack, as AMIs do that it encrypts."""
        (key,) = shared.of("AWS::KMS::Key").values()

        assert key["DeletionPolicy"] == "RetainExceptOnCreate"
        assert key["UpdateReplacePolicy"] == "Retain"

    def test_key_policy(self, shared):
        """The other accounts may use the key, and hand it on to EC2 and to their own Auto Scaling alone."""
        key = shared.one("AWS::KMS::Key")
        statements = {each["Sid"]: each for each in key["KeyPolicy"]["Statement"]}
        others = statements["AccountsUseImages"]
        roots = json.dumps(others["Principal"])

        assert all(f'"{account}", ":root"' in roots for account in ACCOUNTS)
        assert others["Action"] == [
            *("kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncrypt*"),
        ]
        grants = [each for each in statements.values() if each["Action"] == ["kms:CreateGrant"]]
        assert len(grants) == 3
        for each in grants:
            condition = json.dumps(each["Condition"])
            assert "kms:GrantIsForAWSResource" in condition or AUTO_SCALING in condition

    def test_own_auto_scaling(self, shared):
        """The account's Auto Scaling, which starts the nodes, is let in by a condition: its role may not exist yet."""
        statements = shared.one("AWS::KMS::Key")["KeyPolicy"]["Statement"]
        own = [each for each in statements if each["Sid"].startswith("AutoScaling")]

        assert len(own) == 2
        for each in own:
            assert each["Principal"] == {"AWS": "*"}
            assert each["Condition"]["StringEquals"] == {"kms:CallerAccount": {"Ref": "AWS::AccountId"}}
            assert AUTO_SCALING in json.dumps(each["Condition"]["ArnEquals"])


class TestAwaiting:
    def test_nodes_are_left_alone(self, plans, synthesized, stacks):
        """While the image is to be built, the app has no stack of its nodes, and every other one as it will be."""
        made = synthesized(awaiting(plans[NAME + "-trn1"]))

        assert set(stacks) - set(made) == {f"{NAME}-nodes-trn1"}
        assert all(made[stack] == stacks[stack] for stack in made)


class TestNodes:
    def test_image(self, stacks, plans):
        """The launch template names the AMI; beside it the node group names nothing of EKS's images, and no taint."""
        nodes = stacks[f"{NAME}-nodes-trn1"]
        group = nodes.one("AWS::EKS::Nodegroup")
        launch = nodes.one("AWS::EC2::LaunchTemplate")["LaunchTemplateData"]

        assert launch["ImageId"] == plans[NAME + "-trn1"].images[0].image_id
        assert not {"AmiType", "ReleaseVersion", "Version", "Taints"} & set(group)
        assert group["Labels"] == {"trnstack/neuron": "true", "trnstack/node-group": "trn1", "trnstack/efa": "true"}

    def test_only_the_clusters_own_is_filled_in(self, variant):
        """What a script says is text to the end: nothing of it is taken for CloudFormation's, however it looks."""
        group = {"instance_type": "trn2.48xlarge", "logical_neuroncore_config": 1}
        made = variant(
            NAME + "-trn1",
            region="us-east-2",
            availability_zone_ids=("use2-az3", "use2-az1"),
            images={"copy_to_regions": ()},
            node_group=group,
        )
        launch = made[f"{NAME}-nodes-trn1"].one("AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
        parts = launch["UserData"]["Fn::Base64"]["Fn::Join"][1]
        texts = [part for part in parts if isinstance(part, str)]

        assert [part["Fn::ImportValue"] for part in parts if isinstance(part, dict)] == [
            f"{NAME}-cluster:ClusterEndpoint",
            f"{NAME}-cluster:ClusterCertificateAuthority",
        ]
        assert len(texts) == 3
        assert "printf 'NEURON_LOGICAL_NC_CONFIG=%s\\n' '1'" in texts[2]
        assert not re.search(f"{CLUSTER_ENDPOINT}|{CLUSTER_AUTHORITY}|@@", "".join(texts))

    def test_others_import_no_more(self, every):
        """Nodes of EKS's images import neither endpoint nor certificate, which EKS tells them."""
        text = json.dumps(every["llama3-8b-nodes-trn1"])

        assert "ClusterEndpoint" not in text
        assert "ClusterCertificateAuthority" not in text
