"""EC2 Image Builder's types, and a template with all six of them through the engine."""

import copy
import json

import pytest
from botocore.exceptions import ClientError

from rehearsal.handlers.base import ResourceError
from rehearsal.pins.records import image_id_of

ACCOUNT, REGION = "123456789012", "us-east-2"
PARENT = image_id_of(REGION, "amazon-eks-node-al2023-x86_64-neuron-1.35-v20260625")
STEP = {"name": "a", "action": "ExecuteBash", "inputs": {"commands": ["true"]}}
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}],
}


def document(comment="") -> str:
    return json.dumps({"schemaVersion": "1.0", "description": comment, "phases": [{"name": "build", "steps": [STEP]}]})


def template(version="1.0.0", comment="", instance_types=("trn1.2xlarge",), image=None) -> dict:
    """A template of all six types; version is part of the names of what can't be changed."""
    return {
        "Resources": {
            "Role": {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": TRUST}},
            "Profile": {"Type": "AWS::IAM::InstanceProfile", "Properties": {"Roles": [{"Ref": "Role"}]}},
            "Component": {
                "Type": "AWS::ImageBuilder::Component",
                "Properties": {
                    "Name": "driver",
                    "Version": version,
                    "Platform": "Linux",
                    "Data": document(comment),
                    "Tags": {"a": "b"},
                },
            },
            "Recipe": {
                "Type": "AWS::ImageBuilder::ImageRecipe",
                "Properties": {
                    "Name": "demo",
                    "Version": version,
                    "ParentImage": PARENT,
                    "Components": [{"ComponentArn": {"Ref": "Component"}}],
                    "BlockDeviceMappings": [
                        {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": "80", "Encrypted": "true"}}
                    ],
                    "AdditionalInstanceConfiguration": {"SystemsManagerAgent": {"UninstallAfterBuild": False}},
                },
            },
            "Infrastructure": {
                "Type": "AWS::ImageBuilder::InfrastructureConfiguration",
                "Properties": {
                    "Name": "demo",
                    "InstanceProfileName": {"Ref": "Profile"},
                    "InstanceTypes": list(instance_types),
                    "InstanceMetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 1},
                    "TerminateInstanceOnFailure": True,
                },
            },
            "Distribution": {
                "Type": "AWS::ImageBuilder::DistributionConfiguration",
                "Properties": {
                    "Name": "demo",
                    "Distributions": [
                        {
                            "Region": REGION,
                            "AmiDistributionConfiguration": {
                                "Name": "demo-{{ imagebuilder:buildDate }}",
                                "AmiTags": {"trnstack:recipe": "neuron"},
                                "LaunchPermissionConfiguration": {"UserIds": [ACCOUNT]},
                            },
                        }
                    ],
                },
            },
            "Pipeline": {
                "Type": "AWS::ImageBuilder::ImagePipeline",
                "Properties": {
                    "Name": "demo",
                    "ImageRecipeArn": {"Ref": "Recipe"},
                    "InfrastructureConfigurationArn": {"Ref": "Infrastructure"},
                    "DistributionConfigurationArn": {"Fn::GetAtt": ["Distribution", "Arn"]},
                    "EnhancedImageMetadataEnabled": True,
                    "LoggingConfiguration": {"ImageLogGroupName": "/aws/imagebuilder/demo"},
                },
            },
            "Image": {
                "Type": "AWS::ImageBuilder::Image",
                "Properties": image
                or {
                    "ImageRecipeArn": {"Ref": "Recipe"},
                    "InfrastructureConfigurationArn": {"Ref": "Infrastructure"},
                    "DistributionConfigurationArn": {"Ref": "Distribution"},
                    "ImageTestsConfiguration": {"ImageTestsEnabled": True},
                },
            },
        },
        "Outputs": {
            "ImageId": {"Value": {"Fn::GetAtt": ["Image", "ImageId"]}},
            "Image": {"Value": {"Ref": "Image"}},
            "Name": {"Value": {"Fn::GetAtt": ["Image", "Name"]}},
            "Latest": {"Value": {"Fn::GetAtt": ["Component", "LatestVersion.Major"]}},
            "Type": {"Value": {"Fn::GetAtt": ["Component", "Type"]}},
        },
    }


EXECUTED = {
    "ImagePipelineExecutionSettings": {"DeploymentId": {"Fn::GetAtt": ["Pipeline", "DeploymentId"]}, "OnUpdate": True}
}


@pytest.fixture
def stack(client):
    """Creates or updates the stack, and gives its outputs."""
    formation = client("cloudformation")

    def deploy(body) -> dict[str, str]:
        known = formation.describe_stacks()["Stacks"]
        operation = formation.update_stack if known else formation.create_stack
        operation(StackName="images", TemplateBody=json.dumps(body), Capabilities=["CAPABILITY_IAM"])
        (found,) = formation.describe_stacks(StackName="images")["Stacks"]
        events = formation.describe_stack_events(StackName="images")["StackEvents"]
        reasons = [event.get("ResourceStatusReason", "") for event in events if "FAILED" in event["ResourceStatus"]]
        assert found["StackStatus"] in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}, reasons
        return {output["OutputKey"]: output["OutputValue"] for output in found["Outputs"]}

    return deploy


@pytest.fixture
def parts(make, client):
    """A recipe and an infrastructure configuration, for an image."""
    client("iam").create_instance_profile(InstanceProfileName="builder")
    component = make("AWS::ImageBuilder::Component", Name="driver", Version="1.0.0", Platform="Linux", Data=document())
    recipe = make(
        "AWS::ImageBuilder::ImageRecipe",
        Name="demo",
        Version="1.0.0",
        ParentImage=PARENT,
        Components=[{"ComponentArn": component.physical_id}],
        BlockDeviceMappings=[{"DeviceName": "/dev/xvda", "Ebs": {"Encrypted": True}}],
    )
    infrastructure = make("AWS::ImageBuilder::InfrastructureConfiguration", Name="demo", InstanceProfileName="builder")
    return {"ImageRecipeArn": recipe.physical_id, "InfrastructureConfigurationArn": infrastructure.physical_id}


class TestTemplate:
    def test_created(self, client, stack):
        """All six stand, the image is built, and its AMI is an attribute."""
        outputs = stack(template())
        (ami,) = client("ec2").describe_images(Owners=["self"])["Images"]
        image = client("imagebuilder").get_image(imageBuildVersionArn=outputs["Image"])["image"]

        assert outputs["ImageId"] == ami["ImageId"]
        assert (outputs["Name"], outputs["Type"]) == ("demo", "BUILD")
        assert outputs["Latest"].endswith(":component/driver/1.x.x")
        assert image["state"]["status"] == "AVAILABLE"
        mapping = image["imageRecipe"]["blockDeviceMappings"][0]["ebs"]
        assert (mapping["volumeSize"], mapping["encrypted"]) == (80, True)
        assert image["infrastructureConfiguration"]["instanceMetadataOptions"]["httpTokens"] == "required"
        assert {"Key": "trnstack:recipe", "Value": "neuron"} in ami["Tags"]

    def test_content_changes(self, client, stack):
        """Another version replaces component, recipe and image; the pipeline follows, and the old AMI stays."""
        before = stack(template())
        after = stack(template("1.0.1", comment="new"))
        builder = client("imagebuilder")

        assert before["ImageId"] != after["ImageId"]
        assert after["Image"].endswith(":image/demo/1.0.1/1")
        assert len(client("ec2").describe_images(ImageIds=[before["ImageId"], after["ImageId"]])["Images"]) == 2
        assert [one["version"] for one in builder.list_components()["componentVersionList"]] == ["1.0.1"]
        assert len(builder.list_images()["imageVersionList"]) == 1
        (pipeline,) = builder.list_image_pipelines()["imagePipelineList"]
        assert pipeline["imageRecipeArn"].endswith(":image-recipe/demo/1.0.1")

    def test_content_changes_under_one_version(self, client, stack):
        """A change of a version that exists fails as on AWS, and everything is as it was."""
        before = stack(template())
        with pytest.raises(AssertionError, match="already exists"):
            stack(template(comment="new"))
        (found,) = client("cloudformation").describe_stacks(StackName="images")["Stacks"]

        assert found["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        outputs = {output["OutputKey"]: output["OutputValue"] for output in found["Outputs"]}
        assert outputs == before

    def test_unchanged_content_builds_nothing(self, client, stack):
        """What changes beside the content changes in place, and the image stays."""
        before = stack(template())
        body = template(instance_types=["trn1.2xlarge", "trn1.32xlarge"])
        body["Resources"]["Component"]["Properties"]["Tags"] = {"c": "d"}
        body["Resources"]["Distribution"]["Properties"]["Distributions"][0]["AmiDistributionConfiguration"][
            "AmiTags"
        ] = {"x": "y"}
        after = stack(body)
        builder = client("imagebuilder")

        assert before == after
        (summary,) = builder.list_infrastructure_configurations()["infrastructureConfigurationSummaryList"]
        assert summary["instanceTypes"] == ["trn1.2xlarge", "trn1.32xlarge"]
        answer = builder.get_infrastructure_configuration(infrastructureConfigurationArn=summary["arn"])
        assert answer["infrastructureConfiguration"]["instanceMetadataOptions"]["httpTokens"] == "required"
        (component,) = builder.list_components()["componentVersionList"]
        tags = builder.list_tags_for_resource(resourceArn=f"{component['arn']}/1")["tags"]
        assert tags == {"c": "d"}

    def test_deleted(self, client, stack):
        """Nothing of it is left but the AMI."""
        outputs = stack(template())
        client("cloudformation").delete_stack(StackName="images")
        builder = client("imagebuilder")

        assert client("cloudformation").describe_stacks()["Stacks"] == []
        assert builder.list_components()["componentVersionList"] == []
        assert builder.list_image_recipes()["imageRecipeSummaryList"] == []
        assert builder.list_infrastructure_configurations()["infrastructureConfigurationSummaryList"] == []
        assert builder.list_distribution_configurations()["distributionConfigurationSummaryList"] == []
        assert builder.list_image_pipelines()["imagePipelineList"] == []
        assert builder.list_images()["imageVersionList"] == []
        assert len(client("ec2").describe_images(ImageIds=[outputs["ImageId"]])["Images"]) == 1

    def test_pipeline_executes(self, client, stack):
        """An image may be a run of the pipeline, which runs again when it is updated."""
        before = stack(template(image=EXECUTED))
        same = stack(template(image={**EXECUTED, "Tags": {"a": "b"}}))
        changed = template(image=EXECUTED)
        changed["Resources"]["Pipeline"]["Properties"]["Description"] = "new"
        after = stack(changed)
        (version,) = client("imagebuilder").list_images()["imageVersionList"]

        assert before["Image"] == same["Image"]
        assert (before["Image"][-2:], after["Image"][-2:]) == ("/1", "/2")
        assert before["ImageId"] != after["ImageId"]
        builds = client("imagebuilder").list_image_build_versions(imageVersionArn=version["arn"])["imageSummaryList"]
        assert [build["arn"] for build in builds] == [after["Image"]]

    def test_pipeline_executes_once(self, stack):
        """Without being asked to, an image does not follow the pipeline's updates."""
        once = copy.deepcopy(EXECUTED)
        once["ImagePipelineExecutionSettings"]["OnUpdate"] = False
        before = stack(template(image=once))
        changed = template(image=once)
        changed["Resources"]["Pipeline"]["Properties"]["Description"] = "new"

        assert stack(changed)["Image"] == before["Image"]


class TestImage:
    def test_failed_build(self, make, parts):
        """A build that fails fails the resource, with Image Builder's reason."""
        ami = {"LaunchPermissionConfiguration": {"UserIds": ["111122223333"]}}
        distribution = make(
            "AWS::ImageBuilder::DistributionConfiguration",
            Name="demo",
            Distributions=[{"Region": REGION, "AmiDistributionConfiguration": ami}],
        )
        with pytest.raises(ResourceError, match="failed: The AMI in us-east-2 can't be shared"):
            make("AWS::ImageBuilder::Image", **parts, DistributionConfigurationArn=distribution.physical_id)

    def test_two_ways_at_once(self, make, parts):
        """An image is built of a recipe or by a pipeline."""
        with pytest.raises(ResourceError, match="can't be combined with"):
            make("AWS::ImageBuilder::Image", **parts, ImagePipelineExecutionSettings={"DeploymentId": "x"})

    def test_no_deployment(self, make, client):
        """What is no deployment id is refused."""
        client("imagebuilder")
        with pytest.raises(ResourceError, match="is no pipeline's deployment id"):
            make("AWS::ImageBuilder::Image", ImagePipelineExecutionSettings={"DeploymentId": "x"})

    def test_unknown_property(self, make, parts):
        """What can't be passed on is refused by name."""
        with pytest.raises(ResourceError, match="DeletionSettings"):
            make("AWS::ImageBuilder::Image", **parts, DeletionSettings={"ExecutionRole": "x"})

    def test_tags_and_deletion(self, client, make, change, drop, parts):
        """Tags change in place; deletion is no error when it comes twice."""
        image = make("AWS::ImageBuilder::Image", **parts, Tags={"a": "b"})
        change(image, Tags={"c": "d"})
        tags = client("imagebuilder").list_tags_for_resource(resourceArn=image.physical_id)["tags"]

        assert tags == {"c": "d", "team": "ml"}
        assert image.attributes["LatestVersion.Minor"].endswith(":image/demo/1.0.x")
        drop(image)
        drop(image)

    def test_ami_elsewhere(self, make, parts):
        """An AMI in another region alone is no attribute."""
        distribution = make(
            "AWS::ImageBuilder::DistributionConfiguration", Name="demo", Distributions=[{"Region": "us-west-2"}]
        )
        image = make("AWS::ImageBuilder::Image", **parts, DistributionConfigurationArn=distribution.physical_id)

        assert "ImageId" not in image.attributes


def test_in_use(make, drop, parts):
    """A recipe that a pipeline builds is not deleted before it."""
    pipeline = make("AWS::ImageBuilder::ImagePipeline", Name="demo", **parts)
    recipe = copy.copy(pipeline)
    recipe.type, recipe.physical_id = "AWS::ImageBuilder::ImageRecipe", parts["ImageRecipeArn"]

    with pytest.raises(ClientError, match="ResourceDependencyException"):
        drop(recipe)
    drop(pipeline)
    drop(recipe)
    drop(pipeline)
