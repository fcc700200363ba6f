import pytest

from trnstack.findings import Severity
from trnstack.rules.links import (
    an_adopted_folder_is_exported_by_hand,
    exports_carry_what_is_written,
    failed_exports_are_logged,
    imports_stay_in_their_region,
)

EXISTING = {
    "existing_file_system": {
        "file_system_id": "fs-0123456789abcdef0",
        "mount_name": "abcdefgh",
        "security_group_id": "sg-0123456789abcdef0",
    }
}
PLACE = ("storage", "lustre", "data_repository_associations")


def linked(*associations: dict, **changes: object):
    links = [{"file_system_path": f"/f{n}", "prefix": f"p{n}", **each} for n, each in enumerate(associations)]
    return {"data_repository_associations": links, **changes}


def of_dataset(region, **events):
    dataset = {"name": "c4", "bucket_name": "some-datasets", "region": region}
    return {"datasets": [dataset], "lustre": linked({"bucket": "c4", **events})}


class TestImportsStayInTheirRegion:
    @pytest.mark.parametrize("events", [{}, {"auto_import": ["DELETED"]}])
    def test_another_region(self, environment, events):
        """FSx refuses the link after everything before it was made."""
        (finding,) = imports_stay_in_their_region(environment(storage=of_dataset("us-west-2", **events)))

        assert finding.severity is Severity.ERROR
        assert finding.path == (*PLACE, 0, "auto_import")
        assert finding.message.startswith("dataset 'c4' is in us-west-2")

    @pytest.mark.parametrize(
        "storage",
        [
            {},
            of_dataset(None),
            of_dataset("us-east-2"),
            of_dataset("us-west-2", auto_import=[]),
            of_dataset("us-west-2", bucket="checkpoints"),
        ],
    )
    def test_no_change_is_imported_from_there(self, environment, storage):
        """A bucket of the same region, one that is linked without imports, and one that is not linked."""
        assert not list(imports_stay_in_their_region(environment(storage=storage)))


class TestExportsCarryWhatIsWritten:
    @pytest.mark.parametrize(
        ("events", "missed"),
        [
            (["DELETED"], "new files and changed files"),
            (["NEW"], "changed files"),
            (["NEW", "DELETED"], "changed files"),
            (["CHANGED"], "new files"),
        ],
    )
    def test_some_do_not(self, environment, events, missed):
        """An association that carries deletions alone passes for an export, and takes nothing to the bucket."""
        (finding,) = exports_carry_what_is_written(environment(lustre=linked({}, {"auto_export": events})))

        assert finding.severity is Severity.WARNING
        assert finding.path == (*PLACE, 1, "auto_export")
        assert finding.message == f"{missed} of '/f1' do not go to the bucket"

    @pytest.mark.parametrize(
        "association",
        [{}, {"auto_export": ["DELETED", "CHANGED", "NEW"]}, {"auto_export": []}, {"bucket": "c4"}],
    )
    def test_all_do(self, environment, association):
        """The default, all three events, and folders that export nothing, as those of datasets."""
        assert not list(exports_carry_what_is_written(environment(lustre=linked(association))))


class TestFailedExportsAreLogged:
    @pytest.mark.parametrize("level", ["DISABLED", "WARN_ONLY"])
    def test_untold(self, environment, level):
        """A failed export is an error, and one that nobody reads of is found out when the file is gone."""
        (finding,) = failed_exports_are_logged(environment(lustre=linked({}, log_level=level)))

        assert finding.severity is Severity.WARNING
        assert finding.path == ("storage", "lustre", "log_level")

    @pytest.mark.parametrize(
        "lustre",
        [
            linked({}),
            linked({}, log_level="WARN_ERROR"),
            linked({}, log_level="ERROR_ONLY"),
            linked({"auto_export": []}, log_level="DISABLED"),
            linked(log_level="DISABLED"),
            linked({}, **EXISTING, log_level="DISABLED"),
        ],
    )
    def test_told(self, environment, lustre):
        """Errors are logged where the file does not say otherwise; of an adopted one another rule speaks."""
        assert not list(failed_exports_are_logged(environment(lustre=lustre)))


class TestAnAdoptedFolderIsExportedByHand:
    def test_linked(self, environment):
        """What was written between two environments is in no queue of the new link."""
        lustre = linked({"auto_export": []}, {}, **EXISTING)
        (finding,) = an_adopted_folder_is_exported_by_hand(environment(lustre=lustre))

        assert finding.severity is Severity.NOTE
        assert finding.path == (*PLACE, 1, "file_system_path")

    @pytest.mark.parametrize("lustre", [EXISTING, linked({}), linked({"bucket": "c4"}, **EXISTING)])
    def test_nothing_to_export(self, environment, lustre):
        """A new file system is empty; a folder of a dataset exports nothing."""
        assert not list(an_adopted_folder_is_exported_by_hand(environment(lustre=lustre)))
