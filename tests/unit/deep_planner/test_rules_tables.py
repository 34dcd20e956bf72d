"""No sentence of an evaluation case stands in the brain's tables or code: it must understand, not remember."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deep_planner.evaluation.cases import load_cases

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]
PLACES = ("deep_planner/models/rules", "tools/domain/times")
#: From this length on a sentence is one that somebody said, and no phrase of the language.
CHINESE, ENGLISH = 8, 5


def sources() -> str:
    files = [path for place in PLACES for path in (ROOT / place).rglob("*") if path.suffix in (".py", ".toml")]
    return plain("\n".join(path.read_text(encoding="utf-8") for path in sorted(files)))


def plain(words: str) -> str:
    """Letters and digits alone, so that neither commas nor escapes hide a sentence."""
    return re.sub(r"[\W_]+", "", words).lower()


def is_sentence(words: str) -> bool:
    return len(re.findall(r"[一-鿿]", words)) >= CHINESE or len(re.findall(r"[A-Za-z']+", words)) >= ENGLISH


def test_no_case_stands_in_the_tables() -> None:
    known = sources()
    said = {turn.user for case in load_cases([ROOT / "tests/eval/cases"]) for turn in case.turns}
    sentences = [words for words in said if is_sentence(words)]
    assert len(sentences) > 300
    assert [words for words in sentences if plain(words) in known] == []
