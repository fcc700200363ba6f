"""How the command's tests call it, and the files that they give it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from trnstack.cli import main

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "environments" / "llama3-8b-trn1.yaml"


@dataclass(frozen=True)
class Answer:
    code: int
    stdout: str
    stderr: str


Run = Callable[..., Answer]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in this process, and returns its exit code and what it wrote."""

    def call(*arguments: str | Path) -> Answer:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return call


@pytest.fixture
def example(tmp_path: Path) -> Callable[..., Path]:
    """Writes the example environment with pieces of its text replaced, and returns the file."""

    def write(*replacements: tuple[str, str], name: str = "example.yaml") -> Path:
        text = EXAMPLE.read_text()
        for old, new in replacements:
            assert old in text, f"the example environment has no {old!r}"
            text = text.replace(old, new)
        file = tmp_path / name
        file.write_text(text)
        return file

    return write


@pytest.fixture
def locked(example: Callable[..., Path], run: Run) -> Path:
    """The example environment with its lock beside it."""
    file = example()
    assert run("lock", "--offline", file).code == 0
    return file
