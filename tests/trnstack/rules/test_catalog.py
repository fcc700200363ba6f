import pytest

from trnstack.catalog import INSTANCE_TYPES, ZONE_IDS
from trnstack.findings import Severity
from trnstack.rules.catalog import (
    instance_types_are_known,
    published_types_have_no_instance_facts,
    region_is_known,
    stated_figures_agree,
    stated_zones_hold_the_node_group,
    system_instance_type_is_known,
    system_min_count_is_not_above_max_count,
    system_nodes_are_general_x86_nodes,
    system_nodes_are_not_burstable,
    unpublished_figures_are_told,
    unpublished_types_have_instance_facts,
    zones_offer_the_instance_type,
)

FACTS = {
    "network_cards": 16,
    "efa_interfaces": 16,
    "vcpus": 192,
    "memory_gib": 2048,
    "neuron_devices": 16,
    "availability_zone_ids": ["use2-az3"],
}
#: Where AWS offered each type when the catalog was read, written out a second time so that a slip in it is seen.
OFFERS = {
    "trn1.2xlarge": "use1-az5 use1-az6 use2-az3 usw2-az1 usw2-az4",
    "trn1.32xlarge": ("aps1-az2 apse2-az1 apse2-az2 apse4-az1 use1-az4 use1-az5 use1-az6 use2-az3 usw2-az1 usw2-az4"),
    "trn1n.32xlarge": "use1-az6 use2-az3 usw2-az4",
    "trn2.3xlarge": "aps2-az1 aps2-az2 aps2-az3 apse4-az3 sae1-az1 sae1-az2 sae1-az3",
    "trn2.48xlarge": "aps2-az1 aps2-az2 aps2-az3 use2-az1 use2-az2 use2-az3",
    "trn2u.48xlarge": "aps2-az1 aps2-az2 aps2-az3",
}


class TestInstanceTypesAreKnown:
    @pytest.mark.parametrize(
        ("name", "hint"),
        [
            ("trn2.48xlrge", "did you mean 'trn2.48xlarge'?"),
            ("trn1.32xl", "did you mean 'trn1.32xlarge'?"),
            ("trn1n.32large", "did you mean 'trn1n.32xlarge'?"),
            ("trm2.48xlarge", "did you mean 'trn2.48xlarge'?"),
        ],
    )
    def test_misspelt(self, environment, name, hint):
        """A misspelt type is answered with the one that was meant."""
        (finding,) = instance_types_are_known(environment(node_group={"instance_type": name}))

        assert finding.message == f"unknown instance type '{name}'"
        assert finding.hint == hint

    @pytest.mark.parametrize("name", ["p5.48xlarge", "m7i.large", "g5.48xlarge", "inf1.24xlarge"])
    def test_no_trainium_type(self, environment, name):
        """NRN-03: another accelerator, inf1 too, is answered with all Trainium types, not with a false guess."""
        (finding,) = instance_types_are_known(environment(node_group={"instance_type": name}))

        assert finding.hint == f"use one of {', '.join(INSTANCE_TYPES)}"

    @pytest.mark.parametrize("name", [*INSTANCE_TYPES, "trn3.48xlarge", "trn3pds98.48xlarge"])
    def test_trainium_types(self, environment, name):
        """Every row of the catalog is taken, and the trn3 names that it leaves to the file."""
        assert not list(instance_types_are_known(environment(node_group={"instance_type": name})))


class TestUnpublishedTypesHaveInstanceFacts:
    def test_facts_missing(self, environment):
        """The hint names every fact that has to be stated."""
        (finding,) = unpublished_types_have_instance_facts(environment(node_group={"instance_type": "trn3.48xlarge"}))

        assert all(name in finding.hint for name in FACTS)

    def test_facts_stated(self, environment):
        """With facts a trn3 group is complete."""
        group = {"instance_type": "trn3.48xlarge", "instance_facts": FACTS}
        assert not list(unpublished_types_have_instance_facts(environment(node_group=group)))

    def test_published_type(self, environment):
        """A published type needs none."""
        assert not list(unpublished_types_have_instance_facts(environment()))


class TestPublishedTypesHaveNoInstanceFacts:
    @pytest.mark.parametrize("name", INSTANCE_TYPES)
    def test_facts_beside_the_catalog(self, environment, name):
        """EFA-11: nobody can claim more interfaces than the published type has."""
        group = {"instance_type": name, "instance_facts": FACTS}
        (finding,) = published_types_have_no_instance_facts(environment(node_group=group))

        assert finding.hint == "remove instance_facts"

    def test_unpublished_type(self, environment):
        """The facts of a trn3 type stand nowhere else."""
        group = {"instance_type": "trn3.48xlarge", "instance_facts": FACTS}
        assert not list(published_types_have_no_instance_facts(environment(node_group=group)))


