"""From ``provider:model`` to a chat model (A47)."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel

from deep_planner.models.addresses import is_local
from deep_planner.models.vendors import VENDORS, Vendor
from subagents.thinking import Models
from tools.core.errors import UsageError

if TYPE_CHECKING:
    from deep_planner.models.embeddings import DashScopeTitles

#: Seconds to wait for a connection, for the first piece of an answer, and between two pieces.
TIMEOUT = 60.0

Closer = Callable[[], Awaitable[None]]
Made = tuple[BaseChatModel, tuple[Closer, ...]]


def make_models(
    strong: str, light: str | None, base_url: str | None, *, thinking: bool | None = None, timeout: float = TIMEOUT
) -> Models:
    """Both roles; ``light`` falls back to ``strong``. Arguments as in :func:`make_model`.

    Raises:
        UsageError: A string that names no model, or a key is missing.
    """
    first, closers = make_model(strong, base_url, thinking=thinking, timeout=timeout)
    if not light or light == strong:
        return Models(first, first, closers)
    second, more = make_model(light, base_url, thinking=thinking, timeout=timeout)
    return Models(first, second, (*closers, *more))


def make_model(
    name: str, base_url: str | None = None, *, thinking: bool | None = None, timeout: float = TIMEOUT
) -> Made:
    """One model, and what closes its connections; SDKs are imported only when named, since they are slow to import.

    Args:
        name: ``provider:model``; README lists the providers.
        base_url: Where the service is, instead of the vendor's own address.
        thinking: Whether the model is to think before it answers; ``None`` leaves that to the vendor.
        timeout: Seconds to wait for a connection, for the first piece of an answer, and between two pieces.

    Raises:
        UsageError: A string that names no model, or a key is missing.
    """
    provider, _, model = name.partition(":")
    if name == "offline:rules":
        from deep_planner.models.rules import OfflineRules  # noqa: PLC0415 - as above

        return OfflineRules(), ()
    if not model or provider == "offline":
        raise UsageError("unknown_model", value=name, known=_known_providers())
    if provider == "dashscope":
        return _dashscope(name, model, base_url, thinking=thinking, timeout=timeout)
    if provider == "openai":
        base_url = base_url or os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE")
    vendor = VENDORS.get(provider)
    if vendor is None:
        return _elsewhere(name, base_url)
    address = base_url or vendor.base_url
    if address is None:
        return _openai(name, model, timeout=timeout)
    return _compatible(name, model, address, vendor, thinking=thinking, timeout=timeout)


def make_titles(name: str) -> DashScopeTitles:
    """What compares titles by meaning; the caller closes it.

    Args:
        name: ``dashscope:NAME`` of an embedding model.

    Raises:
        UsageError: A string that names no such model, or the key is missing.
    """
    provider, _, model = name.partition(":")
    if provider != "dashscope" or not model:
        raise UsageError("unknown_embeddings", value=name)
    from deep_planner.models.dashscope import open_client  # noqa: PLC0415 - half a second of imports
    from deep_planner.models.embeddings import DashScopeTitles  # noqa: PLC0415 - as above

    key = _key(name, VENDORS["dashscope-compat"].keys)
    return DashScopeTitles(open_client(key, None, timeout=TIMEOUT), model, key)


def _openai(name: str, model: str, *, timeout: float) -> Made:
    key = _key(name, VENDORS["openai"].keys)
    from deep_planner.models.compat import OpenAIChat  # noqa: PLC0415 - over a second of imports

    pool, secret = _pool(None, timeout), _secret(key)
    chat = OpenAIChat(
        model=model,
        api_key=secret,
        secrets=(secret,),
        timeout=timeout,
        patience=timeout,
        stream_chunk_timeout=None,  # ``patience`` is that
        max_retries=0,
        http_async_client=pool,
        stream_usage=True,
    )
    return chat, (pool.aclose,)


def _compatible(name: str, model: str, address: str, vendor: Vendor, *, thinking: bool | None, timeout: float) -> Made:
    # A service of one's own may need no key, but the SDK insists on one.
    own = address != vendor.base_url
    key = _key(name, vendor.keys, needed=not own) or "-"
    from deep_planner.models.compat import CompatChat  # noqa: PLC0415 - over a second of imports

    pool, secret = _pool(address, timeout), _secret(key)
    switch = vendor.quirks.thinking
    chat = CompatChat(
        model=model,
        base_url=address,
        api_key=secret,
        secrets=(secret,) if len(key) > 1 else (),
        timeout=timeout,
        patience=timeout,
        stream_chunk_timeout=None,  # ``patience`` is that
        http_async_client=pool,
        quirks=vendor.quirks,
        extra_body=None if thinking is None or switch is None else dict(switch[0 if thinking else 1]),
    )
    return chat, (pool.aclose,)


def _dashscope(name: str, model: str, base_url: str | None, *, thinking: bool | None, timeout: float) -> Made:
    from deep_planner.models.dashscope import ChatDashScope, open_client  # noqa: PLC0415 - half a second of imports

    key = _key(name, VENDORS["dashscope-compat"].keys)
    client = open_client(key, base_url, timeout=timeout)
    chat = ChatDashScope(model=model, client=client, secrets=(_secret(key),), thinking=thinking, patience=timeout)
    # The client closes no pool but one that it made itself.
    return chat, (client.transport.http_client.aclose,)


def _elsewhere(name: str, base_url: str | None) -> Made:
    """A provider that only LangChain knows, where LangChain is installed."""
    fault = UsageError("unknown_model", value=name, known=_known_providers())
    if find_spec("langchain") is None:
        raise fault
    from langchain.chat_models import init_chat_model  # noqa: PLC0415 - only here, and only if it is there

    try:
        return init_chat_model(name, **({"base_url": base_url} if base_url else {})), ()
    except (ValueError, ImportError) as error:
        raise fault from error


def _key(name: str, variables: Sequence[str], *, needed: bool = True) -> str:
    """The key in the first of the variables that is set.

    Raises:
        UsageError: None of them is, and one is needed.
    """
    key = next((os.environ[variable] for variable in variables if os.environ.get(variable)), "")
    if not key and variables and needed:
        raise UsageError("missing_key", value=name, variable=variables[0])
    return key


def _secret(key: str) -> Any:
    from pydantic import SecretStr  # noqa: PLC0415 - beside its only use

    return SecretStr(key)


def _pool(address: str | None, timeout: float) -> Any:
    """Connections of the model's own.

    The pool that LangChain would share outlives the event loop that opened its connections, and the next loop would
    find them closed.
    """
    from openai import DefaultAsyncHttpxClient  # noqa: PLC0415 - over a second of imports

    return DefaultAsyncHttpxClient(timeout=timeout, trust_env=not is_local(address))


def _known_providers() -> str:
    return ", ".join(("offline:rules", "dashscope", *VENDORS))
