"""A loopback server that gives each path a scripted answer, and the answers of QWeather and OpenWeatherMap."""

from __future__ import annotations

import gzip
import json
import traceback
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.loopback import LoopbackServer, Quiet

JSON = "application/json; charset=utf-8"
PROBLEM = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a path answers; ``packed`` bodies are sent as gzip, ``promised`` is a length that is not kept."""

    body: bytes
    status: int = 200
    kind: str = JSON
    packed: bool = False
    promised: int | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def sent(self) -> bytes:
        """The body on the wire."""
        return gzip.compress(self.body) if self.packed else self.body

    def packing(self) -> dict[str, str]:
        """The header that says so."""
        return {"Content-Encoding": "gzip"} if self.packed else {}


class Silence(StrEnum):
    """What a path does instead of answering."""

    SLOW = "slow"
    CLOSED = "closed"


def said(content: object, status: int = 200, kind: str = JSON, *, packed: bool = False) -> Reply:
    """A reply of JSON."""
    return Reply(json.dumps(content, ensure_ascii=False).encode(), status, kind, packed)


#: What may come from any service or from what stands before it, with the reason and detail expected.
STRAY: dict[str, tuple[Reply | Silence, str, str]] = {
    "a page": (Reply(b"<html><body>Please sign in</body></html>", kind="text/html"), "bad answer", "not JSON"),
    "half of JSON": (Reply(b'{"code": "200", "loc'), "bad answer", "not JSON"),
    "deep JSON": (Reply(b"[" * 100_000), "bad answer", "not JSON"),
    "not UTF-8": (Reply(b'{"code": "\xff"}'), "bad answer", "not JSON"),
    "nothing": (Reply(b""), "bad answer", "not JSON"),
    "a redirection": (Reply(b"", 302, headers={"Location": "/elsewhere"}), "status", "302"),
    "a page with 400": (Reply(b"<html>", 400, "text/html"), "status", "400"),
    "a page with 404": (Reply(b"<html>", 404, "text/html"), "status", "404"),
    "a page with 502": (Reply(b"<html>", 502, "text/html"), "status", "502"),
    "too much": (Reply(b" " * (2 * 1024 * 1024)), "too large", ""),
    "cut short": (Reply(b'{"code"', promised=1000), "connection", "RemoteProtocolError"),
    "hung up": (Silence.CLOSED, "connection", "RemoteProtocolError"),
    "another packing": (Reply(b"\x1b", headers={"Content-Encoding": "br"}), "bad answer", "compressed"),
}


class VendorServer(LoopbackServer):
    """Answers each path as scripted; use as a context manager.

    Attributes:
        replies: What each path answers; a list is answered in turn, its last entry for good. Other paths are 404.
        requests: Every request so far, as (path, query).
        headers: The headers of every request so far.
        hosts: The host that each request was for.
    """

    def __init__(self, replies: dict[str, Reply | Silence | list[Reply]]) -> None:
        self.replies = replies
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.headers: list[dict[str, str]] = []
        self.hosts: list[str] = []
        super().__init__(_handler(self))

    @property
    def url(self) -> str:
        """The base URL."""
        return self.host

    def queries(self, path: str) -> list[dict[str, str]]:
        """The queries that a path got."""
        return [query for asked, query in self.requests if asked == path]

    def next_reply(self, path: str) -> Reply | Silence:
        """What a path answers now."""
        reply = self.replies.get(path, Reply(b"", 404))
        if isinstance(reply, list):
            return reply.pop(0) if len(reply) > 1 else reply[0]
        return reply


def everything_said(error: BaseException) -> str:
    """All that a log could show of an error: the whole chain, hidden parts too, and every attribute of each."""
    seen: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in seen:
            seen.append(one)
            waiting += [one.__cause__, one.__context__]
    told = ["".join(traceback.format_exception(one)) for one in seen]
    return "\n".join([*told, *(repr((one, one.args, vars(one))) for one in seen)])


# --- QWeather

#: The vendor's own table of icons, by day and by night.
QWEATHER_ICONS = [
    *(100, 101, 102, 103, 104, 150, 151, 152, 153, 154, 350, 351, 399, 456, 457, 499),
    *(*range(300, 319), *range(400, 411)),
    *(500, 501, 502, 503, 504, 507, 508, 509, 510, 511, 512, 513, 514, 515, 900, 901, 999),
]


def qweather_place(name: str, lat: str = "39.90", lon: str = "116.41", **fields: Any) -> dict[str, Any]:
    """One hit of the lookup."""
    place = {"name": name, "id": "101010100", "lat": lat, "lon": lon, "adm2": name, "adm1": f"{name}市"}
    return {**place, "country": "中国", "tz": "Asia/Shanghai", "type": "city", "rank": "10", **fields}


def qweather_day(day: str = "2026-02-14", icon: str = "305", low: str = "2", high: str = "8") -> dict[str, Any]:
    """One day; the vendor's word is not ours, so that it would be seen."""
    return {"fxDate": day, "tempMax": high, "tempMin": low, "iconDay": icon, "textDay": "vendor", "iconNight": "150"}


