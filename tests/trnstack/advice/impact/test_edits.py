"""A table of edits, each with what AWS documents of it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from trnstack.advice.impact import Action, Impact, compare
from trnstack.advice.impact.overlay import overlay
from trnstack.advice.impact.schemas import schema

from .conftest import GOLDEN, side_of

ROOT = Path(__file__).parents[4]
REGION = "us-east-2"
TABLE = yaml.safe_load((Path(__file__).with_name("edits.yaml")).read_text())
CREATE_ONLY = [(kind, path) for kind, paths in TABLE["create_only"].items() for path in paths]
#: Where the CDK's service specification says replacement, and what CloudFormation's engine acts on does not.
OUTDATED = {
    ("AWS::EKS::Cluster", "ResourcesVpcConfig/SecurityGroupIds"): "EKS updates them since October 2023",
    ("AWS::EKS::Cluster", "ResourcesVpcConfig/SubnetIds"): "EKS updates them since October 2023",
    ("AWS::EKS::Cluster", "KubernetesNetworkConfig"): "of its members, the load balancers of Auto Mode are updated",
    ("AWS::EKS::Cluster", "KubernetesNetworkConfig/ServiceIpv6Cidr"): "is an attribute",
    ("AWS::S3::Bucket", "ObjectLockEnabled"): "S3 turns it on for buckets that stand since November 2023",
    ("AWS::ImageBuilder::Component", "Tags"): "the schema says that tags are updated",
    ("AWS::ImageBuilder::Image", "Tags"): "the schema says that tags are updated",
    ("AWS::ImageBuilder::ImageRecipe", "Tags"): "the schema says that tags are updated",
}


def used_types():
    """Returns the resource types of all golden templates."""
    templates = [json.loads(path.read_text()) for path in sorted(GOLDEN.glob("*/*.template.json"))]
    return {made["Type"] for template in templates for made in template["Resources"].values()}


def properties(path, value):
    """Returns properties with a value at a path, a list where the path has a star."""
    for key in reversed(path.split("/")):
        value = [value] if key == "*" else {key: value}
    return value


def change_of(kind, old, new, **policies):
    """Returns what becomes of the only resource of a stack whose properties are edited."""

    def resources(values):
        return {} if values is None else {"Thing": {"Type": kind, "Properties": values, **policies}}

    changes = compare(side_of(("s", resources(old))), side_of(("s", resources(new)))).changes
    return changes[0] if changes else None


class TestCreateOnly:
    @pytest.mark.parametrize(("kind", "path"), CREATE_ONLY, ids=lambda value: value)
    def test_replaces(self, kind, path):
        """A property that can't change in place replaces its resource, and empties what holds data."""
        change = change_of(kind, properties(path, "a"), properties(path, "b"))

        assert change.action is Action.REPLACE
        assert change.impact is (Impact.LOSES_DATA if kind in overlay().holds_data else Impact.REPLACES)
        assert all(each.impact is Impact.REPLACES and each.source for each in change.properties)

    @pytest.mark.parametrize("kind", sorted(used_types()))
    def test_every_property_has_a_row(self, kind):
        """The table has every create-only property of every type that our templates use, and no other."""
        published = {"/".join(path) for path in schema(REGION, kind).create_only}

        assert set(TABLE["create_only"].get(kind, ())) == published

    def test_every_type_is_used(self):
        """Nothing is in the table that no template has."""
        assert set(TABLE["create_only"]) <= used_types()


class TestEdits:
    @pytest.mark.parametrize("row", TABLE["edits"], ids=lambda row: row["what"])
    def test_edit(self, row):
        """An edit does what AWS documents."""
        change = change_of(row["type"], row.get("old"), row.get("new"), **row.get("policies", {}))

        if row["impact"] == "nothing":
            assert change is None
            return
        assert change.impact == row["impact"]
        assert change.retained is row.get("retained", False)
        assert bool(change.refused) is ("refused" in row)
        assert row.get("refused", "") in " ".join(change.refused)
        assert row.get("feels", "") in " ".join(change.feels)

    @pytest.mark.parametrize("after", [{"Ref": "Policy"}, ["Retain"], 7])
    def test_policy_that_is_no_word(self, after):
        """A policy that is made by a function, or is none, is shown as text, and keeps nothing for sure."""
        before, now = ({"Thing": {"Type": "AWS::S3::Bucket", "DeletionPolicy": each}} for each in ("Retain", after))
        (change,) = compare(side_of(("s", before)), side_of(("s", now))).changes
        (policy,) = change.properties

        assert change.impact is Impact.LOSES_DATA
        assert (policy.before, isinstance(policy.after, str)) == ("Retain", True)

    def test_there_are_enough(self):
        """At least forty edits, each with its source, beside those of create-only properties."""
        assert len(TABLE["edits"]) >= 40
        assert all(row["source"] for row in TABLE["edits"])


@pytest.mark.cli
class TestServiceSpecification:
    def test_nothing_is_missing(self):
        """What the CDK's own diff knows to replace, ours knows too, but for what is outdated there."""
        node = Path(sys.prefix) / "bin" / "node"
        modules = Path(sys.prefix).resolve().parent / "node_modules"
        published = sorted(kind for kind in used_types() if kind.startswith("AWS::"))
        done = subprocess.run(
            [node, "-e", _PROGRAM, modules / "@aws-cdk" / "aws-service-spec", *published],
            check=True,
            capture_output=True,
            text=True,
        )
        replacing = {(kind, path) for kind, path in json.loads(done.stdout)}
        missing = {
            (kind, path)
            for kind, path in replacing
            if not any(path == known or path.startswith(f"{known}/") for known in TABLE["create_only"].get(kind, ()))
        }

        assert missing == set(OUTDATED)
        assert len(replacing) > 100


#: Prints the paths of properties that the specification says replace their resource, as [type, path].
_PROGRAM = """
const [spec, ...types] = process.argv.slice(1);
const db = require(spec).loadAwsServiceSpecSync();
const found = [];
function walk(kind, properties, path, within) {
  for (const [name, property] of Object.entries(properties)) {
    const here = [...path, name];
    if (property.causesReplacement === "yes") found.push([kind, here.join("/")]);
    let type = property.type;
    if (type.type === "array" || type.type === "map") type = type.element;
    if (type.type !== "ref" || within.includes(type.reference.$ref)) continue;
    const known = db.get("typeDefinition", type.reference.$ref);
    walk(kind, known.properties, here, [...within, type.reference.$ref]);
  }
}
for (const kind of types) {
  const [resource] = db.lookup("resource", "cloudFormationType", "equals", kind);
  walk(kind, resource.properties, [], []);
}
console.log(JSON.stringify(found));
"""
