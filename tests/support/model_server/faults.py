"""The ways in which an answer can be spoilt, on either wire, streamed or not.

Some change what is said, some the shape in which it is written, some how it is sent.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from tests.support.scripted_model import Call, Said

if TYPE_CHECKING:
    from tests.support.model_server.script import Answer, Request

HTML = b"<html><body><h1>Service Unavailable</h1></body></html>"
Ending = Literal["whole", "cut", "reset", "stalled", "humming"]


@dataclass(frozen=True)
class Reply:
    """What goes over the line.

    Attributes:
        parts: The body; the parts of a stream are sent one by one.
        ending: ``cut``: the line goes dead before the end that was promised; ``reset``: the same, with a bang and
            before anything was sent; ``stalled``: nothing more comes; ``humming``: nothing but comments.
    """

    parts: tuple[bytes, ...]
    kind: str = "application/json"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    ending: Ending = "whole"


@dataclass(frozen=True)
class Fault:
    """An answer that is spoilt; ``kind`` is one of :data:`FAULTS`."""

    kind: str
    said: Said = field(default_factory=lambda: Said("好的"))


def spoiled(script: Callable[[Request], Answer], kind: str, *, role: str, times: int | None = None) -> Any:
    """A script whose answers to one role are spoilt, the first ``times`` of them or all."""
    left, lock = [times], threading.Lock()

    def answer(request: Request) -> Answer:
        said = script(request)
        with lock:
            if request.role != role or not isinstance(said, Said) or left[0] == 0:
                return said
            left[0] = None if left[0] is None else left[0] - 1
        return Fault(kind, said)

    return answer


def _calls(change: Callable[[Call], Call]) -> Callable[[Said], Said]:
    return lambda said: replace(said, calls=tuple(change(made) for made in said.calls))


def _cut_off(made: Call) -> Call:
    words = json.dumps(made.args, ensure_ascii=False)
    return replace(made, args=words[: max(2, len(words) * 2 // 3)])


#: What is said.
SAID: dict[str, Callable[[Said], Said]] = {
    "finish_length": lambda said: replace(_calls(_cut_off)(said), finish="length"),
    "finish_content_filter": lambda said: Said(finish="content_filter"),
    "cut_arguments": _calls(_cut_off),
    "broken_json": _calls(lambda made: replace(made, args="title=买菜")),
    "list_arguments": _calls(lambda made: replace(made, args="[1]")),
    "text_arguments": _calls(lambda made: replace(made, args='"买菜"')),
    "wrong_arguments": _calls(lambda made: replace(made, args={"nonsense": True})),
    "unknown_tool": _calls(lambda made: replace(made, name="no_such_tool")),
    "null_name": _calls(lambda made: replace(made, name=None)),
    "empty_id": _calls(lambda made: replace(made, id="")),
    "duplicate_ids": lambda said: replace(said, calls=(*said.calls, *said.calls)),
    "empty_message": lambda said: Said(),
    "refusal": lambda said: Said(refusal="我不能帮这个忙。"),
}


def _choices(value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda holder: holder.update(choices=value)


def _message(value: Any) -> Callable[[dict[str, Any]], None]:
    def change(holder: dict[str, Any]) -> None:
        for choice in holder["choices"]:
            choice["delta" if "delta" in choice else "message"] = value

    return change


def _in_message(**fields: Any) -> Callable[[dict[str, Any]], None]:
    def change(holder: dict[str, Any]) -> None:
        for choice in holder["choices"]:
            choice["delta" if "delta" in choice else "message"].update(fields)

    return change


def _listed_arguments(holder: dict[str, Any]) -> None:
    for choice in holder["choices"]:
        for call in choice["delta" if "delta" in choice else "message"].get("tool_calls") or ():
            call["function"]["arguments"] = [call["function"]["arguments"]]


#: How it is written: changes to the part of each payload that holds the choices.
WRITTEN: dict[str, Callable[[dict[str, Any]], None]] = {
    "empty_choices": _choices([]),
    "null_choices": _choices(None),
    "null_message": _message(None),
    "number_content": _in_message(content=7),
    "arguments_no_text": _listed_arguments,
}


def _error(status: int, kind: str, message: str, **headers: str) -> Callable[[Reply, Request], Reply]:
    def send(reply: Reply, request: Request) -> Reply:
        body = json.dumps(request.wire.error(message, kind)).encode()
        return Reply((body,), status=status, headers={name.replace("_", "-"): said for name, said in headers.items()})

    return send


def _echo(reply: Reply, request: Request) -> Reply:
    body = request.wire.error(f"Incorrect API key provided: {request.headers['authorization']}", "key")
    return Reply((json.dumps(body).encode(),), status=401, headers={"X-Key": request.headers["authorization"]})


def _shortened(reply: Reply, request: Request) -> Reply:
    if len(reply.parts) > 1:
        return replace(reply, parts=reply.parts[: max(2, len(reply.parts) * 3 // 5)])
    return replace(reply, parts=(reply.parts[0][: len(reply.parts[0]) * 3 // 5],))


def _error_event(reply: Reply, request: Request) -> Reply:
    if not request.streamed:
        return replace(reply, parts=(json.dumps(request.wire.error("overloaded", "server_error")).encode(),))
    return replace(reply, parts=(*_shortened(reply, request).parts, request.wire.error_event("overloaded")))


#: How it is sent.
SENT: dict[str, Callable[[Reply, Request], Reply]] = {
    "rate_limit": _error(429, "rate_limit", "slow down", retry_after="7"),
    "server_error": _error(500, "server_error", "oh dear"),
    "context_length": _error(400, "request", "maximum context length exceeded"),
    "unavailable_html": lambda reply, request: Reply((HTML,), "text/html", 503),
    "html_in_200": lambda reply, request: Reply((HTML,), "text/html"),
    "empty_body": lambda reply, request: replace(reply, parts=(b"",)),
    "key_echoed": _echo,
    "error_in_200": _error_event,
    "cut": lambda reply, request: replace(_shortened(reply, request), ending="cut"),
    "ended_early": _shortened,
    "reset": lambda reply, request: replace(reply, ending="reset"),
    "stalled": lambda reply, request: replace(_shortened(reply, request), ending="stalled"),
    "humming": lambda reply, request: replace(_shortened(reply, request), ending="humming"),
}

#: Every kind; "null_usage" is done where usage is written.
FAULTS = (*SAID, *WRITTEN, *SENT, "null_usage")
