"""What a role's policies allow no longer, and from now on."""

import pytest

from trnstack.advice.impact import Impact, compare

from .conftest import only, side_of

BUCKET = {"Fn::Join": ["", ["arn:aws:s3:::", {"Ref": "Bucket"}, "/*"]]}


def role(*statements, **properties):
    """Returns a role with one policy, that pods take."""
    policies = [{"PolicyName": "p", "PolicyDocument": {"Statement": list(statements)}}]
    return {
        "Role": {"Type": "AWS::IAM::Role", "Properties": {"Policies": policies, **properties}},
        "Pods": {
            "Type": "AWS::EKS::PodIdentityAssociation",
            "Properties": {"RoleArn": {"Fn::GetAtt": ["Role", "Arn"]}},
        },
        "Bucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "b"}},
    }


def allow(actions, resources, effect="Allow", **more):
    return {"Effect": effect, "Action": actions, "Resource": resources, **more}


def change_of(before, after):
    changes = compare(side_of(("s", role(*before))), side_of(("s", role(*after)))).changes
    return changes[0] if changes else None


class TestNarrowing:
    def test_prefix(self):
        """What covered a bucket and names a prefix now is narrower; what is left of it is said."""
        change = change_of([allow("s3:GetObject", "arn:b/*")], [allow("s3:GetObject", ["arn:b/a/*", "arn:b/c/*"])])

        assert change.impact is Impact.IN_PLACE
        (felt,) = change.feels
        assert felt == (
            "jobs may lose access, at the next call: the role allows no longer s3:GetObject on arn:b/*, but for "
            "arn:b/a/* and arn:b/c/*"
        )
        assert [(each.path, each.reason) for each in change.properties] == [
            ("Policies: on arn:b/*", "no longer allowed")
        ]

    def test_action(self):
        """An action that goes is one that is lost, whatever stays beside it."""
        change = change_of([allow(["s3:GetObject", "s3:PutObject"], BUCKET)], [allow("s3:GetObject", BUCKET)])

        assert change.properties[0].before == "s3:PutObject"
        assert change.properties[0].after is None
        assert "s3:PutObject on arn:aws:s3:::${Bucket}/*" in change.feels[0]

    def test_condition(self):
        """A condition that comes narrows."""
        condition = {"StringLike": {"s3:prefix": ["a", "a/*"]}}
        change = change_of([allow("s3:ListBucket", "arn:b")], [allow("s3:ListBucket", "arn:b", Condition=condition)])

        assert change.feels[0].endswith("s3:ListBucket on arn:b, but for s3:prefix StringLike a, a/*")

    def test_deny(self):
        """A denial that comes narrows."""
        before = [allow("s3:*", "*")]
        change = change_of(before, [*before, allow("s3:DeleteObject", "*", effect="Deny")])

        assert change.properties[0].reason == "denied from now on"
        assert "s3:DeleteObject on *" in change.feels[0]


class TestWidening:
    @pytest.mark.parametrize(
        ("before", "after", "reason"),
        [
            ([allow("s3:GetObject", "arn:b/a/*")], [allow("s3:GetObject", "arn:b/*")], "allowed from now on"),
            ([allow("s3:GetObject", "arn:b")], [allow("s3:Get*", "arn:b")], "allowed from now on"),
            ([allow("s3:getobject", "arn:b/?")], [allow("s3:GetObject", "arn:b/*")], "allowed from now on"),
            ([allow("s3:*", "*"), allow("s3:x", "*", effect="Deny")], [allow("s3:*", "*")], "no longer denied"),
        ],
    )
    def test_nothing_is_lost(self, before, after, reason):
        """What is allowed beyond what was takes nothing from any job."""
        change = change_of(before, after)

        assert change.feels == ()
        assert {each.reason for each in change.properties} == {reason}

    def test_pattern_is_no_text(self):
        """A wildcard in the old resource is wider than a letter's in the new."""
        assert change_of([allow("s3:GetObject", "arn:b/*")], [allow("s3:GetObject", "arn:b/?")]).feels


class TestOther:
    def test_not_understood(self):
        """A statement that is turned around is shown as it is, and may take access."""
        odd = {"Effect": "Allow", "NotAction": "s3:GetObject", "Resource": "*"}
        change = change_of([allow("s3:*", "*")], [odd])

        assert change.properties[0].path.startswith("Policies[0]")
        assert "may lose access" in change.feels[0]

    def test_other_words(self):
        """What says the same in another order is a difference of which nobody notices what it allows."""
        change = change_of([allow(["a:x", "a:y"], "*")], [allow(["a:y", "a:x"], "*")])

        assert change.impact is Impact.IN_PLACE

    def test_holders(self):
        """Of a role that nobody is known to have, nobody is named."""
        old, new = role(allow("a:x", "*")), role(allow("a:y", "*"))
        for side in (old, new):
            del side["Pods"]
        (change,) = compare(side_of(("s", old)), side_of(("s", new))).changes

        assert change.feels[0].startswith("whoever takes the role may lose access")

    def test_trainer(self, golden_side):
        """The jobs' role of an environment whose first association is of a prefix loses the rest of the bucket."""
        old, new = golden_side("datasets-trn1"), golden_side("datasets-trn1")
        _, trainer = only(new, "datasets-cluster", "AWS::EKS::PodIdentityAssociation")
        name = trainer["RoleArn"]["Fn::GetAtt"][0]
        policies = new.stacks["datasets-cluster"].template["Resources"][name]["Properties"]["Policies"]
        statements = policies[0]["PolicyDocument"]["Statement"]
        statements[:] = [each for each in statements if "evaluation" not in str(each["Resource"])]
        (change,) = compare(old, new).changes

        assert change.logical_id == name
        assert change.feels[0].startswith("jobs may lose access")
        assert "ml-platform-evaluation-us-east-2" in change.feels[0]
