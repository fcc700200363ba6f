"""Node groups whose launch template names an AMI."""

import base64

import pytest
from botocore.exceptions import ClientError

from rehearsal import clock
from rehearsal.overlays.images import ImageFacts, add_image
from rehearsal.pins.records import image_id_of

ACCOUNT, REGION = "123456789012", "us-east-2"
PUBLISHED = image_id_of(REGION, "amazon-eks-node-al2023-x86_64-neuron-1.34-v20260625")
OTHER = image_id_of(REGION, "amazon-eks-node-al2023-x86_64-neuron-1.34-v20260714")


@pytest.fixture
def eks(client):
    return client("eks")


def node_config(**cluster: str) -> str:
    lines = "".join(f"    {name}: {value}\n" for name, value in cluster.items())
    return f"---\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  cluster:\n{lines}"


def multipart(*parts: str, kind="application/node.eks.aws") -> str:
    bodies = "".join(f"--B\nContent-Type: {kind}\n\n{part}\n" for part in parts)
    return f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n{bodies}--B--\n'


@pytest.fixture
def joining(eks, cluster):
    """What nodeadm has to know of the cluster."""
    found = eks.describe_cluster(name=cluster.physical_id)["cluster"]
    return {
        "name": "demo",
        "apiServerEndpoint": found["endpoint"],
        "certificateAuthority": found["certificateAuthority"]["data"],
        "cidr": "172.20.0.0/16",
    }


@pytest.fixture
def custom_template(client, joining):
    """Makes a launch template of an AMI and user data, and gives its id."""

    def make(name="custom", *, image_id=PUBLISHED, user_data=None) -> str:
        text = multipart(node_config(**joining)) if user_data is None else user_data
        data = {"InstanceType": "trn1.2xlarge", "UserData": base64.b64encode(text.encode()).decode()}
        if image_id:
            data["ImageId"] = image_id
        answer = client("ec2").create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)
        return answer["LaunchTemplate"]["LaunchTemplateId"]

    return make


@pytest.fixture
def group(eks, network):
    """Makes a node group of a launch custom_template, and gives what EKS says of it."""

    def make(template_id, *, desired=1, **more: str) -> dict:
        answer = eks.create_nodegroup(
            clusterName="demo",
            nodegroupName="custom",
            nodeRole=network.role_arn,
            subnets=network.subnet_ids[:1],
            scalingConfig={"minSize": 0, "maxSize": 4, "desiredSize": desired},
            launchTemplate={"id": template_id, "version": "1"},
            **more,
        )
        return answer["nodegroup"]

    return make


class TestCreation:
    def test_described(self, client, custom_template, group):
        """EKS calls the type custom and the release by the AMI, from which the nodes start."""
        found = group(custom_template())
        (reservation,) = client("ec2").describe_instances()["Reservations"]

        assert (found["amiType"], found["releaseVersion"]) == ("CUSTOM", PUBLISHED)
        assert reservation["Instances"][0]["ImageId"] == PUBLISHED

    def test_custom_may_be_said(self, custom_template, group):
        """The type may be given as what it is."""
        assert group(custom_template(), amiType="CUSTOM")["amiType"] == "CUSTOM"

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            (
                {"amiType": "AL2023_x86_64_NEURON"},
                "You cannot specify an AMI Type other than CUSTOM, when specifying an image id in your launch template",
            ),
            (
                {"version": "1.34"},
                "You cannot specify a kubernetes version to use when specifying an image id to use within the launch",
            ),
            ({"releaseVersion": "1.34.9-20260625"}, "You cannot specify a release version to use"),
        ],
    )
    def test_another_image_beside_it(self, eks, custom_template, group, more, message):
        """Type, version and release are the AMI's to tell."""
        with pytest.raises(ClientError, match=f"InvalidParameterException.*{message}"):
            group(custom_template(), **more)
        assert eks.list_nodegroups(clusterName="demo")["nodegroups"] == []

    def test_custom_without_an_image(self, custom_template, group):
        """A custom type needs a launch template that names the AMI."""
        with pytest.raises(ClientError, match="InvalidParameterException"):
            group(custom_template(image_id=None), amiType="CUSTOM")

    @pytest.mark.parametrize("desired", [0, 1])
    @pytest.mark.parametrize("image_id", ["ami-00000000000000000", image_id_of("us-west-2", "x")])
    def test_no_such_image(self, custom_template, group, image_id, desired):
        """An AMI that is not in the region is refused, though no node is wanted."""
        with pytest.raises(ClientError, match=rf"InvalidRequestException.*image id '\[{image_id}\]' does not exist"):
            group(custom_template(image_id=image_id), desired=desired)

    def test_disabled_image(self, client, custom_template, group):
        """An AMI that was disabled starts nothing."""
        facts = ImageFacts(
            image_id="ami-0d", name="mine", description="", owner=ACCOUNT, created=clock.now(), tags={"a": "b"}
        )
        add_image(ACCOUNT, REGION, facts)
        client("ec2").disable_image(ImageId="ami-0d")

        with pytest.raises(ClientError, match="does not exist"):
            group(custom_template(image_id="ami-0d"))


