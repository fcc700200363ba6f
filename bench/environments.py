"""Environments that are larger than anybody's, made from the one that comes with the project."""

import sys
from pathlib import Path

from ami.lock import path_for, read, write
from bench.locks import resolved
from bench.measure import ROOT, Command, run

FILE = "environments/llama3-8b-trn1.yaml"
#: The example's only node group; what is measured starts from it, or stands in its place.
_NODE_GROUP = "  - name: trn1\n    instance_type: trn1.32xlarge\n    node_count: 32\n"


def with_further_node_groups(count: int) -> str:
    """Returns the example with further node groups of two nodes each."""
    further = "".join(
        f"  - name: trn1-{number}\n    instance_type: trn1.32xlarge\n    node_count: 2\n"
        for number in range(1, count + 1)
    )
    return _example().replace(_NODE_GROUP, _NODE_GROUP + further)


def of_node_groups(count: int) -> str:
    """Returns the example with so many node groups in place of its own, all of whose usual keys are written."""
    return _example().replace(_NODE_GROUP, "".join(_node_group(number) for number in range(count)))


def by_gitops(text: str) -> str:
    """Returns an environment whose cluster gets its charts and objects from a repository, so that no stack has them."""
    assert "\nkubernetes:" not in text, "the section is there already"  # noqa: S101 - a benchmark's own text
    return f"{text.rstrip()}\n\nkubernetes: {{delivery: gitops}}\n"


def _example() -> str:
    text = (ROOT / FILE).read_text(encoding="utf-8")
    assert _NODE_GROUP in text, f"{FILE} has changed"  # noqa: S101 - a benchmark's own text
    return text


def _node_group(number: int) -> str:
    return f"""\
  - name: trn1-{number}
    instance_type: trn1.2xlarge
    min_count: 1
    max_count: 2
    availability_zone_id: use2-az3
    capacity: {{type: spot}}
    efa: auto
    placement_group: auto
    image: {{type: eks_optimized}}
    local_storage: raid0
    root_volume_gib: 200
    labels: {{workload: compile-{number}, team: research}}
    taints:
      - {{key: aws.amazon.com/neuron, value: present, effect: NO_SCHEDULE}}
    max_unavailable: 1
    node_repair: true
"""


def locked(file: Path, text: str) -> Path:
    """Writes an environment with its lock beside it, as an account would have resolved it, and returns the file.

    Raises:
        BenchError: It can't be locked.
    """
    file.write_text(text, encoding="utf-8")
    trnstack = str(Path(sys.prefix) / "bin" / "trnstack")
    run(Command("lock", (trnstack, "lock", "--offline", str(file))))
    write(resolved(read(path_for(file))), path_for(file))
    return file
