"""What a rehearsal compares: the plan and what stands."""

from dataclasses import replace
from pathlib import Path

import pytest

from rehearsal.story.expectations import deployed_differently, kept_differently
from rehearsal.survey.schedule_records import Schedule
from rehearsal.times import last_run
from trnstack.plan.times import estimate

WITH_AN_IMAGE = "custom-image-trn1"
ENVIRONMENTS = sorted(file.stem for file in (Path(__file__).parents[3] / "environments").glob("*.yaml"))


@pytest.fixture
def stands(planned, deployed):
    plan = planned("llama3-8b-trn1")
    return plan, deployed(plan, "llama3-8b-trn1")


def changed_group(found, **changes: object):
    """Returns the survey with another node group trn1."""
    (cluster,) = found.clusters
    groups = tuple(replace(g, **changes) if g.name == "trn1" else g for g in cluster.node_groups)
    return replace(found, clusters=(replace(cluster, node_groups=groups),))


class TestDeployedDifferently:
    @pytest.mark.parametrize("name", [name for name in ENVIRONMENTS if name != WITH_AN_IMAGE])
    def test_every_environment_stands_as_planned(self, services, planned, deployed, name):
        """The project's own environments deploy to what their plans say, by the clock in the time that they say."""
        plan = planned(name)

        assert list(deployed_differently(plan, deployed(plan, name))) == []
        cloudformation = services.transport.client("cloudformation", "123456789012", plan.region)
        took, estimated = [last_run(cloudformation, stack.name) for stack in plan.stacks], estimate(plan)
        for run, stack in zip(took, estimated.stacks, strict=True):
            assert stack.minutes.low <= run.minutes <= stack.minutes.high, stack.name
            assert run.low <= stack.minutes.likely <= run.high, stack.name
        whole = sum(run.minutes for run in took)
        assert abs(whole - estimated.one_after_another.likely) < 0.05 * whole

    def test_every_difference_is_told(self, stands):
        """A deploy that lost something, or made something else, can't pass for a good one."""
        plan, found = stands
        (cluster,) = found.clusters
        group = next(group for group in cluster.node_groups if group.name == "trn1")
        (file_system,) = found.file_systems
        differences = {
            "there is no stack llama3-8b-nodes-trn1": replace(found, stacks=found.stacks[:-2]),
            "stack llama3-8b-network is ROLLBACK_COMPLETE": replace(
                found, stacks=tuple(replace(stack, status="ROLLBACK_COMPLETE") for stack in found.stacks)
            ),
            "termination protection of stack llama3-8b-storage is False": replace(
                found, stacks=tuple(replace(stack, termination_protection=False) for stack in found.stacks)
            ),
            "there is no cluster llama3-8b": replace(found, clusters=()),
            "add-on vpc-cni is None, not v1.22.4-eksbuild.3": replace(found, clusters=(replace(cluster, addons=()),)),
            "there is no node group trn1": replace(found, clusters=(replace(cluster, node_groups=()),)),
            "node group trn1: nodes wanted should be 32, is 31": changed_group(found, wanted=31),
            "node group trn1: nodes should be 32, is 0": changed_group(found, instances=0),
            "node group trn1: image release should be 1.35.6-20260625, is None": changed_group(
                found, release_version=None
            ),
            "node group trn1: interfaces should be": changed_group(found, interfaces=group.interfaces[:-1]),
            "node group trn1: root volume encrypted should be True, is False": changed_group(
                found, root_volume_encrypted=False
            ),
            "node group trn1: session tokens for metadata should be required, is optional": changed_group(
                found, http_tokens="optional"
            ),
            "there is no bucket llama3-8b-checkpoints-ACCOUNT-us-east-2": replace(found, buckets=()),
            "is open to the public or to requests without TLS": replace(
                found, buckets=tuple(replace(bucket, tls_only=False) for bucket in found.buckets)
            ),
            "keeps old versions for None days": replace(
                found,
                buckets=tuple(replace(bucket, noncurrent_expiration_days=None) for bucket in found.buckets),
            ),
            "node group trn1: GiB of the root volume should be 200, is 220": changed_group(found, root_volume_gib=220),
            "node group trn1: labels should be": changed_group(found, labels={}),
            "there is no file system": replace(found, file_systems=()),
            "the file system has 1200 GiB and Lustre 2.15": replace(
                found, file_systems=(replace(file_system, storage_gib=1200),)
            ),
            "EFA of the file system is on": replace(found, file_systems=(replace(file_system, efa_enabled=True),)),
            "the file system has 0 data repository associations": replace(
                found, file_systems=(replace(file_system, associations=()),)
            ),
        }

        for sentence, survey in differences.items():
            assert any(sentence in told for told in deployed_differently(plan, survey)), sentence

    def test_every_difference_of_an_image_is_told(self, planned, deployed):
        """An image that is not the lock's, or not made as planned, is told; the golden lock's id is a made-up one."""
        plan = planned(WITH_AN_IMAGE)
        found = deployed(plan, WITH_AN_IMAGE)
        (recipe,), (built,) = found.images.recipes, found.images.built
        name = recipe.name

        def told(**changes):
            return set(deployed_differently(plan, replace(found, images=replace(found.images, **changes))))

        other_id = f"image {name}: id in the lock is not as planned"
        assert told() == {other_id}
        assert told(built=()) == {f"there is no image {name}"}
        assert told(pipelines=()) == {other_id, "there are pipelines [], and ['custom-image-neuron'] were planned"}
        assert f"image {name}: regions is not as planned" in told(built=(replace(built, amis=built.amis[:1]),))
        plain = (replace(recipe, components=recipe.components[1:], root_volume_encrypted=None, parent_image="ami-1"),)
        assert told(recipes=plain) == {
            other_id,
            *(f"image {name}: {what} is not as planned" for what in ("components", "parent image", "encryption")),
        }

    def test_every_difference_of_a_block_is_told(self, planned, deployed):
        """Schedules that are missing, at another time or off, and notices that anyone could read, are told."""
        plan = planned("llama3-8b-trn2-block")
        found = deployed(plan, "llama3-8b-trn2-block")
        (topic,), schedules = found.topics, found.schedules
        up = next(one for one in schedules if one.name == "scale-up")
        others = tuple(one for one in schedules if one is not up)
        late = replace(up, expression="at(2027-09-06T12:30:00)")
        (cluster,) = found.clusters
        groups = tuple(replace(one, largest=99, market_type=None) for one in cluster.node_groups)
        differences = {
            "there is no schedule scale-up at(2027-09-06T11:30:00) UTC": replace(found, schedules=others),
            "that does {": replace(found, schedules=(late, *others)),
            "there are 5 schedules, and 4 were planned": replace(found, schedules=(late, *schedules)),
            "schedule scale-up is DISABLED": replace(found, schedules=(replace(up, state="DISABLED"), *others)),
            "there are 0 topics for 1 capacity blocks": replace(found, topics=()),
            "is not encrypted": replace(found, topics=(replace(topic, tls_only=False),)),
            "node group trn2: sizes should be (0, 16), is (0, 99)": replace(
                found, clusters=(replace(cluster, node_groups=groups),)
            ),
            "node group trn2: market type should be capacity-block, is None": replace(
                found, clusters=(replace(cluster, node_groups=groups),)
            ),
        }

        for sentence, survey in differences.items():
            assert any(sentence in told for told in deployed_differently(plan, survey)), sentence


class TestKeptDifferently:
    def test_what_stays(self, stands):
        """After nodes and cluster went, network and storage stand and nothing is told."""
        plan, found = stands
        left = tuple(stack for stack in found.stacks if stack.termination_protection)

        assert list(kept_differently(plan, replace(found, stacks=left, clusters=()))) == []

    def test_what_should_be_gone_or_is_lost(self, stands):
        """A cluster that still stands, and a file system that does not, are told."""
        plan, found = stands
        schedule = Schedule("block", "scale-up", "at(2027-03-01T11:30:00)", "UTC", "ENABLED", "arn:eks", "{}")
        left = replace(found, stacks=found.stacks[:1], file_systems=(), schedules=(schedule,))
        told = list(kept_differently(plan, left))

        assert "cluster llama3-8b still stands" in told
        assert "schedule scale-up still stands" in told
        assert "stack llama3-8b-cluster still stands" in told
        assert "stack llama3-8b-storage is gone, and should have stayed" in told
        assert "there is no file system" in told
