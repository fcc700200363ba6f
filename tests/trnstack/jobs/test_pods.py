"""How pods start, stay together and end: each in a process of its own."""

import signal

import pytest

from tests.trnstack.jobs.pods import ended, until

pytestmark = pytest.mark.cli
SLEEPS = "import time\nprint('begun', flush=True)\ntime.sleep(60)\n"


def logs(pods):
    return {path.name: path.read_text() for path in (pods.base / "logs" / "j").glob("*.log")}


class TestOnePod:
    def test_variables_and_code(self, pods):
        """The script gets the variables, and its exit code is the pod's."""
        pods.has(mine="import os, sys\nprint(os.environ['MASTER_ADDR'])\nsys.exit(7)")

        ((code, out),) = pods.run(1)

        assert code == 7
        assert out.splitlines()[-1] == "127.0.0.1"

    def test_log(self, pods):
        """What a pod says outlives it, as a file on the file system, errors and all."""
        pods.has(mine="import sys\nprint('said')\nraise ValueError('wrong')")

        ((code, out),) = pods.run(1)

        ((name, text),) = logs(pods).items()
        assert code == 1
        assert name.endswith("Z-0000.log")
        assert "said\n" in text
        assert "ValueError: wrong" in text
        assert text in out

    def test_attempts(self, pods):
        """A second attempt leaves the log of the first."""
        pods.has(mine="print('first')")
        pods.run(1)
        pods.has(mine="print('second')")
        pods.run(1)

        assert "".join(logs(pods)[name] for name in sorted(logs(pods))) == "first\nsecond\n"

    @pytest.mark.parametrize("body", [SLEEPS, "import signal\nsignal.signal(15, lambda *_: exit(3))\n" + SLEEPS])
    def test_told_to_end(self, pods, body):
        """A pod that is told to end says so, however its program takes the signal."""
        pods.has(mine=body)
        (pod,) = pods.start(1)
        until(lambda: any("begun" in text for text in logs(pods).values()))

        pod.send_signal(signal.SIGTERM)

        assert ended([pod])[0][0] == 143

    def test_finished_meanwhile(self, pods):
        """One whose program ends well all the same has ended well."""
        pods.has(mine="import signal\nsignal.signal(15, lambda *_: exit(0))\n" + SLEEPS)
        (pod,) = pods.start(1)
        until(lambda: any("begun" in text for text in logs(pods).values()))

        pod.send_signal(signal.SIGTERM)

        assert ended([pod])[0][0] == 0


class TestSeveralPods:
    def test_all_well(self, pods):
        """All end well together, whichever is done first, and each knows where the first one is."""
        pods.has(mine="import os, time\ntime.sleep(int(os.environ['JOB_COMPLETION_INDEX']) * 0.3)\nprint('mine')")

        found = pods.run(3)

        assert [code for code, _ in found] == [0, 0, 0]
        assert [name[-8:] for name in sorted(logs(pods))] == ["0000.log", "0001.log", "0002.log"]
        assert len({name[:16] for name in logs(pods)}) == 1

    @pytest.mark.parametrize("lost", [0, 1])
    def test_one_is_gone(self, pods, lost):
        """When a pod is gone the others end, and not as if they had failed: alone it would find none of them again."""
        pods.has(mine=SLEEPS)
        started = pods.start(3)
        until(lambda: len([text for text in logs(pods).values() if "begun" in text]) == 3)

        started[lost].kill()

        codes = [code for code, _ in ended(started)]
        assert codes[lost] == -9
        assert sorted(codes) == [-9, 75, 75]

    def test_one_fails(self, pods):
        """When one fails its code is told, and those that had done their part begin again with it."""
        pods.has(
            mine="import os, sys, time\ntime.sleep(0.5)\nsys.exit(3 * (os.environ['JOB_COMPLETION_INDEX'] == '1'))"
        )

        assert [code for code, _ in pods.run(3)] == [75, 3, 75]

    def test_nobody_comes(self, pods):
        """A pod whose partners don't come ends with a sentence."""
        pods.has(mine=SLEEPS)
        pod, other = pods.start(2, wait=1)
        other.kill()

        ((code, out),) = ended([pod])

        assert code == 1
        assert "did not meet within 1 seconds: are all of them scheduled?" in out

    def test_told_while_waiting(self, pods):
        """One that is told to end before the others have come ends at once."""
        pods.has(mine=SLEEPS)
        pod, other = pods.start(2)
        other.kill()
        other.wait()

        def told():
            pod.send_signal(signal.SIGTERM)
            return pod.poll() is not None

        until(told)
        assert pod.returncode in (143, -15)  # -15: before Python had begun
