"""moto lists the methods of an API's class once."""

import inspect

import pytest
from moto.core import responses, utils
from moto.ec2.responses import EC2Response

from rehearsal.method_names import remember
from rehearsal.overlays import overlay_for


@pytest.mark.usefixtures("services")
def test_same_names():
    """What is remembered is what moto would list: of its own classes, and of ours over them."""
    for of in (EC2Response, overlay_for("ec2"), overlay_for("eks")):
        listed = [name for name, _ in inspect.getmembers(of, predicate=inspect.isfunction)]

        assert listing()(of) == listed
        assert listing()(of) is listing()(of)


@pytest.mark.usefixtures("services")
def test_twice():
    """A second rehearsal in a process goes on with what the first has remembered."""
    before = listing()
    remember()

    assert listing() is before is not utils.method_names_from_class


def listing():
    return vars(responses)["method_names_from_class"]