def places():
    for name in INSTANCE_TYPES:
        for region, zone_ids in ZONE_IDS.items():
            if region in INSTANCE_TYPES[name].availability_zone_ids:
                yield from ((name, region, zone_id) for zone_id in zone_ids)


class TestZonesOfferTheInstanceType:
    @pytest.mark.parametrize(("name", "region", "zone_id"), list(places()))
    def test_every_zone_of_the_regions(self, environment, name, region, zone_id):
        """NG-10: a zone is taken exactly where AWS offers the type in it; zones are named by their ids."""
        other = next(each for each in ZONE_IDS[region] if each != zone_id)
        findings = list(
            zones_offer_the_instance_type(
                environment(region=region, availability_zone_ids=[zone_id, other], node_group={"instance_type": name})
            )
        )

        assert (not findings) == (zone_id in OFFERS[name].split())
        for finding in findings:
            assert "the first of availability_zone_ids" in finding.message
            assert finding.hint.startswith(f"in {region} it is in ")

    @pytest.mark.parametrize("name", INSTANCE_TYPES)
    def test_region_without_the_type(self, environment, name):
        """NG-10: where no zone has the type, the regions that have it are named."""
        (finding,) = zones_offer_the_instance_type(
            environment(
                region="eu-west-1",
                availability_zone_ids=["euw1-az1", "euw1-az2"],
                node_group={"instance_type": name},
            )
        )

        assert finding.message == f"{name} is not offered in eu-west-1"
        assert finding.hint == f"it is in {', '.join(INSTANCE_TYPES[name].availability_zone_ids)}"

    def test_the_groups_own_zone(self, environment):
        """NG-10: the zone of the node group counts, not the environment's first."""
        (finding,) = zones_offer_the_instance_type(environment(node_group={"availability_zone_id": "use2-az1"}))

        assert finding.message == "zone 'use2-az1' does not offer trn1.32xlarge"
        assert finding.path == ("node_groups", 0, "availability_zone_id")


class TestStatedZonesHoldTheNodeGroup:
    def test_another_zone(self, environment):
        """What the file says of a trn3 type is believed and applied."""
        group = {
            "instance_type": "trn3.48xlarge",
            "instance_facts": {**FACTS, "availability_zone_ids": ["use2-az1", "use2-az2"]},
        }
        (finding,) = stated_zones_hold_the_node_group(environment(node_group=group))

        assert finding.hint == "use use2-az1 or use2-az2"

    def test_stated_zone(self, environment):
        """The stated zone is fine."""
        group = {"instance_type": "trn3.48xlarge", "instance_facts": FACTS}
        assert not list(stated_zones_hold_the_node_group(environment(node_group=group)))


class TestSystemNodesAreGeneralX86Nodes:
    @pytest.mark.parametrize(
        "name",
        [
            "m6g.large",
            "m7g.large",
            "m7gd.xlarge",
            "c7g.large",
            "c7gn.large",
            "c8gn.2xlarge",
            "t4g.medium",
            "r8g.large",
            "r8gb.large",
            "im4gn.large",
            "is4gen.large",
            "x2gd.large",
            "i8g.large",
            "hpc7g.4xlarge",
            "a1.large",
        ],
    )
    def test_arm(self, environment, name):
        """The system nodes' AMI is built for x86_64 and does not start on Graviton."""
        (finding,) = system_nodes_are_general_x86_nodes(environment(system_node_group={"instance_type": name}))

        assert "ARM" in finding.message

    @pytest.mark.parametrize(
        "name",
        [
            "trn1.2xlarge",
            "trn3.48xlarge",
            "inf2.xlarge",
            "p5.48xlarge",
            "g5.xlarge",
            "g5g.xlarge",
            "gr6.4xlarge",
            "f2.6xlarge",
        ],
    )
    def test_accelerators(self, environment, name):
        """Accelerators are not spent on the cluster's own controllers."""
        (finding,) = system_nodes_are_general_x86_nodes(environment(system_node_group={"instance_type": name}))

        assert "accelerators" in finding.message

    @pytest.mark.parametrize(
        "name",
        [
            "m7i.large",
            "m7i-flex.large",
            "c7a.xlarge",
            "r6idn.large",
            "t3.large",
            "i4i.large",
            "x2iedn.xlarge",
            "u-6tb1.metal",
            "z1d.large",
        ],
    )
    def test_x86(self, environment, name):
        """No x86 type is taken for another."""
        assert not list(system_nodes_are_general_x86_nodes(environment(system_node_group={"instance_type": name})))


