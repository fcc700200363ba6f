"""EC2 Image Builder: what it answers, what it builds, and what it refuses."""

import pytest
from botocore.exceptions import ClientError

from rehearsal.pins.records import image_id_of

ACCOUNT, REGION = "123456789012", "us-east-2"
PARENT_NAME = "amazon-eks-node-al2023-x86_64-neuron-1.35-v20260625"
PARENT = image_id_of(REGION, PARENT_NAME)
ARN = f"arn:aws:imagebuilder:{REGION}:{ACCOUNT}"
STEPS = "[{name: a, action: ExecuteBash, inputs: {commands: ['true']}}]"
DOCUMENT = f"schemaVersion: 1.0\nphases:\n  - name: build\n    steps: {STEPS}\n  - {{name: test, steps: {STEPS}}}\n"
NAME = "demo-{{ imagebuilder:buildDate }}"
KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/1"


@pytest.fixture
def builder(client):
    return client("imagebuilder")


@pytest.fixture
def component(builder):
    """Makes a component and gives its ARN."""

    def make(**changed: str) -> str:
        request = {"name": "driver", "semanticVersion": "1.0.0", "platform": "Linux", "data": DOCUMENT, **changed}
        return builder.create_component(**request)["componentBuildVersionArn"]

    return make


@pytest.fixture
def recipe(builder, component):
    """Makes a recipe of one component, or of those that are given, and gives its ARN."""

    def make(**changed: object) -> str:
        components = [] if "components" in changed else [{"componentArn": component()}]
        request = {"name": "demo", "semanticVersion": "1.0.0", "parentImage": PARENT, "components": components}
        given = {name: value for name, value in {**request, **changed}.items() if value != []}
        return builder.create_image_recipe(**given)["imageRecipeArn"]

    return make


@pytest.fixture
def infrastructure(builder, client):
    """Makes an infrastructure configuration and gives its ARN."""
    client("iam").create_instance_profile(InstanceProfileName="builder")

    def make(**changed: object) -> str:
        request = {"name": "demo", "instanceProfileName": "builder", "instanceTypes": ["trn1.2xlarge"], **changed}
        return builder.create_infrastructure_configuration(**request)["infrastructureConfigurationArn"]

    return make


@pytest.fixture
def distribution(builder):
    """Makes a distribution configuration and gives its ARN."""

    def make(*distributions: dict, name="demo") -> str:
        request = {"name": name, "distributions": list(distributions)}
        return builder.create_distribution_configuration(**request)["distributionConfigurationArn"]

    return make


@pytest.fixture
def pipeline(builder, recipe, infrastructure):
    """Makes a pipeline and gives its ARN."""

    def make(**changed: object) -> str:
        request = {"imageRecipeArn": recipe(), "infrastructureConfigurationArn": infrastructure(), **changed}
        return builder.create_image_pipeline(name="demo", **request)["imagePipelineArn"]

    return make


@pytest.fixture
def build(builder, recipe, infrastructure):
    """Builds an image and gives it."""

    def make(*, distribution_arn=None, **changed: object) -> dict:
        parts = {"imageRecipeArn": recipe(**changed), "infrastructureConfigurationArn": infrastructure()}
        if distribution_arn:
            parts["distributionConfigurationArn"] = distribution_arn
        arn = builder.create_image(**parts)["imageBuildVersionArn"]
        return builder.get_image(imageBuildVersionArn=arn)["image"]

    return make


