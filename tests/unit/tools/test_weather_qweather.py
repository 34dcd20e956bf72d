"""QWeather against a real HTTP server on loopback (A20, A21, A22)."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterator
from datetime import date
from typing import Any

import httpx
import pytest

from tests.support.weather_vendors import (
    STRAY,
    Reply,
    Silence,
    VendorServer,
    qweather_day,
    qweather_place,
    qweather_problem,
    qweather_said,
    said,
)
from tools.domain.weather import Forecast
from tools.services.weather import NoForecast, QWeather, UnknownCity, WeatherProvider, WeatherUnavailable

pytestmark = [pytest.mark.unit, pytest.mark.usefixtures("loopback_only")]

DAY = date(2026, 2, 14)
KEY = "kept-secret-7f3a"
LOOKUP = "/geo/v2/city/lookup"
FORECAST = "/v7/weather/15d"


@pytest.fixture
def server() -> Iterator[VendorServer]:
    found = qweather_said(location=[qweather_place("北京")], refer={})
    with VendorServer({LOOKUP: found, FORECAST: qweather_said(daily=[qweather_day()], refer={})}) as running:
        yield running


def provider_for(server: VendorServer, timeout: float = 5.0) -> QWeather:
    return QWeather(server.url + "/", KEY, timeout=timeout)


async def refused(server: VendorServer, seconds: float = 5.0) -> WeatherUnavailable:
    with pytest.raises(WeatherUnavailable) as caught:
        await provider_for(server, seconds).forecast("北京", DAY, "zh")
    return caught.value


async def test_the_seeds_example(server: VendorServer) -> None:
    provider: WeatherProvider = provider_for(server)
    assert await provider.forecast("北京", DAY, "zh") == Forecast(
        "北京", DAY, "小雨", 2.0, 8.0, "建议携带雨具", "qweather", None
    )
    assert server.requests == [
        (LOOKUP, {"location": "北京", "number": "20", "lang": "zh"}),
        (FORECAST, {"location": "116.41,39.90", "unit": "m"}),
    ]
    assert [headers["x-qw-api-key"] for headers in server.headers] == [KEY, KEY]
    assert {headers["accept-encoding"] for headers in server.headers} == {"gzip"}
    assert not provider.is_sample
    await provider.aclose()
    await provider.aclose()


async def test_the_same_in_english(server: VendorServer) -> None:
    forecast = await provider_for(server).forecast("Beijing", DAY, "en")
    assert (forecast.city, forecast.condition, forecast.suggestion) == ("Beijing", "light rain", "take an umbrella")


def test_a_host_alone_is_https() -> None:
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url)
        return httpx.Response(500)

    provider = QWeather("abc.def.qweatherapi.com", KEY, transport=httpx.MockTransport(answer))
    with pytest.raises(WeatherUnavailable):
        asyncio.run(provider.forecast("北京", DAY, "zh"))
    assert [(url.scheme, url.host, url.path) for url in asked] == [("https", "abc.def.qweatherapi.com", LOOKUP)]


@pytest.mark.parametrize("host", ["", "ftp://x", "http://", "x?a=b", "x:y", "https://"])
def test_a_host_is_a_host(host: str) -> None:
    with pytest.raises(ValueError, match=r"base URL|[Pp]ort"):
        QWeather(host, KEY)


@pytest.mark.parametrize("endpoint", [LOOKUP, FORECAST])
@pytest.mark.parametrize(("reply", "reason", "detail"), STRAY.values(), ids=STRAY)
async def test_stray_answers(
    server: VendorServer, endpoint: str, reply: Reply | Silence, reason: str, detail: str
) -> None:
    server.replies[endpoint] = reply
    error = await refused(server)
    assert (error.reason, error.detail) == (reason, detail)
    assert "/elsewhere" not in [path for path, _ in server.requests]


@pytest.mark.parametrize("endpoint", [LOOKUP, FORECAST])
@pytest.mark.parametrize("code", ["400", "401", "402", "403", "429", "500", 429])
async def test_errors_of_the_older_form(server: VendorServer, endpoint: str, code: object) -> None:
    server.replies[endpoint] = qweather_said(code)
    error = await refused(server)
    assert (error.reason, error.detail) == ("status", str(code))


@pytest.mark.parametrize("code", ["204", "404", 404])
async def test_the_older_form_of_nothing_there(server: VendorServer, code: object) -> None:
    server.replies[FORECAST] = qweather_said(code)
    with pytest.raises(NoForecast) as none:
        await provider_for(server).forecast("Beijing", DAY, "zh")
    assert (none.value.city, none.value.day) == ("北京", DAY)
    server.replies[LOOKUP] = qweather_said(code)
    with pytest.raises(UnknownCity) as unknown:
        await provider_for(server).forecast("阿斯嘉德", DAY, "zh")
    assert unknown.value.city == "阿斯嘉德"


@pytest.mark.parametrize("endpoint", [LOOKUP, FORECAST])
@pytest.mark.parametrize(
    ("status", "title"),
    [
        (400, "INVALID PARAMETER"),
        (400, None),
        (401, "UNAUTHORIZED"),
        (401, "NOT FOUND"),
        (403, "NO CREDIT"),
        (429, "TOO MANY REQUESTS"),
        (500, "UNKNOWN ERROR"),
    ],
)
async def test_errors_of_the_newer_form(server: VendorServer, endpoint: str, status: int, title: str | None) -> None:
    server.replies[endpoint] = qweather_problem(status, title)
    error = await refused(server)
    assert (error.reason, error.detail) == ("status", str(status))


@pytest.mark.parametrize(
    "reply",
    [
        qweather_problem(400, "NO SUCH LOCATION"),
        qweather_problem(400, "Not Found"),
        qweather_problem(404, "DATA NOT AVAILABLE"),
        qweather_problem(400, None, "https://dev.qweather.com/docs/resource/error-code/#no-such-location"),
    ],
)
async def test_the_newer_form_of_nothing_there(server: VendorServer, reply: Reply) -> None:
    server.replies[FORECAST] = reply
    with pytest.raises(NoForecast):
        await provider_for(server).forecast("北京", DAY, "zh")
    server.replies[LOOKUP] = reply
    with pytest.raises(UnknownCity):
        await provider_for(server).forecast("北京", DAY, "zh")


@pytest.mark.parametrize("error", ["gone", [], None, {"title": 400}])
async def test_a_problem_of_another_shape(server: VendorServer, error: object) -> None:
    server.replies[LOOKUP] = said({"error": error}, 400)
    assert (await refused(server)).detail == "400"


BAD: dict[str, tuple[str, Reply]] = {
    "a list": (LOOKUP, said([], packed=True)),
    "no code": (LOOKUP, said({"location": []}, packed=True)),
    "a null code": (FORECAST, qweather_said(None)),
    "a code in words": (FORECAST, qweather_said("x" * 500)),
    "places in words": (LOOKUP, qweather_said(location="北京")),
    "a place in words": (LOOKUP, qweather_said(location=["北京"])),
    "a latitude in words": (LOOKUP, qweather_said(location=[qweather_place("北京", lat="north")])),
    "no days": (FORECAST, qweather_said()),
    "null days": (FORECAST, qweather_said(daily=None)),
    "a day in words": (FORECAST, qweather_said(daily=["2026-02-14"])),
    "a temperature in words": (FORECAST, qweather_said(daily=[qweather_day(low="mild")])),
    "not a number": (FORECAST, qweather_said(daily=[qweather_day(low="nan")])),
    "endless": (FORECAST, qweather_said(daily=[qweather_day(high="9" * 400)])),
    "true": (FORECAST, qweather_said(daily=[{**qweather_day(), "tempMin": True}])),
    "an icon in words": (FORECAST, qweather_said(daily=[qweather_day(icon="rain")])),
}


@pytest.mark.parametrize(("endpoint", "reply"), BAD.values(), ids=BAD)
async def test_values_of_the_wrong_kind(server: VendorServer, endpoint: str, reply: Reply) -> None:
    server.replies[endpoint] = reply
    error = await refused(server)
    assert error.reason == "bad answer"
    assert len(error.detail) < 20


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ("小雨", 2.0, 8.0, "建议携带雨具")),
        ({"iconDay": None}, ("未知", 2.0, 8.0, None)),
        ({"iconDay": "777"}, ("未知", 2.0, 8.0, None)),
        ({"tempMin": None, "tempMax": ""}, ("小雨", None, None, "建议携带雨具")),
        ({"iconDay": "104", "tempMin": "-12", "tempMax": "-3.5"}, ("阴", -12.0, -3.5, "建议注意防寒保暖")),
        ({"iconDay": 100, "tempMin": 26, "tempMax": 35.0}, ("晴", 26.0, 35.0, "建议防暑补水")),
    ],
)
async def test_values(server: VendorServer, fields: dict[str, Any], expected: tuple[object, ...]) -> None:
    other = qweather_day("2026-02-13", "402", "-30", "-20")
    server.replies[FORECAST] = qweather_said(daily=[other, {**qweather_day(), **fields}])
    found = await provider_for(server).forecast("北京", DAY, "zh")
    assert (found.condition, found.temp_min, found.temp_max, found.suggestion) == expected


@pytest.mark.parametrize(
    "days", [[], [qweather_day("2026-02-13")], [{"fxDate": "2026-02-14", "iconDay": None, "tempMin": None}]]
)
async def test_a_day_that_is_not_there(server: VendorServer, days: list[Any]) -> None:
    server.replies[FORECAST] = qweather_said(daily=days)
    with pytest.raises(NoForecast):
        await provider_for(server).forecast("北京", DAY, "zh")


@pytest.mark.parametrize("content", [{}, {"location": None}, {"location": []}, {"location": [qweather_place(" ")]}])
async def test_a_city_without_hits_is_unknown(server: VendorServer, content: dict[str, Any]) -> None:
    server.replies[LOOKUP] = qweather_said(**content)
    with pytest.raises(UnknownCity):
        await provider_for(server).forecast("北京", DAY, "zh")
    assert [query["location"] for query in server.queries(LOOKUP)] == ["北京", "Beijing"]
    assert [query["lang"] for query in server.queries(LOOKUP)] == ["zh", "en"]


@pytest.mark.parametrize("city", ["", " ", "\ud800北京", "a\x00b", "很长" * 60])
async def test_names_that_are_none_are_not_asked_for(server: VendorServer, city: str) -> None:
    with pytest.raises(UnknownCity) as caught:
        await provider_for(server).forecast(city, DAY, "zh")
    assert (caught.value.city, server.requests) == (city, [])


async def test_a_city_comes_before_a_district_of_its_name(server: VendorServer) -> None:
    district = qweather_place("朝阳", lat="39.92", lon="116.49", adm2="北京", adm1="北京市")
    city = qweather_place("朝阳", lat="41.576", lon="120.451", adm1="辽宁省")
    server.replies[LOOKUP] = qweather_said(location=[qweather_place("朝阳门"), district, city])
    assert (await provider_for(server).forecast("朝阳市", DAY, "zh")).city == "朝阳"
    assert server.queries(FORECAST) == [{"location": "120.45,41.58", "unit": "m"}]


async def test_of_equals_the_first_counts(server: VendorServer) -> None:
    hits = [qweather_place("义乌", lat="1", adm2="金华"), qweather_place("义乌", lat="2", adm2="金华")]
    server.replies[LOOKUP] = qweather_said(location=hits)
    await provider_for(server).forecast("义乌市", DAY, "zh")
    assert server.queries(FORECAST)[0]["location"] == "116.41,1.00"


async def test_a_hit_without_coordinates_is_passed_over(server: VendorServer) -> None:
    hits = [
        {"name": "北京"},
        qweather_place("北京", lat="91"),
        qweather_place("北京", lon="-181"),
        qweather_place("北京", lat="-3", lon="-120"),
    ]
    server.replies[LOOKUP] = qweather_said(location=hits)
    await provider_for(server).forecast("北京", DAY, "zh")
    assert server.queries(FORECAST)[0]["location"] == "-120.00,-3.00"


async def test_a_likeness_shows_its_own_name(server: VendorServer) -> None:
    server.replies[LOOKUP] = qweather_said(location=[qweather_place("Frankfurt\nam  Main")])
    assert (await provider_for(server).forecast("Frankf", DAY, "zh")).city == "Frankfurt am Main"


async def test_the_second_spelling_wins_when_it_is_exact(server: VendorServer) -> None:
    server.replies[LOOKUP] = [
        qweather_said(location=[qweather_place("杭锦", lat="9")]),
        qweather_said(location=[qweather_place("Hangzhou", lat="30")]),
    ]
    assert (await provider_for(server).forecast("杭州", DAY, "zh")).city == "杭州"
    assert server.queries(FORECAST)[0]["location"] == "116.41,30.00"


async def test_an_answer_that_is_not_packed_is_read_too(server: VendorServer) -> None:
    server.replies[FORECAST] = said({"code": "200", "daily": [qweather_day()]})
    assert (await provider_for(server).forecast("北京", DAY, "zh")).condition == "小雨"


@pytest.mark.parametrize(
    ("body", "reason", "detail"),
    [
        (b'{"code":"200"}', "bad answer", "compressed"),
        (gzip.compress(b'{"code":"200"}')[:-9], "bad answer", "compressed"),
        (b"", "bad answer", "compressed"),
        (gzip.compress(b" " * 50_000_000), "too large", ""),
        (gzip.compress(b"<html>"), "bad answer", "not JSON"),
    ],
    ids=["not gzip", "half of it", "nothing", "a bomb", "a page"],
)
async def test_packed_answers(server: VendorServer, body: bytes, reason: str, detail: str) -> None:
    server.replies[FORECAST] = Reply(body, headers={"Content-Encoding": "gzip"})
    error = await refused(server)
    assert (error.reason, error.detail) == (reason, detail)


@pytest.mark.parametrize("endpoint", [LOOKUP, FORECAST])
async def test_a_slow_answer_times_out(server: VendorServer, endpoint: str) -> None:
    server.replies[endpoint] = Silence.SLOW
    assert (await refused(server, seconds=0.2)).reason == "timeout"


def test_one_provider_serves_several_event_loops(server: VendorServer) -> None:
    provider = provider_for(server)
    asked = [asyncio.run(provider.forecast("北京", DAY, "zh")) for _ in range(2)]
    assert asked[0] == asked[1]
