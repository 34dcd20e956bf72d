"""Only whole tool calls run (B08, B09): strict arguments, a known tool, nothing cut off, no id twice."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from pydantic import BaseModel, ConfigDict

from subagents.check import whole_calls
from tools.core.text import Language

pytestmark = pytest.mark.unit


class Create(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str
    hour: int | None = None


ENDED = {"finish_reason": "tool_calls"}
SHAPES: dict[str, type[BaseModel]] = {"create": Create}


def calling(*calls: Any, **fields: Any) -> AIMessage:
    made = [tool_call(name=name, args=args, id=id) for name, args, id in calls]
    return AIMessage("", id="m1", tool_calls=made, **({"response_metadata": ENDED} | fields))


def checked(answer: AIMessage, language: Language = "zh") -> tuple[AIMessage, list[ToolMessage], list[dict[str, Any]]]:
    """What is stored, the refusals, and the calls that will run."""
    stored, refusals, _ = whole_calls(answer, SHAPES, language)
    refused = {refusal.tool_call_id for refusal in refusals}
    return stored, refusals, [dict(call["args"]) for call in stored.tool_calls if call["id"] not in refused]


def test_a_whole_call_runs_as_it_is() -> None:
    stored, refusals, runs = checked(calling(("create", {"title": "开会"}, "a"), ("create", {"title": "b"}, "b")))
    assert (refusals, runs) == ([], [{"title": "开会"}, {"title": "b"}])
    assert stored.id == "m1"


def test_words_alone_have_no_calls() -> None:
    stored, refusals, _ = checked(AIMessage("好的", id="m1"))
    assert (stored.tool_calls, stored.text, refusals) == ([], "好的", [])


FAULTS: dict[str, tuple[AIMessage, str]] = {
    "an unknown tool": (calling(("rm", {"title": "x"}, "a")), "rm"),
    "a missing argument": (calling(("create", {}, "a")), "title"),
    "an argument too many": (calling(("create", {"title": "x", "force": True}, "a")), "force"),
    "an argument of another kind": (calling(("create", {"title": ["x"]}, "a")), "title"),
    "cut off: the stream just ended": (calling(("create", {"title": "x"}, "a"), response_metadata={}), ""),
    "cut off: length": (calling(("create", {"title": "x"}, "a"), response_metadata={"finish_reason": "length"}), ""),
    "cut off: max_tokens": (
        calling(("create", {"title": "x"}, "a"), response_metadata={"finish_reason": "max_tokens"}),
        "",
    ),
    "broken JSON": (
        AIMessage(
            "", id="m1", invalid_tool_calls=[invalid_tool_call(name="create", args='{"title": "a', id="a", error="eof")]
        ),
        "eof",
    ),
}


@pytest.mark.parametrize(("answer", "names"), FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_is_not_whole_is_answered_and_never_runs(answer: AIMessage, names: str, language: Language) -> None:
    stored, (refusal,), runs = checked(answer, language)
    assert runs == []
    assert [call["args"] for call in stored.tool_calls] == [{}], "vendors refuse histories with broken arguments"
    assert stored.invalid_tool_calls == []
    assert (refusal.tool_call_id, refusal.status) == (stored.tool_calls[0]["id"], "error")
    assert names in refusal.text
    assert refusal.text


def test_a_good_call_beside_a_bad_one_still_runs() -> None:
    _, refusals, runs = checked(calling(("create", {"title": "x"}, "a"), ("create", {"name": "y"}, "b")))
    assert ([refusal.tool_call_id for refusal in refusals], runs) == (["b"], [{"title": "x"}])


def test_an_id_that_comes_twice_runs_once_at_most() -> None:
    stored, _, runs = checked(calling(("create", {"title": "x"}, "a"), ("create", {"title": "y"}, "a")))
    assert len(runs) <= 1
    assert [call["id"] for call in stored.tool_calls] == ["a"]


@pytest.mark.parametrize("missing", ["", None])
def test_a_call_without_an_id_gets_one(missing: Any) -> None:
    stored, refusals, runs = checked(calling(("create", {"title": "x"}, missing), ("create", {"title": "y"}, missing)))
    ids = [call["id"] for call in stored.tool_calls]
    assert (len(set(ids)), all(ids), refusals, len(runs)) == (2, True, [], 2)


def test_ids_that_an_earlier_message_used_are_made_new() -> None:
    first, *_ = whole_calls(calling(("create", {"title": "x"}, "call_0")), SHAPES, "zh")
    second, refusals, _ = whole_calls(calling(("create", {"title": "y"}, "call_0")), SHAPES, "zh", [first])
    assert second.tool_calls[0]["id"] != first.tool_calls[0]["id"]
    assert (second.tool_calls[0]["args"], refusals) == ({"title": "y"}, [])


def test_the_providers_raw_calls_are_not_stored_beside_the_checked_ones() -> None:
    raw = {"tool_calls": [{"id": "a", "function": {"name": "create", "arguments": '{"title'}}], "refusal": None}
    stored, _, _ = checked(calling(("create", {"title": "x"}, "a"), additional_kwargs=raw))
    assert "tool_calls" not in stored.additional_kwargs
    assert "refusal" in stored.additional_kwargs


values = st.none() | st.integers() | st.text(max_size=4) | st.lists(st.text(max_size=2), max_size=2)
names = st.sampled_from(["create", "rm", ""])
arguments = st.dictionaries(st.sampled_from(["title", "hour", "x"]), values)
calls = st.tuples(names, arguments, st.text("ab", max_size=1))


@given(st.lists(calls, max_size=5), st.sampled_from(["stop", "length", "tool_calls"]))
def test_every_stored_call_is_whole_or_answered(made: list[Any], finish: str) -> None:
    answer = calling(*made, response_metadata={"finish_reason": finish})
    stored, refusals, runs = checked(answer)
    ids = [call["id"] for call in stored.tool_calls]
    assert len(ids) == len(set(ids))
    assert {refusal.tool_call_id for refusal in refusals} <= set(ids)
    for arguments in runs:
        Create.model_validate(arguments)
    assert finish != "length" or runs == []
