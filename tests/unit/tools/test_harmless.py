"""Words of others on the screen: no control characters, no turned lines, nothing lost in JSON."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.core.harmless import harmless, harmless_json

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("开会 [red]x[/red]", "开会 [red]x[/red]"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\nb\tc\rd", "a b c d"),
        ("bell\x07", "bell␇"),
        ("\x9b31m\x7f", "\ufffd31m\ufffd"),
        ("\u202egnirts\u2066", "\ufffdgnirts\ufffd"),
        ("全角　空格", "全角 空格"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("lone \ud800", "lone \ufffd"),
    ],
)
def test_what_is_shown(words: str, shown: str) -> None:
    assert harmless(words) == shown


@given(st.text())
def test_nothing_is_shown_that_controls_a_terminal(words: str) -> None:
    shown = harmless(words)
    assert len(shown) == len(words)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in "\u202a\u202e\u2066"]


@given(st.text())
def test_json_reads_back_the_same_and_shows_no_control_characters(words: str) -> None:
    told = harmless_json({"title": words})
    assert json.loads(told) == {"title": words}
    assert not [c for c in told if unicodedata.category(c) == "Cc" and c != "\n"]
