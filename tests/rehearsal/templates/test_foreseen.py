"""What can be computed before anything is made: without a refusal where the resolver gives a value later."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehearsal.templates.foreseen import Known, check
from rehearsal.templates.parameters import Given, parameters
from rehearsal.templates.resolve import Resolver, Surroundings
from rehearsal.templates.template import TemplateError, parse

TEMPLATE = parse(
    json.dumps(
        {
            "Resources": {"Thing": {"Type": "Test::Thing"}},
            "Parameters": {
                "Env": {"Type": "String", "Default": "prod"},
                "Ids": {"Type": "CommaDelimitedList", "Default": "a,b"},
                "Stored": {"Type": "String", "Default": "{{resolve:ssm:/there}}"},
            },
            "Mappings": {"Sizes": {"prod": {"nodes": "4", "zones": ["a", "b"]}}},
            "Conditions": {"IsProd": {"Fn::Equals": [{"Ref": "Env"}, "prod"]}},
        }
    )
)


def never(*_: object):
    raise AssertionError("nothing outside the template is asked")


SURROUNDINGS = Surroundings(pseudo={"AWS::Region": "us-east-2"}, zones=never, imported=never, dynamic=never)


def resolver(**values: str) -> Resolver:
    chosen = {name: Given(value) for name, value in values.items()}
    return Resolver(TEMPLATE, parameters(TEMPLATE, chosen, {}, never), SURROUNDINGS, {})


class TestCheck:
    @pytest.mark.parametrize(
        ("value", "known"),
        [
            ({"A": ["b", 5]}, Known.WRITTEN),
            (
                {"A": {"Fn::Join": ["-", [{"Ref": "Env"}, {"Fn::FindInMap": ["Sizes", {"Ref": "Env"}, "nodes"]}]]}},
                Known.COMPUTED,
            ),
            ({"Fn::If": ["IsProd", {"Ref": "Env"}, {"Ref": "AWS::NoValue"}]}, Known.COMPUTED),
            ({"Fn::Sub": ["${A}-${Env}", {"A": "x"}]}, Known.COMPUTED),
            ({"Fn::Sub": "${Thing.Arn}"}, Known.LATER),
            ({"Fn::If": ["IsProd", 1, {"Ref": "Thing"}]}, Known.LATER),
            ({"Fn::Select": [5, {"Fn::GetAZs": ""}]}, Known.LATER),
            ({"Fn::Select": [9, {"Fn::Cidr": ["10.0.0.0/16", 2, 8]}]}, Known.LATER),
            ({"Fn::Select": [0, {"Fn::Split": [",", {"Fn::ImportValue": {"Ref": "Env"}}]}]}, Known.LATER),
            ("{{resolve:ssm:/there}}", Known.LATER),
            ({"Fn::Join": ["", ["{{resolve:ssm:/", {"Ref": "Env"}, "}}"]]}, Known.LATER),
            ({"Ref": "Stored"}, Known.LATER),
        ],
    )
    def test_known(self, value, known):
        """What depends on parameters and mappings alone is computed; nothing outside is asked for the rest."""
        assert check(resolver(), value) is known

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ({"Fn::FindInMap": ["Sizes", {"Ref": "Env"}, "nodes"]}, "Unable to get mapping for Sizes::test::nodes"),
            ({"Fn::Select": [2, {"Ref": "Ids"}]}, "Fn::Select cannot select nonexistent value at index 2"),
            ({"Fn::Select": ["1", {"Fn::Split": ["-", {"Ref": "Env"}]}]}, "cannot select nonexistent value at index 1"),
            ({"Fn::Join": [",", {"Ref": "Env"}]}, "every Fn::Join object requires two parameters"),
            ({"Fn::Sub": "${Ids}"}, "every value in Fn::Sub must be a string"),
            ({"Fn::Base64": {"Ref": "Ids"}}, "every Fn::Base64 object must have a String-typed value."),
        ],
    )
    def test_refused(self, value, message):
        """What can't be computed is refused, beside what is known later, and in the branch that is not taken."""
        for whole in (value, {"A": [{"Ref": "Thing"}, {"B": value}]}, {"Fn::If": ["IsProd", value, {"Ref": "Thing"}]}):
            with pytest.raises(TemplateError, match=message):
                check(resolver(Env="test"), whole)

    @pytest.mark.parametrize("inner", [{"Ref": "Thing"}, {"Fn::GetAtt": ["Thing", "Arn"]}, {"Fn::GetAZs": ""}])
    def test_import(self, inner):
        """The name of an import is known from the start."""
        with pytest.raises(
            TemplateError, match="Fn::ImportValue must not depend on any resources, imported values, or"
        ):
            check(resolver(), {"Fn::ImportValue": {"Fn::Join": ["", [inner]]}})


TEXTS = st.recursive(
    st.one_of(st.text(alphabet="ab$-", max_size=4), st.just({"Ref": "Env"}), st.just({"Ref": "AWS::Region"})),
    lambda inner: st.one_of(
        st.builds(lambda parts: {"Fn::Join": ["-", parts]}, st.lists(inner, max_size=3)),
        st.builds(lambda value: {"Fn::Base64": value}, inner),
        st.builds(lambda value: {"Fn::Sub": ["${A}/${Env}", {"A": value}]}, inner),
        st.builds(lambda value: {"Fn::Select": [0, {"Fn::Split": ["-", value]}]}, inner),
        st.builds(lambda one, other: {"Fn::If": ["IsProd", one, other]}, inner, inner),
    ),
    max_leaves=8,
)


class TestAgreement:
    @given(TEXTS, st.sampled_from(["prod", "test"]))
    def test_no_false_refusal(self, value, env):
        """Texts that are put together in any way are computed ahead without a refusal, and come to a text later."""
        one = resolver(Env=env)

        assert check(one, {"A": [value]}) is not Known.LATER
        assert isinstance(one.value(value), str)

    @given(TEXTS)
    def test_with_a_resource(self, value):
        """A resource's value beside others makes the whole known later, and nothing is refused for it."""
        assert check(resolver(), {"Fn::Join": ["", [value, {"Ref": "Thing"}]]}) is Known.LATER
