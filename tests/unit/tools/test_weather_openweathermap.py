"""OpenWeatherMap against a real HTTP server on loopback (A20, A21, A22)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from tests.support.weather_vendors import (
    STRAY,
    Reply,
    Silence,
    VendorServer,
    owm_day,
    owm_days,
    owm_error,
    owm_place,
    said,
)
from tools.domain.weather import Forecast
from tools.services.weather import NoForecast, OpenWeatherMap, UnknownCity, WeatherProvider, WeatherUnavailable

pytestmark = [pytest.mark.unit, pytest.mark.usefixtures("loopback_only")]

DAY = date(2026, 2, 14)
KEY = "kept-secret-7f3a"
SEARCH = "/geo/1.0/direct"
FORECAST = "/data/3.0/onecall"
#: By endpoint a city that is asked of it: the gazetteer knows 湘西 by its name alone.
ASKED = {SEARCH: "湘西", FORECAST: "北京"}


@pytest.fixture
def server() -> Iterator[VendorServer]:
    found = said([owm_place("Xiangxi", zh="湘西", en="Xiangxi")])
    with VendorServer({SEARCH: found, FORECAST: owm_days(owm_day())}) as running:
        yield running


def provider_for(server: VendorServer, timeout: float = 5.0) -> OpenWeatherMap:
    return OpenWeatherMap(KEY, server.url + "/", timeout=timeout)


async def refused(server: VendorServer, endpoint: str, seconds: float = 5.0) -> WeatherUnavailable:
    with pytest.raises(WeatherUnavailable) as caught:
        await provider_for(server, seconds).forecast(ASKED[endpoint], DAY, "zh")
    return caught.value


async def test_the_seeds_example(server: VendorServer) -> None:
    provider: WeatherProvider = provider_for(server)
    assert await provider.forecast("北京", DAY, "zh") == Forecast(
        "北京", DAY, "小雨", 2.0, 8.0, "建议携带雨具", "openweathermap", None
    )
    exclude = "current,minutely,hourly,alerts"
    assert server.requests == [
        (FORECAST, {"lat": "39.9075", "lon": "116.3972", "units": "metric", "exclude": exclude, "appid": KEY}),
    ]
    assert not provider.is_sample
    await provider.aclose()
    await provider.aclose()


async def test_a_city_known_by_name_alone_is_searched(server: VendorServer) -> None:
    assert (await provider_for(server).forecast("Xiangxi", DAY, "zh")).city == "湘西"
    assert server.queries(SEARCH) == [{"q": "湘西", "limit": "5", "appid": KEY}]
    assert server.queries(FORECAST)[0]["lat"] == "39.9"


@pytest.mark.parametrize("reply", [Silence.SLOW, Silence.CLOSED, owm_error(401, status=401)])
async def test_a_known_city_needs_no_search(server: VendorServer, reply: Reply | Silence) -> None:
    server.replies[SEARCH] = reply
    found = await provider_for(server).forecast("深圳市", DAY, "en")
    assert (found.city, found.temp_max) == ("Shenzhen", 8.0)
    assert server.queries(SEARCH) == []


async def test_the_same_in_english(server: VendorServer) -> None:
    forecast = await provider_for(server).forecast("Beijing", DAY, "en")
    assert (forecast.city, forecast.condition, forecast.suggestion) == ("Beijing", "light rain", "take an umbrella")


@pytest.mark.parametrize("url", ["", "ftp://x", "http://", "http://x?a=b", "http://x:y", "api.openweathermap.org"])
def test_a_base_url_is_http_with_a_host(url: str) -> None:
    with pytest.raises(ValueError, match=r"base URL|[Pp]ort"):
        OpenWeatherMap(KEY, url)


@pytest.mark.parametrize("endpoint", [SEARCH, FORECAST])
@pytest.mark.parametrize(("reply", "reason", "detail"), STRAY.values(), ids=STRAY)
async def test_stray_answers(
    server: VendorServer, endpoint: str, reply: Reply | Silence, reason: str, detail: str
) -> None:
    server.replies[endpoint] = reply
    error = await refused(server, endpoint)
    assert (error.reason, error.detail) == (reason, detail)
    assert "/elsewhere" not in [path for path, _ in server.requests]


@pytest.mark.parametrize("endpoint", [SEARCH, FORECAST])
@pytest.mark.parametrize("status", [True, False], ids=["with a status", "with status 200"])
@pytest.mark.parametrize("cod", ["400", 400, "401", 401, 429, "429", 500, "500"])
async def test_errors(server: VendorServer, endpoint: str, status: bool, cod: object) -> None:
    server.replies[endpoint] = owm_error(cod, "no luck", int(str(cod)) if status else 200)
    error = await refused(server, endpoint)
    assert (error.reason, error.detail) == ("status", str(cod))


@pytest.mark.parametrize("cod", [None, "", "x" * 500, True])
async def test_an_error_without_a_number(server: VendorServer, cod: object) -> None:
    server.replies[FORECAST] = owm_error(cod)
    error = await refused(server, FORECAST)
    assert (error.reason, error.detail) == ("bad answer", "cod")


@pytest.mark.parametrize(
    "reply",
    [
        said([]),
        owm_error("404", "city not found", 404),
        owm_error(404, "city not found"),
        owm_error("400", "Nothing to geocode", 400),
        owm_error(400, "Nothing to geocode", 400),
    ],
)
async def test_a_city_without_hits_is_unknown(server: VendorServer, reply: Reply) -> None:
    server.replies[SEARCH] = reply
    with pytest.raises(UnknownCity) as caught:
        await provider_for(server).forecast("湘西", DAY, "zh")
    assert caught.value.city == "湘西"
    assert [query["q"] for query in server.queries(SEARCH)] == ["湘西", "Xiangxi"]


async def test_a_place_without_weather_has_no_forecast(server: VendorServer) -> None:
    server.replies[FORECAST] = owm_error("404", status=404)
    with pytest.raises(NoForecast) as caught:
        await provider_for(server).forecast("Beijing", DAY, "zh")
    assert (caught.value.city, caught.value.day) == ("北京", DAY)


@pytest.mark.parametrize("city", ["", " ", "\ud800北京", "a\x00b", "很长" * 60])
async def test_names_that_are_none_are_not_asked_for(server: VendorServer, city: str) -> None:
    with pytest.raises(UnknownCity) as caught:
        await provider_for(server).forecast(city, DAY, "zh")
    assert (caught.value.city, server.requests) == (city, [])


BAD: dict[str, tuple[str, Reply]] = {
    "places in an object": (SEARCH, said({"name": "北京"})),
    "null": (SEARCH, said(None)),
    "a place in words": (SEARCH, said(["北京"])),
    "a latitude in words": (SEARCH, said([{**owm_place("北京"), "lat": "north"}])),
    "names in a list": (SEARCH, said([{**owm_place("北京"), "local_names": ["北京"]}])),
    "a list": (FORECAST, said([])),
    "no days": (FORECAST, said({"timezone_offset": 0})),
    "null days": (FORECAST, said({"timezone_offset": 0, "daily": None})),
    "a day in words": (FORECAST, said({"timezone_offset": 0, "daily": ["2026-02-14"]})),
    "no offset": (FORECAST, owm_days(owm_day(), offset=None)),
    "an offset in words": (FORECAST, owm_days(owm_day(), offset="+08:00")),
    "no moment": (FORECAST, owm_days({**owm_day(), "dt": None})),
    "a moment beyond time": (FORECAST, owm_days({**owm_day(), "dt": 10**15})),
    "a moment beyond numbers": (FORECAST, owm_days({**owm_day(), "dt": 10**400})),
    "a temperature in words": (FORECAST, owm_days(owm_day(low="mild"))),
    "not a number": (FORECAST, owm_days(owm_day(high=float("nan")))),
    "true": (FORECAST, owm_days(owm_day(high=True))),
    "a condition in words": (FORECAST, owm_days(owm_day(code="rain"))),
    "conditions in an object": (FORECAST, owm_days({**owm_day(), "weather": {"id": 500}})),
    "temperatures in a list": (FORECAST, owm_days({**owm_day(), "temp": [2, 8]})),
}


@pytest.mark.parametrize(("endpoint", "reply"), BAD.values(), ids=BAD)
async def test_values_of_the_wrong_kind(server: VendorServer, endpoint: str, reply: Reply) -> None:
    server.replies[endpoint] = reply
    error = await refused(server, endpoint)
    assert error.reason == "bad answer"
    assert len(error.detail) < 20


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ("小雨", 2.0, 8.0, "建议携带雨具")),
        ({"weather": []}, ("未知", 2.0, 8.0, None)),
        ({"weather": None}, ("未知", 2.0, 8.0, None)),
        ({"weather": [{"id": None}]}, ("未知", 2.0, 8.0, None)),
        ({"weather": [{"id": 799}]}, ("未知", 2.0, 8.0, None)),
        ({"weather": [{"id": "601"}, {"id": 500}]}, ("中雪", 2.0, 8.0, "建议注意保暖防滑")),
        ({"temp": None}, ("小雨", None, None, "建议携带雨具")),
        ({"temp": {"min": None, "max": "8.5"}}, ("小雨", None, 8.5, "建议携带雨具")),
        ({"weather": [{"id": 804}], "temp": {"min": -10, "max": -1}}, ("阴", -10.0, -1.0, "建议注意防寒保暖")),
        ({"weather": [{"id": 800}], "temp": {"min": 26, "max": 35}}, ("晴", 26.0, 35.0, "建议防暑补水")),
    ],
)
async def test_values(server: VendorServer, fields: dict[str, Any], expected: tuple[object, ...]) -> None:
    other = owm_day("2026-02-13T04:00", 602, -30.0, -20.0)
    server.replies[FORECAST] = owm_days(other, {**owm_day(), **fields})
    found = await provider_for(server).forecast("北京", DAY, "zh")
    assert (found.condition, found.temp_min, found.temp_max, found.suggestion) == expected


@pytest.mark.parametrize(
    ("moment", "offset"),
    [
        ("2026-02-13T16:00", 28_800),
        ("2026-02-14T15:59", 28_800),
        ("2026-02-14T17:00", -36_000),
        ("2026-02-15T09:59", -36_000),
        ("2026-02-13T10:00", 50_400),
        ("2026-02-13T18:15", 20_700),
        ("2026-02-14T12:00", 0),
        ("2026-02-14T04:00", "28800"),
    ],
)
async def test_a_day_is_the_date_at_the_place(server: VendorServer, moment: str, offset: object) -> None:
    server.replies[FORECAST] = owm_days(owm_day(moment), offset=offset)
    assert (await provider_for(server).forecast("北京", DAY, "zh")).date == DAY


@pytest.mark.parametrize(
    ("moment", "offset"),
    [("2026-02-13T15:59", 28_800), ("2026-02-14T16:00", 28_800), ("2026-02-14T09:59", -36_000)],
)
async def test_a_day_that_is_another_at_the_place(server: VendorServer, moment: str, offset: int) -> None:
    server.replies[FORECAST] = owm_days(owm_day(moment), offset=offset)
    with pytest.raises(NoForecast):
        await provider_for(server).forecast("北京", DAY, "zh")


@pytest.mark.parametrize("days", [[], [{**owm_day(), "temp": {}, "weather": []}]], ids=["none", "an empty one"])
async def test_a_day_that_is_not_there(server: VendorServer, days: list[Any]) -> None:
    server.replies[FORECAST] = owm_days(*days)
    with pytest.raises(NoForecast):
        await provider_for(server).forecast("北京", DAY, "zh")


async def test_a_place_far_in_time(server: VendorServer) -> None:
    server.replies[FORECAST] = owm_days({**owm_day(), "dt": -(10**10)}, owm_day())
    assert (await provider_for(server).forecast("北京", DAY, "zh")).condition == "小雨"


async def test_a_shared_english_name_means_the_city_that_is_shown(server: VendorServer) -> None:
    assert (await provider_for(server).forecast("Suzhou", DAY, "zh")).city == "苏州"
    assert float(server.queries(FORECAST)[0]["lat"]) == pytest.approx(31.3, abs=0.1)


async def test_of_equal_names_the_local_one_counts(server: VendorServer) -> None:
    hits = [owm_place("Xiangxi", lat=33.6, zh="香溪"), owm_place("Xiangxi", lat=28.3, zh="湘西")]
    server.replies[SEARCH] = said(hits)
    assert (await provider_for(server).forecast("Xiangxi", DAY, "zh")).city == "湘西"
    assert server.queries(FORECAST)[0]["lat"] == "28.3"


async def test_the_first_of_the_name_counts(server: VendorServer) -> None:
    hits = [owm_place("Springwood", lat=1), owm_place("Springfield", lat=2), owm_place("Springfield", lat=3)]
    server.replies[SEARCH] = said(hits)
    await provider_for(server).forecast("Springfield", DAY, "en")
    assert server.queries(FORECAST)[0]["lat"] == "2.0"


async def test_a_hit_without_coordinates_is_passed_over(server: VendorServer) -> None:
    hits = [{"name": "湘西"}, owm_place("湘西", lat=91), owm_place("湘西", lon=-181), owm_place("湘西", lat=-3)]
    server.replies[SEARCH] = said(hits)
    await provider_for(server).forecast("湘西", DAY, "zh")
    assert server.queries(FORECAST)[0]["lat"] == "-3.0"


@pytest.mark.parametrize(
    ("asked", "language", "shown"),
    [("Tongxiang", "zh", "桐乡市"), ("桐乡", "en", "Tongxiang"), ("Tongx", "zh", "桐乡市")],
)
async def test_a_city_outside_the_gazetteer_shows_its_local_name(
    server: VendorServer, asked: str, language: Any, shown: str
) -> None:
    server.replies[SEARCH] = said([owm_place("Tongxiang", zh="桐乡市")])
    assert (await provider_for(server).forecast(asked, DAY, language)).city == shown


async def test_the_second_spelling_wins_when_it_is_exact(server: VendorServer) -> None:
    server.replies[SEARCH] = [said([owm_place("Xiangyin", lat=9, zh="湘阴")]), said([owm_place("Xiangxi", lat=28)])]
    assert (await provider_for(server).forecast("湘西", DAY, "zh")).city == "湘西"
    assert server.queries(FORECAST)[0]["lat"] == "28.0"


@pytest.mark.parametrize("endpoint", [SEARCH, FORECAST])
async def test_a_slow_answer_times_out(server: VendorServer, endpoint: str) -> None:
    server.replies[endpoint] = Silence.SLOW
    assert (await refused(server, endpoint, seconds=0.2)).reason == "timeout"


async def test_a_key_with_signs_arrives_whole(server: VendorServer) -> None:
    await OpenWeatherMap("a&b=c+d%20#", server.url).forecast("湘西", DAY, "zh")
    assert [query["appid"] for _, query in server.requests] == ["a&b=c+d%20#"] * 2


async def test_a_proxy_in_the_environment_is_used(server: VendorServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", server.url.removeprefix("http://"))
    provider = OpenWeatherMap(KEY, "http://weather.invalid")
    assert (await provider.forecast("北京", DAY, "zh")).condition == "小雨"
    assert set(server.hosts) == {"weather.invalid"}
    monkeypatch.setenv("no_proxy", "weather.invalid")
    with pytest.raises(WeatherUnavailable) as caught:
        await provider.forecast("北京", DAY, "zh")
    assert caught.value.reason == "connection"
    assert len(server.requests) == 1


@pytest.mark.parametrize("proxy", ["gopher://127.0.0.1:9", "http://127.0.0.1:port"])
async def test_an_unusable_proxy(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", proxy)
    with pytest.raises(WeatherUnavailable) as caught:
        await OpenWeatherMap(KEY).forecast("北京", DAY, "zh")
    assert (caught.value.reason, caught.value.detail) == ("connection", "proxy")
