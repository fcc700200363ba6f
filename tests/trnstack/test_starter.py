import pytest

from trnstack.catalog.zones import NO_CONTROL_PLANE_ZONE_IDS, ZONE_IDS
from trnstack.source import parse
from trnstack.starter import Answers, environment_text, further_zones, regions_for, zones_for

ANSWERS = {
    "name": "demo",
    "instance_type": "trn1.32xlarge",
    "region": "us-east-2",
    "zones": ("use2-az3", "use2-az1"),
    "nodes": 2,
    "admin_role_arn": "arn:aws:iam::111122223333:role/a+b=c,d.e@f/-_",
}


class TestChoices:
    def test_follow_the_catalog(self):
        """Regions and zones are those that offer the type; the control plane's zones leave out what it can't be in."""
        assert "us-east-2" in regions_for("trn1.32xlarge")
        assert zones_for("trn1.32xlarge", "us-east-2") == ("use2-az3",)
        assert further_zones("us-east-2", "use2-az3") == ("use2-az1", "use2-az2")
        assert not NO_CONTROL_PLANE_ZONE_IDS & {*further_zones("us-east-1", "use1-az6")}

    def test_unknown_type(self):
        """Of a type that the catalog lacks nothing is known, so nothing is left out."""
        assert regions_for("trn3.48xlarge") == tuple(ZONE_IDS)
        assert zones_for("trn3.48xlarge", "us-east-2") == ZONE_IDS["us-east-2"]


class TestEnvironmentText:
    @pytest.mark.parametrize("name", ["demo", "a: b", "null", "1.30", "x # y", "[", "é\n", '"', "-", "a,b"])
    def test_any_answer_stays_what_it_is(self, name):
        """Whatever a person types is read back as the same text, so that findings speak of it."""
        data = parse(environment_text(Answers(**ANSWERS | {"name": name}), sdk="2.30.0", schema=""), "x.yaml").data

        assert data["name"] == name
        assert data["eks"]["admin_role_arns"] == (ANSWERS["admin_role_arn"],)

    def test_first_line(self):
        """Editors find the schema in the first line; where there is none, the line is left out."""
        with_schema, without = (environment_text(Answers(**ANSWERS), sdk="2.30.0", schema=s) for s in ("../s.json", ""))

        assert with_schema == f"# yaml-language-server: $schema=../s.json\n{without}"
