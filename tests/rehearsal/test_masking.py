import pytest

from rehearsal.masking import masked, secrets
from rehearsal.templates.parameters import Parameter

HIDDEN = {"S": {"s3cret", "older"}, "L": {"one,two"}}


class TestSecrets:
    def test_names(self):
        """Only what is declared to be secret is hidden, the older texts of a name with the new one."""
        new = {"S": Parameter("S", "new", "new", no_echo=True), "P": Parameter("P", "plain", "plain")}
        old = {"S": Parameter("S", "old", "old", no_echo=True)}

        assert secrets(new, old) == {"S": {"new", "old"}}


class TestMasked:
    @pytest.mark.parametrize(
        ("source", "value", "shown"),
        [
            ({"Ref": "S"}, "s3cret", "****"),
            ({"Ref": "L"}, ["one", "two"], "****"),
            ({"Fn::Sub": "a-${S}-b"}, "a-s3cret-b", "a-****-b"),
            ({"Fn::Join": ["", ["a", {"Ref": "S"}]]}, "aolder", "a****"),
            ({"Fn::Base64": {"Ref": "S"}}, "czNjcmV0", "****"),
            ({"Fn::If": ["C", {"A": {"Ref": "S"}}, 1]}, {"A": "s3cret", "B": 1}, {"A": "****", "B": 1}),
            ({"Ref": "P"}, "s3cret", "s3cret"),
            ("s3cret", "s3cret", "s3cret"),
            ([{"Ref": "S"}, "s3cret"], ["s3cret", "s3cret"], ["****", "s3cret"]),
            ([{"Ref": "AWS::NoValue"}, {"Ref": "S"}], ["s3cret"], ["****"]),
            ({"A": [{"B": {"Ref": "S"}}], "C": 5}, {"A": [{"B": "s3cret"}], "C": 5}, {"A": [{"B": "****"}], "C": 5}),
            ({"A": {"Ref": "S"}}, None, None),
        ],
    )
    def test_places(self, source, value, shown):
        """A secret is hidden where the template puts it, and nothing else is."""
        assert masked(source, value, HIDDEN) == shown

    def test_left_alone(self):
        """The value itself stays as it is: the resource is made of it."""
        value = {"A": ["s3cret"]}

        masked({"A": [{"Ref": "S"}]}, value, HIDDEN)

        assert value == {"A": ["s3cret"]}