def root(**changed: object) -> list[dict]:
    return [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": 80, "volumeType": "gp3", "encrypted": True, **changed}}]


def to(region=REGION, **ami: object) -> dict:
    return {"region": region, "amiDistributionConfiguration": {"name": NAME, **ami}}


class TestComponents:
    def test_answered(self, builder, component):
        """A component has an ARN of lower case, its type, and ARNs that lead to its newest version."""
        arn = component(name="Neuron Driver_x")
        answer = builder.get_component(componentBuildVersionArn=arn)

        assert arn == f"{ARN}:component/neuron-driver-x/1.0.0/1"
        assert (answer["component"]["type"], answer["component"]["data"]) == ("BUILD", DOCUMENT)
        assert answer["latestVersionReferences"]["latestMajorVersionArn"] == f"{ARN}:component/neuron-driver-x/1.x.x"
        builder.get_component(componentBuildVersionArn=f"{ARN}:component/neuron-driver-x/1.0.0/1")

    def test_type(self, builder, component):
        """A component that does nothing but test is one for tests."""
        arn = component(data=DOCUMENT.replace("name: build", "name: test"))

        assert builder.get_component(componentBuildVersionArn=arn)["component"]["type"] == "TEST"

    @pytest.mark.parametrize("version", ["1", "1.0", "1.0.0.0", "v1.0.0", "1.0.0-a", "1.0.1073741824"])
    def test_version(self, component, version):
        """A version has three numbers of thirty bits."""
        with pytest.raises(ClientError, match="InvalidVersionNumberException"):
            component(semanticVersion=version)

    @pytest.mark.parametrize("name", ["a", "a/b", "x" * 129])
    def test_name(self, component, name):
        """A name has letters, digits and a few signs."""
        with pytest.raises(ClientError, match=r"InvalidParameterValueException.*'name'"):
            component(name=name)

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            ("a: [", "is not YAML"),
            ("- a", "no mapping"),
            (DOCUMENT.replace("1.0", "2.0"), "schemaVersion must be 1.0, not 2.0"),
            (DOCUMENT.replace("schemaVersion: 1.0\n", ""), "schemaVersion must be 1.0, not None"),
            ("schemaVersion: 1.0\n", "has no phases"),
            ("schemaVersion: 1.0\nphases: []\n", "has no phases"),
            ("schemaVersion: 1.0\nphases: [{name: build}]\n", "needs a name and steps"),
            ("schemaVersion: 1.0\nphases: [{name: build, steps: [{name: a}]}]\n", "needs a name and an action"),
            (DOCUMENT + "#" * 16_000, "is more than 16000"),
        ],
    )
    def test_document(self, component, data, message):
        """What is no component document, or too long for one, is refused."""
        with pytest.raises(ClientError, match=rf"InvalidParameterValueException.*'data' is not valid.*{message}"):
            component(data=data)

    def test_longest_document(self, component):
        """Sixteen thousand characters are allowed."""
        assert component(data=DOCUMENT + "#" * (16_000 - len(DOCUMENT)))

    def test_platform(self, component):
        """An unknown platform is refused."""
        with pytest.raises(ClientError, match=r"InvalidParameterValueException.*'platform'"):
            component(platform="Plan9")

    def test_document_in_two_places(self, builder):
        """A document comes in the request or from S3, and not from both or none."""
        request = {"name": "driver", "semanticVersion": "1.0.0", "platform": "Linux"}
        for sources in ({}, {"data": DOCUMENT, "uri": "s3://bucket/document"}):
            with pytest.raises(ClientError, match="InvalidParameterCombinationException"):
                builder.create_component(**request, **sources)

    def test_exists_already(self, component):
        """A version can't be changed, only followed by another one."""
        component()
        with pytest.raises(
            ClientError, match=r"ResourceAlreadyExistsException.*'Component' already exists: .*/1\.0\.0"
        ):
            component(data=DOCUMENT + "#")
        component(semanticVersion="1.0.1")

    def test_in_use(self, builder, recipe):
        """A component that a recipe names stays."""
        recipe_arn = recipe()
        arn = f"{ARN}:component/driver/1.0.0/1"
        with pytest.raises(ClientError, match=r"ResourceDependencyException.*has other resources depended on it"):
            builder.delete_component(componentBuildVersionArn=arn)

        builder.delete_image_recipe(imageRecipeArn=recipe_arn)
        builder.delete_component(componentBuildVersionArn=arn)
        with pytest.raises(ClientError, match="ResourceNotFoundException"):
            builder.get_component(componentBuildVersionArn=arn)

    def test_lists(self, builder, component):
        """Components are listed by version, by pages, and found by name."""
        for name in ("driver", "efa", "tools"):
            component(name=name)
        pages = list(builder.get_paginator("list_components").paginate(PaginationConfig={"PageSize": 2}))
        names = [one["name"] for page in pages for one in page["componentVersionList"]]
        found = builder.list_components(filters=[{"name": "name", "values": ["dri*"]}])["componentVersionList"]

        assert (len(pages), names) == (2, ["driver", "efa", "tools"])
        assert [one["arn"] for one in found] == [f"{ARN}:component/driver/1.0.0"]
        (summary,) = builder.list_component_build_versions(componentVersionArn=found[0]["arn"])["componentSummaryList"]
        assert summary["arn"] == f"{ARN}:component/driver/1.0.0/1"
        assert builder.list_components(owner="Amazon")["componentVersionList"] == []

    def test_tags(self, builder, component):
        """Tags are set and removed by ARN."""
        arn = component()
        builder.tag_resource(resourceArn=arn, tags={"a": "1", "b": "2"})
        builder.untag_resource(resourceArn=arn, tagKeys=["a"])

        assert builder.list_tags_for_resource(resourceArn=arn)["tags"] == {"b": "2"}


