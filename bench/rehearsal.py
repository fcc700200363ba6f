"""What a rehearsal takes: the real CDK CLI deploys, updates and destroys against an embedded AWS."""

import sys
from pathlib import Path

from bench.measure import Command, watch
from bench.table import Row, Section

_FILE = "environments/llama3-8b-trn1.yaml"
#: The command of ``make rehearse``.
REHEARSE = Command(f"rehearse {Path(_FILE).stem}", (str(Path(sys.prefix) / "bin" / "trnstack"), "rehearse", _FILE))


def measure(command: Command = REHEARSE) -> Section:
    """Returns one rehearsal's time, and the memory of everything that it starts.

    Raises:
        BenchError: The rehearsal failed.
    """
    watched = watch(command, every_seconds=0.2)
    row = Row(what=command.label, seconds=watched.seconds, memory_mib=watched.peak_mib, target="45 s, 1536 MiB")
    return Section("Rehearsal (once)", (row,))
