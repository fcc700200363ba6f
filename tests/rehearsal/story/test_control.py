"""What a rehearsal says to its own server."""

import threading

import pytest
from werkzeug.serving import make_server

from rehearsal import pause
from rehearsal.faults import FaultError, parse
from rehearsal.faults.table import Fault
from rehearsal.keeping import opened
from rehearsal.keeping.starting import Furniture, start_journal
from rehearsal.server import QuietRequestHandler
from rehearsal.story.control import Control
from rehearsal.story.error import RehearsalError


@pytest.fixture
def control(services, tmp_path):
    """A server in this process, which keeps a journal, and who speaks to it."""
    services.reset()
    application = start_journal(services, Furniture(), tmp_path / "journal", None)
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=QuietRequestHandler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Control(f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    server.server_close()
    thread.join(5)
    services.reset()


def test_faults(services, control):
    """Faults are set and lifted, and one that there is none of is refused in its own words."""
    control.set_faults([parse("api-down@eks")])
    set_ = services.faults.active
    assert control.refused() == {"api-down@eks": 0}
    control.lift_faults()

    assert (set_, services.faults.active) == ((parse("api-down@eks"),), ())
    with pytest.raises(FaultError, match="AWS has no service 'nowhere'"):
        control.set_faults([Fault("api-down", "nowhere")])


def test_hold(control):
    """A hold is set, asked for and taken back."""
    control.hold("demo")
    assert not control.is_holding()
    control.go_on()
    assert not pause.holding()


def test_save(control, tmp_path, monkeypatch):
    """What is saved can be opened; a proxy of the person's own is not in the way, and nothing half written is left."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    control.set_faults([])
    control.save(tmp_path / "state")

    assert [call.request["PATH_INFO"] for call in opened(tmp_path / "state").kept.calls] == ["/_rehearsal/faults"]
    assert {file.name for file in tmp_path.iterdir()} == {"journal", "state"}
    with pytest.raises(RehearsalError, match="nowhere/state: the state can't be saved: No such file"):
        control.save(tmp_path / "nowhere" / "state")
