"""Changing one value in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trnstack.source import parse
from trnstack.source.edit import EditError, with_text

PATH = ("neuron", "sdk")


class TestWithText:
    @pytest.mark.parametrize(
        "text",
        [
            'neuron:\n  sdk: "2.30.0"  # PyTorch\'s last\n  framework: jax\n',
            "neuron:\n  sdk: '2.30.0'\n",
            "neuron:\n  sdk: 2.30.0\n",
            "neuron: {framework: jax, sdk: 2.30.0}\n",
            "neuron: {sdk:   '2.30.0'   ,framework: jax}\r\nname: x\r\n",
            'a: [sdk, {sdk: 2.30.0}]\nsdk: 2.30.0\nneuron:\n    "sdk":\n        2.30.0\n',
            "# 2.30.0 é — ünï\nother: {neuron: {sdk: 2.30.0}}\nneuron:\n\n  # 2.30.0\n  sdk: 2.30.0 # 2.30.0",
        ],
    )
    def test_that_value_alone(self, text):
        """The value changes, and with it no other character: comments, quotes, blanks and line ends stay."""
        changed = with_text(text, PATH, "2.31.1")
        place = next(i for i, (old, new) in enumerate(zip(text, changed, strict=True)) if old != new)

        assert changed[:place] == text[:place]
        assert changed[place:] == "1.1" + text[place + 3 :]
        assert parse(changed, "x").data["neuron"]["sdk"] == "2.31.1"

    def test_longer(self):
        """A longer value moves what follows."""
        assert with_text("neuron: {sdk: '2.9.0', a: 1}", PATH, "2.31.10") == "neuron: {sdk: '2.31.10', a: 1}"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("neuron:\n  sdk: &sdk 2.30.0\nother: *sdk\n", "is in reach of the anchor &sdk: a change could go further"),
            ("other: &sdk 2.30.0\nneuron:\n  sdk: *sdk\n", "is in reach of the anchor &sdk"),
            ("other: &n {sdk: 2.30.0}\nneuron: *n\n", "is in reach of the anchor &n"),
            ("neuron: &n\n  sdk: 2.30.0\n", "is in reach of the anchor &n"),
            ("neuron:\n  sdk: |-\n    2.30.0\n", "is not written on one line"),
            ("neuron:\n  framework: jax\n", "is not written out there"),
        ],
    )
    def test_refused(self, text, message):
        """Where a change would reach further, or the value has another form, a person is asked to make it."""
        with pytest.raises(EditError) as caught:
            with_text(text, PATH, "2.31.1")

        assert caught.value.message.startswith(f"neuron.sdk {message}")
        assert caught.value.hint == "write neuron.sdk: 2.31.1 by hand"

    @given(
        before=st.text(
            st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp", "Cn", "Co")), max_size=30
        ),
        quote=st.sampled_from(["", "'", '"']),
    )
    def test_any_comment_before(self, before, quote):
        """Whatever letters stand before, in UTF-8 of any length, the right place is found."""
        head = f"# {before}\nneuron:\n  sdk: "

        assert with_text(f"{head}{quote}2.30.0{quote}\n", PATH, "2.31.1") == f"{head}{quote}2.31.1{quote}\n"
