import pytest

from trnstack.rules.shape import (
    arns_are_of_the_region,
    availability_zone_ids_are_unique,
    availability_zone_ids_belong_to_the_region,
    min_count_is_not_above_max_count,
    node_group_names_are_not_taken,
    node_group_names_are_unique,
    node_group_sizes_are_given,
    node_groups_are_in_listed_zones,
    tag_keys_are_free,
    tag_keys_are_not_reserved,
    tag_keys_differ_in_more_than_case,
    tags_leave_room,
)


class TestNodeGroupNamesAreUnique:
    def test_same_name_twice(self, environment):
        """The second of two equal names is the one to change."""
        (finding,) = node_group_names_are_unique(
            environment(node_groups=[{"name": "a1"}, {"name": "b1"}, {"name": "a1"}])
        )

        assert finding.path == ("node_groups", 2, "name")
        assert finding.message == "another node group is named 'a1'"

    def test_each_repetition(self, environment):
        """Three equal names are two findings."""
        assert len(list(node_group_names_are_unique(environment(node_groups=[{}, {}, {}])))) == 2

    def test_different_names(self, environment):
        """Names that only begin alike are different."""
        assert not list(node_group_names_are_unique(environment(node_groups=[{"name": "trn"}, {"name": "trn1"}])))


class TestNodeGroupSizesAreGiven:
    def test_no_size(self, environment):
        """NG-03: a size is never assumed, since two idle accelerator nodes cost a thousand dollars a day."""
        (finding,) = node_group_sizes_are_given(environment(node_group={"node_count": None}))

        assert finding.message == "node group 'trn1' has no size"
        assert finding.hint.startswith("add node_count")

    @pytest.mark.parametrize("limits", [{"min_count": 1}, {"max_count": 1}, {"min_count": 1, "max_count": 2}])
    def test_both_ways(self, environment, limits):
        """A fixed size beside a limit is a contradiction, whichever limit it is."""
        (finding,) = node_group_sizes_are_given(environment(node_group=limits))

        assert "has node_count beside" in finding.message

    @pytest.mark.parametrize("limits", [{"min_count": 1}, {"max_count": 1}])
    def test_half_a_range(self, environment, limits):
        """One limit alone does not make a range."""
        (finding,) = node_group_sizes_are_given(environment(node_group={"node_count": None, **limits}))

        assert finding.message == "one of two limits is missing"

    @pytest.mark.parametrize(
        "size",
        [
            {"node_count": 0},
            {"node_count": 32},
            {"node_count": None, "min_count": 0, "max_count": 4},
            {"node_count": None, "min_count": 4, "max_count": 4},
        ],
    )
    def test_one_way(self, environment, size):
        """A count of its own or both limits are a size, zero included."""
        assert not list(node_group_sizes_are_given(environment(node_group=size)))


class TestMinCountIsNotAboveMaxCount:
    @pytest.mark.parametrize(("low", "high"), [(2, 1), (10_000, 9_999)])
    def test_above(self, environment, low, high):
        """A smallest size above the largest is refused by EKS only after the stack has started."""
        group = {"node_count": None, "min_count": low, "max_count": high}
        (finding,) = min_count_is_not_above_max_count(environment(node_group=group))

        assert finding.message == f"min_count {low} is above max_count {high}"

    def test_zero_max_count(self, environment):
        """EKS has no node group that can never hold a node."""
        (finding,) = min_count_is_not_above_max_count(
            environment(node_group={"node_count": None, "min_count": 0, "max_count": 0})
        )

        assert "max_count: 1 and min_count: 0" in finding.hint

    @pytest.mark.parametrize(("low", "high"), [(0, 1), (1, 1), (3, 4)])
    def test_not_above(self, environment, low, high):
        """Equal limits are a range too."""
        group = {"node_count": None, "min_count": low, "max_count": high}
        assert not list(min_count_is_not_above_max_count(environment(node_group=group)))


class TestNodeGroupNamesAreNotTaken:
    def test_taken(self, environment):
        """A group named like the system nodes' would not be created beside them."""
        (finding,) = node_group_names_are_not_taken(environment(node_group={"name": "system"}))

        assert finding.path == ("node_groups", 0, "name")
        assert finding.hint == "name it after its instance type, such as trn1"

    @pytest.mark.parametrize("name", ["systems", "trn1", "system-2"])
    def test_free(self, environment, name):
        """Only the very name is taken."""
        assert not list(node_group_names_are_not_taken(environment(node_group={"name": name})))


class TestTagKeysAreFree:
    @pytest.mark.parametrize("key", ["managed-by", "Managed-By", "trnstack:environment", "TRNSTACK:node-group"])
    def test_own(self, environment, key):
        """A tag that would be overwritten is told, never lost in silence."""
        (finding,) = tag_keys_are_free(environment(tags={key: "x", "team": "y"}))

        assert finding.path == ("tags", key)

    def test_free(self, environment):
        """Any other key is a person's own."""
        assert not list(tag_keys_are_free(environment(tags={"team": "x", "environment": "y"})))


