"""Writes a decided job as YAML, by templates that are YAML themselves."""

import dataclasses
import hashlib
import json
from pathlib import Path

from trnstack.jobs.shape import SCRATCH_PATH, SCRIPTS_PATH, JobShape

#: How scripts/trnstack_program.py ends a pod that was told to end, and one whose job has lost another.
TOLD_TO_END, PEER_GONE = 143, 75
_TEMPLATES = Path(__file__).parent / "templates"


def render(job: JobShape) -> str:
    """Returns the job's manifests as one YAML text, for ``kubectl apply -f -``."""
    import jinja2  # noqa: PLC0415 - only what renders needs it

    made = jinja2.Environment(  # noqa: S701 - YAML is not HTML: what is filled in is quoted as YAML's strings are
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["quoted"] = quoted
    template = made.get_template("train-job.yaml" if job.runtime else "job.yaml")
    return template.render(
        job=job,
        digest=_digest(job),
        scripts_path=SCRIPTS_PATH,
        scratch_path=SCRATCH_PATH,
        told_to_end=TOLD_TO_END,
        peer_gone=PEER_GONE,
    )


def _digest(job: JobShape) -> str:
    """Returns a short word that differs where anything about the job does, by which what runs is known again."""
    text = json.dumps(dataclasses.asdict(job), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def quoted(text: str) -> str:
    """Returns a text as a YAML string in quotes, so that none is taken for a number or for true."""
    # JSON's strings are YAML's.
    return json.dumps(text, ensure_ascii=False)
