"""``bench.synthesis.compare``: where two assemblies differ."""

import json

import pytest

from bench.synthesis.compare import assembly, differences


class TestDifferences:
    def test_order_of_keys(self):
        """The order of keys makes no difference; the order of a list does."""
        assert list(differences({"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1})) == []
        assert list(differences({"b": [1, 2]}, {"b": [2, 1]})) != []

    @pytest.mark.parametrize(
        ("ours", "theirs", "line"),
        [
            ({"a": {"b": 1}}, {"a": {}}, "/a/b: only in Python"),
            ({"a": []}, {"a": [], "b": []}, "/b: only in JavaScript"),
            ({"a": [{"b": "x"}]}, {"a": [{"b": "y"}]}, '/a[0]/b: "x" in Python, "y" in JavaScript'),
            ({"a": [1]}, {"a": [1, 2]}, "/a: [1] in Python, [1, 2] in JavaScript"),
            ({"a": True}, {"a": 1}, "/a: true in Python, 1 in JavaScript"),
        ],
    )
    def test_place(self, ours, theirs, line):
        """A difference is named with its place and both values."""
        assert list(differences(ours, theirs)) == [line]


class TestAssembly:
    def test_stacks_alone(self, tmp_path):
        """Stacks are read with what they are deployed with; other artifacts, and the digest of the bytes, are not."""
        properties = {"templateFile": "a.json", "terminationProtection": True, "stackTemplateAssetObjectUrl": "s3://x"}
        stack = {"type": "aws:cloudformation:stack", "properties": properties, "dependencies": ["b"]}
        artifacts = {"a": stack, "Tree": {"type": "cdk:tree"}}
        (tmp_path / "manifest.json").write_text(json.dumps({"artifacts": artifacts}))
        (tmp_path / "a.json").write_text('{"Resources": {}}')

        read = assembly(tmp_path)

        assert read == {
            "a": {
                "template": {"Resources": {}},
                "properties": {"templateFile": "a.json", "terminationProtection": True},
                "dependencies": ["b"],
            }
        }
