"""From ``provider:model`` to a chat model (A47)."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable

from langchain_core.language_models import BaseChatModel

from subagents.thinking import Models
from tools.core.errors import UsageError

#: Seconds that a call may take.
TIMEOUT = 60.0


Closer = Callable[[], Awaitable[None]]


def make_models(strong: str, light: str | None, base_url: str | None) -> Models:
    """Both roles; ``light`` falls back to ``strong``.

    Raises:
        UsageError: A string that names no model, or a key is missing.
    """
    first, closers = make_model(strong, base_url)
    if not light or light == strong:
        return Models(first, first, closers)
    second, more = make_model(light, base_url)
    return Models(first, second, (*closers, *more))


def make_model(name: str, base_url: str | None = None) -> tuple[BaseChatModel, tuple[Closer, ...]]:
    """One model, and what closes its connections; SDKs are imported only when named, since they are slow to import.

    Raises:
        UsageError: A string that names no model, or a key is missing.
    """
    provider, _, model = name.partition(":")
    if name == "offline:rules":
        from deep_planner.models.rules import OfflineRules  # noqa: PLC0415 - as above

        return OfflineRules(), ()
    if provider == "openai" and model:
        return _openai(name, model, base_url)
    raise UsageError("unknown_model", value=name)


def _openai(name: str, model: str, base_url: str | None) -> tuple[BaseChatModel, tuple[Closer, ...]]:
    key = os.environ.get("OPENAI_API_KEY")
    address = base_url or os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE")
    if not key and not address:
        raise UsageError("missing_key", value=name, variable="OPENAI_API_KEY")
    from langchain_openai import ChatOpenAI  # noqa: PLC0415 - over a second of imports
    from openai import DefaultAsyncHttpxClient  # noqa: PLC0415 - as above
    from pydantic import SecretStr  # noqa: PLC0415 - beside its only use

    # A connection pool of the model's own: the one that LangChain would share outlives the event loop that opened its
    # connections, and the next loop would find them closed.
    pool = DefaultAsyncHttpxClient(timeout=TIMEOUT)
    chat = ChatOpenAI(
        model=model,
        base_url=address,
        api_key=SecretStr(key or "-"),  # a service of one's own may need none, but the SDK insists
        timeout=TIMEOUT,
        http_async_client=pool,
        use_responses_api=False if address else None,  # the SDK would guess from the model's name
        stream_usage=True,
    )
    return chat, (pool.aclose,)
