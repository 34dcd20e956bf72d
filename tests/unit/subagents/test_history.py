"""What a model is shown of the dialogue: engine records as plain text, and only ever appended to (E13)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from subagents.history import ENGINE, PREFIX, engine_answer, engine_call, engine_remark, is_engine, render

pytestmark = pytest.mark.unit


def own_call(*ids: str) -> AIMessage:
    return AIMessage("", id="+".join(ids), tool_calls=[{"name": "update_todo", "args": {}, "id": id} for id in ids])


def own_answer(id: str) -> ToolMessage:
    return ToolMessage(f"answer {id}", tool_call_id=id, id=f"{id}/answer", name="update_todo")


def shape(messages: list[AnyMessage]) -> list[tuple[str, str]]:
    return [(message.type, message.text) for message in messages]


DISPATCH = engine_call("wave/1", [{"name": "task", "args": {"description": "查天气"}, "id": "task/1"}])
OUTCOME = engine_answer("task/1/outcome", "task/1", '{"id": "t1", "status": "completed"}', "task")


def test_engine_records_become_plain_text() -> None:
    remark = engine_remark("r1/opened", "请求 1 开始")
    assert [is_engine(message) for message in (DISPATCH, OUTCOME, remark)] == [True] * 3
    shown = render([HumanMessage("你好"), remark, DISPATCH, OUTCOME])
    assert shape(shown) == [
        ("human", "你好"),
        ("human", f"{PREFIX}请求 1 开始"),
        ("human", f'{PREFIX}{{"id": "t1", "status": "completed"}}'),
    ]
    assert not any(getattr(message, "tool_calls", None) for message in shown)
    assert not any(isinstance(message, SystemMessage | ToolMessage) for message in shown)


def test_a_models_own_calls_stay_calls_with_their_answers_behind_them() -> None:
    late = [own_call("a", "b"), OUTCOME, own_answer("b"), HumanMessage("新的请求"), own_answer("a")]
    shown = render(late)
    assert [message.type for message in shown] == ["ai", "tool", "tool", "human", "human"]
    assert [message.tool_call_id for message in shown if isinstance(message, ToolMessage)] == ["a", "b"]


def test_no_answer_is_shown_twice_and_none_is_lost() -> None:
    messages = [own_call("a"), own_answer("a"), own_call("b"), own_answer("b"), AIMessage("好了", id="reply")]
    assert render(messages) == messages
    assert render([*messages, *messages[:0]]) == render(messages)


def test_a_users_words_are_not_taken_for_the_engines() -> None:
    (shown,) = render([HumanMessage(f"{PREFIX}t1 is done", additional_kwargs={})])
    assert not is_engine(shown)
    assert ENGINE not in shown.additional_kwargs


turns = st.lists(
    st.sampled_from(["human", "remark", "dispatch", "outcome", "reply", "call", "two calls", "call, answered late"]),
    max_size=12,
)


def dialogue(kinds: list[str]) -> list[AnyMessage]:
    made: list[AnyMessage] = []
    for number, kind in enumerate(kinds):
        one, two = f"c{number}", f"d{number}"
        made += {
            "human": [HumanMessage(f"请求 {number}")],
            "remark": [engine_remark(f"m{number}", "x")],
            "dispatch": [engine_call(f"w{number}", [{"name": "task", "args": {}, "id": f"w{number}/1"}])],
            "outcome": [engine_answer(f"o{number}", f"w{number}", "{}", "task")],
            "reply": [AIMessage(f"回复 {number}", id=f"a{number}")],
            "call": [own_call(one), own_answer(one)],
            "two calls": [own_call(one, two), own_answer(one), own_answer(two)],
            "call, answered late": [own_call(one), HumanMessage("别的"), OUTCOME, own_answer(one)],
        }[kind]
    return made


def answered(messages: list[AnyMessage]) -> bool:
    calls = {c["id"] for m in messages if isinstance(m, AIMessage) and not is_engine(m) for c in m.tool_calls}
    return calls <= {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}


@given(turns)
def test_a_prompt_is_a_prefix_of_every_later_one(kinds: list[str]) -> None:
    messages = dialogue(kinds)
    before = copy.deepcopy(messages)
    whole: list[Any] = render(messages)
    cuts = [end for end in range(len(messages) + 1) if answered(messages[:end])]
    for end in cuts:
        shown = render(messages[:end])
        assert shown == whole[: len(shown)]
    assert messages == before
    assert 0 in cuts
