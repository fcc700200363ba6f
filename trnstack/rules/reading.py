"""What is checked before there is an environment that rules could look at: the file's text, its form, and its lock.

These checks are part of reading (``trnstack.source``, ``trnstack.spec.load``, ``trnstack.environment``); here stands
what they hold, for ``trnstack rules``.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingCheck:
    """A check that is made while a file is read.

    Attributes:
        code: The code of its findings.
        rule: What holds, in words.
        why: Why it matters.
        source: What says so.
    """

    code: str
    rule: str
    why: str
    source: str


_FORMAT = "The environment file, version 1: `trnstack schema`."
_IGNORES = "The environment file, version 1: README, `Findings`."
_LOCK = "The lock file, version 3: docs/adr/0003."
_CHARTS = "docs/adr/0007."

READING_CHECKS = (
    ReadingCheck(
        code="SPEC001",
        rule="the file can be read",
        why="It exists, is a file and not a folder, and may be read.",
        source="POSIX, open.",
    ),
    ReadingCheck(
        code="SPEC002",
        rule="the file is one YAML document",
        why="It is UTF-8 text of at most 1 MiB without tabs for indentation, nested and repeated within reason.",
        source="YAML 1.2.2, chapters 5 and 6.",
    ),
    ReadingCheck(
        code="SPEC003",
        rule="the document is a mapping of plain values",
        why="Tags, merge keys and keys that are no text would be read in one way here and in another elsewhere.",
        source="YAML 1.2.2, section 10.3 (core schema).",
    ),
    ReadingCheck(
        code="SPEC004",
        rule="no key is given twice",
        why="Most readers keep the last of two values in silence; which one was meant only the writer knows.",
        source="YAML 1.2.2, section 3.2.1.1: the keys of a mapping are unique.",
    ),
    ReadingCheck(
        code="SPEC005",
        rule="every key is known",
        why="A misspelt key would leave its default in force without a word.",
        source=_FORMAT,
    ),
    ReadingCheck(
        code="SPEC006",
        rule="every required key is there",
        why="What has no default must be said.",
        source=_FORMAT,
    ),
    ReadingCheck(
        code="SPEC007",
        rule="every value has the type of its key",
        why="YAML reads 1.30 as a number and yes as a text; nothing is turned into another type in silence.",
        source=_FORMAT,
    ),
    ReadingCheck(
        code="SPEC008",
        rule="every value has the form of its key",
        why="Names, ARNs, ids, ranges and choices are what AWS takes for them.",
        source=_FORMAT,
    ),
    ReadingCheck(
        code="SPEC030",
        rule="an ignore has codes and a reason",
        why="`# trnstack: ignore[NET003] reason` silences a warning or note on its line, or on the line below when it "
        "stands alone. Whoever reads the file next year wants to know why.",
        source=_IGNORES,
    ),
    ReadingCheck(
        code="SPEC031",
        rule="the codes of an ignore are known",
        why="A misspelt code silences nothing.",
        source=_IGNORES,
    ),
    ReadingCheck(
        code="SPEC032",
        rule="no error is ignored",
        why="What an error tells would fail or lose data; it has to be corrected.",
        source=_IGNORES,
    ),
    ReadingCheck(
        code="SPEC033",
        rule="an ignore silences something",
        why="One that has become idle would silence the next finding of its code, which nobody has looked at.",
        source=_IGNORES,
    ),
    ReadingCheck(
        code="IMG001",
        rule="the environment has a lock",
        why="Without it images and add-ons would be whatever is newest on the day of the deploy.",
        source=_LOCK,
    ),
    ReadingCheck(
        code="IMG002",
        rule="the lock answers the environment as it is",
        why="A lock for another Kubernetes version or Neuron SDK pins what does not fit.",
        source=_LOCK,
    ),
    ReadingCheck(
        code="IMG003",
        rule="the lock can be read",
        why="It is whole, has a lock's form, and was not written by another version of trnstack. One that is not, as "
        "after a merge, is never locked over: that would choose every pin anew.",
        source=_LOCK,
    ),
    ReadingCheck(
        code="IMG006",
        rule="the lock is resolved before a deploy",
        why="What tables can't tell, AMI ids and digests, an account and registries do. A rehearsal resolves it for "
        "itself; for a check it is a note.",
        source=_LOCK,
    ),
    ReadingCheck(
        code="IMG007",
        rule="the lock was made for a real account",
        why="A lock that a rehearsal made names images which only the embedded AWS has.",
        source=_LOCK,
    ),
    ReadingCheck(
        code="IMG008",
        rule="custom images are built",
        why="Until one is, the stack of its node group is left out of every deploy, and what stands of it stays as it "
        "was: the schedules of the next Capacity Block, for one, would not be there.",
        source=_LOCK,
    ),
    ReadingCheck(
        code="IMG017",
        rule="the charts that the lock pins lie beside it",
        why="A deploy fetches nothing: it takes a chart from its archive, and only if that has the bytes that the lock "
        "pins. Asked where templates are made to be deployed, and by `trnstack lock --check`.",
        source=_CHARTS,
    ),
    ReadingCheck(
        code="IMG018",
        rule="a chart knows every value that is set",
        why="Helm passes over a value that a chart does not have, so what was renamed would be off without a word.",
        source="Helm documentation, `Values Files`; docs/adr/0007.",
    ),
    ReadingCheck(
        code="IMG019",
        rule="a chart has the files that are left out of it",
        why="What a controller writes a chart may not declare, or no upgrade goes through: such a file is left out, "
        "and an object of trnstack's takes its place. In a chart that has moved it both would be there.",
        source="Kubernetes documentation, `Server-Side Apply`, Conflicts; kubernetes-sigs/jobset pull request 1248.",
    ),
)
