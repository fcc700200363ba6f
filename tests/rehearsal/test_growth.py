"""How work and memory grow: by calls and objects, which are the same on every machine."""

import functools
import gc
from collections import Counter
from pathlib import Path

import pytest

from bench.node_groups import template
from rehearsal.rehearsed import rehearsed
from rehearsal.transport import Transport

ENVIRONMENT = Path(__file__).parents[2] / "environments" / "dev-trn1.yaml"
ACCOUNT, REGION = "123456789012", "us-east-2"


@pytest.fixture
def calls(monkeypatch):
    """Counts the calls of services' APIs."""
    counted = Counter()
    answer = Transport._answer

    def count(self, request, headers):
        counted["calls"] += 1
        return answer(self, request, headers)

    monkeypatch.setattr(Transport, "_answer", count)
    return counted


def test_calls_of_node_groups(services, calls):
    """Each further node group of a template takes as many calls as the one before, however many there are."""

    def taken(count):
        services.reset()
        calls.clear()
        cloudformation = services.transport.client("cloudformation", ACCOUNT, REGION)
        cloudformation.create_stack(StackName="nodes", TemplateBody=template(count), Capabilities=["CAPABILITY_IAM"])
        (stack,) = cloudformation.describe_stacks(StackName="nodes")["Stacks"]
        assert stack["StackStatus"] == "CREATE_COMPLETE"
        return calls["calls"]

    none, some, more = (taken(count) for count in (0, 20, 60))

    assert some > none
    assert more - some == 2 * (some - none)


def test_memory_of_environments(tmp_path, monkeypatch):
    """An environment that is gone leaves nothing of its stacks and services in the process.

    What bounded caches hold is left out, such as moto's: each has the last 128 of its records, and never more.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def left():
        with rehearsed(ENVIRONMENT):
            pass
        for each in gc.get_objects():
            if isinstance(each, functools._lru_cache_wrapper) and each.cache_info().maxsize is not None:
                each.cache_clear()
        gc.collect()
        own = (f"{type(each).__module__}.{type(each).__qualname__}" for each in gc.get_objects())
        return Counter(name for name in own if name.startswith(("moto.", "rehearsal.")))

    left()
    before, after = left(), left()

    assert after - before == Counter()
