"""The templates of a plan, kept so that nothing unchanged is synthesized twice.

They are kept by a digest of all that they are made of: the plan, the versions of the CDK's library and of Python, the
source of constructs and stacks, the feature flags of ``cdk.json``, and the packages that are locked. The folder is
``trnstack/templates`` in ``XDG_CACHE_HOME``, or in ``~/.cache``. A file is written beside its place and moved there as
a whole, so that several processes may keep templates at a time; the oldest go when there are many. Without a folder
that can be written to, templates are made each time.
"""

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trnstack.advice.impact import StackTemplate
    from trnstack.plan import Plan


class TemplatesError(Exception):
    """Templates can't be made.

    Attributes:
        message: Why, in lower case without a full stop.
        hint: What to do.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}\n  hint: {hint}")
        self.message = message
        self.hint = hint


ROOT = Path(__file__).parents[2]
#: What is rendered by the source in these folders, and by it alone.
_RENDERED_BY = ("infra", "stacks", "trnstack/kubernetes", "trnstack/layout", "trnstack/plan")
#: What is kept at most; an environment's templates take about 100 kB.
MOST_KEPT = 100
_VERSION = 1
#: What the CDK writes to the folder for temporary files, 2.2 MB as measured with CDK 2, and a little more.
_ROOM_BYTES = 8 * 1024**2
_MAKE_ROOM = "make room in the folder for temporary files, or name another one in TMPDIR"
#: What CDK adds to each template to check its bootstrap stack, and no resource stands on.
_OF_THE_BOOTSTRAP = {"Parameters": "BootstrapVersion", "Rules": "CheckBootstrapVersion"}


def templates(plan: "Plan") -> dict[str, "StackTemplate"]:
    """Returns the templates of a plan by their stacks' names, in the order of the plan.

    The CDK, which starts a Node process, is loaded for those only that are not kept. Templates are made of what the
    lock leaves unresolved too.

    Raises:
        TemplatesError: There is no room to make them.
    """
    from trnstack.advice.impact import StackTemplate  # noqa: PLC0415 - as every command, see the package's docstring

    file = folder() / f"{_digest(plan)}.json"
    kept = _kept(file, plan)
    if kept is None:
        kept = _synthesized(plan)
        _keep(file, kept)
    return {
        stack.name: StackTemplate(name=stack.name, template=plain(kept[stack.name]), tags=stack.tags)
        for stack in plan.stacks
    }


def plain(template: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a template without the parameter and the rule by which CDK checks its bootstrap stack."""
    found: dict[str, Any] = {}
    for section, content in template.items():
        name = _OF_THE_BOOTSTRAP.get(section)
        left = {key: each for key, each in content.items() if key != name} if isinstance(content, Mapping) else content
        if left or not name:
            found[section] = left
    return found


def folder() -> Path:
    """Returns where templates are kept.

    Source: XDG base directory specification: a relative path in the variable is ignored.
    """
    named = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(named) if Path(named).is_absolute() else Path("~/.cache").expanduser()
    return base / "trnstack" / "templates"


def _digest(plan: "Plan") -> str:
    from ami.toolkit import installed  # noqa: PLC0415
    from trnstack.plan import to_json  # noqa: PLC0415

    digest = hashlib.sha256(f"{_VERSION} {installed()} {sys.version_info[:3]}\n".encode())
    sources = [path for name in _RENDERED_BY for path in sorted((ROOT / name).rglob("*.py"))]
    for path in (*sources, ROOT / "cdk.json", ROOT / "requirements.lock"):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(ROOT)} {len(content)}\n".encode() + content)
    digest.update(to_json(plan).encode())
    return digest.hexdigest()


def _kept(file: Path, plan: "Plan") -> dict[str, Any] | None:
    """Returns what is kept; None where it is not there, or not whole."""
    try:
        if not file.is_file():  # a pipe in its place would be waited for
            return None
        found = json.loads(file.read_bytes())
        os.utime(file)
    except (OSError, ValueError, RecursionError):
        return None
    whole = isinstance(found, dict) and all(_is_template(found.get(stack.name)) for stack in plan.stacks)
    return found if whole else None


def _is_template(made: Any) -> bool:
    return isinstance(made, dict) and isinstance(made.get("Resources"), dict)


def _keep(file: Path, made: Mapping[str, Any]) -> None:
    """Writes templates to their file, and takes away the oldest; what can't be kept is made anew another time."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, suffix=".new", delete=False, encoding="utf-8") as new:
            try:
                json.dump(made, new)
                new.close()  # a full disk is told here at the latest
                Path(new.name).replace(file)
            except OSError:
                Path(new.name).unlink(missing_ok=True)
                raise
        # What another process is writing, or a killed one has left, counts like the rest.
        for old in sorted(file.parent.iterdir(), key=_used, reverse=True)[MOST_KEPT:]:
            old.unlink(missing_ok=True)


def _used(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _synthesized(plan: "Plan") -> dict[str, Any]:
    """Returns the templates of a plan, made by the CDK.

    Raises:
        TemplatesError: There is no room for the files that it makes on the way.
    """
    try:
        place = tempfile.gettempdir()
        if shutil.disk_usage(place).free < _ROOM_BYTES:
            raise TemplatesError(f"no templates can be made: {place} is full", _MAKE_ROOM)
        return _made(plan)
    except OSError as error:
        raise TemplatesError(f"no templates can be made: {error.strerror or error}", _MAKE_ROOM) from error


def _made(plan: "Plan") -> dict[str, Any]:
    node = Path(sys.prefix) / "bin" / "node"
    if node.exists():
        os.environ.setdefault("JSII_NODE", str(node))
    from aws_cdk import App  # noqa: PLC0415 - starts Node, which nothing above needs

    from stacks.app import build  # noqa: PLC0415

    context = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]
    with tempfile.TemporaryDirectory() as out:
        app = App(outdir=out, context=context, analytics_reporting=False, builtin_cloud_formation_validation=False)
        build(app, plan)
        app.synth()
        return {
            stack.name: json.loads((Path(out) / f"{stack.name}.template.json").read_bytes()) for stack in plan.stacks
        }
