"""From an environment file, and edits of it, to the plan that is deployed in process."""

import dataclasses
import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

from ami.lock import path_for
from ami.pins import Lock
from rehearsal.charts import NoStandInError
from rehearsal.rehearsed.edits import check_paths, told
from rehearsal.rehearsed.errors import RehearsedError
from rehearsal.rehearsed.locking import fit
from rehearsal.story.edited import edited
from trnstack.environment import check_file
from trnstack.findings import InvalidEnvironmentError
from trnstack.findings import Path as YamlPath
from trnstack.plan import Plan, plan

Edits = Mapping[str, object] | Mapping[YamlPath, object]
"""Values by their paths in the file: ``node_groups[0].labels``, or ``("node_groups", 0, "labels")``."""

_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


@dataclass(frozen=True, slots=True)
class Planned:
    """An environment as it is to be deployed.

    Attributes:
        file: The person's environment file.
        lock_file: The lock, beside which charts' archives lie.
        lock: The lock with which it is deployed, with nothing unresolved.
        plan: The plan.
        edits: The values that were changed, by their paths; later ones last.
    """

    file: Path
    lock_file: Path
    lock: Lock
    plan: Plan
    edits: Mapping[YamlPath, object] = field(default_factory=dict)

    def edited(self, edits: Edits, folder: Path) -> "Planned":
        """Returns the same with values of the file changed; the file is left as it is.

        Args:
            edits: The values by their paths.
            folder: A folder for the copy.

        Raises:
            InvalidEnvironmentError: The edited file has errors, or needs another lock; names the person's file.
            RehearsedError: A path leads nowhere in it.
        """
        new = {_path(name): value for name, value in edits.items()}
        # Always from the person's file, so that nothing stays of edits that were refused.
        every = {**{path: value for path, value in self.edits.items() if path not in new}, **new}
        check_paths(self.file, every)
        copy = edited(self.file, folder, deepcopy(every))  # an edit may lead into another one's value
        try:
            made = planned(copy, lock_file=self.lock_file)
        except InvalidEnvironmentError as error:
            raise InvalidEnvironmentError(
                [told(finding, self.file, new) if finding.file == str(copy) else finding for finding in error.findings]
            ) from error
        return dataclasses.replace(made, file=self.file, edits=every)


def planned(file: Path, *, lock_file: Path | None = None) -> Planned:
    """Reads, checks and plans an environment with its lock.

    Args:
        file: The environment file.
        lock_file: The lock, where it is not the one beside the file.

    Raises:
        InvalidEnvironmentError: The file, or its lock, has errors.
        RehearsedError: A chart has no archive beside the lock, and nothing stands in for it.
    """
    path = lock_file or path_for(file)
    checked = check_file(file, lock_file=path)
    if checked.environment is None or checked.lock is None:
        raise InvalidEnvironmentError(checked.findings)
    try:
        lock = fit(checked.lock, path)
    except NoStandInError as error:
        mends = f"lock the environment against an account, which puts the archive beside {path.name}"
        raise RehearsedError(f"{error}; {mends}") from error
    return Planned(file, path, lock, plan(checked.environment, lock))


def _path(name: str | YamlPath) -> YamlPath:
    """Returns a path of an edit as its steps.

    Raises:
        RehearsedError: The text is no path.
    """
    if not isinstance(name, str):
        return name
    steps = tuple(int(number) if number else key for number, key in _STEP.findall(name))
    if not steps or _STEP.sub("", name).strip("."):
        raise RehearsedError(f"{name!r} is no path in an environment file; write it as node_groups[0].node_count")
    return steps