def qweather_said(code: object = "200", **content: Any) -> Reply:
    """A body of the older form, compressed as always."""
    return said({"code": code, **content}, packed=True)


def qweather_problem(status: int, title: str | None, kind: str = "about:blank") -> Reply:
    """A body of the newer form."""
    error = {"status": status, "type": kind, "title": title, "detail": "...", "invalidParams": []}
    return said({"error": error}, status, PROBLEM, packed=True)


# --- OpenWeatherMap

#: The vendor's own table of conditions.
OWM_IDS = [
    *(200, 201, 202, 210, 211, 212, 221, 230, 231, 232),
    *(300, 301, 302, 310, 311, 312, 313, 314, 321),
    *(500, 501, 502, 503, 504, 511, 520, 521, 522, 531),
    *(600, 601, 602, 611, 612, 613, 615, 616, 620, 621, 622),
    *(701, 711, 721, 731, 741, 751, 761, 762, 771, 781, 800, 801, 802, 803, 804),
]


def owm_place(name: str, lat: float = 39.9, lon: float = 116.4, **local: str) -> dict[str, Any]:
    """One hit of the search; ``local`` are names by language."""
    return {"name": name, "local_names": local, "lat": lat, "lon": lon, "country": "CN"}


def owm_day(
    moment: str = "2026-02-14T04:00", code: object = 500, low: object = 2.0, high: object = 8.0
) -> dict[str, Any]:
    """One day at a moment of UTC; the vendor's word is not ours, so that it would be seen."""
    seconds = int(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp())
    sky = {"id": code, "main": "Vendor", "description": "vendor", "icon": "10d"}
    return {"dt": seconds, "temp": {"day": 5.0, "min": low, "max": high}, "weather": [sky], "pop": 0.4}


def owm_days(*days: dict[str, Any], offset: object = 28_800) -> Reply:
    """An answer with days; the offset is that of China unless told."""
    place = {"lat": 39.9, "lon": 116.4, "timezone": "Asia/Shanghai", "timezone_offset": offset}
    return said({**place, "daily": list(days)})


def owm_error(cod: object, message: str = "...", status: int = 200) -> Reply:
    """An error, with any status."""
    return said({"cod": cod, "message": message}, status)


def _handler(server: VendorServer) -> type[BaseHTTPRequestHandler]:
    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            server.requests.append((parts.path, dict(parse_qsl(parts.query))))
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            server.hosts.append(self.headers["Host"])
            reply = server.next_reply(parts.path)
            if reply is Silence.SLOW:
                server.closing.wait()
            elif isinstance(reply, Reply):
                self._send(reply)

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            length = {"Content-Length": str(reply.promised)} if reply.promised else {}
            for name, value in {"Content-Type": reply.kind, **reply.packing(), **length, **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(reply.sent())
            except ConnectionError:
                # The client hangs up in the middle of an answer that is too large for it.
                self.close_connection = True

    return Handler
