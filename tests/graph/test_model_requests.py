"""What is sent to whom: the right address, key and fields, and nothing that a vendor refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from deep_planner.models.dashscope import ChatDashScope
from deep_planner.models.factory import make_model
from tests.graph.test_model_answers import QUESTION, TOOL
from tests.graph.wires import KEY, connected, each_way, each_wire
from tests.support.model_server import ModelServer, Request
from tests.support.scripted_model import Said

pytestmark = [pytest.mark.graph, pytest.mark.usefixtures("canary_keys")]

FORCED = {"type": "function", "function": {"name": "create_task"}}


async def sent(name: str, *, wire: str = "openai", messages: Any = QUESTION, **bound: Any) -> Request:
    """The one request that a question makes."""
    with ModelServer(lambda request: Said("好")) as server:
        async with connected(server, wire, name=name) as model:
            await (model.bind_tools([TOOL], **bound) if bound else model).ainvoke(messages)
    [request] = server.requests
    return request


@pytest.mark.parametrize("model", ["gpt-5-codex", "gpt-5-pro", "gpt-6-mini", "o3", "deepseek-reasoner"])
@pytest.mark.parametrize("vendor", ["openai", "deepseek"])
async def test_no_models_name_changes_the_wire(model: str, vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_OUTPUT_VERSION", "responses/v1")
    request = await sent(f"{vendor}:{model}", tool_choice="none")
    assert (request.path, request.body["model"]) == ("/v1/chat/completions", model)


@each_way
async def test_streams_ask_for_token_counts(streamed: bool) -> None:
    with ModelServer([Said("好")]) as server:
        async with connected(server, "openai", streamed=streamed) as model:
            _ = [piece async for piece in model.astream(QUESTION)]
    assert server.requests[0].body.get("stream_options") == ({"include_usage": True} if streamed else None)


@pytest.mark.parametrize(
    ("name", "choice", "expected"),
    [
        ("openai:m", "required", "required"),
        ("openai:m", "create_task", FORCED),
        ("deepseek:m", "any", None),
        ("deepseek:m", "create_task", None),
        ("deepseek:m", "none", "none"),
        ("zhipu:m", "none", None),
    ],
)
async def test_nobody_is_asked_for_a_choice_it_refuses(name: str, choice: str, expected: Any) -> None:
    request = await sent(name, tool_choice=choice)
    assert request.tool_choice == expected
    assert bool(request.tools) is not (name == "zhipu:m"), "where none is no choice, no tools are offered"


async def test_dashscope_may_call_several_tools_at_once() -> None:
    request = await sent("dashscope:m", wire="dashscope", tool_choice="any")
    assert (request.tool_choice, request.body["parameters"]["parallel_tool_calls"]) == (None, True)
    assert (await sent("dashscope:m", wire="dashscope", tool_choice="none")).tool_choice == "none"


def turn(number: int, thought: str) -> list[Any]:
    """A call that was made with a thought, and its answer."""
    made = tool_call(name="create_task", args={"title": "买菜"}, id=f"c{number}")
    asking = AIMessage("", tool_calls=[made], additional_kwargs={"reasoning_content": thought})
    return [asking, ToolMessage("好", tool_call_id=f"c{number}")]


@pytest.mark.parametrize(
    ("vendor", "field"),
    [("deepseek", "reasoning_content"), ("openrouter", "reasoning"), ("vllm", None), ("dashscope-compat", None)],
)
async def test_only_the_running_tool_loops_reasoning_goes_back(vendor: str, field: str | None) -> None:
    before = [HumanMessage("一"), *turn(1, "旧的"), AIMessage("好", additional_kwargs={"reasoning_content": "旧的"})]
    messages = [SystemMessage("s"), *before, HumanMessage("二"), *turn(2, "新的"), *turn(3, "更新的")]
    request = await sent(f"{vendor}:m", messages=messages)
    thoughts = [message.get(field) for message in request.messages] if field else []
    assert thoughts == ([None] * 6 + ["新的", None, "更新的", None] if field else [])
    assert ("旧的" in request.prompt, "新的" in request.prompt) == (False, field is not None)


@pytest.mark.parametrize(
    ("vendor", "field", "on", "off"),
    [
        ("deepseek", "thinking", {"type": "enabled"}, {"type": "disabled"}),
        ("dashscope-compat", "enable_thinking", True, False),
        ("vllm", "chat_template_kwargs", {"enable_thinking": True}, {"enable_thinking": False}),
        ("ollama", "thinking", None, None),
    ],
)
async def test_thinking_is_switched_in_each_vendors_way(vendor: str, field: str, on: Any, off: Any) -> None:
    for thinking, expected in ((True, on), (False, off), (None, None)):
        with ModelServer([Said("好")]) as server:
            model, closers = make_model(f"{vendor}:m", server.url, thinking=thinking)
            await model.ainvoke(QUESTION)
            for close in closers:
                await close()
        assert server.requests[0].body.get(field) == expected


@pytest.mark.parametrize("thinking", [True, False, None])
@each_way
async def test_dashscope_never_thinks_off_a_stream(thinking: bool | None, streamed: bool) -> None:
    with ModelServer([Said("好", reasoning="想")]) as server:
        model, closers = make_model("dashscope:m", server.dashscope_url, thinking=thinking)
        heard = await (model if streamed else model.model_copy(update={"disable_streaming": True})).ainvoke(QUESTION)
        for close in closers:
            await close()
    assert (heard.text, heard.additional_kwargs) == ("好", {"reasoning_content": "想"})
    [request] = server.requests
    # ``ainvoke`` alone does not stream; thinking does.
    assert request.streamed is bool(thinking)
    assert request.body["parameters"]["enable_thinking"] is bool(thinking)


@each_wire
async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with ModelServer([Said("好")]) as server:
        async with connected(server, wire) as model:
            assert (await model.ainvoke(QUESTION)).text == "好"
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_no_file_at_home_has_a_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ".dashscope"
    folder.mkdir()
    (folder / "config.toml").write_text('protocol = "openai"\nworkspace = "theirs"\ntimeout = 0.001', encoding="utf-8")
    (folder / "api_key").write_text("sk-theirs", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    model = make_model("dashscope:m")[0]
    assert isinstance(model, ChatDashScope)
    config = model.client.config
    assert (config.api_key, config.protocol, config.workspace, config.timeout) == (KEY, "native", None, 60.0)


def test_a_model_shows_no_key() -> None:
    for name in ("openai:m", "deepseek:m", "dashscope:m"):
        model: BaseChatModel = make_model(name)[0]
        assert KEY not in repr(model) + str(model.model_dump())
