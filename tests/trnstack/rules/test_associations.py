import pytest

from trnstack.findings import Severity
from trnstack.rules.associations import (
    association_buckets_exist,
    association_paths_do_not_overlap,
    association_prefixes_do_not_overlap,
    dataset_names_are_unique,
)


def associations(*paths: str):
    return {"data_repository_associations": [{"file_system_path": path} for path in paths]}


class TestDatasetNamesAreUnique:
    @pytest.mark.parametrize(
        ("names", "message"),
        [
            (["c4", "c4"], "another dataset is named 'c4' already"),
            (["c4", "checkpoints"], "the checkpoint bucket is named 'checkpoints' already"),
        ],
    )
    def test_taken(self, environment, names, message):
        """A name that two buckets share leaves an association undecided."""
        datasets = [{"name": name, "bucket_name": "some-bucket"} for name in names]
        (finding,) = dataset_names_are_unique(environment(datasets=datasets))

        assert finding.message == message
        assert finding.path == ("storage", "datasets", 1, "name")

    def test_free(self, environment):
        """The same bucket may stand under two names, with two prefixes."""
        datasets = [{"name": name, "bucket_name": "some-bucket"} for name in ("c4", "pile")]
        assert not list(dataset_names_are_unique(environment(datasets=datasets)))


class TestAssociationPathsDoNotOverlap:
    @pytest.mark.parametrize(
        ("one", "other"), [("/a", "/a"), ("/a", "/a/b"), ("/a/b", "/a"), ("/", "/a"), ("/a/b/c", "/a/b")]
    )
    def test_overlap(self, environment, one, other):
        """FSx refuses equal folders and folders in one another, in either order."""
        (finding,) = association_paths_do_not_overlap(environment(lustre=associations(one, other)))

        assert finding.path == ("storage", "lustre", "data_repository_associations", 1, "file_system_path")

    @pytest.mark.parametrize("paths", [(), ("/a",), ("/a", "/ab"), ("/a/b", "/a/c", "/d")])
    def test_beside(self, environment, paths):
        """Names that only begin alike are different folders."""
        assert not list(association_paths_do_not_overlap(environment(lustre=associations(*paths))))

    def test_no_file_system(self, environment):
        """Without a file system there is nothing to overlap."""
        assert not list(association_paths_do_not_overlap(environment()))


class TestAssociationPrefixesDoNotOverlap:
    @pytest.mark.parametrize(
        ("prefixes", "severity"),
        [
            (("runs", "runs"), Severity.ERROR),
            (("", ""), Severity.ERROR),
            (("runs/", "runs"), Severity.ERROR),
            (("", "runs"), Severity.WARNING),
            (("runs/a", "runs"), Severity.WARNING),
        ],
    )
    def test_overlap(self, environment, prefixes, severity):
        """FSx wants a place of its own in the bucket for each link; inside another's is at least unclear."""
        links = [{"file_system_path": f"/{n}", "prefix": prefix} for n, prefix in enumerate(prefixes)]
        (finding,) = association_prefixes_do_not_overlap(environment(lustre={"data_repository_associations": links}))

        assert finding.severity is severity
        assert finding.path == ("storage", "lustre", "data_repository_associations", 1, "prefix")

    @pytest.mark.parametrize("prefixes", [("",), ("runs", "runs-2"), ("a", "b", "c")])
    def test_beside_each_other(self, environment, prefixes):
        """Names that only begin alike are no overlap."""
        links = [{"file_system_path": f"/{n}", "prefix": prefix} for n, prefix in enumerate(prefixes)]
        assert not list(
            association_prefixes_do_not_overlap(environment(lustre={"data_repository_associations": links}))
        )


class TestAssociationBucketsExist:
    @pytest.mark.parametrize(
        ("bucket", "hint"),
        [("checkpoint", "did you mean 'checkpoints'?"), ("pille", "did you mean 'pile'?"), ("zz", "name")],
    )
    def test_unknown(self, environment, bucket, hint):
        """A misspelt bucket is answered with the one that was meant."""
        lustre = {"data_repository_associations": [{"file_system_path": "/a", "bucket": bucket}]}
        datasets = [{"name": "pile", "bucket_name": "some-bucket"}]
        (finding,) = association_buckets_exist(environment(lustre=lustre, datasets=datasets))

        assert finding.hint.startswith(hint)

    @pytest.mark.parametrize("bucket", ["checkpoints", "pile"])
    def test_known(self, environment, bucket):
        """The checkpoint bucket is always there; datasets are by their names."""
        lustre = {"data_repository_associations": [{"file_system_path": "/a", "bucket": bucket}]}
        datasets = [{"name": "pile", "bucket_name": "some-bucket"}]
        assert not list(association_buckets_exist(environment(lustre=lustre, datasets=datasets)))
