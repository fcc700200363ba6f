"""What differs between two plans."""

from trnstack.plan.difference import Change, difference


class TestDifference:
    def test_nothing(self, planned):
        """A plan differs from itself in nothing."""
        assert difference(planned(), planned()) == ()

    def test_by_name(self, planned):
        """Node groups go by their names, so that one more in front of them is no change of the others."""
        groups = [{"name": "new"}, {}]
        paths = [each.path for each in difference(planned(), planned(node_groups=groups))]

        assert "node_groups.new.name" in paths
        assert not any(path.startswith("node_groups.trn1.") for path in paths)

    def test_values(self, planned):
        """A value is shown before and after; what is not there is None."""
        changes = difference(planned(), planned(node_group={"root_volume_gib": 500, "labels": {"team": "a"}}))

        assert Change(path="node_groups.trn1.launch_template.root_volume_gib", before="200", after="500") in changes
        assert Change(path="node_groups.trn1.labels.team", before=None, after="a") in changes
        assert difference(planned(node_group={"labels": {"team": "a"}}), planned())[0].after is None

    def test_prose_is_left_out(self, planned):
        """Decisions say in words what the values beside them say."""
        changes = difference(planned(), planned(node_group={"efa": False}))

        assert changes
        assert not any(each.path.startswith("decisions") for each in changes)
        assert all(each.before != each.after for each in changes)
