"""What the online sources share: a bounded exchange of JSON, and how values are read from it."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import math
import re
import tomllib
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from tools.core.text import Language
from tools.domain.cities import bare_name, lookup_city, same_city
from tools.domain.weather import Condition
from tools.services.weather.provider import WeatherUnavailable

if TYPE_CHECKING:
    import ssl

    import httpx

#: Seconds for the whole of one forecast, all requests together (A21).
TIMEOUT = 5.0
LONGEST_NAME = 80
#: Bytes; real answers have a few thousand.
_LARGEST_ANSWER = 512 * 1024
_GZIP = 31  # zlib's name for the format
_OK = 200
_USABLE_KEY = re.compile(r"[!-~]+")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Key:
    """Who asks, as a service wants to be told: a header or a query parameter called ``name``."""

    place: Literal["header", "query"]
    name: str
    value: str = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse what no header could carry.

        Raises:
            ValueError: The value is empty, or more than printable ASCII; it is not quoted.
        """
        if not _USABLE_KEY.fullmatch(self.value):
            raise ValueError("a key is made of printable ASCII letters")


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP status and the JSON that came with it; ``None`` where an error had no readable JSON."""

    status: int
    content: object


class JsonService:
    """Asks for JSON and reads no more of it than a limit; the limit on time is ``within``.

    Every request has a client of its own, so an instance holds no sockets and serves any event loop.
    """

    def __init__(
        self, *, key: Key | None = None, compressed: bool = False, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        """Say how to ask.

        Args:
            key: Sent with every request.
            compressed: Whether to ask for gzip and read it; else what is compressed is refused.
            transport: Replaces the network; it stays open, its owner closes it.
        """
        self._key = key
        self._compressed = compressed
        self._transport = transport
        self._tls: ssl.SSLContext | None = None

    async def get(self, url: str, query: Mapping[str, str | float]) -> object:
        """The JSON of a successful answer.

        Raises:
            WeatherUnavailable: No answer, another status than 200, or an answer that is too large or no JSON.
        """
        answer = await self.answer(url, query)
        if answer.status != _OK:
            raise WeatherUnavailable("status", str(answer.status))
        return answer.content

    async def answer(self, url: str, query: Mapping[str, str | float]) -> Answer:
        """Any answer, for services that say in the body what went wrong.

        Raises:
            WeatherUnavailable: No answer, or one of status 200 that is too large or no JSON.
        """
        import httpx  # noqa: PLC0415 - costs a tenth of a second of cold start, which most runs need not pay

        client = self._client(url)
        try:
            async with client.stream("GET", url, params=query) as response:
                return await self._read(response)
        except (httpx.TransportError, httpx.StreamError, httpx.InvalidURL) as error:
            fault = type(error).__name__
        finally:
            if self._transport is None:
                await client.aclose()
        # Outside of the handler, so that httpx's own words, which may quote a header or an address, end here.
        raise WeatherUnavailable("connection", fault)

    def _client(self, url: str) -> httpx.AsyncClient:
        import httpx  # noqa: PLC0415 - see answer

        if self._tls is None:
            self._tls = httpx.create_ssl_context()
        try:
            wire = self._transport or httpx.AsyncHTTPTransport(verify=self._tls, trust_env=False, proxy=_proxy_to(url))
        except (ImportError, ValueError, httpx.InvalidURL) as error:  # in the environment, and httpx cannot use it
            raise WeatherUnavailable("connection", "proxy") from error
        return httpx.AsyncClient(
            transport=wire if self._key is None else _with_key(wire, self._key),
            trust_env=False,
            timeout=None,  # the one limit, over all requests of a forecast together, is ``within``
            headers={"Accept-Encoding": "gzip" if self._compressed else "identity", "User-Agent": "deep-planner"},
        )

    async def _read(self, response: httpx.Response) -> Answer:
        try:
            return Answer(response.status_code, _decoded(await self._body(response)))
        except WeatherUnavailable:
            if response.status_code == _OK:
                raise
            return Answer(response.status_code, None)

    async def _body(self, response: httpx.Response) -> bytes:
        """The body, unpacked here rather than by httpx: the limit holds for the bytes that come out."""
        encoding = response.headers.get("Content-Encoding", "identity").lower()
        unpacker = zlib.decompressobj(_GZIP) if encoding == "gzip" and self._compressed else None
        if unpacker is None and encoding != "identity":
            raise WeatherUnavailable("bad answer", "compressed")
        body = bytearray()
        async for chunk in response.aiter_raw():
            try:
                body += unpacker.decompress(chunk, _LARGEST_ANSWER + 1 - len(body)) if unpacker else chunk
            except zlib.error as error:
                raise WeatherUnavailable("bad answer", "compressed") from error
            if len(body) > _LARGEST_ANSWER:
                raise WeatherUnavailable("too large")
        if unpacker is not None and not unpacker.eof:
            raise WeatherUnavailable("bad answer", "compressed")
        return bytes(body)


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """Limit everything inside to ``seconds``.

    Raises:
        WeatherUnavailable: It took longer.
    """
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise WeatherUnavailable("timeout") from error


def checked_url(base_url: str) -> str:
    """The base URL without its last slash.

    Raises:
        ValueError: It is not http(s) with a host.
    """
    parts = urlsplit(base_url)
    _ = parts.port  # raises on a port that is no number
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"a weather service needs an http(s) base URL with a host, got {base_url!r}")
    return base_url.rstrip("/")


def table_of(value: object) -> dict[str, object]:
    """The value as a JSON object; ``WeatherUnavailable`` for any other."""
    if not isinstance(value, dict):
        raise WeatherUnavailable("bad answer", "not an object")
    return value


def list_of(value: object, name: str) -> list[object]:
    """The value as a JSON array; ``WeatherUnavailable`` with the field's ``name`` for any other."""
    if not isinstance(value, list):
        raise WeatherUnavailable("bad answer", name)
    return value