class TestSystemInstanceTypeIsKnown:
    @pytest.mark.parametrize(
        ("name", "hint"), [("m7i.lage", "did you mean 'm7i.large'?"), ("u-6tb1.metal", "see them")]
    )
    def test_unknown(self, environment, name, hint):
        """A type that the catalog lacks is let through with a word of warning: AWS has hundreds."""
        (finding,) = system_instance_type_is_known(environment(system_node_group={"instance_type": name}))

        assert finding.severity is Severity.WARNING
        assert finding.hint.startswith(hint)

    @pytest.mark.parametrize("name", ["m7i.large", "m6i.2xlarge", "m7g.large", "p5.48xlarge"])
    def test_known_or_refused(self, environment, name):
        """What is known, or refused by another rule, is not told twice."""
        assert not list(system_instance_type_is_known(environment(system_node_group={"instance_type": name})))


class TestSystemNodesAreNotBurstable:
    @pytest.mark.parametrize("name", ["t2.large", "t3.large", "t3a.xlarge"])
    def test_burstable(self, environment, name):
        """CPU credits run out just when the cluster is busy."""
        (finding,) = system_nodes_are_not_burstable(environment(system_node_group={"instance_type": name}))

        assert finding.severity is Severity.WARNING

    @pytest.mark.parametrize("name", ["m7i.large", "t4g.large", "trn1.2xlarge"])
    def test_others(self, environment, name):
        """Steady types pass, and what is refused already is not told twice."""
        assert not list(system_nodes_are_not_burstable(environment(system_node_group={"instance_type": name})))


class TestSystemMinCountIsNotAboveMaxCount:
    def test_above(self, environment):
        """A min_count above the default max_count is told, though max_count was not written."""
        (finding,) = system_min_count_is_not_above_max_count(environment(system_node_group={"min_count": 5}))

        assert finding.hint == "write max_count: 5 or more"

    def test_equal(self, environment):
        """A fixed number of system nodes is fine."""
        assert not list(system_min_count_is_not_above_max_count(environment(system_node_group={"min_count": 4})))


class TestRegionIsKnown:
    @pytest.mark.parametrize(("region", "hint"), [("us-eastt-2", "did you mean 'us-east-2'?"), ("zz-nowhere-9", "")])
    def test_unknown(self, environment, region, hint):
        """A region that AWS may have opened since is a warning; a misspelt one is recognised."""
        (finding,) = region_is_known(environment(region=region))

        assert finding.severity is Severity.WARNING
        assert finding.hint == hint

    @pytest.mark.parametrize("region", ZONE_IDS)
    def test_known(self, environment, region):
        """Every commercial region is known."""
        assert not list(region_is_known(environment(region=region)))


class TestUnpublishedFiguresAreTold:
    def test_opt_in_type(self, environment):
        """Who brings a trn3 type is told what of it nobody knows."""
        group = {"instance_type": "trn3.48xlarge", "instance_facts": FACTS}
        (finding,) = unpublished_figures_are_told(environment(node_group=group))

        assert finding.severity is Severity.NOTE
        assert "network bandwidth, local disks, prices" in finding.message

    def test_published_type(self, environment):
        """Of the others all of it is in the catalog."""
        assert not list(unpublished_figures_are_told(environment()))


class TestStatedFiguresAgree:
    def test_more_interfaces_than_cards(self, environment):
        """One EFA interface goes on a card."""
        facts = {**FACTS, "network_cards": 8}
        group = {"instance_type": "trn3.48xlarge", "instance_facts": facts}
        (finding,) = stated_figures_agree(environment(node_group=group))

        assert finding.path == ("node_groups", 0, "instance_facts", "efa_interfaces")
        assert finding.hint == "write efa_interfaces: 8 or less"

    @pytest.mark.parametrize("interfaces", [0, 8, 16])
    def test_as_many_or_fewer(self, environment, interfaces):
        """Cards may stay without EFA."""
        facts = {**FACTS, "efa_interfaces": interfaces}
        group = {"instance_type": "trn3.48xlarge", "instance_facts": facts}
        assert not list(stated_figures_agree(environment(node_group=group)))
