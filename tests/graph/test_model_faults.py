"""Every way in which a provider fails, over both wires, streamed and not: one clear error, or calls that are refused.

What whole runs make of them stands in ``test_provider_faults``.
"""

from __future__ import annotations

import traceback

import pytest
from langchain_core.messages import AIMessage

from deep_planner.models.careful import CarefulChat
from deep_planner.models.errors import ProviderError
from tests.graph.test_model_answers import CALLS, asked
from tests.graph.wires import KEY, connected, each_way, each_wire
from tests.support.model_server import FAULTS, Answer, Fault, ModelServer, Request
from tests.support.scripted_model import Said

pytestmark = [pytest.mark.graph, pytest.mark.usefixtures("canary_keys")]

#: Answers that are whole, or whose calls the planner itself refuses (unknown tool, wrong arguments, an id twice).
HEARD = {
    "unknown_tool",
    "wrong_arguments",
    "empty_id",
    "duplicate_ids",
    "null_usage",
    "empty_message",
    "refusal",
    "finish_content_filter",
}
#: Answers whose calls are broken, and known to be.
BROKEN = {
    "finish_length",
    "cut_arguments",
    "broken_json",
    "list_arguments",
    "text_arguments",
    "null_name",
    "arguments_no_text",
}
STATUS = {
    "rate_limit": 429,
    "server_error": 500,
    "context_length": 400,
    "unavailable_html": 503,
    "key_echoed": 401,
}
#: Seconds that a silent line is listened to.
PATIENCE = 0.3
SILENT = {"stalled", "humming"}
ignore_remarks = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")


class Spoiling:
    """A script that spoils what it is told to, in the way that it is told."""

    fault = ""

    def __call__(self, request: Request) -> Answer:
        return Fault(self.fault, Said(calls=CALLS[:1]))


async def outcome(model: CarefulChat, server: ModelServer, fault: str) -> AIMessage | ProviderError:
    """What a model makes of a fault, having asked once."""
    server.requests.clear()
    model.patience = PATIENCE if fault in SILENT else 30.0
    try:
        found: AIMessage | ProviderError = await asked(model)
    except ProviderError as error:
        found = error
        assert KEY not in "".join(traceback.format_exception(error)) + repr(vars(error))  # noqa: PT017 - as asked
    assert len(server.requests) == 1, "to ask again is for the planner to decide"
    return found


@each_way
@each_wire
@ignore_remarks
async def test_fault_is_an_error_or_refused_calls(wire: str, streamed: bool, subtests: pytest.Subtests) -> None:
    script = Spoiling()
    with ModelServer(script) as server:
        async with connected(server, wire, streamed=streamed) as model:
            for script.fault in FAULTS:
                with subtests.test(script.fault):
                    check(script.fault, await outcome(model, server, script.fault))


def check(fault: str, found: AIMessage | ProviderError) -> None:
    """The outcome of a fault is what it should be."""
    if fault in HEARD:
        assert isinstance(found, AIMessage)
        assert found.invalid_tool_calls == []
    elif isinstance(found, AIMessage):
        assert fault in BROKEN
        assert (found.tool_calls, len(found.invalid_tool_calls)) == ([], 1)
    else:
        assert fault not in BROKEN - {"arguments_no_text"}
        assert found.is_retryable is (STATUS.get(fault, 500) in (429, 500, 503))
        if fault in STATUS:
            assert (found.kind, found.status_code) == ("status", STATUS[fault])
        if fault in SILENT:
            assert found.kind == "timeout"
        if fault == "reset":
            assert found.kind == "connection"


@each_way
@each_wire
async def test_when_to_come_back_is_told(wire: str, streamed: bool) -> None:
    with ModelServer([Fault("rate_limit")]) as server:
        async with connected(server, wire, streamed=streamed) as model:
            found = await outcome(model, server, "rate_limit")
    assert isinstance(found, ProviderError)
    assert found.response is not None
    assert found.response.headers["retry-after"] == "7"
    assert set(found.response.headers) <= {"retry-after", "date"}


@each_way
async def test_dashscope_tells_which_request_it_was(streamed: bool) -> None:
    with ModelServer([Fault("server_error")]) as server:
        async with connected(server, "dashscope", streamed=streamed) as model:
            found = await outcome(model, server, "server_error")
    assert isinstance(found, ProviderError)
    assert found.request_id == "req-1"
    assert "req-1" in str(found)


async def test_nobody_listens() -> None:
    with ModelServer([]) as server:
        """Closed again: the address is free, and nobody is there."""
    for wire in ("openai", "dashscope"):
        async with connected(server, wire) as model:
            with pytest.raises(ProviderError) as found:
                await model.ainvoke("x")
        assert (found.value.kind, found.value.is_retryable) == ("connection", True)
