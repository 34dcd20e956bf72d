"""The weather as the user hears it: seed table 6.2.5 (A20-A22, P16, P20)."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from tests.support.builders import SATURDAY, TOMORROW, at, call, use
from tools.core.errors import ToolArgumentError
from tools.core.result import ToolResult
from tools.core.text import Language
from tools.domain.weather import Forecast
from tools.services.forecasts import WeatherService
from tools.services.weather import SampleRow, SampleWeather, WeatherProvider
from tools.toolkits.weather import weather_tools

pytestmark = pytest.mark.unit

SUNDAY = SATURDAY + timedelta(days=1)


def row(city: str, day: date, condition: str, low: float | None, high: float | None) -> SampleRow:
    return SampleRow(city, day, condition, low, high, None)


ROWS = [
    row("北京", TOMORROW, "小雨", 2, 8),
    row("北京", SATURDAY, "晴", -12, -3.5),
    row("北京", SUNDAY, "中雪", -5, None),
    row("上海", TOMORROW, "阴", None, None),
]


async def ask(
    language: Language = "zh",
    *,
    city: str | None = "北京",
    provider: WeatherProvider | None = None,
    now: str = "10:00",
    **arguments: Any,
) -> ToolResult:
    tools = weather_tools(WeatherService(provider or SampleWeather(ROWS)), language)
    return await use(tools, "get_weather", call(language, city=city, now=at(now)), **arguments)


SAID: dict[str, tuple[Language, dict[str, Any], str]] = {
    "6.2.5 Beijing tomorrow, zh": (
        "zh",
        {"city": "北京", "date": "明天"},
        "北京 2026-02-12 天气：小雨，气温 2-8°C，记得带伞（示例数据）",
    ),
    "6.2.5 Beijing tomorrow, en": (
        "en",
        {"city": "Beijing", "date": "tomorrow"},
        "Weather in Beijing on 2026-02-12: light rain, 2 to 8°C; take an umbrella (sample data)",
    ),
    "P20 names match across languages": (
        "zh",
        {"city": "Shanghai", "date": "明天"},
        "上海 2026-02-12 天气：阴（示例数据）",
    ),
    "P20 the user's city": ("en", {"date": "2026-02-12"}, "Weather in Beijing on 2026-02-12: light rain, 2 to 8°C"),
    "half a degree, bitter cold": ("zh", {"date": "周六"}, "北京 2026-02-14 天气：晴，气温 -12--3.5°C"),
    "one temperature": ("zh", {"date": "周日"}, "北京 2026-02-15 天气：中雪，气温 -5°C"),
}


@pytest.mark.parametrize(("language", "arguments", "message"), SAID.values(), ids=SAID)
async def test_forecast(language: Language, arguments: dict[str, Any], message: str) -> None:
    result = await ask(language, **arguments)
    assert result.status == "success"
    start, _, advice = message.partition("，记得带伞")
    assert result.message.startswith(start)
    assert result.message.endswith(("（示例数据）", " (sample data)"))
    assert ("伞" in result.message or "雨具" in result.message) == bool(advice)


async def test_data_holds_what_the_sample_shows() -> None:
    result = await ask(date="2026-02-12")
    assert result.data == {
        "city": "北京",
        "date": "2026-02-12",
        "condition": "小雨",
        "temp_min": 2,
        "temp_max": 8,
        "suggestion": result.data["suggestion"],
        "source": "sample",
    }
    assert result.data["suggestion"] in result.message


async def test_both_days_of_a_weekend() -> None:
    result = await ask(date="周末")
    assert [day["date"] for day in result.data["forecasts"]] == ["2026-02-14", "2026-02-15"]
    assert result.message.index("2026-02-14") < result.message.index("2026-02-15")


async def test_days_without_a_forecast_are_left_out_of_a_range() -> None:
    result = await ask(date="周日到下周二")
    assert (result.status, result.data["date"]) == ("success", "2026-02-15")


FAILED: dict[str, tuple[Language, dict[str, Any], str]] = {
    "6.2.5 the service does not answer, zh": ("zh", {"provider": "down"}, "天气服务暂时不可用"),
    "6.2.5 the service does not answer, en": (
        "en",
        {"provider": "down"},
        "The weather service is unavailable just now",
    ),
    "6.2.5 an unknown city, zh": ("zh", {"city": "艾欧尼亚"}, "未识别的城市「艾欧尼亚」"),
    "6.2.5 an unknown city, en": ("en", {"city": "Atlantis"}, "Unknown city “Atlantis”"),
    "a day too far off": ("zh", {"date": "2026-03-01"}, "暂时没有北京"),
}


@pytest.mark.parametrize(("language", "arguments", "message"), FAILED.values(), ids=FAILED)
async def test_what_can_fail(language: Language, arguments: dict[str, Any], message: str) -> None:
    down = SampleWeather(ROWS, always_unavailable=True)
    given = {**arguments, "provider": down} if "provider" in arguments else {"city": "北京", **arguments}
    tools = weather_tools(WeatherService(given.pop("provider", None) or SampleWeather(ROWS)), language)
    result = await use(tools, "get_weather", call(language, city="北京"), **{"date": "明天", **given})
    assert result.status == "error"
    assert result.message.startswith(message)


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_no_city_at_all_asks_for_one_and_asks_no_provider(language: Language) -> None:
    result = await ask(language, city=None, date="2026-02-12", provider=SampleWeather([], always_unavailable=True))
    assert (result.status, result.data) == ("success", {"missing": "city"})
    assert {"zh": "城市", "en": "your city"}[language] in result.message


async def test_a_month_is_too_much() -> None:
    with pytest.raises(ToolArgumentError) as refused:
        await ask(date="下个月")
    assert refused.value.key == "too_many_days"


class Live:
    """A provider that is no sample, and remembers what it was asked (A22: any source behind the same face)."""

    is_sample = False

    def __init__(self) -> None:
        self.asked: list[tuple[str, date, Language]] = []

    async def forecast(self, city: str, day: date, language: Language) -> Forecast:
        self.asked.append((city, day, language))
        return Forecast(city, day, "晴", 20, 36, "注意防暑", "open-meteo", 0)

    async def aclose(self) -> None:
        """Nothing is held open."""


async def test_another_source_behind_the_same_face() -> None:
    live = Live()
    result = await ask(provider=live, date="明天")
    assert live.asked == [("北京", TOMORROW, "zh")]
    assert result.message == "北京 2026-02-12 天气：晴，气温 20-36°C，注意防暑"
    assert result.data["code"] == 0
