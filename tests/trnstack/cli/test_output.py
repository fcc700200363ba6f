"""What the commands share when they speak."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from trnstack.cli import output
from trnstack.findings import Finding, Severity

FINDING = Finding(
    code="EFA002", path=("efa",), message="efa is off", hint="turn it on", severity=Severity.WARNING, file="x", line=3
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class TestColour:
    def written(self, stream, monkeypatch, finding=FINDING, variables=()):
        """Returns what a finding looks like on a stream."""
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm")
        for name, value in variables:
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("sys.stdout", stream)
        output.say_findings([finding])
        return stream.getvalue()

    def test_on_a_terminal(self, monkeypatch):
        """On a terminal the code has its severity's colour, and the hint stands back."""
        assert self.written(Terminal(), monkeypatch) == (
            "x:3: efa: \033[33mEFA002\033[0m warning: efa is off\n\033[2m  hint: turn it on\033[0m\n"
        )

    @pytest.mark.parametrize(
        ("stream", "variables"),
        [(Terminal(), {"NO_COLOR": "1"}), (Terminal(), {"TERM": "dumb"}), (io.StringIO(), {})],
        ids=["NO_COLOR", "dumb terminal", "file"],
    )
    def test_only_there(self, monkeypatch, stream, variables):
        """Files, pipes, terminals without colours and people who want none get plain text."""
        plain = "x:3: efa: EFA002 warning: efa is off\n  hint: turn it on\n"

        assert self.written(stream, monkeypatch, variables=variables.items()) == plain

    def test_control_characters_are_shown(self, monkeypatch):
        """A value from a file can't move the cursor or hide text."""
        finding = Finding(code="SPEC005", path=(), message="unknown key '\033[2J\r\x9b'", file="x")

        assert "unknown key '\\x1b[2J\\r\\x9b'" in self.written(Terminal(), monkeypatch, finding)


class TestSections:
    def written(self, stream, monkeypatch):
        """Returns what two sections look like on a stream."""
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr("sys.stdout", stream)
        output.say_sections([["Chips", "  trainium1"], ["Zo\033[2Jnes"]])
        return stream.getvalue()

    def test_on_a_terminal(self, monkeypatch):
        """On a terminal headings stand out, and no word of a section can move the cursor."""
        assert self.written(Terminal(), monkeypatch) == (
            "\033[1mChips\033[0m\n  trainium1\n\n\033[1mZo\\x1b[2Jnes\033[0m\n"
        )

    def test_elsewhere(self, monkeypatch):
        """A file gets the same without colour."""
        assert self.written(io.StringIO(), monkeypatch) == "Chips\n  trainium1\n\nZo\\x1b[2Jnes\n"


class TestColumns:
    def test_align(self):
        """Cells start below each other, numbers end below each other, and a line ends with its last word."""
        rows = [("a", "1", "x"), ("long", "1,000", ""), ("b",)]

        assert output.columns(rows, right=frozenset({1})) == ["  a         1  x", "  long  1,000", "  b"]

    def test_nothing(self):
        """No rows are no lines."""
        assert output.columns([]) == []

    def test_widest(self):
        """A cell that is too long for its column moves what is right of it in its own row alone."""
        rows = [("a", "1"), ("long", "2"), ("very long", "3")]

        assert output.columns(rows, widest=4) == ["  a     1", "  long  2", "  very long  3"]
        assert output.columns([("very long", "3")], widest=4) == ["  very long  3"]


class TestCommands:
    def test_quoted(self):
        """A path is as a shell takes it, and as it is where nothing in it means anything to a shell."""
        assert output.quoted("environments/jax-trn1.yaml") == "environments/jax-trn1.yaml"
        assert output.quoted(Path("my env.yaml")) == "'my env.yaml'"

    def test_named(self):
        """FILE as a word is the file, wherever it stands; other words that begin so are not."""
        text = "run: trnstack lock FILE; cdk deploy -c environment=FILE; FILES"

        assert (
            output.named("a b.yaml", text)
            == "run: trnstack lock 'a b.yaml'; cdk deploy -c environment='a b.yaml'; FILES"
        )
        assert output.named(r"\1.yaml", "FILE") == r"'\1.yaml'"

    def test_wrapped(self):
        """A sentence is wrapped under its number; a longer word, such as an ARN, stays whole."""
        lines = output.wrapped(f"{'word ' * 30}{'x' * 130}", "     ", first="  1. ")

        assert [line[:5] for line in lines] == ["  1. ", "     ", "     "]
        assert len(lines[0]) <= 120
        assert lines[2] == f"     {'x' * 130}"
        assert output.wrapped("", "  ") == [""]


class TestFull:
    @pytest.mark.parametrize("arguments", [["rules"], ["rules", "--json"], ["releases"]], ids=" ".join)
    def test_stdout(self, arguments):
        """Where stdout takes nothing, the reason is one sentence."""
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "trnstack.cli", *arguments],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
                cwd=Path(__file__).parents[3],
            )

        assert done.returncode == 1
        assert done.stderr == (
            "the output can't be written: No space left on device\n  hint: make room where it goes\n"
        )
