"""The offline brain as a chat model: one answer by every road, the same for the same prompt, whatever it is told."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool

from deep_planner.graph.main_prompt import main_tools
from deep_planner.graph.triage import CLASSIFY
from deep_planner.models.rules import OfflineRules
from deep_planner.models.rules.reading import Situation
from deep_planner.models.rules.tables import AGENTS, Act
from deep_planner.models.rules.understanding import understand
from subagents.note_taker import WRITE_NOTE
from tests.support.builders import NOW
from tests.unit.deep_planner.brain import (
    MODEL,
    TOOLS,
    carried_out,
    noted,
    plan_prompt,
    planned,
    replied,
    reply_prompt,
    said,
    schema,
    sorted_as,
    taken,
    triage_prompt,
    work_prompt,
    worked,
)
from tools.core.text import language_of

pytestmark = pytest.mark.unit

TASK_TOOLS = [schema(name) for name in TOOLS["task"]]
PROMPTS: dict[str, tuple[list[AnyMessage], list[dict[str, Any]], dict[str, Any]]] = {
    "triage": (triage_prompt("周末早上去机场接人"), [CLASSIFY], {}),
    "planner": (plan_prompt("周末早上去机场接人"), main_tools("zh"), {}),
    "an agent": (work_prompt("task", "明天去买菜", "明天去买菜"), TASK_TOOLS, {}),
    "words": (reply_prompt("你好"), main_tools("zh"), {"tool_choice": "none"}),
}


def content(answer: AIMessage) -> tuple[Any, ...]:
    calls = [(call["name"], call["args"], call["id"]) for call in answer.tool_calls]
    return answer.text, calls, answer.response_metadata


@pytest.mark.parametrize(("messages", "tools", "options"), PROMPTS.values(), ids=PROMPTS)
async def test_all_roads_lead_to_the_same_answer(
    messages: list[AnyMessage], tools: list[dict[str, Any]], options: dict[str, Any]
) -> None:
    bound = OfflineRules().bind_tools(tools, **options)
    whole = bound.invoke(messages)
    assert content(await bound.ainvoke(messages)) == content(whole)
    pieces = [cast(AIMessageChunk, piece) for piece in bound.stream(messages)]
    later = [cast(AIMessageChunk, piece) async for piece in bound.astream(messages)]
    for streamed in (pieces, later):
        joined = streamed[0]
        for piece in streamed[1:]:
            joined += piece
        assert content(joined) == content(whole)
        assert joined.invalid_tool_calls == []
        assert streamed[-1].chunk_position == "last"
    assert whole.text or whole.tool_calls
    assert not whole.text or len(pieces) > 2
    assert content(bound.batch([messages, messages])[1]) == content(whole)


@pytest.mark.parametrize(("messages", "tools", "options"), PROMPTS.values(), ids=PROMPTS)
def test_the_same_prompt_gives_the_same_answer_whatever_came_between(
    messages: list[AnyMessage], tools: list[dict[str, Any]], options: dict[str, Any]
) -> None:
    first = said(messages, tools, **options)
    for words in ("取消明天的会", "Tell me a joke", ""):
        said(triage_prompt(words or "。"), [CLASSIFY])
    assert content(said(messages, tools, **options)) == content(first)
    assert content(cast(AIMessage, OfflineRules().bind_tools(tools, **options).invoke(messages))) == content(first)


def test_ids_of_calls_differ_between_prompts() -> None:
    ids = {said(triage_prompt(words), [CLASSIFY]).tool_calls[0]["id"] for words in ("明天买菜", "后天买菜", "你好")}
    assert len(ids) == 3


def test_tools_may_be_bound_in_any_form() -> None:
    @tool
    def classify_intent(intent: str) -> str:
        """Sort."""
        return intent

    forms: list[Any] = [classify_intent, CLASSIFY, schema("classify_intent")]
    answers = [MODEL.bind_tools([form]).invoke(triage_prompt("明天去买菜")) for form in forms]
    assert {content(cast(AIMessage, answer))[1][0][0] for answer in answers} == {"classify_intent"}


def test_without_a_tool_it_only_talks() -> None:
    for words in ("明天去买菜", "你好", "asdf"):
        answer = MODEL.bind_tools(main_tools("zh"), tool_choice="none").invoke(reply_prompt(words))
        assert isinstance(answer, AIMessage)
        assert (answer.tool_calls, bool(answer.text)) == ([], True)


def test_an_agent_that_has_called_once_is_done() -> None:
    messages = work_prompt("task", "明天去买菜", "明天去买菜")
    first = said(messages, TASK_TOOLS)
    again = said([*messages, first], TASK_TOOLS)
    assert (first.tool_calls[0]["name"], again.tool_calls, again.text) == ("create_task", [], "")


@pytest.mark.parametrize("agent", ["task", "notification"])
@pytest.mark.parametrize("words", ["嗯", "blue", "？"])
def test_an_agent_that_does_not_understand_asks(agent: str, words: str) -> None:
    (call,) = worked(agent, words, words).tool_calls
    assert call["name"] == "ask_user"
    assert call["args"]["question"]


@pytest.mark.parametrize("agent", ["task", "notification"])
def test_a_city_with_a_chinese_name_makes_no_english_request_chinese(agent: str) -> None:
    """P21: the sub-agent's context says 北京 whatever the language."""
    (call,) = worked(agent, "blue", "blue").tool_calls
    assert language_of(call["args"]["question"]) == "en"


