"""OpenMeteo against a real HTTP server on loopback (A20, A21, A22)."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from datetime import date
from typing import Any

import httpx
import pytest

from tests.support.weather_server import BEIJING, FORECAST, SEARCH, Fault, WeatherServer, days
from tools.domain.weather import Forecast
from tools.services.weather import NoForecast, OpenMeteo, UnknownCity, WeatherProvider, WeatherUnavailable

pytestmark = [pytest.mark.unit, pytest.mark.usefixtures("loopback_only")]

DAY = date(2026, 2, 14)
#: By endpoint a city that is asked of it: the gazetteer has no coordinates of 桐乡.
ASKED = {SEARCH: "桐乡", FORECAST: "北京"}


@pytest.fixture
def server() -> Iterator[WeatherServer]:
    with WeatherServer() as running:
        yield running


def provider_for(server: WeatherServer, timeout: float = 5.0) -> OpenMeteo:
    return OpenMeteo(geocoding_url=server.url, forecast_url=server.url + "/", timeout=timeout)


def place(name: str, *, latitude: float = 1.0, **fields: Any) -> dict[str, Any]:
    return {"name": name, "latitude": latitude, "longitude": 2.0, "feature_code": "PPL", **fields}


def searched(server: WeatherServer) -> list[str]:
    return [query["name"] for path, query in server.requests if path == SEARCH]


def chosen_latitude(server: WeatherServer) -> float:
    return float(next(query["latitude"] for path, query in server.requests if path == FORECAST))


async def test_the_seeds_example(server: WeatherServer) -> None:
    provider: WeatherProvider = provider_for(server)
    assert await provider.forecast("北京", DAY, "zh") == Forecast(
        "北京", DAY, "小雨", 2.0, 8.0, "建议携带雨具", "open-meteo", 61
    )
    assert server.requests == [
        (
            FORECAST,
            {
                "latitude": "39.9075",
                "longitude": "116.3972",
                "daily": "weather_code,temperature_2m_max,temperature_2m_min",
                "timezone": "auto",
                "forecast_days": "16",
            },
        ),
    ]
    assert not provider.is_sample
    await provider.aclose()
    await provider.aclose()


@pytest.mark.parametrize(
    "city", ["北京", "Beijing", " beijing  city ", "中国北京", "Xi’an", "德令哈", "Dallas", "New  York"]
)
async def test_who_is_asked_for_the_place(server: WeatherServer, city: str) -> None:
    server.places = [place("德令哈")]
    await provider_for(server).forecast(city, DAY, "zh")
    assert searched(server) == (["德令哈"] if city == "德令哈" else [])


@pytest.mark.parametrize("fault", [Fault.SLOW, Fault.SERVER_ERROR, Fault.CLOSED])
async def test_a_known_city_needs_no_search(server: WeatherServer, fault: Fault) -> None:
    server.faults[SEARCH] = fault
    found = await provider_for(server).forecast("深圳市", DAY, "en")
    assert (found.city, found.temp_max) == ("Shenzhen", 8.0)
    assert chosen_latitude(server) == pytest.approx(22.54, abs=0.1)


async def test_a_city_known_by_name_alone_is_searched(server: WeatherServer) -> None:
    server.places = [place("湘西", latitude=28.3)]
    assert (await provider_for(server).forecast("Xiangxi", DAY, "en")).city == "Xiangxi"
    assert (searched(server), chosen_latitude(server)) == (["湘西"], 28.3)


async def test_the_same_in_english(server: WeatherServer) -> None:
    forecast = await provider_for(server).forecast("Beijing", DAY, "en")
    assert (forecast.city, forecast.condition, forecast.suggestion) == ("Beijing", "light rain", "take an umbrella")


@pytest.mark.parametrize("endpoint", [SEARCH, FORECAST])
@pytest.mark.parametrize(
    ("fault", "reason", "detail"),
    [
        (Fault.BAD_REQUEST, "status", "400"),
        (Fault.TOO_MANY, "status", "429"),
        (Fault.SERVER_ERROR, "status", "503"),
        (Fault.REDIRECT, "status", "302"),
        (Fault.HTML, "bad answer", "not JSON"),
        (Fault.BROKEN_JSON, "bad answer", "not JSON"),
        (Fault.DEEP_JSON, "bad answer", "not JSON"),
        (Fault.LIST, "bad answer", "not an object"),
        (Fault.GZIP, "bad answer", "compressed"),
        (Fault.HUGE, "too large", ""),
        (Fault.CLOSED, "connection", "RemoteProtocolError"),
        (Fault.CUT_SHORT, "connection", "RemoteProtocolError"),
    ],
)
async def test_faults(server: WeatherServer, endpoint: str, fault: Fault, reason: str, detail: str) -> None:
    server.faults[endpoint] = fault
    with pytest.raises(WeatherUnavailable) as caught:
        await provider_for(server).forecast(ASKED[endpoint], DAY, "zh")
    assert (caught.value.reason, caught.value.detail) == (reason, detail)
    assert "/elsewhere" not in [path for path, _ in server.requests]


@pytest.mark.parametrize("endpoint", [SEARCH, FORECAST])
async def test_a_slow_answer_times_out(server: WeatherServer, endpoint: str) -> None:
    server.faults[endpoint] = Fault.SLOW
    with pytest.raises(WeatherUnavailable) as caught:
        await provider_for(server, timeout=0.2).forecast(ASKED[endpoint], DAY, "zh")
    assert caught.value.reason == "timeout"


async def test_connection_refused() -> None:
    with socket.socket() as silent:  # bound, so that no other program takes the port, but not listening
        silent.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(WeatherUnavailable) as caught:
            await OpenMeteo(geocoding_url=url, forecast_url=url).forecast("北京", DAY, "zh")
    assert (caught.value.reason, caught.value.detail) == ("connection", "ConnectError")


async def test_dns_failure() -> None:
    def unresolved(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("Name or service not known", request=request)

    with pytest.raises(WeatherUnavailable) as caught:
        await OpenMeteo(transport=httpx.MockTransport(unresolved)).forecast("北京", DAY, "zh")
    assert caught.value.reason == "connection"


async def test_a_proxy_in_the_environment_is_not_asked_for_loopback(
    server: WeatherServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert (await provider_for(server).forecast("北京", DAY, "zh")).condition == "小雨"


async def test_an_unusable_proxy_for_a_real_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "gopher://127.0.0.1:9")
    with pytest.raises(WeatherUnavailable) as caught:
        await OpenMeteo().forecast("北京", DAY, "zh")
    assert (caught.value.reason, caught.value.detail) == ("connection", "proxy")


@pytest.mark.parametrize(
    "url", ["ftp://example.org", "example.org", "file:///etc", "http://", "http://x/?a=b", "http://x:y"]
)
def test_base_urls_are_http_with_a_host(url: str) -> None:
    with pytest.raises(ValueError, match=r"base URL|[Pp]ort"):
        OpenMeteo(forecast_url=url)
    with pytest.raises(ValueError, match=r"base URL|[Pp]ort"):
        OpenMeteo(geocoding_url=url)


def test_one_provider_serves_several_event_loops(server: WeatherServer) -> None:
    provider = provider_for(server)
    asked = [asyncio.run(provider.forecast("北京", DAY, "zh")) for _ in range(2)]
    assert asked[0] == asked[1]


async def test_concurrent_calls(server: WeatherServer) -> None:
    provider = provider_for(server)
    asked = await asyncio.gather(*(provider.forecast("北京", DAY, "zh") for _ in range(5)))
    assert len(set(asked)) == 1


async def test_identity_encoding_is_asked_for(server: WeatherServer) -> None:
    await provider_for(server).forecast("北京", DAY, "zh")
    assert {headers["accept-encoding"] for headers in server.headers} == {"identity"}


@pytest.mark.parametrize("day", [date(2026, 2, 13), date(2026, 3, 20)])
async def test_a_day_outside_the_horizon(server: WeatherServer, day: date) -> None:
    with pytest.raises(NoForecast) as caught:
        await provider_for(server).forecast("Beijing", day, "zh")
    assert (caught.value.city, caught.value.day) == ("北京", day)


@pytest.mark.parametrize(
    ("daily", "expected"),
    [
        (days(["2026-02-14"], [None], [2.0], [8.0]), ("未知", 2.0, 8.0, None, None)),
        (days(["2026-02-14"], [61], [None], [8.0]), ("小雨", None, 8.0, "建议携带雨具", 61)),
        (days(["2026-02-13", "2026-02-14"], [0, 71], [0.0], [1.0, 1.5]), ("小雪", None, 1.5, "建议注意保暖防滑", 71)),
        (days(["2026-02-14"], [0], [26.0], [35.0]), ("晴", 26.0, 35.0, "建议防暑补水", 0)),
        (days(["2026-02-14"], [3], [-10.0], [-1.0]), ("阴", -10.0, -1.0, "建议注意防寒保暖", 3)),
        (days(["2026-02-14"], [1], [5.0], [15.0]), ("晴间多云", 5.0, 15.0, None, 1)),
    ],
)
async def test_values(server: WeatherServer, daily: dict[str, Any], expected: tuple[object, ...]) -> None:
    server.daily = daily
    found = await provider_for(server).forecast("北京", DAY, "zh")
    assert (found.condition, found.temp_min, found.temp_max, found.suggestion, found.code) == expected


async def test_a_day_of_nulls_is_no_forecast(server: WeatherServer) -> None:
    server.daily = days(["2026-02-14"], [None], [None], [None])
    with pytest.raises(NoForecast):
        await provider_for(server).forecast("北京", DAY, "zh")


@pytest.mark.parametrize(
    "daily",
    [
        {"time": "2026-02-14"},
        {"time": ["2026-02-14"]},
        days(["2026-02-14"], ["rain"], [2.0], [8.0]),  # type: ignore[list-item]
        days(["2026-02-14"], [61], [float("nan")], [8.0]),
        days(["2026-02-14"], [True], [2.0], [8.0]),
    ],
)
async def test_values_of_the_wrong_kind(server: WeatherServer, daily: dict[str, Any]) -> None:
    server.daily = daily
    with pytest.raises(WeatherUnavailable) as caught:
        await provider_for(server).forecast("北京", DAY, "zh")
    assert caught.value.reason == "bad answer"


@pytest.mark.parametrize("city", ["阿斯嘉德", "Asgard", "", " ", "京", "x", "\ud800北京", "a\x00b", "很长" * 60])
async def test_unknown_cities(server: WeatherServer, city: str) -> None:
    with pytest.raises(UnknownCity) as caught:
        await provider_for(server).forecast(city, DAY, "zh")
    assert caught.value.city == city
    assert all(len(name) > 1 for name in searched(server))


@pytest.mark.parametrize(
    ("known_as", "asked", "searches"),
    [
        ("桐乡", "桐乡市", ["桐乡市", "桐乡"]),
        ("桐乡市", "桐乡", ["桐乡", "桐乡市"]),
        ("Xiangxi", "湘西", ["湘西", "湘西市", "Xiangxi"]),
        ("湘西", "Xiangxi City", ["湘西"]),
    ],
)
async def test_spellings_are_tried_in_turn(
    server: WeatherServer, known_as: str, asked: str, searches: list[str]
) -> None:
    server.places = [place(known_as)]
    await provider_for(server).forecast(asked, DAY, "zh")
    assert searched(server) == searches


@pytest.mark.parametrize(
    ("asked", "places"),
    [
        (
            "San José",
            [
                place("San José", feature_code="PPLA2", population=1_000_000, latitude=9),
                place("San José", feature_code="PPLC", population=335_000),
            ],
        ),
        (
            "Hamilton",
            [place("Hamilton", feature_code="PPLC", population=900, latitude=9), place("Hamilton", population=520_000)],
        ),
        (
            "Springfield",
            [
                place("Springfield", population=60_000, latitude=9),
                place("Springfield", feature_code="PPLA", population=116_000),
            ],
        ),
        ("Spring", [place("Springfield", population=9_000_000, latitude=9), place("Spring", population=60)]),
        (
            "崇州",
            [place("崇州", feature_code="ADM3", population=9_000_000, latitude=9), place("崇州", feature_code="PPLA2")],
        ),
        ("Atlantis", [{"name": "Atlantis"}, place("Atlantis", latitude=999), place(" "), place("Atlantis")]),
    ],
)
async def test_ranking(server: WeatherServer, asked: str, places: list[dict[str, Any]]) -> None:
    server.places = places
    await provider_for(server).forecast(asked, DAY, "en")
    assert chosen_latitude(server) == 1.0


async def test_a_shared_english_name_means_the_city_that_is_shown(server: WeatherServer) -> None:
    assert (await provider_for(server).forecast("Suzhou", DAY, "zh")).city == "苏州"
    assert chosen_latitude(server) == pytest.approx(31.3, abs=0.1)


async def test_a_fuzzy_hit_is_shown_under_its_own_name(server: WeatherServer) -> None:
    server.places = [place("Frankfurt\nam  Main", latitude=3)]
    assert (await provider_for(server).forecast("Frankf", DAY, "zh")).city == "Frankfurt am Main"


async def test_a_city_outside_the_gazetteer(server: WeatherServer) -> None:
    server.places = [BEIJING, place("桐乡")]
    assert (await provider_for(server).forecast("桐乡", DAY, "en")).city == "桐乡"
