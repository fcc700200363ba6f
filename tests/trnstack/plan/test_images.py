"""Custom images: what goes into them, what builds them and where, and who gets them."""

import dataclasses

import pytest

from ami.custom import image_version
from ami.pins import NOT_BUILT, UNRESOLVED
from bench.locks import resolved
from trnstack.layout.user_data import CLUSTER_AUTHORITY, CLUSTER_ENDPOINT
from trnstack.plan import plan

CUSTOM = {"image": {"type": "custom", "recipe": "neuron"}, "instance_type": "trn1.32xlarge"}
TRN2 = {**CUSTOM, "instance_type": "trn2.48xlarge", "availability_zone_id": "use2-az1"}


@pytest.fixture
def built(environment, locked):
    """Returns a builder of the plan of an environment whose custom images are all built."""

    def build(**sections):
        made = environment(**sections)
        return plan(made, resolved(locked(made)))

    return build


@pytest.fixture
def waiting(environment, locked):
    """Returns a builder of the plan of an environment whose custom images an account was asked for and has not."""

    def build(**sections):
        made = environment(**sections)
        lock = resolved(locked(made))
        images = {
            name: dataclasses.replace(
                pin,
                custom=pin.custom
                and dataclasses.replace(pin.custom, image_ids=dict.fromkeys(pin.custom.image_ids, NOT_BUILT)),
            )
            for name, pin in lock.images.items()
        }
        return plan(made, dataclasses.replace(lock, images=images))

    return build


class TestImages:
    def test_none(self, built):
        """Without a custom image there is none, and no stack for it."""
        decided = built()

        assert decided.images == ()
        assert "demo-images" not in [stack.name for stack in decided.stacks]

    def test_one_for_a_recipe(self, built):
        """Node groups of one recipe share an image; a group of EKS's image has no part in it."""
        groups = [{**CUSTOM, "name": "one"}, {"name": "two"}, {**CUSTOM, "name": "three"}]
        (image,) = built(node_groups=groups).images

        assert image.recipe == "neuron"
        assert image.node_groups == ("one", "three")

    def test_names(self, built):
        """What can't be changed in Image Builder bears the version in its name; what can keeps its name."""
        (image,) = built(node_group=CUSTOM).images

        assert image.pipeline == "demo-neuron"
        assert image.name == f"demo-neuron-{image.version}"
        assert [each.full_name for each in image.components] == [
            f"demo-neuron-{image.version}-{each.name}" for each in image.components
        ]
        assert image.tags["trnstack:recipe-version"] == image.version
        assert image.tags["trnstack:recipe"] == "neuron"
        assert image.tags["trnstack:environment"] == "demo"

    def test_names_of_shared_images(self, built):
        """Another key encrypts a shared image, which Image Builder knows as another one: it takes no name twice."""
        (image,) = built(node_group=CUSTOM, images={"share_with_accounts": ["444455556666"]}).images

        assert image.name == f"demo-neuron-{image.version}-shared"
        assert all(each.full_name.startswith(f"{image.name}-") for each in image.components)
        assert image.pipeline == "demo-neuron"

    def test_tags(self, built):
        """An AMI bears the environment's tags, which tell who pays for its snapshot; the instances a fixed set."""
        (image,) = built(node_group=CUSTOM, tags={"team": "x"}).images

        assert image.tags["team"] == "x"
        assert dict(image.instance_tags) == {
            "Name": "demo-neuron",
            "trnstack:environment": "demo",
            "managed-by": "trnstack",
        }

    def test_content_is_the_locks(self, environment, locked):
        """Documents and parent are made of the lock, whose container is in them by its digest."""
        made = environment(node_group=CUSTOM)
        lock = resolved(locked(made))
        (image,) = plan(made, lock).images
        documents = "".join(each.document for each in image.components)

        assert image.parent_image_id == lock.images["trn1"].image_id
        assert image.parent_release == lock.images["trn1"].release_version
        assert f"{lock.neuron.container.image}@{lock.neuron.container.digest}" in documents
        assert f"DRIVER={lock.neuron.driver}\n" in documents

    def test_components_are_those_of_the_version(self, environment, locked):
        """The version that the lock holds is a hash of the very documents that the plan shows."""
        made = environment(node_group=CUSTOM)
        lock = resolved(locked(made))
        pin = lock.images["trn1"]
        before = image_version(lock, pin, pin.custom)
        container = dataclasses.replace(lock.neuron.container, digest="sha256:" + "1" * 64)
        other = dataclasses.replace(lock, neuron=dataclasses.replace(lock.neuron, container=container))

        assert image_version(other, pin, pin.custom) != before
        assert plan(made, other).images[0].components != plan(made, lock).images[0].components

    def test_regions_and_accounts(self, built):
        """The environment's own region comes first and needs no key."""
        key = "arn:aws:kms:us-west-2:111122223333:key/0123abcd"
        images = {
            "copy_to_regions": [{"region": "us-west-2", "kms_key_arn": key}],
            "share_with_accounts": ["444455556666"],
        }
        (image,) = built(node_group=CUSTOM, images=images).images

        assert [(each.region, each.kms_key_arn) for each in image.regions] == [("us-east-2", None), ("us-west-2", key)]
        assert image.account_ids == ("444455556666",)