class TestTagKeysAreNotReserved:
    @pytest.mark.parametrize("key", ["aws:team", "AWS:team", "Aws:cloudformation:stack-name", "aws:"])
    def test_reserved(self, environment, key):
        """AWS refuses its own prefix in every case."""
        (finding,) = tag_keys_are_not_reserved(environment(tags={key: "x", "team": "y"}))

        assert finding.path == ("tags", key)

    @pytest.mark.parametrize("key", ["aws", "awsome:team", "team", "my-aws:team"])
    def test_free(self, environment, key):
        """Only the prefix with its colon is AWS's."""
        assert not list(tag_keys_are_not_reserved(environment(tags={key: "x"})))


class TestTagKeysDifferInMoreThanCase:
    def test_case_alone(self, environment):
        """IAM refuses the second one when the first role is made, after the VPC stands."""
        (finding,) = tag_keys_differ_in_more_than_case(environment(tags={"Team": "a", "team": "b", "x": "c"}))

        assert finding.path == ("tags", "team")

    def test_different(self, environment):
        """Keys that differ otherwise are different."""
        assert not list(tag_keys_differ_in_more_than_case(environment(tags={"team": "a", "teams": "b"})))


class TestTagsLeaveRoom:
    def test_too_many(self, environment):
        """The hint says how many have to go."""
        (finding,) = tags_leave_room(environment(tags={f"t{number}": "" for number in range(43)}))

        assert finding.hint == "remove 3 of them"

    def test_as_many_as_fit(self, environment):
        """Forty leave room for the ten of CDK, EKS and the toolkit."""
        assert not list(tags_leave_room(environment(tags={f"t{number}": "" for number in range(40)})))


class TestAvailabilityZoneIdsAreUnique:
    def test_same_zone_twice(self, environment):
        """Two subnets in one zone are no two zones for the control plane."""
        (finding,) = availability_zone_ids_are_unique(environment(availability_zone_ids=["use2-az3", "use2-az3"]))

        assert finding.path == ("availability_zone_ids", 1)

    def test_different_zones(self, environment):
        """Zones in any order are fine."""
        assert not list(availability_zone_ids_are_unique(environment(availability_zone_ids=["use2-az3", "use2-az1"])))


class TestAvailabilityZoneIdsBelongToTheRegion:
    @pytest.mark.parametrize("zone_id", ["use1-az1", "use2-az4", "usw2-az3"])
    def test_elsewhere(self, environment, zone_id):
        """A zone of another region, or one that the region lacks, is answered with the region's own."""
        (finding,) = availability_zone_ids_belong_to_the_region(
            environment(availability_zone_ids=["use2-az3", zone_id])
        )

        assert finding.path == ("availability_zone_ids", 1)
        assert finding.hint == "the region's zones are use2-az1, use2-az2, use2-az3"

    def test_every_zone(self, environment):
        """All zones of the region may be listed."""
        zone_ids = ["use2-az1", "use2-az2", "use2-az3"]
        assert not list(availability_zone_ids_belong_to_the_region(environment(availability_zone_ids=zone_ids)))

    def test_unknown_region(self, environment):
        """Nothing is made up about a region that the catalog lacks."""
        assert not list(
            availability_zone_ids_belong_to_the_region(
                environment(region="cn-north-1", availability_zone_ids=["cnn1-az1", "cnn1-az2"])
            )
        )


class TestNodeGroupsAreInListedZones:
    def test_another_zone(self, environment):
        """A zone without a subnet holds no nodes."""
        (finding,) = node_groups_are_in_listed_zones(environment(node_group={"availability_zone_id": "use2-az2"}))

        assert finding.path == ("node_groups", 0, "availability_zone_id")
        assert finding.hint.startswith("add use2-az2 to availability_zone_ids")

    @pytest.mark.parametrize("zone_id", [None, "use2-az3", "use2-az1"])
    def test_listed_zone(self, environment, zone_id):
        """Any zone of the list will do, the first by default."""
        assert not list(node_groups_are_in_listed_zones(environment(node_group={"availability_zone_id": zone_id})))


class TestArnsAreOfTheRegion:
    def test_key_elsewhere(self, environment):
        """A volume can't be encrypted with another region's key; EC2 only says so when the node fails to start."""
        arn = "arn:aws:kms:us-west-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
        (finding,) = arns_are_of_the_region(environment(node_group={"root_volume_kms_key_arn": arn}))

        assert finding.path == ("node_groups", 0, "root_volume_kms_key_arn")
        assert finding.hint == "name one in us-east-2"

    def test_resource_group_elsewhere(self, environment):
        """A group of reservations is where its reservations are."""
        capacity = {
            "type": "capacity_reservation",
            "capacity_reservation_resource_group_arn": "arn:aws:resource-groups:us-west-2:111122223333:group/blocks",
            "instance_count": 2,
            "availability_zone_id": "use2-az3",
        }
        (finding,) = arns_are_of_the_region(environment(node_group={"capacity": capacity}))

        assert finding.path[-1] == "capacity_reservation_resource_group_arn"

    def test_here(self, environment):
        """A key of the region is fine."""
        arn = "arn:aws:kms:us-east-2:111122223333:alias/volumes"
        assert not list(arns_are_of_the_region(environment(node_group={"root_volume_kms_key_arn": arn})))
