import pytest

from trnstack.findings import Severity
from trnstack.rules.associations import (
    association_buckets_exist,
    association_paths_do_not_overlap,
    association_prefixes_do_not_overlap,
    associations_stay_in_their_dataset,
    dataset_names_are_unique,
    datasets_are_imported_only,
    intelligent_tiering_has_no_associations,
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
        "prefixes", [("runs", "runs"), ("", ""), ("runs/", "runs"), ("", "runs"), ("runs/a", "runs")]
    )
    def test_overlap(self, environment, prefixes):
        """FSx refuses equal places in the bucket and places in one another, in either order."""
        links = [{"file_system_path": f"/{n}", "prefix": prefix} for n, prefix in enumerate(prefixes)]
        (finding,) = association_prefixes_do_not_overlap(environment(lustre={"data_repository_associations": links}))

        assert finding.severity is Severity.ERROR
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


def with_dataset(association, **dataset: object):
    datasets = [{"name": "c4", "bucket_name": "some-datasets", **dataset}]
    links = [{"file_system_path": "/c4", "bucket": "c4", **association}]
    return {"datasets": datasets, "lustre": {"data_repository_associations": links}}


class TestDatasetsAreImportedOnly:
    @pytest.mark.parametrize("events", [["NEW"], ["NEW", "CHANGED"], ["DELETED"]])
    def test_exported(self, environment, events):
        """Whoever owns a dataset does not expect jobs to write to it."""
        (finding,) = datasets_are_imported_only(environment(storage=with_dataset({"auto_export": events})))

        assert finding.hint == "write auto_export: []"

    @pytest.mark.parametrize(
        "association", [{}, {"auto_export": []}, {"bucket": "checkpoints", "auto_export": ["NEW"]}]
    )
    def test_imported(self, environment, association):
        """Where nothing is said nothing is exported to a dataset, while checkpoints are."""
        assert not list(datasets_are_imported_only(environment(storage=with_dataset(association))))


class TestAssociationsStayInTheirDataset:
    @pytest.mark.parametrize("prefix", ["", "raw", "tokenized", "tokenized/c4-en"])
    def test_outside(self, environment, prefix):
        """A folder that showed more than nodes may read would be a way around."""
        storage = with_dataset({"prefix": prefix}, prefix="tokenized/c4")
        (finding,) = associations_stay_in_their_dataset(environment(storage=storage))

        assert finding.hint == "use tokenized/c4, or leave prefix out"

    @pytest.mark.parametrize(
        ("association", "dataset"),
        [
            ({}, {"prefix": "tokenized/c4"}),
            ({"prefix": "tokenized/c4/"}, {"prefix": "tokenized/c4"}),
            ({"prefix": "tokenized/c4/en"}, {"prefix": "tokenized/c4/"}),
            ({"prefix": "anything"}, {}),
            ({"bucket": "checkpoints", "prefix": "runs"}, {"prefix": "tokenized/c4"}),
        ],
    )
    def test_inside(self, environment, association, dataset):
        """A part of a dataset, and by default all of it, is within it."""
        assert not list(associations_stay_in_their_dataset(environment(storage=with_dataset(association, **dataset))))


class TestIntelligentTieringHasNoAssociations:
    def test_linked(self, environment):
        """AWS's user guide says so, and FSx after half an hour."""
        lustre = {"storage_type": "INTELLIGENT_TIERING", **associations("/checkpoints")}
        (finding,) = intelligent_tiering_has_no_associations(environment(lustre=lustre))

        assert finding.path == ("storage", "lustre", "data_repository_associations")
        assert finding.hint == "remove the associations, or write storage_type: SSD"

    def test_adopted(self, environment):
        """A file system that stands and is described as such is no more linked than a new one."""
        existing = {
            "file_system_id": "fs-0123456789abcdef0",
            "mount_name": "abcdefgh",
            "security_group_id": "sg-0123456789abcdef0",
        }
        lustre = {"storage_type": "INTELLIGENT_TIERING", "existing_file_system": existing, **associations("/a")}
        (finding,) = intelligent_tiering_has_no_associations(environment(lustre=lustre))

        assert finding.severity is Severity.ERROR
        assert finding.hint == "remove the associations, or correct what describes it"

    @pytest.mark.parametrize(
        "lustre",
        [
            {"storage_type": "INTELLIGENT_TIERING"},
            {"deployment_type": "SCRATCH_2", **associations("/a")},
            {"deployment_type": "PERSISTENT_1", "storage_type": "HDD", **associations("/a")},
            associations("/a"),
        ],
    )
    def test_others(self, environment, lustre):
        """FSX-06: Lustre 2.15 is linked on all other kinds, scratch among them."""
        assert not list(intelligent_tiering_has_no_associations(environment(lustre=lustre)))


class TestPlaces:
    def test_two_names_of_one_bucket(self, environment):
        """Two datasets that are one place are one place."""
        datasets = [{"name": name, "bucket_name": "some-datasets", "prefix": "c4"} for name in ("one", "two")]
        links = [{"file_system_path": f"/{name}", "bucket": name} for name in ("one", "two")]
        storage = {"datasets": datasets, "lustre": {"data_repository_associations": links}}
        (finding,) = association_prefixes_do_not_overlap(environment(storage=storage))

        assert finding.message.startswith("'some-datasets/c4/' overlaps")
