"""The ledger (N6): calls, tokens, seconds and known prefixes by role and model."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from deep_planner.models.ledger import Ledger, Prompts, common_prefix

pytestmark = pytest.mark.unit


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Book:
    """A ledger with its clock and a call in two halves."""

    def __init__(self, prompts: Prompts | None = None) -> None:
        self.clock = Clock()
        self.ledger = Ledger(prompts, self.clock)

    async def begin(self, *said: str, role: str = "strong", purpose: str = "planner", model: str = "m") -> UUID:
        run_id = uuid4()
        messages: list[AnyMessage] = [SystemMessage("S" * 10), *map(HumanMessage, said)]
        metadata = {"ls_model_name": model}
        tags = [f"role:{role}", purpose]
        await self.ledger.on_chat_model_start({}, [messages], run_id=run_id, tags=tags, metadata=metadata)
        return run_id

    async def end(self, run_id: UUID, seconds: float, **tokens: int) -> None:
        self.clock.now += seconds
        message = AIMessage(
            "好",
            usage_metadata={
                "input_tokens": tokens.get("input", 0),
                "output_tokens": tokens.get("output", 0),
                "total_tokens": tokens.get("input", 0) + tokens.get("output", 0),
                "input_token_details": {"cache_read": tokens.get("cached", 0)},
                "output_token_details": {"reasoning": tokens.get("reasoning", 0)},
            },
        )
        result = LLMResult(generations=[[ChatGeneration(message=message)]])
        await self.ledger.on_llm_end(result, run_id=run_id)


async def test_calls_are_added_up_by_role_and_model() -> None:
    book = Book()
    await book.end(await book.begin("a"), 2, input=100, cached=40, output=20, reasoning=5)
    await book.end(await book.begin("b"), 1, input=10, output=2)
    await book.end(await book.begin("c", role="light", purpose="note"), 0.5, input=7)
    strong, light = book.ledger.usage["strong m"], book.ledger.usage["light m"]
    assert (strong.calls, strong.input, strong.cached, strong.output, strong.reasoning) == (2, 110, 40, 22, 5)
    assert (strong.seconds, light.calls, light.seconds) == (3, 1, 0.5)


async def test_failed_call_counts_with_its_seconds() -> None:
    book = Book()
    run_id = await book.begin("a")
    book.clock.now += 4
    await book.ledger.on_llm_error(ConnectionError(), run_id=run_id)
    assert (book.ledger.usage["strong m"].calls, book.ledger.usage["strong m"].seconds) == (1, 4)


async def test_prompt_that_only_grew_is_all_prefix() -> None:
    prompts = Prompts()
    await Book(prompts).begin("a")
    book = Book(prompts)
    await book.begin("a", "b")
    first = len("system:" + "S" * 10 + '""' + "\n" + "human:a" + '""')
    second = first + len("\n" + "human:b" + '""')
    assert book.ledger.usage["strong m"].prefix_share == round(first / second, 4)


async def test_prompt_that_was_changed_at_its_head_is_none() -> None:
    """The test that must fail when somebody puts the date into the system prompt."""
    book = Book()
    await book.begin("a")
    run_id = uuid4()
    changed = [SystemMessage("T" + "S" * 9), HumanMessage("a"), HumanMessage("b")]
    await book.ledger.on_chat_model_start(
        {}, [changed], run_id=run_id, tags=["role:strong", "planner"], metadata={"ls_model_name": "m"}
    )
    assert book.ledger.usage["strong m"].prefix_share < 0.2


async def test_purposes_are_compared_with_their_own() -> None:
    book = Book()
    await book.begin("a", purpose="planner")
    await book.begin("x", purpose="agent:task")
    await book.begin("a", "b", purpose="reply")
    assert book.ledger.usage["strong m"].prefix_share > 0.25


@given(st.text("ab"), st.text("ab"))
def test_common_prefix_is_the_longest(first: str, second: str) -> None:
    length = common_prefix(first, second)
    assert first[:length] == second[:length]
    assert first[length : length + 1] != second[length : length + 1] or length == min(len(first), len(second))
