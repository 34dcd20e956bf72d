"""SampleWeather and its file (A20-A22)."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tools.domain.weather import Forecast
from tools.services.weather import (
    FileFault,
    NoForecast,
    SampleWeather,
    UnknownCity,
    WeatherFileError,
    WeatherProvider,
    WeatherUnavailable,
)

pytestmark = pytest.mark.unit

DAY = date(2026, 2, 14)
SEED: dict[str, Any] = {
    "city": "北京",
    "date": "2026-02-14",
    "condition": "小雨",
    "temp_min": 2,
    "temp_max": 8,
    "suggestion": "建议携带雨具",
}
CAMEL = {"city": "Shanghai", "date": "2026-02-14", "condition": "Heavy Rain", "tempMin": 5.5, "tempMax": None}


def write(folder: Path, content: object) -> Path:
    path = folder / "weather.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


def lines(*rows: object) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n"


@pytest.mark.parametrize(
    "content",
    [
        [SEED, CAMEL],
        {"forecasts": [SEED, CAMEL]},
        lines(SEED, CAMEL),
        "\ufeff" + lines(SEED, CAMEL),
        lines(SEED, CAMEL).replace("\n", "\r\n\r\n"),
    ],
)
async def test_shapes_of_the_file(tmp_path: Path, content: object) -> None:
    weather: WeatherProvider = SampleWeather.from_file(write(tmp_path, content))
    assert weather.is_sample
    assert await weather.forecast("北京市", DAY, "zh") == Forecast(
        "北京", DAY, "小雨", 2, 8, "建议携带雨具", "sample", None
    )
    assert await weather.forecast("上海", DAY, "zh") == Forecast(
        "上海", DAY, "大雨", 5.5, None, "建议携带雨具", "sample", None
    )
    await weather.aclose()


@pytest.mark.parametrize("content", [SEED, lines(SEED)])
async def test_a_single_row(tmp_path: Path, content: object) -> None:
    weather = SampleWeather.from_file(str(write(tmp_path, content)))
    assert await weather.forecast("Beijing", DAY, "en") == Forecast(
        "Beijing", DAY, "light rain", 2, 8, "take an umbrella", "sample", None
    )


async def test_an_empty_list_knows_no_city(tmp_path: Path) -> None:
    with pytest.raises(UnknownCity) as caught:
        await SampleWeather.from_file(write(tmp_path, [])).forecast("北京", DAY, "zh")
    assert caught.value.city == "北京"


async def test_the_wrong_day_is_not_the_wrong_city(tmp_path: Path) -> None:
    with pytest.raises(NoForecast) as caught:
        await SampleWeather.from_file(write(tmp_path, [SEED])).forecast("Beijing", date(2026, 2, 15), "zh")
    assert (caught.value.city, caught.value.day) == ("北京", date(2026, 2, 15))


async def test_always_unavailable(tmp_path: Path) -> None:
    weather = SampleWeather.from_file(write(tmp_path, [SEED]), always_unavailable=True)
    with pytest.raises(WeatherUnavailable) as caught:
        await weather.forecast("北京", DAY, "zh")
    assert caught.value.reason == "timeout"


async def test_the_later_of_two_rows_counts(tmp_path: Path) -> None:
    weather = SampleWeather.from_file(write(tmp_path, [SEED, {**SEED, "city": "Beijing", "condition": "晴"}]))
    assert (await weather.forecast("北京", DAY, "zh")).condition == "晴"


@pytest.mark.parametrize(
    ("condition", "suggestion", "low", "high", "shown", "advice"),
    [
        ("多云转小雨", None, 2, 8, "多云转小雨", "take an umbrella"),
        ("大雪纷飞", "", 2, 8, "大雪纷飞", "dress warmly and mind slippery roads"),
        ("晴", None, 2, 8, "clear sky", None),
        ("晴", "记得涂防晒霜", 2, 8, "clear sky", "记得涂防晒霜"),
        ("晴", "建议防暑补水", 2, 8, "clear sky", "avoid the heat and drink water"),
        ("晴", None, 25, 36, "clear sky", "avoid the heat and drink water"),
        ("沙尘", None, None, None, "沙尘", None),
    ],
)
async def test_words(
    tmp_path: Path, condition: str, suggestion: str | None, low: int, high: int, shown: str, advice: str | None
) -> None:
    row = {**SEED, "condition": condition, "suggestion": suggestion, "temp_min": low, "temp_max": high}
    forecast = await SampleWeather.from_file(write(tmp_path, [row])).forecast("北京", DAY, "en")
    assert (forecast.condition, forecast.suggestion) == (shown, advice)


def without(field: str) -> dict[str, Any]:
    return {key: value for key, value in SEED.items() if key != field}


@pytest.mark.parametrize(
    ("content", "reason", "line", "row", "field"),
    [
        ("", FileFault.NOT_JSON, 1, None, None),
        ("city,date\n北京,2026-02-14", FileFault.NOT_JSON, 1, None, None),
        ('[\n{"city": }]', FileFault.NOT_JSON, 2, None, None),
        ("[" * 100_000, FileFault.NOT_JSON, None, None, None),
        (lines(SEED) + "{\n", FileFault.NOT_JSON, 2, None, None),
        ("3", FileFault.NOT_ROWS, None, None, None),
        ({"forecasts": SEED}, FileFault.NOT_ROWS, None, None, None),
        ([SEED, "晴"], FileFault.NOT_ROWS, None, 2, None),
        ({"weather": []}, FileFault.MISSING_FIELD, None, 1, "temp_min"),
        ([without("city")], FileFault.MISSING_FIELD, None, 1, "city"),
        ([without("temp_max")], FileFault.MISSING_FIELD, None, 1, "temp_max"),
        ([{**SEED, "city": 5}], FileFault.WRONG_TYPE, None, 1, "city"),
        ([{**SEED, "condition": " "}], FileFault.WRONG_TYPE, None, 1, "condition"),
        ([{**SEED, "suggestion": ["伞"]}], FileFault.WRONG_TYPE, None, 1, "suggestion"),
        ([{**SEED, "temp_min": "2"}], FileFault.WRONG_TYPE, None, 1, "temp_min"),
        ([{**SEED, "temp_max": True}], FileFault.WRONG_TYPE, None, 1, "temp_max"),
        ([{**SEED, "temp_max": float("nan")}], FileFault.BAD_TEMPERATURE, None, 1, "temp_max"),
        ([{**SEED, "temp_max": 10**400}], FileFault.BAD_TEMPERATURE, None, 1, "temp_max"),
        ([{**SEED, "temp_min": 9}], FileFault.MIN_ABOVE_MAX, None, 1, "temp_min"),
        ([SEED, {**SEED, "date": "明天"}], FileFault.BAD_DATE, None, 2, "date"),
        ([{**SEED, "date": "20260214"}], FileFault.BAD_DATE, None, 1, "date"),
        ([{**SEED, "date": "2026-02-30"}], FileFault.BAD_DATE, None, 1, "date"),
        ('[{"city": "\\ud800"', FileFault.NOT_JSON, 1, None, None),
        (lines(SEED, "x", {**SEED, "date": 1}), FileFault.NOT_ROWS, 2, 2, None),
    ],
)
def test_faults_say_where(
    tmp_path: Path, content: object, reason: FileFault, line: int | None, row: int | None, field: str | None
) -> None:
    path = write(tmp_path, content)
    with pytest.raises(WeatherFileError) as caught:
        SampleWeather.from_file(path)
    fault = caught.value
    assert (fault.path, fault.reason, fault.line, fault.row, fault.field) == (path, reason, line, row, field)
    assert str(path) in str(fault)


def test_a_name_that_cannot_be_shown(tmp_path: Path) -> None:
    row = json.dumps({**SEED, "city": "北\ud800京"})
    with pytest.raises(WeatherFileError) as caught:
        SampleWeather.from_file(write(tmp_path, f"[{row}]"))
    assert caught.value.reason is FileFault.WRONG_TYPE


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: None, FileFault.MISSING),
        (lambda path: path.mkdir(), FileFault.UNREADABLE),
        (lambda path: path.write_bytes("北京".encode("gb18030")), FileFault.NOT_UTF8),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, make: Any, reason: FileFault) -> None:
    path = tmp_path / "weather.json"
    make(path)
    with pytest.raises(WeatherFileError) as caught:
        SampleWeather.from_file(path)
    assert caught.value.reason is reason