class TestBuildPlace:
    def test_smallest_of_the_zone(self, built):
        """The smallest type that the zone of the nodes offers builds the image, in the subnet of the nodes."""
        (image,) = built(node_group=CUSTOM).images

        assert image.build_instance_type == "trn1.2xlarge"
        assert (image.availability_zone_id, image.subnet) == ("use2-az3", "nodes-use2-az3")

    def test_smaller_one_in_another_zone(self, built):
        """Where the zone of the nodes offers nothing smaller, another zone of the environment may."""
        (image,) = built(node_group=TRN2).images

        assert (image.build_instance_type, image.subnet) == ("trn1.2xlarge", "nodes-use2-az3")

    def test_no_smaller_one(self, built):
        """Where no zone of the environment offers a smaller one, the nodes' own type builds it."""
        zones = ["use1-az4", "use1-az1"]
        group = {**CUSTOM, "availability_zone_id": None}
        (image,) = built(region="us-east-1", availability_zone_ids=zones, node_group=group).images

        assert (image.build_instance_type, image.subnet) == ("trn1.32xlarge", "nodes-use1-az4")

    def test_smallest_of_all_zones(self, built):
        """Of several zones with nodes of the image, the one that offers the smallest type."""
        (image,) = built(node_groups=[{**TRN2, "name": "large"}, {**CUSTOM, "name": "small"}]).images

        assert (image.build_instance_type, image.subnet) == ("trn1.2xlarge", "nodes-use2-az3")

    def test_asked_for(self, built):
        """A type that is asked for builds it, in the first zone that offers it."""
        groups = [{**TRN2, "name": "large"}, {**CUSTOM, "name": "small"}]
        (image,) = built(node_groups=groups, images={"build_instance_type": "trn1.32xlarge"}).images

        assert (image.build_instance_type, image.subnet) == ("trn1.32xlarge", "nodes-use2-az3")

    def test_unpublished_type(self, environment, locked):
        """Where the catalog knows nothing of a zone's types, the node group's own builds it."""
        facts = {
            "network_cards": 16,
            "efa_interfaces": 16,
            "vcpus": 192,
            "memory_gib": 2048,
            "neuron_devices": 16,
            "availability_zone_ids": ["use1-az1"],
        }
        made = environment(
            region="us-east-1",
            availability_zone_ids=["use1-az1", "use1-az2"],
            node_group={**CUSTOM, "instance_type": "trn3.48xlarge", "instance_facts": facts, "local_storage": "none"},
        )
        decided = plan(made, resolved(locked(made)))

        assert decided.images[0].build_instance_type == "trn3.48xlarge"
        assert any(use.user == "building neuron" and use.vcpus_each == 192 for use in decided.quotas[0].uses)

    def test_takes_quota_and_an_address(self, built):
        """The instance that builds counts like any other: its vCPUs, and one address of the nodes' subnet."""
        without, decided = built(), built(node_group=CUSTOM)

        assert decided.quotas[0].vcpus == without.quotas[0].vcpus + 8
        (use,) = (use for use in decided.network.address_uses if use.user == "building neuron")
        assert (use.subnet, use.addresses) == ("nodes-use2-az3", 1)


