"""The records of a teardown."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change of the environment file.

    Attributes:
        path: Where, as ``eks.deletion_protection``.
        value: What to write there.
    """

    path: str
    value: bool | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Something to do.

    Attributes:
        title: What it is.
        commands: The commands, in their order; those of ``cdk`` without their ``-c environment=FILE``.
        edits: The changes of the environment file that come first; none where it stays as it is.
        consequence: What it does, and what can't be had back; what is to be seen, where it only looks.
    """

    title: str
    commands: tuple[str, ...]
    edits: tuple[Edit, ...] = ()
    consequence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """What a stack's deletion takes with it."""

    stack: str
    what: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What stays when nodes and cluster are gone.

    Attributes:
        what: The thing.
        stack: The stack that it belongs to; empty where it belongs to none.
        monthly_usd: What it goes on costing; None where that is not known here.
        note: How it is billed, what it holds, or how to be rid of it.
    """

    what: str
    stack: str
    monthly_usd: float | None
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Teardown:
    """How an environment is taken down.

    Attributes:
        deleted: What goes, in the order in which it does.
        kept: What stays.
        before: What to do first, or something is lost or left behind.
        steps: The ordinary way.
        protected: The stacks that it leaves, whose deletion CloudFormation refuses.
        removal: The way that takes network and storage too, for those who have done the ordinary one.
    """

    deleted: tuple[Deleted, ...]
    kept: tuple[Kept, ...]
    before: tuple[Step, ...]
    steps: tuple[Step, ...]
    protected: tuple[str, ...]
    removal: tuple[Step, ...]
