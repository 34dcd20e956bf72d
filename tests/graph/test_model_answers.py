"""What models say, heard over both wires: words, calls, reasoning, tokens, and the dialects of single vendors."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage

from subagents.gathering import gathered
from tests.graph.wires import connected, each_way, each_wire
from tests.support.model_server import ModelServer, Raw, Request, Tokens
from tests.support.scripted_model import Call, Said

pytestmark = [pytest.mark.graph, pytest.mark.usefixtures("canary_keys")]

PARAMETERS = {"type": "object", "properties": {"title": {"type": "string"}}}
TOOL = {"type": "function", "function": {"name": "create_task", "description": "d", "parameters": PARAMETERS}}
CALLS = (Call("create_task", {"title": "买菜"}, "call-1"), Call("create_task", {"title": "散步 “公园”"}, "call-2"))
QUESTION = [HumanMessage("买菜，散步")]
WHOLE = Said("好的，记下了。", CALLS, reasoning="用户要买菜，还要散步。")


async def asked(model: BaseChatModel) -> AIMessage:
    """An answer as the planner hears it."""
    return await gathered(model.bind_tools([TOOL]).astream(QUESTION), 30.0)


@each_way
@each_wire
async def test_words_calls_reasoning_and_tokens_arrive(wire: str, streamed: bool) -> None:
    def tokens(request: Request, said: Said) -> Tokens:
        return Tokens(100, 40, cached=64, reasoning=9)

    with ModelServer([WHOLE], tokens=tokens) as server:
        async with connected(server, wire, streamed=streamed) as model:
            heard = await asked(model)
    assert heard.text == WHOLE.text
    assert [(made["name"], made["args"], made["id"]) for made in heard.tool_calls] == [
        (made.name, made.args, made.id) for made in CALLS
    ]
    assert heard.additional_kwargs["reasoning_content"] == WHOLE.reasoning
    assert heard.response_metadata["finish_reason"] == "tool_calls"
    assert heard.usage_metadata == {
        "input_tokens": 100,
        "output_tokens": 40,
        "total_tokens": 140,
        "input_token_details": {"cache_read": 64},
        "output_token_details": {"reasoning": 9},
    }
    assert server.requests[0].streamed is streamed


@each_wire
async def test_reasoning_streams_before_the_words(wire: str) -> None:
    with ModelServer([WHOLE]) as server:
        async with connected(server, wire) as model:
            pieces = [piece async for piece in model.astream(QUESTION)]
    thoughts = [bool(piece.additional_kwargs.get("reasoning_content")) for piece in pieces]
    words = [bool(piece.text) for piece in pieces]
    assert thoughts.count(True) > 1
    assert thoughts.index(True) < words.index(True)


def told(streamed: bool, usage: dict[str, Any], **message: Any) -> Raw:
    """One answer on OpenAI's wire."""
    said = {"role": "assistant", "content": "好的", **message}
    choice = {"index": 0, "delta" if streamed else "message": said, "finish_reason": "stop"}
    return Raw(({"id": "1", "object": "x", "created": 1, "model": "m", "choices": [choice], "usage": usage},))


@each_way
@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
async def test_reasoning_under_any_vendors_name(name: str, streamed: bool) -> None:
    with ModelServer([told(streamed, {}, **{name: "想一想"})]) as server:
        async with connected(server, "openai", streamed=streamed, name="openrouter:m") as model:
            assert (await asked(model)).additional_kwargs["reasoning_content"] == "想一想"


@each_way
@pytest.mark.parametrize("name", ["prompt_cache_hit_tokens", "cached_tokens"])
async def test_cached_tokens_under_any_vendors_name(name: str, streamed: bool) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105, name: 96}
    with ModelServer([told(streamed, usage)]) as server:
        async with connected(server, "openai", streamed=streamed) as model:
            counted = (await asked(model)).usage_metadata
    assert counted is not None
    assert (counted["input_tokens"], counted["input_token_details"]) == (100, {"cache_read": 96})


def events(*choices: dict[str, Any], **more: Any) -> Raw:
    """A streamed answer on OpenAI's wire."""
    envelope = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", **more}
    return Raw(tuple(envelope | {"choices": [{"index": 0, "finish_reason": None, **choice}]} for choice in choices))


DONE = {"delta": {}, "finish_reason": "tool_calls"}


async def test_tokens_told_with_every_piece_are_counted_once() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}
    said = events({"delta": {"content": "好"}}, {"delta": {"content": "的"}, "finish_reason": "stop"}, usage=usage)
    with ModelServer([said]) as server:
        async with connected(server, "openai") as model:
            counted = (await asked(model)).usage_metadata
    assert counted is not None
    assert counted["input_tokens"] == 100


async def test_tokens_told_inside_the_choice_are_counted() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}
    with ModelServer([events({"delta": {"content": "好"}, "finish_reason": "stop", "usage": usage})]) as server:
        async with connected(server, "openai", name="moonshot:m") as model:
            counted = (await asked(model)).usage_metadata
    assert counted is not None
    assert counted["input_tokens"] == 100


async def test_whole_calls_without_an_index_stay_apart() -> None:
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": "create_task", "arguments": f'{{"title": "{n}"}}'}}
        for n in (1, 2)
    ]
    said = events(*({"delta": {"tool_calls": [made]}} for made in calls), DONE)
    with ModelServer([said]) as server:
        async with connected(server, "openai", name="ollama:m") as model:
            assert [made["args"] for made in (await asked(model)).tool_calls] == [{"title": "1"}, {"title": "2"}]


@each_way
async def test_arguments_that_are_an_object_already_are_taken(streamed: bool) -> None:
    made = {"index": 0, "id": "c", "function": {"name": "create_task", "arguments": {"title": "买菜"}}}
    said = told(streamed, {}, tool_calls=[made])
    # Where the SDK builds pieces of a stream, pydantic remarks on what has another type than it expects.
    with ModelServer([said]) as server, pytest.warns(UserWarning, match="serializer") if streamed else nullcontext():
        async with connected(server, "openai", streamed=streamed) as model:
            assert [made["args"] for made in (await asked(model)).tool_calls] == [{"title": "买菜"}]