class TestAwaiting:
    def test_built(self, built):
        """With the image there, the stack of its nodes is deployed, after that of the images."""
        decided = built(node_group=CUSTOM)

        assert decided.awaiting_image == ()
        assert [stack.name for stack in decided.stacks][-3:] == ["demo-images", "demo-kubernetes", "demo-nodes-trn1"]
        assert decided.stack("demo-images").depends_on == ("demo-network",)
        assert decided.stack("demo-images").termination_protection is False

    def test_not_built(self, waiting):
        """Without the image the nodes' stack is left out, and all others stay; other groups' nodes do not wait."""
        decided = waiting(node_groups=[{**CUSTOM, "name": "new"}, {"name": "old"}])

        assert [group.name for group in decided.awaiting_image] == ["new"]
        assert [stack.name for stack in decided.stacks][-3:] == ["demo-images", "demo-kubernetes", "demo-nodes-old"]
        assert decided.images[0].image_id == NOT_BUILT
        assert decided.images[0].components

    def test_nobody_was_asked(self, environment, locked):
        """An offline lock knows neither image nor version nor what would be built, and says so."""
        made = environment(node_group=CUSTOM)
        decided = plan(made, locked(made))
        (image,) = decided.images

        assert (image.version, image.image_id, image.parent_image_id) == (UNRESOLVED, UNRESOLVED, UNRESOLVED)
        assert image.components == ()
        assert [group.name for group in decided.awaiting_image] == ["trn1"]


class TestNodes:
    def test_image(self, built):
        """A custom image is named by its id, in the launch template; EKS calls such an image CUSTOM."""
        decided = built(node_group=CUSTOM)
        (group,) = decided.node_groups

        assert group.launch_template.image_id == decided.images[0].image_id
        assert (group.ami_type, group.release_version) == ("CUSTOM", decided.images[0].image_id)
        assert (group.custom_image, group.kubernetes_version) == ("neuron", None)

    def test_eks_image(self, built):
        """EKS's own image is named by its type, release and minor version."""
        (group,) = built().node_groups

        assert group.launch_template.image_id is None
        assert (group.custom_image, group.kubernetes_version, group.awaits_image) == (None, "1.35", False)

    def test_node_config(self, built):
        """The nodes are told the cluster, the most pods and the taints, which EKS tells nodes of its images alone."""
        taints = [
            {"key": "aws.amazon.com/neuron", "value": "present", "effect": "NO_SCHEDULE"},
            {"key": "team", "effect": "PREFER_NO_SCHEDULE"},
        ]
        decided = built(node_group={**CUSTOM, "taints": taints})
        (group,) = decided.node_groups
        text = group.launch_template.user_data

        assert CLUSTER_ENDPOINT in text
        assert CLUSTER_AUTHORITY in text
        assert f'cidr: "{decided.cluster.service_cidr}"' in text
        assert f"maxPods: {group.most_pods}\n" in text
        assert "--register-with-taints=aws.amazon.com/neuron=present:NoSchedule,team=:PreferNoSchedule" in text

    def test_eks_tells_nodes_of_its_image(self, built):
        """With EKS's own image the user data leave all of that to EKS."""
        assert "cluster" not in built().node_groups[0].launch_template.user_data

    def test_labels_move_no_node(self, built):
        """Labels are EKS's to set, so that an edit of them changes no launch template."""
        plain, labelled = built(node_group=CUSTOM), built(node_group={**CUSTOM, "labels": {"team": "x"}})

        assert plain.node_groups[0].launch_template == labelled.node_groups[0].launch_template


class TestDecisions:
    def decisions(self, decided):
        return {each.path: each for each in decided.decisions}

    def test_told(self, built):
        """Where the driver comes from, what builds the image, and what encrypts it, are told with reasons."""
        told = self.decisions(built(node_group=CUSTOM))

        assert told["neuron.sdk"].value.startswith("driver 2.28.0.0, which recipe neuron installs on AMI release v2026")
        assert told["images.build_instance_type"].value == "trn1.2xlarge in use2-az3"
        assert told["images.encryption"].value == "the default EBS key"

    def test_shared(self, built):
        """For other accounts the image has a key of its own."""
        told = self.decisions(built(node_group=CUSTOM, images={"share_with_accounts": ["444455556666"]}))

        assert told["images.encryption"].value == "a key of the images' own, retained"

    def test_asked_for(self, built):
        """What the file says is no decision of ours."""
        told = self.decisions(built(node_group=CUSTOM, images={"build_instance_type": "trn1.2xlarge"}))

        assert "images.build_instance_type" not in told
