"""In which deploys a change reaches what runs."""

import datetime as dt
from dataclasses import replace

import pytest

from trnstack.advice.steps import is_one_deploy
from trnstack.advice.steps import steps as every_step

ADMINISTRATOR = "arn:aws:iam::111122223333:role/other"
BLOCK = {
    "type": "capacity_block",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 16,
    "availability_zone_id": "use2-az3",
    "starts_at": dt.datetime(2027, 3, 1, 11, 30, tzinfo=dt.UTC),
    "ends_at": dt.datetime(2027, 3, 8, 11, 30, tzinfo=dt.UTC),
}


def steps(old, new):
    """Returns the steps but that of the charts and objects in the cluster, which ``test_cluster_steps`` asks for."""
    return tuple(step for step in every_step(old, new) if step.stack != "demo-kubernetes")


def released(plan, release_version="1.35.6-20260714", **changes):
    """Returns the plan with another release of the accelerator nodes' image, and whatever else."""
    (group,) = plan.node_groups
    return replace(plan, node_groups=(replace(group, release_version=release_version, **changes),))


def with_system(plan, **changes):
    return replace(plan, cluster=replace(plan.cluster, system_nodes=replace(plan.cluster.system_nodes, **changes)))


def commands(found):
    """Returns the commands without the file that each of them names."""
    assert all(step.command.endswith(" -c environment=FILE") for step in found)
    return [step.command.removesuffix(" -c environment=FILE") for step in found]


class TestNodeGroup:
    def test_nothing(self, planned):
        """Nothing that changes needs no deploy."""
        assert steps(planned(), planned()) == ()
        assert is_one_deploy(())

    def test_release_alone(self, planned):
        """A new release is one deploy, in which nothing is left out."""
        (step,) = steps(planned(), released(planned()))

        assert step.command == "cdk deploy demo-nodes-trn1 -c environment=FILE"
        assert step.changes == ("release_version of trn1: 1.35.6-20260625 -> 1.35.6-20260714",)
        assert step.held_back == ()
        assert is_one_deploy([step])

    @pytest.mark.parametrize(
        ("change", "held"),
        [
            ({"labels": {"team": "a"}}, "labels of trn1"),
            ({"node_count": 3}, "scaling of trn1"),
            ({"max_unavailable": 2}, "max_unavailable of trn1"),
            ({"node_repair": False}, "node_repair of trn1"),
            ({"taints": []}, "taints of trn1"),
            ({"root_volume_gib": 300}, "root_volume_gib of trn1"),
            ({"instance_type": "trn1.2xlarge", "efa": None}, "instance_type of trn1"),
        ],
    )
    def test_release_and_more(self, planned, change, held):
        """LT-08: A release beside anything else is two deploys at least, the release first and the rest held back."""
        first, *others = steps(
            planned(), released(planned(node_group={k: v for k, v in change.items() if v is not None}))
        )

        assert first.changes == ("release_version of trn1: 1.35.6-20260625 -> 1.35.6-20260714",)
        assert held in first.held_back
        assert "CloudFormation refuses it beside anything else" in first.reason
        assert held in [change for step in others for change in step.changes]
        assert not is_one_deploy([first, *others])

    def test_three_kinds(self, planned):
        """LT-08: Release, settings and launch template are three deploys of the same stack, each but the last short."""
        found = steps(planned(), released(planned(node_group={"labels": {"team": "a"}, "root_volume_gib": 300})))

        assert commands(found) == ["cdk deploy demo-nodes-trn1"] * 3
        assert [step.changes[0].partition(" ")[0] for step in found] == ["release_version", "labels", "root_volume_gib"]
        assert [len(step.held_back) for step in found] == [2, 1, 0]

    @pytest.mark.parametrize(
        "change",
        [
            {"labels": {"team": "a"}},
            {"node_count": 3},
            {"root_volume_gib": 300},
            {"labels": {"a": "b"}, "node_count": 4},
        ],
    )
    def test_one_kind(self, planned, change):
        """Settings together are one call of EKS, and a launch template alone is one."""
        (step,) = steps(planned(), planned(node_group=change))

        assert step.held_back == ()

    def test_settings_before_launch_template(self, planned):
        """Counts and labels come before what replaces nodes, as a change of both has been refused."""
        settings, template = steps(planned(), planned(node_group={"node_count": 3, "root_volume_gib": 300}))

        assert settings.changes == ("scaling of trn1",)
        assert settings.held_back == template.changes == ("root_volume_gib of trn1",)
        assert settings.nodes == "in place; an edit of the counts sets the desired size to 3 again"

    def test_backwards(self, planned):
        """EKS takes no group back to an earlier release, so no deploy is offered."""
        (step,) = steps(released(planned()), planned())

        assert (step.command, step.waits) == ("", False)
        assert step.reason == (
            "EKS takes no node group back from release 1.35.6-20260714 to 1.35.6-20260625: give it another name, then "
            "remove the old one"
        )
        assert not is_one_deploy([step])

    @pytest.mark.parametrize(
        ("change", "named"), [({"ami_type": "CUSTOM"}, "ami_type"), ({"subnets": ("x",)}, "subnets")]
    )
    def test_create_only(self, planned, change, named):
        """What CloudFormation could only replace can't change in a group that has a name."""
        (step,) = steps(planned(), released(planned(), "1.35.6-20260625", **change))

        assert step.command == ""
        assert step.reason == (
            f"{named} can't change while a node group stands: give it another name, then remove the old one"
        )

    def test_schedules(self, planned):
        """Another drain time changes the block's schedules alone."""
        (step,) = steps(
            planned(node_group={"capacity": BLOCK, "node_count": 16}),
            planned(node_group={"capacity": {**BLOCK, "drain_minutes": 90}, "node_count": 16}),
        )

        assert step.changes == ("the schedules of its block",)
        assert step.nodes == ""