class TestUserData:
    @pytest.mark.parametrize("desired", [0, 1])
    @pytest.mark.parametrize(
        "user_data",
        [
            "",
            "#!/bin/bash\ntrue\n",
            multipart("#!/bin/bash\n/etc/eks/bootstrap.sh demo\n", kind="text/x-shellscript"),
            multipart("apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet: {}\n"),
            multipart(""),
        ],
        ids=["none", "script", "script part", "no cluster", "empty part"],
    )
    def test_without_a_cluster(self, custom_template, group, user_data, desired):
        """EKS adds nothing to user data of a custom AMI: without a cluster no node joins, now or later."""
        with pytest.raises(ClientError, match=r"NodeCreationFailure: Instances failed to join.*spec\.cluster\.name"):
            group(custom_template(user_data=user_data), desired=desired)

    @pytest.mark.parametrize("member", ["name", "apiServerEndpoint", "certificateAuthority", "cidr"])
    def test_incomplete(self, custom_template, group, joining, member):
        """Each of the four is needed."""
        rest = {name: value for name, value in joining.items() if name != member}
        with pytest.raises(ClientError, match=rf"NodeCreationFailure.*has spec\.cluster\.{member}"):
            group(custom_template(user_data=multipart(node_config(**rest))))

    @pytest.mark.parametrize("member", ["name", "apiServerEndpoint", "certificateAuthority", "cidr"])
    def test_of_another_cluster(self, custom_template, group, joining, member):
        """Each of the four is this cluster's."""
        other = {**joining, member: "other"}
        with pytest.raises(ClientError, match=rf"NodeCreationFailure.*spec\.cluster\.{member}.* is other"):
            group(custom_template(user_data=multipart(node_config(**other))))

    def test_unreadable(self, custom_template, group):
        """What is no YAML joins nothing."""
        with pytest.raises(ClientError, match=r"NodeCreationFailure.*can't be read"):
            group(custom_template(user_data=multipart("a: [")))

    def test_alone(self, custom_template, group, joining):
        """User data may be the document itself."""
        assert group(custom_template(user_data=node_config(**joining)))

    def test_in_parts(self, custom_template, group, joining):
        """Of several documents the later ones add to the earlier ones, and win over them."""
        first = {**joining, "name": "other", "cidr": ""}
        second = {"name": "demo", "cidr": joining["cidr"]}

        assert group(custom_template(user_data=multipart(node_config(**first), node_config(**second))))


class TestUpdate:
    def update(self, eks, template_id, **more: str) -> None:
        eks.update_nodegroup_version(
            clusterName="demo",
            nodegroupName="custom",
            launchTemplate={"id": template_id, "version": "1"},
            **more,
        )

    def described(self, eks) -> dict:
        return eks.describe_nodegroup(clusterName="demo", nodegroupName="custom")["nodegroup"]

    def test_another_image(self, eks, custom_template, group):
        """Another AMI is the new release."""
        group(custom_template())
        self.update(eks, custom_template("next", image_id=OTHER))

        assert self.described(eks)["releaseVersion"] == OTHER

    @pytest.mark.parametrize(
        ("changed", "more"),
        [
            ({"image_id": "ami-00000000000000000"}, {}),
            ({"user_data": ""}, {}),
            ({"image_id": None}, {}),
            ({}, {"version": "1.34"}),
            ({}, {"releaseVersion": "1.34.9-20260714"}),
        ],
        ids=["no image", "no cluster", "EKS's image", "version", "release"],
    )
    def test_refused(self, eks, custom_template, group, changed, more):
        """What creation refuses, an update does, and the change to EKS's AMIs too; the group stays as it was."""
        before = group(custom_template())
        with pytest.raises(ClientError, match=r"Invalid(Parameter|Request)Exception"):
            self.update(eks, custom_template("next", **changed), **more)

        after = self.described(eks)
        for member in ("releaseVersion", "version", "launchTemplate", "amiType"):
            assert after[member] == before[member]

    def test_from_eks_to_custom(self, eks, custom_template, node_group):
        """A group of EKS's AMIs does not become one of a custom AMI."""
        del node_group
        with pytest.raises(ClientError, match="create a new node group"):
            eks.update_nodegroup_version(
                clusterName="demo",
                nodegroupName="trn1",
                launchTemplate={"id": custom_template(), "version": "1"},
            )