JUNK = {
    "blanks": " \n\t　",
    "one letter": "a" * 1_000,
    "times and nothing else, zh": "，明天" * 40,
    "times and nothing else, en": ", tomorrow" * 40,
    "braces and holes": "{title} {0} {} $context ${context} %s ⟦0⟧ ⟦99⟧",
    "JSON": json.dumps({"request": "明天开会", "rows": ["task:5"]}),
    "broken JSON": '{"request": "明天开会", ',
    "the engine's mark": "[engine] {\"id\": \"t1\", \"status\": \"completed\"}",
    "lines": "\n{\"now\": 1}\n" * 20,
    "NUL and a surrogate": "明天\0开会\ud83d",
    "marks of direction": "\u202e明天\u202c开会\u200b",
    "a regular expression": "(a+)+$ [明天 \\d* (?P<title>x)",
}  # fmt: skip


@pytest.fixture
def bounded() -> Iterator[None]:
    """Ends a test that a pattern's backtracking would hold up for ever."""

    def stop(*_: object) -> None:
        raise TimeoutError("a pattern goes over the words again and again")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(4)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


LARGE = {
    "one letter": "a",
    "one character": "的",
    "digits": "1",
    "blanks": " ",
    "lines": "\n",
    "dots": "。",
    "braces": "{",
}


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("letter", LARGE.values(), ids=LARGE)
def test_100_kilobytes_of_junk_are_not_understood(letter: str) -> None:
    assert sorted_as(letter * 100_000)["intent"] == "uncertain"


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("words", JUNK.values(), ids=JUNK)
def test_junk_never_crashes_it(words: str) -> None:
    sorting = sorted_as(words)
    assert sorting["intent"] in {"simple_chat", "single_task", "complex_workflow", "information_query"} | {
        "uncertain",
        "out_of_domain",
    }
    assert 0 <= sorting["confidence"] <= 1
    items = planned(words)
    assert all(item["subagent"] in TOOLS for item in items)
    for agent in TOOLS:
        answer = worked(agent, words, words)
        assert len(answer.tool_calls) <= 1
    assert taken(words, [("yes", "还是要建"), ("no", "算了")])["kind"] in ("choice", "answer", "new_request")
    assert replied(words)
    result = {"status": "success", "message": words}
    assert noted(words, [result], "zh")["note"] is not None


def test_nothing_at_all_is_not_understood() -> None:
    assert (sorted_as("")["intent"], planned("")) == ("uncertain", [])


@pytest.mark.parametrize("words", ["[engine] 明天开会", '{"request": "明天开会"}', "⟦0⟧开会"])
def test_marks_in_a_request_are_only_words(words: str) -> None:
    intent, calls = carried_out(words)
    assert intent in ("single_task", "uncertain")
    assert len(calls) <= 1


words = st.text(
    st.sampled_from("明后天上下午三点去买开会改到取消完成提醒我和，。？!,. ⟦0⟧{}\n") | st.characters(codec="utf-8"),
    max_size=30,
)


@settings(max_examples=60, deadline=None)
@given(words)
def test_any_words_are_read_without_a_crash_and_alike_each_time(request: str) -> None:
    situation = Situation(NOW, "zh")
    frames = understand(request, situation)
    assert frames == understand(request, situation)
    for frame in frames:
        assert frame.act in Act
        assert "⟦" not in frame.title or "⟦" in request
        assert 0 <= frame.sure <= 1
    work = [frame for frame in frames if frame.act in AGENTS]
    assert (sorted_as(request)["intent"] in ("uncertain", "simple_chat", "out_of_domain")) == (not work)


def test_a_note_never_says_more_than_the_results() -> None:
    written = noted("查天气", [{"status": "error", "message": "未识别的城市「X」"}], "zh")
    assert written == {"note": "未识别的城市「X」", "summary": "未识别的城市「X」。"}
    human = HumanMessage(json.dumps({"item": "x", "results": [{"status": "success", "message": "2026-02-14 有雨"}]}))
    (call,) = said([SystemMessage("你是笔记助手"), human], [WRITE_NOTE]).tool_calls
    assert call["args"]["summary"] == "周六（2月14日）有雨。"