class TestFleetRule:
    def test_default(self, planned):
        """On-demand fleets start new nodes first, max_unavailable at a time."""
        (step,) = steps(
            planned(node_group={"max_unavailable": 2}), released(planned(node_group={"max_unavailable": 2}))
        )

        assert (
            step.nodes == "2 of at most 2 nodes at a time are replaced: DEFAULT starts new nodes before old ones stop"
        )

    def test_of_the_step(self, planned):
        """Each step speaks of the nodes that there are then: the release moves before the counts do."""
        new = released(planned(node_group={"node_count": 6, "max_unavailable": 3}))
        version, settings = steps(planned(node_group={"node_count": 4}), new)

        assert version.nodes.startswith("1 of at most 4 nodes at a time are replaced")
        assert "scaling of trn1" in version.held_back
        assert settings.nodes == "in place; an edit of the counts sets the desired size to 6 again"

    def test_after_the_counts(self, planned):
        """What replaces nodes comes after the counts, and speaks of the new ones."""
        _, template = steps(planned(), planned(node_group={"node_count": 6, "root_volume_gib": 400}))

        assert template.nodes.startswith("1 of at most 6 nodes at a time are replaced")

    def test_reserved(self, planned):
        """A reserved fleet has no room for more nodes and stops old ones first."""
        reserved = {
            "capacity": {
                "type": "capacity_reservation",
                "capacity_reservation_id": "cr-0123456789abcdef0",
                "instance_count": 2,
                "availability_zone_id": "use2-az3",
            }
        }
        (step,) = steps(planned(node_group=reserved), released(planned(node_group=reserved)))

        assert "MINIMAL stops old nodes before new ones start" in step.nodes

    def test_block(self, planned):
        """A Capacity Block is drained before its group is updated."""
        block = {"capacity": BLOCK, "node_count": 16}
        (step,) = steps(planned(node_group=block), released(planned(node_group=block)))

        assert step.nodes.startswith("drain the block first: EKS asks for desired size 0 before an update")


class TestFleets:
    def test_new_and_removed(self, planned):
        """A new group is deployed before the old one goes, by a command that works: the app has it no longer."""
        first, second = steps(planned(), planned(node_group={"name": "other"}))

        assert (commands([first]), first.changes) == (["cdk deploy demo-nodes-other"], ("node group other is new",))
        assert second.command == ("aws cloudformation delete-stack --region us-east-2 --stack-name demo-nodes-trn1")
        assert (second.nodes, second.changes) == ("all of its nodes end", ("node group trn1 goes",))
        assert not is_one_deploy([first, second])

    def test_awaits_image(self, planned):
        """A group without an image waits for it, and the commands that bring it are named."""
        (step,) = steps(planned(), released(planned(), awaits_image=True))

        assert (step.command, step.waits) == ("", True)
        assert step.reason == (
            "waits for its custom image: cdk deploy demo-images -c environment=FILE, then: trnstack lock FILE"
        )

    def test_several(self, planned):
        """Each group has steps of its own, in the order of the file."""
        groups = [{"name": "aa"}, {"name": "bb"}]
        found = steps(
            planned(node_groups=groups), planned(node_groups=[{**each, "labels": {"x": "y"}} for each in groups])
        )

        assert commands(found) == ["cdk deploy demo-nodes-aa", "cdk deploy demo-nodes-bb"]


