"""A loopback server that speaks Open-Meteo's two endpoints from scripted tables, with faults to order."""

from __future__ import annotations

import json
from enum import StrEnum
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.loopback import LoopbackServer, Quiet

SEARCH = "/v1/search"
FORECAST = "/v1/forecast"

BEIJING = {
    "id": 1816670,
    "name": "北京",
    "latitude": 39.9075,
    "longitude": 116.39723,
    "feature_code": "PPLC",
    "country_code": "CN",
    "timezone": "Asia/Shanghai",
    "population": 18960744,
}


class Fault(StrEnum):
    """What an endpoint does instead of answering."""

    BAD_REQUEST = "bad_request"
    TOO_MANY = "too_many"
    SERVER_ERROR = "server_error"
    HTML = "html"
    BROKEN_JSON = "broken_json"
    DEEP_JSON = "deep_json"
    LIST = "list"
    REDIRECT = "redirect"
    HUGE = "huge"
    GZIP = "gzip"
    SLOW = "slow"
    CLOSED = "closed"
    CUT_SHORT = "cut_short"


def _error(reason: str) -> bytes:
    return json.dumps({"error": True, "reason": reason}).encode()


_JSON = {"Content-Type": "application/json; charset=utf-8"}
_ANSWERS: dict[Fault, tuple[int, dict[str, str], bytes]] = {
    Fault.BAD_REQUEST: (400, _JSON, _error("Parameter 'daily' is invalid.")),
    Fault.TOO_MANY: (429, _JSON, _error("Minutely API request limit exceeded. Please try again in one minute.")),
    Fault.SERVER_ERROR: (503, {"Content-Type": "text/plain"}, b"upstream down"),
    Fault.HTML: (200, {"Content-Type": "text/html"}, b"<html><body>Please sign in</body></html>"),
    Fault.BROKEN_JSON: (200, _JSON, b'{"results": [{"name": "Bei'),
    Fault.DEEP_JSON: (200, _JSON, b"[" * 100_000),
    Fault.LIST: (200, _JSON, b"[]"),
    Fault.REDIRECT: (302, {"Location": "/elsewhere"}, b""),
    Fault.HUGE: (200, _JSON, b" " * (2 * 1024 * 1024)),
    Fault.GZIP: (200, {**_JSON, "Content-Encoding": "gzip"}, b"\x1f\x8b"),
}


class WeatherServer(LoopbackServer):
    """A scripted Open-Meteo; use as a context manager and point both base URLs at ``url``.

    Attributes:
        places: The hits the search knows. As on the real service one character finds nothing, two find an exact name,
            more find a beginning; each hit is found by its ``name`` and by the names under ``also``, which is not sent.
        daily: The ``daily`` table that every place gets.
        faults: Endpoint to fault; without an entry it answers.
        requests: Every request so far, as (path, query).
        headers: The headers of every request so far.
    """

    def __init__(self, places: list[dict[str, Any]] | None = None, daily: dict[str, Any] | None = None) -> None:
        self.places = [BEIJING] if places is None else places
        self.daily = daily or days(["2026-02-14"], [61], [2.0], [8.0])
        self.faults: dict[str, Fault] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.headers: list[dict[str, str]] = []
        super().__init__(_handler(self))

    @property
    def url(self) -> str:
        """The base URL of both services."""
        return self.host

    def answer(self, path: str, query: dict[str, str]) -> dict[str, Any]:
        """What a healthy endpoint says."""
        if path == SEARCH:
            found = self._found(query["name"])[: int(query.get("count", "10"))]
            sent = [{key: value for key, value in place.items() if key != "also"} for place in found]
            return {"generationtime_ms": 0.5} | ({"results": sent} if sent else {})
        units = {"time": "iso8601", "weather_code": "wmo code", "temperature_2m_max": "°C", "temperature_2m_min": "°C"}
        return {"latitude": 39.875, "longitude": 116.375, "daily_units": units, "daily": self.daily}

    def _found(self, name: str) -> list[dict[str, Any]]:
        def matches(place: dict[str, Any]) -> bool:
            names = [known.casefold() for known in (place["name"], *place.get("also", ()))]
            wanted = name.casefold()
            return wanted in names if len(name) == 2 else any(known.startswith(wanted) for known in names)

        return [] if len(name) < 2 else [place for place in self.places if matches(place)]


def days(
    dates: list[str], codes: list[int | None], lows: list[float | None], highs: list[float | None]
) -> dict[str, Any]:
    """A ``daily`` table of parallel arrays."""
    return {"time": dates, "weather_code": codes, "temperature_2m_min": lows, "temperature_2m_max": highs}


def _handler(server: WeatherServer) -> type[BaseHTTPRequestHandler]:
    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = dict(parse_qsl(parts.query))
            server.requests.append((parts.path, query))
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            fault = server.faults.get(parts.path)
            if fault is Fault.SLOW:
                server.closing.wait()
            elif fault is Fault.CUT_SHORT:
                self._send(200, {**_JSON, "Content-Length": "1000"}, b'{"results"')
            elif fault is not Fault.CLOSED:
                self._reply(fault, parts.path, query)

        def _reply(self, fault: Fault | None, path: str, query: dict[str, str]) -> None:
            if fault is not None:
                self._send(*_ANSWERS[fault])
            elif path in (SEARCH, FORECAST):
                self._send(200, _JSON, json.dumps(server.answer(path, query), ensure_ascii=False).encode())
            else:
                self._send(404, _JSON, _error("Not Found"))

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except ConnectionError:
                # The client hangs up in the middle of an answer that is too large for it.
                self.close_connection = True

    return Handler
