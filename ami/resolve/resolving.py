"""Resolves a lock: asks for what only an account and registries tell, and for whether the rest still holds.

The choices stay those of the tables and of the older lock: which driver an AMI release has, AWS does not tell.
"""

import dataclasses
import datetime as dt
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from ami import offline
from ami.pins import Inputs, Lock
from ami.registry import Registry
from ami.remember import forgotten, without_charts
from ami.resolve import chart_archives, custom_images
from ami.resolve.asking import Failure, NoAccountError, Progress, ResolveError, answers
from ami.resolve.aws import Aws
from ami.resolve.custom_notes import custom_notes
from ami.resolve.parents import gone_images
from ami.resolve.questions import filled, questions


class Resolved(NamedTuple):
    """A lock that an account resolved.

    Attributes:
        lock: The lock; nothing in it is unresolved.
        notes: What is to be known about it: what is deprecated, was moved, or is not built yet.
        archives: The charts' archives that did not lie beside it, by the names of their files.
    """

    lock: Lock
    notes: tuple[str, ...]
    archives: Mapping[str, bytes]


def _unseen(about: str, done: int, total: int) -> None:
    """Shows no progress."""


def for_environment(
    inputs: Inputs,
    *,
    keep: Lock | None,
    aws: Aws,
    account: str | None = None,
    registry: Registry | None = None,
    ami_release: str | None = None,
    archives: Path | None = None,
    progress: Progress = _unseen,
) -> Resolved:
    """Returns an environment's lock: chosen from the tables and the older lock, and resolved by an account.

    Args:
        inputs: What the lock is to answer.
        keep: An older lock, whose pins stay where what they answer is asked unchanged.
        aws: The account.
        account: The account that the environment names, if any.
        registry: The container registries; left out, those that AWS's address leads to.
        ami_release: The EKS AMI release to take, such as ``v20260618``.
        archives: Where charts' archives lie already, which are then not fetched.
        progress: Told after each answer what it was about, how many there are and how many there will be.

    Raises:
        NoPinError: Something has no pin in the tables.
        ResolveError: As for ``resolve``.
    """
    chosen = offline.lock(inputs, keep=keep, ami_release=ami_release, account_follows=True)
    return resolve(chosen, aws=aws, account=account, registry=registry, archives=archives, progress=progress)


def resolve(
    chosen: Lock,
    *,
    aws: Aws,
    account: str | None = None,
    registry: Registry | None = None,
    archives: Path | None = None,
    progress: Progress = _unseen,
    now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
) -> Resolved:
    """Returns a chosen lock with everything resolved; the same answers give the same lock.

    A rehearsal's lock is resolved from nothing: ids and digests of AWS are none of an embedded one.

    Args:
        chosen: The lock that the tables gave, with what is known of an older one.
        aws: The account.
        account: The account that the environment names, if any.
        registry: The container registries; left out, those that AWS's address leads to.
        archives: Where charts' archives lie already, which are then not fetched.
        progress: Told after each answer what it was about, how many there are and how many there will be.
        now: Gives the time, by which AMIs are deprecated or not; it stands in notes alone.

    Raises:
        NoAccountError: There is no account to ask, or not the environment's.
        ResolveError: Something has no pin, or one that does not hold any more; everything that failed is in it.
    """
    held, rehearsal = aws.account(), aws.rehearsal() is not None
    _require(account, held)
    if rehearsal:
        chosen = without_charts(forgotten(chosen))
    registry = registry or aws.registry()
    asked = questions(chosen, aws, registry, now())
    counted = _counted(progress, len(asked) + len(custom_images.places(chosen)) + len(chosen.charts))
    heard, failures = answers(asked, answered=counted)
    lock = filled(chosen, heard)
    # A version follows from the training container's digest, and an archive is had by its chart's: these come second.
    about_archives = chart_archives.questions(lock, registry, archives)
    built, more = answers({**custom_images.questions(lock, aws), **about_archives}, answered=counted)
    missed, gone = gone_images(chosen, heard, built)
    if missed or failures or more:
        raise ResolveError([*missed, *failures, *more])
    lock = dataclasses.replace(
        chart_archives.with_archives(custom_images.with_custom(lock, built), built),
        made_from=f"{'a rehearsal' if rehearsal else 'AWS'} in {aws.region}",
        rehearsal_account=held if rehearsal else None,
    )
    told = [*gone, *(note for answer in heard.values() for note in getattr(answer, "notes", ()))]
    notes = (*dict.fromkeys(sorted(told)), *custom_notes(chosen, lock, built))
    return Resolved(lock, notes, chart_archives.fetched(lock, built))


def _require(wanted: str | None, held: str) -> None:
    if wanted and held != wanted:
        raise NoAccountError(
            [
                Failure(
                    f"the credentials are of account {held}, and the environment is for account {wanted}",
                    f"sign in to {wanted}, or correct account in the environment file",
                )
            ]
        )


def _counted(progress: Progress, total: int) -> Callable[[str], None]:
    done = 0

    def answered(about: str) -> None:
        nonlocal done
        done += 1
        progress(about, done, total)

    return answered