class TestImages:
    """The stack of custom images, which is built before the nodes that start from them."""

    CUSTOM = {"image": {"type": "custom", "recipe": "neuron"}}

    @pytest.fixture
    def built(self, planned):
        """Returns a builder of plans with a custom image that is built."""

        def build(**changes):
            plan = planned(node_group=self.CUSTOM, **changes)
            groups = tuple(
                replace(
                    group,
                    awaits_image=False,
                    release_version="ami-1",
                    launch_template=replace(group.launch_template, image_id="ami-1"),
                )
                for group in plan.node_groups
            )
            return replace(plan, node_groups=groups)

        return build

    def test_another_recipe(self, built):
        """What goes into the image is built first; the nodes' new id is known only then."""
        (image,) = built().images
        other = replace(built(), images=(replace(image, name="demo-neuron-2", version="2"),))
        (step,) = steps(built(), other)

        assert (commands([step]), step.changes) == (["cdk deploy demo-images"], ("custom image neuron",))
        assert step.reason == "its AMI's id reaches the lock by: trnstack lock FILE"

    def test_another_id(self, built):
        """An id that the lock has since is of the nodes' launch template alone, and builds nothing."""
        old = built()
        (image,), (group,) = old.images, old.node_groups
        template = replace(group.launch_template, image_id="ami-2")
        new = replace(
            old,
            images=(replace(image, image_id="ami-2"),),
            node_groups=(replace(group, release_version="ami-2", launch_template=template),),
        )
        (step,) = steps(old, new)

        assert (commands([step]), step.changes) == (["cdk deploy demo-nodes-trn1"], ("image_id of trn1",))

    def test_a_further_region(self, built):
        """A deploy copies nothing that stands already, so the command that does is named."""
        (step,) = steps(built(), built(images={"copy_to_regions": [{"region": "us-west-2"}]}))

        assert commands([step]) == ["cdk deploy demo-images"]
        assert "RebuildCommand" in step.reason

    def test_gone(self, built, planned):
        """The stack of images that no node group starts from any more has to be taken away by name, last."""
        *_, last = steps(built(), planned(node_group={"name": "plain"}))

        assert last.changes == ("the custom images go",)
        assert last.command == "aws cloudformation delete-stack --region us-east-2 --stack-name demo-images"
        assert last.reason.endswith("; AMIs that were built stay")

    def test_taints(self, built):
        """Taints of nodes with a custom image are in their user data: an edit replaces them and is no setting."""
        old, new = built(), built()
        (group,) = new.node_groups
        template = replace(group.launch_template, user_data="other")
        (step,) = steps(old, replace(new, node_groups=(replace(group, taints=(), launch_template=template),)))

        assert step.changes == ("user_data of trn1",)
        assert "are replaced" in step.nodes


class TestCluster:
    def test_control_plane_first(self, planned):
        """A new Kubernetes version moves the control plane, its add-ons and system nodes before any other node."""
        first, second = steps(planned(), planned(eks={"kubernetes_version": "1.36"}))

        assert commands([first]) == ["cdk deploy demo-cluster --no-rollback"]
        assert first.changes[0] == "Kubernetes: 1.35 -> 1.36"
        assert "add-on coredns: v1.13.2-eksbuild.31 -> v1.14.3-eksbuild.23" in first.changes
        assert "release_version of system: 1.35.6-20260625 -> 1.36.2-20260625" in first.changes
        assert first.reason.startswith("the control plane moves before any node")
        assert commands([second]) == ["cdk deploy demo-nodes-trn1"]
        assert "kubernetes_version of trn1: 1.35 -> 1.36" in second.changes
        assert not is_one_deploy([first, second])

    def test_version_and_settings(self, planned):
        """Other settings of the cluster wait until the version has moved."""
        after = planned(eks={"kubernetes_version": "1.36", "admin_role_arns": [ADMINISTRATOR]})
        first, second, _ = steps(planned(), after)

        assert first.held_back == second.changes == ("administrators",)
        assert commands([second]) == ["cdk deploy demo-cluster"]

    def test_settings_alone(self, planned):
        """Without a new version they are one deploy with everything else of the stack."""
        after = with_system(planned(eks={"admin_role_arns": [ADMINISTRATOR]}), release_version="1.35.6-20260714")
        (step,) = steps(planned(), after)

        assert step.changes == ("administrators", "release_version of system: 1.35.6-20260625 -> 1.35.6-20260714")

    def test_system_nodes_in_two(self, planned):
        """LT-08: The system nodes' release and counts are two deploys too."""
        grown = planned(system_node_group={"max_count": 8})
        first, second = steps(planned(), with_system(grown, release_version="1.35.6-20260714"))

        assert first.changes == ("release_version of system: 1.35.6-20260625 -> 1.35.6-20260714",)
        assert first.held_back == second.changes == ("scaling of system",)

    @pytest.mark.parametrize(
        ("before", "after", "reason"),
        [
            ("1.34", "1.36", "EKS moves a cluster by one minor version at a time"),
            ("1.36", "1.35", "EKS takes no cluster back to an earlier Kubernetes version than 1.36"),
        ],
    )
    def test_refused_versions(self, planned, before, after, reason):
        """EKS goes up by one minor version at a time, and never down."""
        found = steps(planned(eks={"kubernetes_version": before}), planned(eks={"kubernetes_version": after}))

        assert (found[0].command, found[0].reason) == ("", reason)

    def test_refused_system_nodes(self, planned):
        """System nodes that would go back are told as such."""
        (step,) = steps(with_system(planned(), release_version="1.35.6-20260714"), planned())

        assert (step.stack, step.command) == ("demo-cluster", "")
        assert step.reason == (
            "EKS takes no node group back from release 1.35.6-20260714 to 1.35.6-20260625: leave it as it was, or "
            "deploy an environment beside it, a copy of the file with another name, and destroy the old one when its "
            "jobs have moved"
        )


