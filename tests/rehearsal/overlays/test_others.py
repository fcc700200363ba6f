"""CloudTrail, and which services have overlays."""

from rehearsal.overlays import overlay_for


def test_overlay_for():
    """A service without an overlay is left to moto."""
    assert overlay_for("sns") is None
    assert overlay_for("eks").__mro__[-2].__module__.startswith("moto")


def test_no_events(client):
    """CloudTrail's history is empty, and asking for it is no error."""
    assert client("cloudtrail").lookup_events()["Events"] == []