class TestRecipes:
    def test_answered(self, builder, recipe):
        """A recipe keeps its components in their order."""
        arn = recipe(components=[], blockDeviceMappings=root(), tags={"a": "b"})
        found = builder.get_image_recipe(imageRecipeArn=arn)["imageRecipe"]

        assert (found["parentImage"], found["version"], found["tags"]) == (PARENT, "1.0.0", {"a": "b"})
        assert found["blockDeviceMappings"] == root()

    def test_components_by_wildcard(self, builder, component, recipe):
        """A component may be named by a part of its version, and is in use all the same."""
        component()
        newest = component(semanticVersion="1.1.0")
        recipe(components=[{"componentArn": f"{ARN}:component/driver/1.x.x"}])

        with pytest.raises(ClientError, match="ResourceDependencyException"):
            builder.delete_component(componentBuildVersionArn=newest)
        builder.delete_component(componentBuildVersionArn=f"{ARN}:component/driver/1.0.0/1")

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"parentImage": "ami-00000000000000000"}, "'parentImage' is not valid.*does not exist in us-east-2"),
            ({"parentImage": image_id_of("us-west-2", PARENT_NAME)}, "'parentImage' is not valid"),
            ({"parentImage": f"{ARN}:image/other/1.0.0/1"}, "'parentImage' is not valid"),
            ({"parentImage": "ssm:/mine"}, "'parentImage' is not valid"),
            (
                {"components": [{"componentArn": f"{ARN}:component/other/1.0.0/1"}]},
                r"'components\[0\].componentArn' is not valid.*does not exist",
            ),
            ({"name": "a"}, "'name' is not valid"),
        ],
    )
    def test_refused(self, recipe, changed, message):
        """What names something that is not there is refused."""
        with pytest.raises(ClientError, match=f"InvalidParameterValueException.*{message}"):
            recipe(**changed)

    def test_component_twice(self, component, recipe):
        """A component is named once."""
        arn = component()
        with pytest.raises(ClientError, match="specified more than once"):
            recipe(components=[{"componentArn": arn}] * 2)

    def test_too_many_components(self, component, recipe):
        """Twenty components are allowed."""
        parts = [{"componentArn": component(semanticVersion=f"1.0.{number}")} for number in range(21)]
        recipe(name="twenty", components=parts[:20])
        with pytest.raises(ClientError, match="20 components at most"):
            recipe(components=parts)

    def test_parent_by_parameter(self, recipe):
        """A parent may be named by the public parameter that holds its id."""
        path = "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/neuron/recommended/image_id"

        assert recipe(parentImage=f"ssm:{path}", components=[])
        assert recipe(name="arn", parentImage=f"ssm:arn:aws:ssm:{REGION}::parameter{path}", components=[])

    def test_version(self, recipe):
        """A version has three numbers."""
        with pytest.raises(ClientError, match="InvalidVersionNumberException"):
            recipe(semanticVersion="1.0")

    def test_exists_already(self, recipe):
        """A version can't be changed."""
        recipe()
        with pytest.raises(ClientError, match=r"ResourceAlreadyExistsException.*'ImageRecipe' already exists"):
            recipe(components=[])

    def test_in_use(self, builder, pipeline):
        """A recipe that a pipeline builds stays."""
        arn = pipeline()
        with pytest.raises(ClientError, match="ResourceDependencyException"):
            builder.delete_image_recipe(imageRecipeArn=f"{ARN}:image-recipe/demo/1.0.0")

        builder.delete_image_pipeline(imagePipelineArn=arn)
        builder.delete_image_recipe(imageRecipeArn=f"{ARN}:image-recipe/demo/1.0.0")
        assert builder.list_image_recipes()["imageRecipeSummaryList"] == []


