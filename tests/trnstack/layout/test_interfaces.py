"""Interfaces: every card once, the first with the address."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trnstack.catalog import INSTANCE_TYPES
from trnstack.layout.interfaces import interfaces

WITH_EFA = sorted(name for name, row in INSTANCE_TYPES.items() if row.efa_interfaces and not row.opt_in)
names = st.sampled_from(sorted(INSTANCE_TYPES))


class TestInterfaces:
    @given(names, st.booleans())
    def test_places_are_unique(self, name, efa):
        """No two interfaces share card and device, and none is beyond what the cards take."""
        places = [(i.network_card_index, i.device_index) for i in interfaces(INSTANCE_TYPES[name], efa=efa)]

        assert len(set(places)) == len(places)
        assert max(device for _, device in places) <= 1

    @pytest.mark.parametrize("name", WITH_EFA)
    def test_every_card_once(self, name):
        """With EFA every network card has exactly one interface, as many as the type has EFA interfaces."""
        row = INSTANCE_TYPES[name]
        made = interfaces(row, efa=True)

        assert [each.network_card_index for each in made] == list(range(row.network_cards))
        assert sum(each.is_efa for each in made) == row.efa_interfaces

    @given(names, st.booleans())
    def test_the_first_is_the_primary_one(self, name, efa):
        """Card 0, device 0 carries the address, so it is never efa-only; no other interface does or is device 0."""
        first, *others = interfaces(INSTANCE_TYPES[name], efa=efa)

        assert (first.network_card_index, first.device_index) == (0, 0)
        assert first.has_address
        assert first.interface_type == ("efa" if efa else "interface")
        for each in others:
            assert each.device_index == 1
            assert each.interface_type == "efa-only"
            assert not each.has_address

    @given(names)
    def test_without_efa(self, name):
        """Without EFA a node has one ordinary interface."""
        (only,) = interfaces(INSTANCE_TYPES[name], efa=False)

        assert only.interface_type == "interface"
        assert not only.is_efa

    def test_fewer_efa_interfaces_than_cards(self):
        """A type that is stated to have EFA on some cards only gets no other interface on the rest."""
        row = dataclasses.replace(INSTANCE_TYPES["trn1.32xlarge"], efa_interfaces=4)

        assert [each.network_card_index for each in interfaces(row, efa=True)] == [0, 1, 2, 3]
