"""The source of weather that the settings name (A22), and what those with a key have in common (A21)."""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import tomllib
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest

from deep_planner.app import weather_of
from deep_planner.settings import Settings
from tests.support.weather_server import WeatherServer
from tests.support.weather_vendors import (
    OWM_IDS,
    QWEATHER_ICONS,
    STRAY,
    Reply,
    Silence,
    VendorServer,
    everything_said,
    owm_day,
    owm_days,
    owm_place,
    qweather_day,
    qweather_place,
    qweather_said,
    said,
)
from tools.core.errors import UsageError
from tools.domain.weather import Condition, is_snow, needs_umbrella
from tools.services import weather as package
from tools.services.weather import (
    Addresses,
    OpenMeteo,
    OpenWeatherMap,
    QWeather,
    SampleWeather,
    WeatherUnavailable,
    online_weather,
)
from tools.services.weather.http import conditions_in

pytestmark = pytest.mark.unit

DAY = date(2026, 2, 14)
KEY = "kept-secret-7f3a"
LOOKUP, QWEATHER_DAYS = "/geo/v2/city/lookup", "/v7/weather/15d"
SEARCH, OWM_DAYS = "/geo/1.0/direct", "/data/3.0/onecall"
#: A city whose place every source has to search for: the gazetteer knows its name alone.
SEARCHED = "湘西"
GOOD: dict[str, Reply] = {
    LOOKUP: qweather_said(location=[qweather_place("北京"), qweather_place(SEARCHED)]),
    QWEATHER_DAYS: qweather_said(daily=[qweather_day()]),
    SEARCH: said([owm_place(SEARCHED)]),
    OWM_DAYS: owm_days(owm_day()),
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to start from, and neither settings nor keys in the environment."""
    for name in list(os.environ):
        if name.startswith(("DEEP_PLANNER_", "QWEATHER_", "OPENWEATHERMAP_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def server() -> Iterator[VendorServer]:
    with VendorServer({**GOOD}) as running:
        yield running


def refused(**given: Any) -> UsageError:
    with pytest.raises(UsageError) as caught:
        weather_of(Settings.load(**given))
    return caught.value


async def test_open_meteo_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QWEATHER_API_KEY", KEY)
    monkeypatch.setenv("OPENWEATHERMAP_API_KEY", KEY)
    assert Settings.load().weather_provider == "open-meteo"
    assert isinstance(weather_of(Settings.load()), OpenMeteo)
    with WeatherServer() as server:
        source = weather_of(Settings.load(weather_base_url=server.url, geocoding_base_url=server.url))
        assert (await source.forecast("北京", DAY, "zh")).source == "open-meteo"
        assert KEY not in str(server.requests + server.headers)


async def test_qweather_by_setting(server: VendorServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QWEATHER_API_KEY", f" {KEY}\n")
    monkeypatch.setenv("DEEP_PLANNER_QWEATHER_HOST", server.url)
    source = weather_of(Settings.load(weather_provider="qweather"))
    assert (await source.forecast("北京", DAY, "zh")).source == "qweather"
    assert server.headers[0]["x-qw-api-key"] == KEY


async def test_openweathermap_by_setting(server: VendorServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENWEATHERMAP_API_KEY", KEY)
    settings = Settings.load(weather_provider="openweathermap", openweathermap_base_url=server.url)
    assert (await weather_of(settings).forecast("北京", DAY, "zh")).source == "openweathermap"
    assert server.requests[0][1]["appid"] == KEY
    assert KEY not in repr(settings) + settings.model_dump_json()


@pytest.mark.parametrize("key", [None, "", "  ", "two words", "密钥", "a\nb"])
@pytest.mark.parametrize(
    ("name", "variable"), [("qweather", "QWEATHER_API_KEY"), ("openweathermap", "OPENWEATHERMAP_API_KEY")]
)
def test_a_missing_key_is_named_and_the_way_without_one(
    name: str, variable: str, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if key is not None:
        monkeypatch.setenv(variable, key)
    error = refused(weather_provider=name, qweather_host="abc.qweatherapi.com")
    assert error.key == "missing_weather_key"
    for language in ("zh", "en"):
        message = error.message(language)  # type: ignore[arg-type]
        assert all(word in message for word in (name, variable, "open-meteo"))
        assert not (key or "").strip() or str(key) not in message
    assert error.message("zh") != error.message("en")


def test_a_missing_host_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QWEATHER_API_KEY", KEY)
    error = refused(weather_provider="qweather")
    assert error.key == "missing_weather_key"
    assert "DEEP_PLANNER_QWEATHER_HOST" in error.message("zh")
    assert KEY not in str(error)


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("qweather", "qweather_host"),
        ("openweathermap", "openweathermap_base_url"),
        ("open-meteo", "weather_base_url"),
        ("open-meteo", "geocoding_base_url"),
    ],
)
def test_an_address_that_is_none_is_refused_by_name(name: str, setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QWEATHER_API_KEY", KEY)
    monkeypatch.setenv("OPENWEATHERMAP_API_KEY", KEY)
    error = refused(weather_provider=name, **{setting: "ftp://nowhere"})
    assert error.key == "bad_setting"
    assert setting in error.message("zh")
    assert "ftp://nowhere" in error.message("en")
    assert KEY not in str(error)


def test_another_provider_is_refused_by_name() -> None:
    error = refused(weather_provider="accuweather")
    assert (error.key, error.facts["name"]) == ("bad_setting", "weather_provider")


def test_a_key_is_no_setting() -> None:
    assert refused(qweather_api_key=KEY).key == "bad_setting"
    assert not [name for name in Settings.model_fields if "api_key" in name]


def test_a_file_beats_the_network(home: Path) -> None:
    (home / "weather.json").write_text("[]", encoding="utf-8")
    source = weather_of(Settings.load(weather_file=home / "weather.json", weather_provider="qweather"))
    assert isinstance(source, SampleWeather)


def test_only_the_named_keys_are_read() -> None:
    read = []

    class Watched(dict[str, str]):
        def get(self, name: str, default: Any = None) -> Any:
            read.append(name)
            return KEY

    addresses = Addresses(qweather="abc.qweatherapi.com")
    online_weather("open-meteo", addresses, Watched())
    assert read == []
    online_weather("qweather", addresses, Watched())
    online_weather("openweathermap", addresses, Watched())
    assert read == ["QWEATHER_API_KEY", "OPENWEATHERMAP_API_KEY"]


def keyed(name: str, url: str, **options: Any) -> QWeather | OpenWeatherMap:
    return QWeather(url, KEY, **options) if name == "qweather" else OpenWeatherMap(KEY, url, **options)


KEYED = pytest.mark.parametrize("name", ["qweather", "openweathermap"])


@KEYED
async def test_five_seconds_are_for_all_requests_together(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type(keyed(name, "http://127.0.0.1"))
    assert inspect.signature(kind).parameters["timeout"].default == 5.0
    loop = asyncio.get_running_loop()
    clock, late = loop.time, [0.0]
    monkeypatch.setattr(loop, "time", lambda: clock() + late[0])

    async def three_seconds(request: httpx.Request) -> httpx.Response:
        late[0] += 3.0
        for _ in range(5):
            await asyncio.sleep(0)
        reply = GOOD[request.url.path]
        return httpx.Response(200, stream=httpx.ByteStream(reply.sent()), headers=reply.packing())

    provider = keyed(name, "http://127.0.0.1", transport=httpx.MockTransport(three_seconds))
    with pytest.raises(WeatherUnavailable) as caught:
        await provider.forecast(SEARCHED, DAY, "zh")
    assert (caught.value.reason, late) == ("timeout", [6.0])


@KEYED
@pytest.mark.parametrize("key", ["", "q7w z", "q7w\n", "密钥", "q7w\x7f"])
def test_what_no_header_could_carry_is_no_key(name: str, key: str) -> None:
    with pytest.raises(ValueError, match="key") as caught:
        QWeather("x", key) if name == "qweather" else OpenWeatherMap(key)
    assert "q7w" not in everything_said(caught.value)
    assert "密" not in everything_said(caught.value)


SILENT: dict[str, Reply | Silence | None] = {
    "good": None,
    "refused": said({"cod": 401, "error": {"title": "UNAUTHORIZED"}, "message": KEY}, 401),
    "slow": Silence.SLOW,
    **{name: reply for name, (reply, _, _) in STRAY.items()},
}


@KEYED
@pytest.mark.parametrize("reply", SILENT.values(), ids=SILENT)
async def test_the_key_is_told_to_nobody_else(
    server: VendorServer, name: str, reply: Reply | Silence | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    provider = keyed(name, server.url, timeout=1.0 if reply is Silence.SLOW else 5.0)
    if reply is None:
        await provider.forecast(SEARCHED, DAY, "zh")
    else:
        server.replies[QWEATHER_DAYS] = server.replies[OWM_DAYS] = reply
        with pytest.raises(WeatherUnavailable) as caught:
            await provider.forecast(SEARCHED, DAY, "zh")
        assert KEY not in everything_said(caught.value)
    assert f"HTTP Request: GET {server.url}" in caplog.text
    assert KEY not in caplog.text
    assert KEY in str(server.requests[-1]) + str(server.headers[-1])
    assert KEY not in repr(provider)


@KEYED
async def test_words_of_the_network_end_where_they_are_caught(name: str, caplog: pytest.LogCaptureFixture) -> None:
    def unresolved(request: httpx.Request) -> httpx.Response:
        told = f"cannot reach {request.url} with {dict(request.headers)}"
        assert KEY in told
        raise httpx.ConnectError(told, request=request)

    caplog.set_level(logging.DEBUG)
    provider = keyed(name, "http://127.0.0.1", transport=httpx.MockTransport(unresolved))
    with pytest.raises(WeatherUnavailable) as caught:
        await provider.forecast("北京", DAY, "zh")
    assert (caught.value.reason, caught.value.detail) == ("connection", "ConnectError")
    assert KEY not in everything_said(caught.value) + caplog.text


TABLES = {"qweather_conditions.toml": QWEATHER_ICONS, "openweathermap_conditions.toml": OWM_IDS}


@pytest.mark.parametrize("file", TABLES)
def test_every_code_of_the_vendor_stands_in_the_table_once(file: str) -> None:
    table = tomllib.loads(Path(package.__path__[0], file).read_text(encoding="utf-8"))["conditions"]
    assert Counter(code for codes in table.values() for code in codes) == Counter(TABLES[file])


@pytest.mark.parametrize("icon", QWEATHER_ICONS)
def test_icons_advise_as_their_group_does(icon: int) -> None:
    condition = conditions_in("qweather_conditions.toml")[icon]
    assert needs_umbrella(condition) == (300 <= icon < 400)
    assert is_snow(condition) == (400 <= icon < 500)
    assert (condition is Condition.UNKNOWN) == (icon >= 900 or icon in {502, 503, 504, 507, 508, 511, 512, 513})


@pytest.mark.parametrize("code", OWM_IDS)
def test_ids_advise_as_their_group_does(code: int) -> None:
    condition = conditions_in("openweathermap_conditions.toml")[code]
    assert needs_umbrella(condition) == (code < 600)
    assert is_snow(condition) == (600 <= code < 700)
    assert (condition is Condition.UNKNOWN) == (700 <= code < 800 and code not in {701, 741})


@pytest.mark.parametrize(
    ("condition", "icons", "ids"),
    [
        (Condition.CLEAR, (100, 150), (800,)),
        (Condition.MAINLY_CLEAR, (103,), (801,)),
        (Condition.PARTLY_CLOUDY, (101,), (802,)),
        (Condition.OVERCAST, (104,), (804,)),
        (Condition.FOG, (501,), (741,)),
        (Condition.DRIZZLE, (309,), (301,)),
        (Condition.LIGHT_RAIN, (305,), (500,)),
        (Condition.RAIN, (306,), (501,)),
        (Condition.HEAVY_RAIN, (307, 310), (502,)),
        (Condition.FREEZING_RAIN, (313,), (511,)),
        (Condition.LIGHT_SNOW, (400,), (600,)),
        (Condition.SNOW, (401, 404), (601, 611)),
        (Condition.HEAVY_SNOW, (402, 403), (602,)),
        (Condition.RAIN_SHOWERS, (300,), (521,)),
        (Condition.SNOW_SHOWERS, (407,), (621,)),
        (Condition.THUNDERSTORM, (302,), (211,)),
        (Condition.THUNDERSTORM_HAIL, (304,), ()),
    ],
)
def test_codes_by_name(condition: Condition, icons: tuple[int, ...], ids: tuple[int, ...]) -> None:
    assert {conditions_in("qweather_conditions.toml")[icon] for icon in icons} == {condition}
    assert {conditions_in("openweathermap_conditions.toml")[code] for code in ids} <= {condition}