def finite(value: object) -> float | None:
    """The number, where it is a finite one: JSON's ``true`` and Python's ``NaN`` are not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def number_of(value: object) -> float | None:
    """A number, or a string such as "-3" that holds one; ``None`` for null and for an empty string.

    Raises:
        WeatherUnavailable: Anything else.
    """
    if value is None or value == "":
        return None
    number = finite(float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value)
    if number is None:
        raise WeatherUnavailable("bad answer", "not a number")
    return number


def clean_name(value: object) -> str:
    """A place's name as it may be shown: one line of printable letters, not too long; empty if it is none."""
    if not isinstance(value, str):
        return ""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in value).split())[:LONGEST_NAME]


def asked_names(city: str) -> list[str]:
    """The names to search for, in turn; a city of the gazetteer by its Chinese name first, which no other shares."""
    asked = " ".join(city.split())
    if not asked or not asked.isprintable() or len(asked) > LONGEST_NAME:
        return []
    known = lookup_city(asked)
    return list(dict.fromkeys((known.name_zh, known.name_en) if known else (asked, bare_name(asked))))


def shown_name(asked: str, found: str, language: Language) -> str:
    """The gazetteer's name where that is what was found; else the name found, so that a fuzzy hit shows as one."""
    known = lookup_city(asked)
    return known.name(language) if known is not None and same_city(known.name_zh, found) else found


@cache
def conditions_in(file: str) -> Mapping[int, Condition]:
    """A source's codes by the table in ``file``, beside this module: ``[conditions]``, for each condition its codes."""
    table = tomllib.loads(Path(__file__).with_name(file).read_text(encoding="utf-8"))
    return {code: Condition(name) for name, codes in table["conditions"].items() for code in codes}


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise WeatherUnavailable("bad answer", "not JSON") from error


def _with_key(wire: httpx.AsyncBaseTransport, key: Key) -> httpx.AsyncBaseTransport:
    """The wire with the key added below the client: what httpx logs and what its errors carry is without it."""
    import httpx  # noqa: PLC0415 - see JsonService.answer

    class Keyed(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            url, headers = request.url, request.headers.copy()
            if key.place == "query":
                url = url.copy_merge_params({key.name: key.value})
            else:
                headers[key.name] = key.value
            known = httpx.Request(request.method, url, headers=headers, stream=request.stream)
            known.extensions = request.extensions
            return await wire.handle_async_request(known)

        async def aclose(self) -> None:
            await wire.aclose()

    return Keyed()


def _proxy_to(url: str) -> str | None:
    """The proxy that the environment names for ``url``; none for loopback: it cannot reach the user's own machine."""
    parts, proxies = urlsplit(url), getproxies()
    host = parts.hostname or ""
    if _is_loopback(host) or proxy_bypass(host):
        return None
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
