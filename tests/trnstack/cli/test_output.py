"""What the commands share when they speak."""

import io

import pytest

from trnstack.cli import output
from trnstack.findings import Finding, Severity


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def finding() -> Finding:
    return Finding(
        code="EFA002",
        path=("efa",),
        message="efa is off",
        hint="turn it on",
        severity=Severity.WARNING,
        file="x",
        line=3,
    )


class TestColour:
    @pytest.fixture(autouse=True)
    def terminal(self, monkeypatch) -> Terminal:
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm")
        stream = Terminal()
        monkeypatch.setattr("sys.stdout", stream)
        return stream

    def test_on_a_terminal(self, terminal, finding):
        """On a terminal the code has its severity's colour, and the hint stands back."""
        output.say_findings([finding])

        assert terminal.getvalue() == (
            "x:3: efa: \033[33mEFA002\033[0m warning: efa is off\n\033[2m  hint: turn it on\033[0m\n"
        )

    @pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
    def test_can_be_turned_off(self, terminal, finding, monkeypatch, variable, value):
        """NO_COLOR and a terminal without colours are honoured."""
        monkeypatch.setenv(variable, value)

        output.say_findings([finding])

        assert "\033" not in terminal.getvalue()

    def test_not_in_a_file(self, finding, monkeypatch):
        """What goes to a file or a pipe is plain text."""
        stream = io.StringIO()
        monkeypatch.setattr("sys.stdout", stream)

        output.say_findings([finding])

        assert stream.getvalue() == "x:3: efa: EFA002 warning: efa is off\n  hint: turn it on\n"

    def test_control_characters_are_shown(self, terminal):
        """A value from a file can't move the cursor or hide text."""
        output.say_findings([Finding(code="SPEC005", path=(), message="unknown key '\033[2J\r\x9b'", file="x")])

        assert "unknown key '\\x1b[2J\\x0d\\x9b'" in terminal.getvalue()


class TestColumns:
    def test_align(self):
        """Cells of a column start below each other, numbers end below each other, and lines end with their last word."""
        rows = [("a", "1", "x"), ("long", "1,000", ""), ("b",)]

        assert output.columns(rows, right=frozenset({1})) == ["  a         1  x", "  long  1,000", "  b"]

    def test_nothing(self):
        """No rows are no lines."""
        assert output.columns([]) == []
