"""What all tests share: golden files, which say in full what is decided and built, and how to bring them up to date."""

import contextlib
import difflib
import gc
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GOLDEN = Path(__file__).parent / "golden"
#: A difference that is longer says what it says in its first lines; the file itself tells the rest.
_LONGEST_DIFFERENCE = 80


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--update-golden``."""
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden with what comes out now")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Returns a check that a text is what its golden file holds, by the file's path below ``tests/golden``."""
    update = request.config.getoption("--update-golden")

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            return
        expected = path.read_text() if path.exists() else ""
        if text != expected:
            pytest.fail(_difference(name, expected, text), pytrace=False)

    return check


@pytest.fixture
def full_disk() -> Callable[[], contextlib.AbstractContextManager[None]]:
    """Returns what makes every write to a file fail for as long as it lasts, as on a disk that is full."""

    @contextlib.contextmanager
    def full() -> Iterator[None]:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return full


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Keeps the garbage collector from what goes to the limit of recursion.

    There the finalizers of what other tests have left would fail for want of depth, and pytest tells that as a failure.
    """
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _difference(name: str, expected: str, text: str) -> str:
    lines = list(
        difflib.unified_diff(
            expected.splitlines(), text.splitlines(), f"tests/golden/{name}", "what comes out now", lineterm=""
        )
    )
    left_out = len(lines) - _LONGEST_DIFFERENCE
    shown = [*lines[:_LONGEST_DIFFERENCE], f"... and {left_out} more lines"] if left_out > 0 else lines
    update = (
        "If this is what you want: pytest tests/stacks tests/trnstack/plan tests/trnstack/kubernetes --update-golden, "
        "then read the difference."
    )
    return "\n".join([f"tests/golden/{name} holds something else", *shown, update])
