"""What services refuse of requests by their own models."""

import pytest

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.model import check_request


def fsx(**lustre: object):
    """Checks what CreateFileSystem is asked for."""
    check_request("fsx", "CreateFileSystem", {"LustreConfiguration": lustre}, code="BadRequest")


class TestCheckRequest:
    @pytest.mark.parametrize(
        ("member", "value", "message"),
        [
            ("AutomaticBackupRetentionDays", 91, "must have value less than or equal to 90"),
            ("WeeklyMaintenanceStartTime", "8:05:00", r"must satisfy regular expression pattern: \^\[1-7\]"),
            ("ImportPath", "x" * 5000, "must have length less than or equal to 4357"),
        ],
    )
    def test_too_large_or_of_another_form(self, member, value, message):
        """The largest values, lengths and patterns of the model are held to, and the member is named."""
        path = f"lustreConfiguration.{member[:1].lower()}{member[1:]}"

        with pytest.raises(OverlayError, match=rf"at '{path}' failed to satisfy constraint: Member {message}"):
            fsx(**{member: value})

    def test_taken(self):
        """What the model allows passes, and so does what it has no member for."""
        fsx(AutomaticBackupRetentionDays=90, WeeklyMaintenanceStartTime="1:05:00", Unknown=1)

    def test_all_at_once(self):
        """Every problem is told, with the service's code."""
        with pytest.raises(OverlayError, match="2 validation errors detected") as refused:
            fsx(AutomaticBackupRetentionDays=91, DailyAutomaticBackupStartTime="25:00")

        assert refused.value.code == "BadRequest"

    def test_in_lists(self):
        """Members of lists are counted from one; a pattern that only Java reads is not held to."""
        subnets = {"SubnetIds": ["subnet-0123456789abcdef0", "SUBNET"], "Tags": [{"Key": "<", "Value": "v"}]}

        with pytest.raises(
            OverlayError, match=r"1 validation error detected: Value 'SUBNET' at 'subnetIds\.2\.member'"
        ):
            check_request("fsx", "CreateFileSystem", subnets, code="BadRequest")