class TestInfrastructure:
    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            (
                {"instanceProfileName": "other"},
                "'instanceProfileName' is not valid. The provided instance profile does not exist",
            ),
            ({"instanceTypes": ["trn1.2xlrge"]}, "'instanceTypes' is not valid.*'trn1.2xlrge' does not exist"),
            ({"subnetId": "subnet-0", "securityGroupIds": ["sg-0"]}, "'subnetId' is not valid.*'subnet-0'"),
            ({"securityGroupIds": ["sg-0"]}, "'securityGroupIds' is not valid.*'sg-0' does not exist"),
        ],
    )
    def test_refused(self, infrastructure, changed, message):
        """What names something that is not there is refused."""
        with pytest.raises(ClientError, match=f"InvalidParameterValueException.*{message}"):
            infrastructure(**changed)

    def test_subnet_alone(self, infrastructure, network):
        """A subnet needs a security group."""
        subnet_id, group_id = network.subnet_ids[0], network.group.physical_id
        with pytest.raises(ClientError, match="'securityGroupIds' is not valid"):
            infrastructure(subnetId=subnet_id)
        assert infrastructure(subnetId=subnet_id, securityGroupIds=[group_id])

    def test_updated_whole(self, builder, infrastructure):
        """An update forgets what it isn't given, and refuses what creation refuses."""
        arn = infrastructure(description="old")
        builder.update_infrastructure_configuration(infrastructureConfigurationArn=arn, instanceProfileName="builder")
        answer = builder.get_infrastructure_configuration(infrastructureConfigurationArn=arn)
        found = answer["infrastructureConfiguration"]

        assert (found["name"], "description" in found, "instanceTypes" in found) == ("demo", False, False)
        with pytest.raises(ClientError, match="The provided instance profile does not exist"):
            builder.update_infrastructure_configuration(infrastructureConfigurationArn=arn, instanceProfileName="x")

    def test_exists_already(self, infrastructure):
        """A name is given once."""
        infrastructure()
        with pytest.raises(ClientError, match="ResourceAlreadyExistsException"):
            infrastructure()

    def test_in_use(self, builder, pipeline):
        """What a pipeline names stays."""
        pipeline()
        with pytest.raises(ClientError, match="ResourceDependencyException"):
            builder.delete_infrastructure_configuration(
                infrastructureConfigurationArn=f"{ARN}:infrastructure-configuration/demo"
            )


