"""How the command's tests call it, and the files that they give it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ami.lock import path_for, read
from bench.locks import write_resolved
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

    def make(*replacements: tuple[str, str], name: str = "example.yaml") -> Path:
        text = EXAMPLE.read_text()
        for old, new in replacements:
            assert old in text, f"the example environment has no {old!r}"
            text = text.replace(old, new)
        file = tmp_path / name
        file.write_text(text)
        return file

    return make


@pytest.fixture
def locked(example: Callable[..., Path], lock_of: Callable[[Path], None]) -> Path:
    """The example environment with its lock beside it, as an account would have resolved it."""
    file = example()
    lock_of(file)
    return file


@pytest.fixture
def lock_of(run: Run) -> Callable[[Path], None]:
    """Returns what locks a file as an account would."""

    def make(file: Path) -> None:
        assert run("lock", "--offline", file).code == 0
        write_resolved(read(path_for(file)), file)

    return make
