"""The rules of the weather as plain values (A20, A27)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.core.text import LANGUAGES, catalogue
from tools.domain.weather import (
    Advice,
    Condition,
    advice_key,
    advice_named,
    condition_like,
    condition_named,
    condition_of_code,
    condition_word,
    is_cold,
    is_hot,
    is_snow,
    needs_umbrella,
    suggestion_words,
)

pytestmark = pytest.mark.unit

WMO = [0, 1, 2, 3, 45, 48, 51, 53, 55, 56, 57, 61, 63, 65, 66, 67, 71, 73, 75, 77, 80, 81, 82, 85, 86, 95, 96, 99]


@pytest.mark.parametrize("code", WMO)
def test_every_code_has_a_condition_and_its_advice(code: int) -> None:
    condition = condition_of_code(code)
    assert condition is not Condition.UNKNOWN
    assert needs_umbrella(condition) == (51 <= code <= 67 or 80 <= code <= 82 or code >= 95)
    assert is_snow(condition) == (71 <= code <= 77 or 85 <= code <= 86)


@pytest.mark.parametrize("code", [None, -1, 4, 97, 100, 10**9])
def test_other_codes_are_unknown_and_advise_nothing(code: int | None) -> None:
    assert condition_of_code(code) is Condition.UNKNOWN
    assert advice_key(Condition.UNKNOWN, 5, 15) is None


def test_words_have_the_same_keys_in_both_languages() -> None:
    for language in LANGUAGES:
        table = catalogue(language, "weather")
        assert set(table) == {"condition", "suggestion"}
        assert set(table["condition"]) == set(Condition)
        assert set(table["suggestion"]) == set(Advice)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("condition", Condition)
def test_words_lead_back_to_their_condition(language: str, condition: Condition) -> None:
    assert condition_named(f" {condition_word(condition, language).upper()} ") is condition  # type: ignore[arg-type]


@pytest.mark.parametrize("advice", Advice)
def test_advice_leads_back(advice: Advice) -> None:
    assert {advice_named(suggestion_words(advice, language) or "") for language in LANGUAGES} == {advice}


def test_no_advice_has_no_words() -> None:
    assert suggestion_words(None, "zh") is None
    assert advice_named("带上好心情") is None


@pytest.mark.parametrize(
    ("condition", "low", "high", "advice"),
    [
        (Condition.LIGHT_RAIN, 2, 8, Advice.UMBRELLA),
        (Condition.THUNDERSTORM, 28, 38, Advice.UMBRELLA),
        (Condition.SNOW, -20, -12, Advice.SNOW),
        (Condition.CLEAR, 26, 35, Advice.HOT),
        (Condition.CLEAR, 26, 34.9, None),
        (Condition.OVERCAST, -10, 0, Advice.COLD),
        (Condition.OVERCAST, -9.9, 0, None),
        (Condition.CLEAR, None, None, None),
        (None, -30, None, Advice.COLD),
    ],
)
def test_one_piece_of_advice(
    condition: Condition | None, low: float | None, high: float | None, advice: Advice | None
) -> None:
    assert advice_key(condition, low, high) is advice


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("小雨", Condition.LIGHT_RAIN),
        ("Light Rain", Condition.LIGHT_RAIN),
        ("雷阵雨", Condition.THUNDERSTORM),
        ("多云转小雨", Condition.RAIN),
        ("雨夹雪", Condition.SNOW),
        ("Scattered showers", Condition.RAIN),
        ("heavy snowfall", Condition.SNOW),
        ("Thundery", Condition.THUNDERSTORM),
        ("无雨", None),
        ("不会下雪", None),
        ("dry, no rain", None),
        ("rainbow", None),
        ("沙尘", None),
        ("", None),
    ],
)
def test_free_wording(text: str, condition: Condition | None) -> None:
    assert condition_like(text) is condition


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_temperature_is_both_hot_and_cold(degrees: float) -> None:
    assert not (is_hot(degrees) and is_cold(degrees))