class TestDistributions:
    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            (to(name="demo"), "must contain '{{ imagebuilder:buildDate }}'"),
            (to(name="de mo/{{ imagebuilder:buildDate }}"), "does not match the pattern"),
            (to("us-middle-1"), "'us-middle-1' does not exist"),
            (to(launchPermission={"userIds": ["12"]}), "'12' is no account's id"),
        ],
    )
    def test_refused(self, distribution, changed, message):
        """What Image Builder would refuse is refused, with the place of the mistake."""
        with pytest.raises(
            ClientError, match=r"InvalidParameterValueException.*'distributions\[1\]\.[a-zA-Z.]+' is"
        ) as (caught):
            distribution(to(), changed)
        assert message in str(caught.value)

    def test_updated(self, builder, distribution):
        """An update replaces the distributions."""
        arn = distribution(to())
        builder.update_distribution_configuration(distributionConfigurationArn=arn, distributions=[to("us-west-2")])
        (found,) = builder.list_distribution_configurations()["distributionConfigurationSummaryList"]

        assert found["regions"] == ["us-west-2"]
        with pytest.raises(ClientError, match="must contain"):
            builder.update_distribution_configuration(distributionConfigurationArn=arn, distributions=[to(name="demo")])

    def test_in_use(self, builder, distribution, pipeline):
        """What a pipeline names stays."""
        arn = distribution(to())
        pipeline(distributionConfigurationArn=arn)
        with pytest.raises(ClientError, match="ResourceDependencyException"):
            builder.delete_distribution_configuration(distributionConfigurationArn=arn)

    def test_unmodelled(self, distribution):
        """What the rehearsal can't do is refused by name, and not left out."""
        with pytest.raises(ClientError, match=r"does not model.*targetAccountIds"):
            distribution(to(targetAccountIds=["111122223333"]))


class TestPipelines:
    @pytest.mark.parametrize(
        "part", ["imageRecipeArn", "infrastructureConfigurationArn", "distributionConfigurationArn"]
    )
    def test_refused(self, pipeline, part):
        """A pipeline of something that is not there is refused."""
        kinds = {"imageRecipeArn": "image-recipe/other/1.0.0", "infrastructureConfigurationArn": "x/other"}
        arn = f"{ARN}:{kinds.get(part, 'distribution-configuration/other')}"
        arn = arn.replace(":x/", ":infrastructure-configuration/")
        with pytest.raises(ClientError, match=f"'{part}' is not valid.*does not exist"):
            pipeline(**{part: arn})

    def test_exists_already(self, builder, pipeline, recipe, infrastructure):
        """A name is given once."""
        pipeline()
        parts = {
            "imageRecipeArn": recipe(name="other", components=[]),
            "infrastructureConfigurationArn": infrastructure(name="other"),
        }
        with pytest.raises(ClientError, match="ResourceAlreadyExistsException"):
            builder.create_image_pipeline(name="demo", **parts)

    def test_runs(self, builder, client, pipeline):
        """Each run builds another image, whose AMI is a new one with its own name."""
        arn = pipeline(imageTags={"a": "b"})
        runs = [builder.start_image_pipeline_execution(imagePipelineArn=arn) for _ in range(2)]
        images = builder.list_image_pipeline_images(imagePipelineArn=arn)["imageSummaryList"]

        assert [run["imageBuildVersionArn"] for run in runs] == [f"{ARN}:image/demo/1.0.0/{n}" for n in (1, 2)]
        assert [image["version"] for image in images] == ["1.0.0/1", "1.0.0/2"]
        assert images[0]["tags"] == {"a": "b"}
        ids = [image["outputResources"]["amis"][0]["image"] for image in images]
        names = {one["Name"] for one in client("ec2").describe_images(ImageIds=ids)["Images"]}
        assert len(names) == len(set(ids)) == 2
        found = builder.get_image_pipeline(imagePipelineArn=arn)["imagePipeline"]
        assert (found["status"], found["lastRunStatus"]) == ("ENABLED", "AVAILABLE")

    def test_number_of_a_deleted_build(self, builder, pipeline):
        """A build's number is not given again."""
        arn = pipeline()
        first = builder.start_image_pipeline_execution(imagePipelineArn=arn)["imageBuildVersionArn"]
        builder.delete_image(imageBuildVersionArn=first)

        second = builder.start_image_pipeline_execution(imagePipelineArn=arn)["imageBuildVersionArn"]
        assert second == f"{ARN}:image/demo/1.0.0/2"

    def test_updated_whole(self, builder, pipeline):
        """An update forgets what it isn't given."""
        arn = pipeline(description="old")
        found = builder.get_image_pipeline(imagePipelineArn=arn)["imagePipeline"]
        parts = {name: found[name] for name in ("imageRecipeArn", "infrastructureConfigurationArn")}
        builder.update_image_pipeline(imagePipelineArn=arn, **parts, status="DISABLED")
        found = builder.get_image_pipeline(imagePipelineArn=arn)["imagePipeline"]

        assert ("description" in found, found["status"]) == (False, "DISABLED")


