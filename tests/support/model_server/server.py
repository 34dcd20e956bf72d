"""The server itself: HTTP, counting, and the ways in which a line goes dead."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.support.loopback import LoopbackServer, Quiet
from tests.support.model_server import embedding
from tests.support.model_server.faults import SAID, SENT, WRITTEN, Fault, Reply
from tests.support.model_server.script import Answer, Failure, Raw, Request, Tokens, fixed
from tests.support.model_server.strict import Echo, refusal_of
from tests.support.model_server.wires import KEEP_ALIVE, json_bytes
from tests.support.scripted_model import Said

#: Seconds between the comments of a line that hums.
_BEAT = 0.02
_LAST_CHUNK = b"0\r\n\r\n"


class ModelServer(LoopbackServer):
    """A context manager; see the package."""

    def __init__(
        self,
        script: Callable[[Request], Answer] | Sequence[Answer],
        *,
        strict: bool = False,
        echo: Echo = None,
        tokens: Callable[[Request, Said], Tokens] = fixed,
        embed: embedding.Embed = embedding.by_characters,
        keep_alive: bool = False,
    ) -> None:
        self.requests: list[Request] = []
        self.embedded: list[dict[str, Any]] = []
        self.refusals: list[str] = []
        self.connections = 0
        self.peak = 0
        self.totals = Tokens()
        left = iter(()) if callable(script) else iter(script)
        self._script = script if callable(script) else lambda request: next(left, Failure(500, "the script ran out"))
        self._strict, self._echo = strict, echo
        self._tokens, self._embed = tokens, embed
        self._lock = threading.Lock()
        self._in_flight = 0
        super().__init__(_handler(self, keep_alive=keep_alive), waits=False)

    @property
    def url(self) -> str:
        return f"{self.host}/v1"

    @property
    def dashscope_url(self) -> str:
        return f"{self.host}/api/v1"

    @property
    def roles(self) -> list[str]:
        """Who was asked, in order."""
        return [request.role for request in self.requests]

    def answered(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Reply:
        """What to send back for a request."""
        if path.endswith(embedding.PATHS):
            self.embedded.append(body)
            return Reply((json_bytes(embedding.answer(path, body, self._embed)),))
        request = self._noted(Request(path, headers, body))
        try:
            reason = refusal_of(request, self._echo) if self._strict else None
            if reason:
                self.refusals.append(reason)
                return self._written(Failure(400, reason, "request"), request)
            return self._written(self._script(request), request)
        finally:
            with self._lock:
                self._in_flight -= 1

    def silence(self, seconds: float | None = None) -> bool:
        """Wait; whether the server is closing."""
        return self.closing.wait(seconds)

    def _noted(self, request: Request) -> Request:
        with self._lock:
            prompt = request.prompt
            earlier = [asked.prompt for asked in self.requests]
            shared = max((_shared(prompt, other) for other in earlier), default=0)
            extends = any(prompt.startswith(f"{other}\n") for other in earlier)
            request = replace(request, shared=shared, extends=extends)
            self.requests.append(request)
            self._in_flight += 1
            self.peak = max(self.peak, self._in_flight)
        return request

    def _written(self, answer: Answer, request: Request) -> Reply:
        if isinstance(answer, Failure):
            content = json_bytes(request.wire.error(answer.message, answer.kind))
            return Reply((content,), status=answer.status, headers=answer.headers)
        if isinstance(answer, Raw):
            return _reply(list(answer.payloads), request)
        kind, said = (answer.kind, answer.said) if isinstance(answer, Fault) else ("", answer)
        said = SAID.get(kind, lambda said: said)(said)
        tokens = self._tokens(request, said)
        payloads = list(request.wire.payloads(said, request, tokens))
        for payload in payloads:
            if kind == "null_usage":
                payload["usage"] = None
            WRITTEN.get(kind, lambda holder: None)(request.wire.holder(payload))
        if kind not in SENT and kind != "null_usage":
            with self._lock:
                self.totals += tokens
        reply = _reply(payloads, request)
        return SENT.get(kind, lambda reply, request: reply)(reply, request)


def _shared(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def _reply(payloads: list[dict[str, Any]], request: Request) -> Reply:
    if not request.streamed:
        return Reply((json_bytes(payloads[0]),))
    frames = [request.wire.framed(payload) for payload in payloads]
    return Reply((KEEP_ALIVE, *frames, request.wire.ended()), "text/event-stream")


def _handler(server: ModelServer, *, keep_alive: bool) -> type[BaseHTTPRequestHandler]:
    class Handler(Quiet, BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            server.connections += 1

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.answered(self.path, headers, body)
            try:
                self._send(reply)
            except OSError:
                """The client has hung up, as it may."""

        def _send(self, reply: Reply) -> None:
            if reply.ending == "reset":
                self._hang_up()
                return
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.kind)
            self.send_header("Transfer-Encoding", "chunked")
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if not keep_alive:
                self.send_header("Connection", "close")
            self.end_headers()
            for part in filter(None, reply.parts):
                self._chunk(part)
            while reply.ending == "humming" and not server.silence(_BEAT):
                self._chunk(KEEP_ALIVE if reply.kind == "text/event-stream" else b" ")
            if reply.ending == "stalled":
                server.silence()
            if reply.ending == "whole":
                self.wfile.write(_LAST_CHUNK)
            else:
                self.close_connection = True

        def _chunk(self, content: bytes) -> None:
            self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")

        def _hang_up(self) -> None:
            self.close_connection = True
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.rfile.close()
            self.connection.close()

    return Handler
