"""Every template with one mistake that AWS refuses is refused, with AWS's error code; plain moto accepts most."""

import json
from collections import Counter

import pytest

from tests.rehearsal.refusals.harness import deployed, rows

ROWS = tuple(rows())
COUNTED = tuple(row for row in ROWS if not row.uncounted)
GOOD = {json.dumps([row.region, row.good], sort_keys=True): row for row in ROWS}


def named(row):
    return row.name


@pytest.mark.parametrize("row", GOOD.values(), ids=named)
def test_good_is_accepted(services, row):
    """Without the mistake the template stands, so it is the mistake that is refused."""
    outcome = deployed(services, row.good, region=row.region)

    assert outcome.accepted, outcome


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_bad_is_refused(services, row):
    """The resource fails with AWS's code and words, and the stack is rolled back."""
    templates = (row.good, row.bad) if row.update else (row.bad,)
    outcome = deployed(services, *templates, region=row.region)

    assert outcome.failed is not None
    assert (outcome.failed.logical_id, outcome.failed.code) == (row.refused, row.code), outcome
    assert row.words in outcome.failed.reason
    assert outcome.status == ("UPDATE_ROLLBACK_COMPLETE" if row.update else "ROLLBACK_COMPLETE")


@pytest.mark.parametrize("row", COUNTED, ids=named)
def test_plain_moto_accepts(plain, row):
    """The same handlers over moto alone take the mistake, which is what the rehearsal is more than moto."""
    templates = (row.good, row.bad) if row.update else (row.bad,)
    outcome = deployed(plain, *templates, region=row.region)

    assert outcome.accepted, outcome


def test_enough():
    """At least thirty mistakes that plain moto accepts are refused."""
    assert len(COUNTED) >= 30


def test_rows_are_whole():
    """Every row has a name of its own, and says where AWS's refusal is documented or quoted."""
    assert [name for name, times in Counter(map(named, ROWS)).items() if times > 1] == []
    assert [row.name for row in ROWS if not row.source or not row.words or row.good == row.bad] == []