class TestBuilds:
    def test_ami(self, builder, client, distribution, build):
        """The AMI has the distribution's name and tags and the recipe's encrypted volume."""
        arn = distribution(to(description="mine", amiTags={"trnstack:recipe": "neuron"}))
        image = build(distribution_arn=arn, blockDeviceMappings=root(), amiTags={"own": "1"})
        ((output,),) = (image["outputResources"]["amis"],)
        (ami,) = client("ec2").describe_images(ImageIds=[output["image"]])["Images"]
        (snapshot,) = client("ec2").describe_snapshots(OwnerIds=["self"])["Snapshots"]

        assert image["state"]["status"] == "AVAILABLE"
        assert (ami["Name"], output["name"]) == ("demo-2026-12-01T00-00-00.000001Z",) * 2
        assert {tag["Key"]: tag["Value"] for tag in ami["Tags"]} == {
            "trnstack:recipe": "neuron",
            "own": "1",
            "CreatedBy": "EC2 Image Builder",
            "Ec2ImageBuilderArn": image["arn"],
        }
        assert (ami["OwnerId"], ami["Public"], ami["Description"]) == (ACCOUNT, False, "mine")
        assert ami["BlockDeviceMappings"][0]["Ebs"]["SnapshotId"] == snapshot["SnapshotId"]
        assert (snapshot["Encrypted"], snapshot["VolumeSize"]) == (True, 80)
        assert builder.list_images()["imageVersionList"][0]["arn"] == f"{ARN}:image/demo/1.0.0"

    def test_found_by_its_tags(self, client, distribution, build):
        """Its owner finds the AMI by its tags."""
        build(distribution_arn=distribution(to(amiTags={"trnstack:recipe": "neuron"})))
        filters = [{"Name": "tag:trnstack:recipe", "Values": ["neuron"]}, {"Name": "state", "Values": ["available"]}]

        assert len(client("ec2").describe_images(Owners=["self"], Filters=filters)["Images"]) == 1

    def test_without_distribution(self, client, build):
        """Without a distribution the build's own region gets an AMI named after the recipe."""
        (output,) = build()["outputResources"]["amis"]
        (ami,) = client("ec2").describe_images(ImageIds=[output["image"]])["Images"]

        assert (output["region"], ami["Name"]) == (REGION, "demo 2026-12-01T00-00-00.000001Z")
        assert ami["BlockDeviceMappings"][0]["Ebs"]["Encrypted"] is False

    def test_copies_and_accounts(self, services, distribution, build):
        """Other regions get copies, and other accounts see what they may start, without its tags."""
        others = {"userIds": ["111122223333"]}
        west = f"arn:aws:kms:us-west-2:{ACCOUNT}:key/2"
        arn = distribution(
            to(launchPermission=others, amiTags={"a": "b"}), to("us-west-2", launchPermission=others, kmsKeyId=west)
        )
        image = build(distribution_arn=arn, blockDeviceMappings=root(kmsKeyId=KEY))
        ids = {ami["region"]: ami["image"] for ami in image["outputResources"]["amis"]}

        assert set(ids) == {REGION, "us-west-2"}
        for region, image_id in ids.items():
            ec2 = services.transport.client("ec2", "111122223333", region)
            (ami,) = ec2.describe_images(ImageIds=[image_id])["Images"]
            assert (ami["OwnerId"], ami["Tags"]) == (ACCOUNT, [])
        own = services.transport.client("ec2", ACCOUNT, "us-west-2")
        permission = own.describe_image_attribute(ImageId=ids["us-west-2"], Attribute="launchPermission")
        assert permission["LaunchPermissions"] == [{"UserId": "111122223333"}]
        stranger = services.transport.client("ec2", "999999999999", REGION)
        with pytest.raises(ClientError, match=r"InvalidAMIID\.NotFound"):
            stranger.describe_images(ImageIds=[ids[REGION]])

    @pytest.mark.parametrize("region", [REGION, "us-west-2"])
    def test_shared_under_the_default_key(self, client, distribution, build, region):
        """What EBS's default key encrypts can't be shared, and a copy in another region can't keep the recipe's key."""
        key = {} if region == REGION else {"kmsKeyId": KEY}
        arn = distribution(to(), to(region, launchPermission={"userIds": ["111122223333"]}))
        image = build(distribution_arn=arn, blockDeviceMappings=root(**key))

        assert image["state"]["status"] == "FAILED"
        assert "can't be shared with 111122223333" in image["state"]["reason"]
        assert client("ec2").describe_images(Owners=["self"])["Images"] == []

    def test_parameter(self, services, distribution, build):
        """The AMI's id is put into the parameter that the distribution names."""
        west = {**to("us-west-2"), "ssmParameterConfigurations": [{"parameterName": "/images/demo"}]}
        image = build(distribution_arn=distribution(west))

        parameter = services.transport.client("ssm", ACCOUNT, "us-west-2").get_parameter(Name="/images/demo")
        assert parameter["Parameter"]["Value"] == image["outputResources"]["amis"][0]["image"]

    def test_parent_of_another(self, recipe, build):
        """An image may start from one that was built."""
        image = build()

        assert recipe(name="child", parentImage=image["arn"], components=[])
        assert recipe(name="grandchild", parentImage=f"{ARN}:image/demo/x.x.x", components=[])

    def test_parent_deregistered(self, builder, client, build, recipe):
        """A recipe whose parent is gone builds no more."""
        image = build()
        (output,) = image["outputResources"]["amis"]
        parts = {
            "imageRecipeArn": recipe(name="child", parentImage=output["image"], components=[]),
            "infrastructureConfigurationArn": image["infrastructureConfiguration"]["arn"],
        }
        client("ec2").deregister_image(ImageId=output["image"])
        arn = builder.create_image(**parts)["imageBuildVersionArn"]

        assert builder.get_image(imageBuildVersionArn=arn)["image"]["state"]["status"] == "FAILED"

    def test_deletion(self, builder, client, build):
        """The AMI outlives its image."""
        image = build()
        builder.delete_image(imageBuildVersionArn=image["arn"])

        assert builder.list_images()["imageVersionList"] == []
        ids = [image["outputResources"]["amis"][0]["image"]]
        assert len(client("ec2").describe_images(ImageIds=ids)["Images"]) == 1

    def test_refused(self, builder, recipe, infrastructure):
        """An image needs a recipe and a configuration that are there."""
        with pytest.raises(ClientError, match="'imageRecipeArn' is not valid"):
            builder.create_image(infrastructureConfigurationArn=infrastructure())
        with pytest.raises(ClientError, match=r"'infrastructureConfigurationArn' is not valid.*does not exist"):
            builder.create_image(
                imageRecipeArn=recipe(), infrastructureConfigurationArn=f"{ARN}:infrastructure-configuration/other"
            )


def test_accounts_and_regions_are_apart(services, component):
    """What one account has in one region, others don't see."""
    component()

    for account, region in (("111122223333", REGION), (ACCOUNT, "us-west-2")):
        elsewhere = services.transport.client("imagebuilder", account, region)
        assert elsewhere.list_components()["componentVersionList"] == []


def test_dry_run(builder):
    """A trial makes nothing."""
    with pytest.raises(ClientError, match="a dry run"):
        builder.create_component(name="driver", semanticVersion="1.0.0", platform="Linux", data=DOCUMENT, dryRun=True)
    assert builder.list_components()["componentVersionList"] == []
