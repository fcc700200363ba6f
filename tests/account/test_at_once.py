"""Calls that are made at once."""

import subprocess
import sys
import threading
from functools import partial

import pytest

from account.at_once import as_answered


class TestAnswers:
    def test_all_of_them(self):
        """Each call's answer comes with the key of the call."""
        calls = {number: partial(pow, number, 2) for number in range(20)}

        assert dict(as_answered(calls, threads=3)) == {number: number**2 for number in range(20)}

    def test_none(self):
        """Without calls there are no answers, and nothing is waited for."""
        assert list(as_answered({}, threads=3)) == []

    def test_as_they_come(self):
        """An answer does not wait for those of earlier calls."""
        late = threading.Event()
        answers = as_answered({"late": lambda: late.wait(10), "soon": lambda: "here"}, threads=2)

        assert next(answers) == ("soon", "here")
        late.set()
        assert next(answers) == ("late", True)

    def test_at_once(self):
        """As many calls are under way as there may be, and no more."""
        together, under_way, most = threading.Barrier(3, timeout=10), [], []

        def call():
            under_way.append(1)
            most.append(len(under_way))
            together.wait()
            under_way.pop()

        assert len(list(as_answered(dict.fromkeys(range(6), call), threads=3))) == 6
        assert max(most) <= 3

    def test_error(self):
        """What a call raises is raised where its answer is waited for, and what was not called yet is not called."""
        told, called = threading.Event(), []

        def fail():
            raise ZeroDivisionError

        def wait():
            called.append(threading.current_thread())
            told.wait(10)

        with pytest.raises(ZeroDivisionError):
            list(as_answered({"fails": fail, "waits": wait, "next": wait}, threads=1))
        told.set()
        for thread in called:
            thread.join(10)

        assert len(called) <= 1


@pytest.mark.cli
def test_end_of_the_process():
    """A process ends although a call of its own never will."""
    program = (
        "import threading\n"
        "from account.at_once import as_answered\n"
        "calls = {'never': threading.Event().wait, 'soon': lambda: 'here'}\n"
        "print(next(as_answered(calls, threads=2)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "('soon', 'here')\n", "")
