"""A loopback server that speaks the OpenAI chat-completions wire, JSON and server-sent events, from a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.support.scripted_model import PIECE, Call, Said, role_of

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@dataclass(frozen=True)
class Failure:
    """An answer that is an HTTP error; the SDK is told not to try again, so that tests need not wait."""

    status: int
    message: str = "no"
    kind: str = "server_error"


@dataclass(frozen=True)
class Request:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def role(self) -> str:
        return role_of(self.body.get("tools", []), self.body.get("tool_choice"))

    @property
    def streamed(self) -> bool:
        return bool(self.body.get("stream"))

    def told(self) -> dict[str, Any]:
        """The JSON object of the second message."""
        found: dict[str, Any] = json.loads(self.body["messages"][1]["content"])
        return found


Answer = Said | Failure


class ModelServer:
    """A context manager; ``requests`` holds all that came in, ``url`` is the base URL to give to an SDK."""

    def __init__(self, script: Callable[[Request], Answer]) -> None:
        self.requests: list[Request] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length))
                request = Request(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                outer.requests.append(request)
                self._send(request, script(request))

            def _send(self, request: Request, answer: Answer) -> None:
                if isinstance(answer, Failure):
                    error = {"message": answer.message, "type": answer.kind, "code": None, "param": None}
                    self._whole(answer.status, "application/json", json.dumps({"error": error}).encode())
                elif request.streamed:
                    self._whole(200, "text/event-stream", b"".join(events(answer, request)))
                else:
                    content = json.dumps(completion(answer, request), ensure_ascii=False).encode()
                    self._whole(200, "application/json", content)

            def _whole(self, status: int, kind: str, content: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.send_header("x-should-retry", "false")
                # An SDK keeps its connections for longer than a test's event loop lives.
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def roles(self) -> list[str]:
        """Who was asked, in order."""
        return [request.role for request in self.requests]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def completion(said: Said, request: Request) -> dict[str, Any]:
    """A whole answer."""
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None, "refusal": None}
    if said.calls:
        message["tool_calls"] = [_call(made) for made in said.calls]
    choice = {"index": 0, "message": message, "finish_reason": _finish(said), "logprobs": None}
    return _envelope("chat.completion", request) | {"choices": [choice], "usage": USAGE}


def events(said: Said, request: Request) -> Iterator[bytes]:
    """The same answer in pieces: arguments, too, come a few characters at a time."""
    yield _event(request, {"role": "assistant", "content": ""})
    for start in range(0, len(said.text), PIECE):
        yield _event(request, {"content": said.text[start : start + PIECE]})
    for index, made in enumerate(said.calls):
        whole = _call(made)
        words = whole["function"]["arguments"]
        function = {"name": made.name, "arguments": ""}
        yield _event(
            request, {"tool_calls": [{"index": index, "id": made.id, "type": "function", "function": function}]}
        )
        for start in range(0, len(words), PIECE):
            piece = {"index": index, "function": {"arguments": words[start : start + PIECE]}}
            yield _event(request, {"tool_calls": [piece]})
    yield _event(request, {}, finish=_finish(said))
    if (request.body.get("stream_options") or {}).get("include_usage"):
        yield _line(_envelope("chat.completion.chunk", request) | {"choices": [], "usage": USAGE})
    yield b"data: [DONE]\n\n"


def _call(made: Call) -> dict[str, Any]:
    words = made.args if isinstance(made.args, str) else json.dumps(made.args, ensure_ascii=False)
    return {"id": made.id, "type": "function", "function": {"name": made.name, "arguments": words}}


def _finish(said: Said) -> str:
    return said.finish or ("tool_calls" if said.calls else "stop")


def _envelope(kind: str, request: Request) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": request.body["model"]}


def _event(request: Request, delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return _line(_envelope("chat.completion.chunk", request) | {"choices": [choice]})


def _line(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"
