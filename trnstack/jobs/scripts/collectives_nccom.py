"""Measures all-reduce among the cores of one node with nccom-test.

Over several nodes nccom-test needs MPI with SSH among the pods, or Slurm; there, collectives_pytorch and
collectives_jax measure the same.

Source: AWS Neuron documentation, "NCCOM-TEST User Guide": sizes, JSON report, and that its GB are of 2**30 bytes.
"""

import json
import subprocess
import tempfile
from pathlib import Path

import trnstack_pod as pod

#: The same sizes as the other sweeps have, see sweep.py.
SMALLEST, LARGEST, FACTOR = "64kb", "1gb", "4"
_GIB = 2**30


def rows_of(report):
    """Returns the rows of nccom-test's JSON report in the form of results: bytes, microseconds and Gbit/s."""
    return [
        {
            "bytes": row["size(B)"],
            "microseconds": row["time:avg(us)"] if "time:avg(us)" in row else row["time(us)"],
            "algorithm_gbps": round(row["algbw(GB/s)"] * _GIB * 8 / 1e9, 3),
            "bus_gbps": round(row["busbw(GB/s)"] * _GIB * 8 / 1e9, 3),
        }
        for row in report["results"]
    ]


def main():
    """Runs in the job's one pod."""
    place = pod.place()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        sizes = ["--minbytes", SMALLEST, "--maxbytes", LARGEST, "--stepfactor", FACTOR]
        told = ["--datatype", "bf16", "--non-interactive", "--report-to-json-file", str(report)]
        ranks = ["--nworkers", str(place.cores)]
        subprocess.run(["nccom-test", *ranks, *sizes, *told, "allr"], check=True)  # noqa: S603, S607
        rows = rows_of(json.loads(report.read_text(encoding="utf-8")))
    result = {"kind": "collectives", "operation": "all_reduce", "tool": "nccom-test", "datatype": "bf16"}
    pod.tell({**result, "nodes": 1, "ranks": place.cores, "rows": rows})


if __name__ == "__main__":
    main()