class TestOtherStacks:
    def test_order(self, planned):
        """Network, storage and cluster come before the node groups, whatever changes in each."""
        after = planned(
            network={"nat_gateways": 2},
            checkpoints={"noncurrent_expiration_days": 7},
            eks={"admin_role_arns": [ADMINISTRATOR]},
            node_group={"labels": {"a": "b"}},
        )

        assert commands(steps(planned(), after)) == [
            "cdk deploy demo-network",
            "cdk deploy demo-storage",
            "cdk deploy demo-cluster",
            "cdk deploy demo-nodes-trn1",
        ]

    def test_what_jobs_may_use(self, planned):
        """A dataset is a matter of storage, and the jobs' role, which names it, stands in the cluster's stack."""
        found = steps(planned(), planned(datasets=[{"name": "more", "bucket_name": "some-bucket-of-ours"}]))

        assert commands(found) == ["cdk deploy demo-storage", "cdk deploy demo-cluster"]
        assert found[1].changes == ("what jobs may use in buckets",)

    def test_rules_to_an_adopted_file_system(self, planned):
        """Security groups of the network let nodes and an adopted file system at each other."""
        existing = {
            "file_system_id": "fs-0a1b2c3d4e5f60718",
            "mount_name": "abcdefgh",
            "security_group_id": "sg-0c00000000000001a",
        }
        found = steps(planned(), planned(lustre={"existing_file_system": existing}))

        assert commands(found)[:2] == ["cdk deploy demo-network", "cdk deploy demo-storage"]

    @pytest.mark.parametrize(
        ("before", "after", "split"),
        [
            ({"file_system_path": "/a"}, {"file_system_path": "/b"}, True),
            ({"file_system_path": "/a", "prefix": "x"}, {"file_system_path": "/", "prefix": "y"}, True),
            ({"file_system_path": "/a", "prefix": "x"}, {"file_system_path": "/a", "prefix": "y"}, True),
            ({"file_system_path": "/a", "prefix": "x"}, {"file_system_path": "/ab", "prefix": "xy"}, False),
            ({"file_system_path": "/a"}, {"file_system_path": "/a", "auto_import": ("NEW",)}, False),
        ],
    )
    def test_association_that_moves(self, planned, before, after, split):
        """One that would meet the old one waits for the next deploy, and others don't."""
        plans = (
            planned(lustre={"data_repository_associations": [each]}, checkpoints={"job_prefixes": ["jobs"]})
            for each in (before, after)
        )
        found = [step for step in steps(*plans) if step.stack == "demo-storage"]

        held = (f"the association of {after['file_system_path']}",) if split else ()
        assert [step.held_back for step in found] == [held, ()][: 1 + split]
        assert found[-1].changes == (held or ("the storage",))
        assert is_one_deploy(found) is not split

    def test_association_of_another_file_system(self, planned):
        """The links of two file systems never meet."""
        existing = {
            "file_system_id": "fs-0a1b2c3d4e5f60718",
            "mount_name": "abcdefgh",
            "security_group_id": "sg-0c00000000000001a",
        }
        link = {"file_system_path": "/a"}
        before = planned(lustre={"data_repository_associations": [link]})
        after = planned(lustre={"existing_file_system": existing, "data_repository_associations": [link]})

        assert not any(step.held_back for step in steps(before, after))

    def test_tags(self, planned):
        """Tags reach the stacks that carry them, and no node group's."""
        found = steps(planned(), planned(tags={"team": "a"}))

        assert commands(found) == ["cdk deploy demo-network", "cdk deploy demo-storage", "cdk deploy demo-cluster"]
        assert is_one_deploy(found)

    def test_another_environment(self, planned):
        """Another name is another environment, not a change of this one."""
        (step,) = steps(planned(), planned(name="other"))

        assert commands([step]) == ["cdk deploy --all"]
        assert step.reason.startswith("another name or region is another environment")
