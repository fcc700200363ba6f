"""What a sweep of all-reduces is made of, whichever framework runs it: sizes, repetitions, and what a time comes to."""

#: Bytes of each operand, from 64 KiB to 1 GiB; below that the time is the launch of the graph and no network's.
SIZES = tuple(2**power for power in range(16, 31, 2))
#: So many all-reduces are in one graph, each on the result of the one before, so that its launch is shared.
CHAINED = 10
REPEATED, BYTES_A_NUMBER = 5, 2


def row(size, ranks, seconds):
    """Returns what one all-reduce comes to.

    Args:
        size: The bytes of the operand of each rank.
        ranks: How many ranks there are.
        seconds: How long one takes.

    Source: AWS Neuron documentation, "NCCOM-TEST User Guide", Bus Bandwidth Calculation: 2 (r - 1) / r.
    """
    gbps = size * 8 / seconds / 1e9
    return {
        "bytes": size,
        "microseconds": round(seconds * 1e6, 1),
        "algorithm_gbps": round(gbps, 3),
        "bus_gbps": round(gbps * 2 * (ranks - 1) / ranks, 3),
    }


def result(tool, nodes, ranks, rows):
    """Returns the result of a sweep."""
    told = {"kind": "collectives", "operation": "all_reduce", "tool": tool, "datatype": "bf16"}
    return {**told, "nodes": nodes, "ranks": ranks, "rows": rows}
