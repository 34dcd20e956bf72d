"""The real models on the loopback server, over both wires, streamed and not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from deep_planner.models.careful import CarefulChat
from deep_planner.models.factory import make_model
from tests.support.model_server import Answer, ModelServer, Request
from tests.support.scripted_model import Said

#: It must turn up nowhere.
KEY = "sk-canary-7f3a9c"
KEYS = ("OPENAI_API_KEY", "DEEPSEEK_API_KEY", "DASHSCOPE_API_KEY", "ZHIPUAI_API_KEY", "MOONSHOT_API_KEY")
NAMES = {"openai": "deepseek:test-model", "dashscope": "dashscope:test-model"}

each_wire = pytest.mark.parametrize("wire", list(NAMES))
each_way = pytest.mark.parametrize("streamed", [True, False], ids=["events", "json"])


@asynccontextmanager
async def connected(
    server: ModelServer, wire: str, *, streamed: bool = True, name: str | None = None
) -> AsyncIterator[CarefulChat]:
    """A model of the factory's, closed as the planner closes it."""
    address = server.url if wire == "openai" else server.dashscope_url
    model, closers = make_model(name or NAMES[wire], address)
    assert isinstance(model, CarefulChat)
    try:
        yield model if streamed else model.model_copy(update={"disable_streaming": True})
    finally:
        for close in closers:
            await close()


def thinking(answer: Answer, request: Request) -> Answer:
    """The answer of a model that thought before."""
    return replace(answer, reasoning=f"想一想 {request.role}") if isinstance(answer, Said) else answer
