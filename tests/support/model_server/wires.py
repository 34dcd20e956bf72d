"""The two wires: where a request keeps its parts, and how an answer is written, whole and in pieces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from tests.support.scripted_model import Call, Said, cut, finish_of, words_of

if TYPE_CHECKING:
    from tests.support.model_server.script import Request, Tokens

KEEP_ALIVE = b": keep-alive\n\n"


class Wire(Protocol):
    """One wire; ``payloads`` are the JSON objects of an answer, one if it is not streamed."""

    name: str
    path: str

    def input(self, body: dict[str, Any]) -> dict[str, Any]: ...

    def options(self, body: dict[str, Any]) -> dict[str, Any]: ...

    def streamed(self, request: Request) -> bool: ...

    def payloads(self, said: Said, request: Request, tokens: Tokens) -> Iterator[dict[str, Any]]: ...

    def holder(self, payload: dict[str, Any]) -> dict[str, Any]:
        """The part that holds ``choices``."""
        ...

    def framed(self, payload: dict[str, Any]) -> bytes: ...

    def ended(self) -> bytes: ...

    def error(self, message: str, kind: str) -> dict[str, Any]: ...

    def error_event(self, message: str) -> bytes: ...


def pieces(said: Said) -> Iterator[Said]:
    """The answer bit by bit; arguments, too, come a few characters at a time, and only the first bit has the name."""
    yield from (Said(reasoning=part) for part in cut(said.reasoning))
    yield from (Said(said_part) for said_part in cut(said.text))
    if said.refusal:
        yield from (Said(refusal=part) for part in cut(said.refusal))


def call_pieces(said: Said) -> Iterator[tuple[int, Call]]:
    """Each call's index, with its name and id, and then bits of its arguments without them."""
    for index, made in enumerate(said.calls):
        yield index, replace(made, args="")
        yield from ((index, Call(None, part, None)) for part in cut(words_of(made)))


def json_bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


class OpenAIWire:
    """Chat completions; ``reasoning`` is the name of the field that holds it."""

    name = "openai"
    path = "/chat/completions"
    reasoning = "reasoning_content"

    def input(self, body: dict[str, Any]) -> dict[str, Any]:
        return body

    options = input

    def streamed(self, request: Request) -> bool:
        return bool(request.body.get("stream"))

    def payloads(self, said: Said, request: Request, tokens: Tokens) -> Iterator[dict[str, Any]]:
        envelope = {"id": "chatcmpl-1", "created": 1, "model": request.body["model"]}
        if not request.streamed:
            yield envelope | {"object": "chat.completion", "choices": [self._whole(said)], "usage": _openai(tokens)}
            return
        envelope |= {"object": "chat.completion.chunk"}
        for delta in self._deltas(said):
            yield envelope | {"choices": [_choice(delta=delta, finish=None)]}
        yield envelope | {"choices": [_choice(delta={}, finish=finish_of(said))]}
        if (request.body.get("stream_options") or {}).get("include_usage"):
            yield envelope | {"choices": [], "usage": _openai(tokens)}

    def holder(self, payload: dict[str, Any]) -> dict[str, Any]:
        return payload

    def framed(self, payload: dict[str, Any]) -> bytes:
        return b"data: " + json_bytes(payload) + b"\n\n"

    def ended(self) -> bytes:
        return b"data: [DONE]\n\n"

    def error(self, message: str, kind: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": kind, "code": None, "param": None}}

    def error_event(self, message: str) -> bytes:
        return self.framed(self.error(message, "server_error"))

    def _whole(self, said: Said) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": said.text or None, "refusal": said.refusal}
        if said.reasoning:
            message[self.reasoning] = said.reasoning
        if said.calls:
            message["tool_calls"] = [_call(made) for made in said.calls]
        return _choice(message=message, finish=finish_of(said))

    def _deltas(self, said: Said) -> Iterator[dict[str, Any]]:
        yield {"role": "assistant", "content": ""}
        for piece in pieces(said):
            told = {"content": piece.text, self.reasoning: piece.reasoning, "refusal": piece.refusal}
            yield {name: words for name, words in told.items() if words}
        for index, made in call_pieces(said):
            if made.id or made.name:
                yield {"tool_calls": [_call(made) | {"index": index}]}
            else:
                yield {"tool_calls": [{"index": index, "function": {"arguments": made.args}}]}


class DashScopeWire:
    """Text generation in ``message`` format; usage comes with every piece, as the sum so far."""

    name = "dashscope"
    path = "/services/aigc/text-generation/generation"

    def input(self, body: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = body["input"]
        return found

    def options(self, body: dict[str, Any]) -> dict[str, Any]:
        return body.get("parameters") or {}

    def streamed(self, request: Request) -> bool:
        return request.headers.get("x-dashscope-sse") == "enable"

    def payloads(self, said: Said, request: Request, tokens: Tokens) -> Iterator[dict[str, Any]]:
        if not request.streamed:
            message = self._message(text=said.text, reasoning=said.reasoning)
            if said.calls:
                message["tool_calls"] = [_call(made) | {"index": i} for i, made in enumerate(said.calls)]
            yield self._payload(message, finish_of(said), tokens)
            return
        for piece in pieces(said):
            yield self._payload(self._message(text=piece.text, reasoning=piece.reasoning), "null", tokens)
        for index, made in call_pieces(said):
            call = _call(replace(made, id=made.id or "")) | {"index": index}
            if made.name is None and made.id is None:
                del call["function"]["name"]
            yield self._payload(self._message() | {"tool_calls": [call]}, "null", tokens)
        yield self._payload(self._message(), finish_of(said), tokens)

    def holder(self, payload: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = payload["output"]
        return found

    def framed(self, payload: dict[str, Any]) -> bytes:
        return b"id:1\nevent:result\n:HTTP_STATUS/200\ndata:" + json_bytes(payload) + b"\n\n"

    def ended(self) -> bytes:
        return b""

    def error(self, message: str, kind: str) -> dict[str, Any]:
        code = {"rate_limit": "Throttling.RateQuota", "key": "InvalidApiKey", "request": "InvalidParameter"}
        return {"code": code.get(kind, "InternalError"), "message": message, "request_id": "req-1"}

    def error_event(self, message: str) -> bytes:
        return b"id:2\nevent:error\n:HTTP_STATUS/500\ndata:" + json_bytes(self.error(message, "")) + b"\n\n"

    def _message(self, text: str = "", reasoning: str = "") -> dict[str, Any]:
        return {"role": "assistant", "content": text} | ({"reasoning_content": reasoning} if reasoning else {})

    def _payload(self, message: dict[str, Any], finish: str, tokens: Tokens) -> dict[str, Any]:
        usage = {
            "input_tokens": tokens.input,
            "output_tokens": tokens.output,
            "total_tokens": tokens.input + tokens.output,
            "prompt_tokens_details": {"cached_tokens": tokens.cached},
            "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
        }
        output = {"choices": [{"message": message, "finish_reason": finish}]}
        return {"output": output, "usage": usage, "request_id": "req-1"}


WIRES: tuple[Wire, ...] = (OpenAIWire(), DashScopeWire())


def _call(made: Call) -> dict[str, Any]:
    return {"id": made.id, "type": "function", "function": {"name": made.name, "arguments": words_of(made)}}


def _choice(finish: str | None, **said: Any) -> dict[str, Any]:
    return {"index": 0, **said, "finish_reason": finish, "logprobs": None}


def _openai(tokens: Tokens) -> dict[str, Any]:
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
        "completion_tokens_details": {"reasoning_tokens": tokens.reasoning},
    }
