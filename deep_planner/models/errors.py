"""One error for every way in which a provider fails, in words that hold no key.

The SDKs raise dozens of types of their own, put the provider's whole answer into the text (a refusal may echo the key),
and let IndexError or AttributeError out when an answer has another shape than they expect. What asks again, and the
user, need to know four things: what kind of failure, which status, when to come back, and whether to come back at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from langchain_core.exceptions import ModelError

Kind = Literal["status", "connection", "timeout", "answer"]

#: Statuses after which the same request may succeed; all from 500 on do so too.
_PASSING = frozenset({408, 409, 425, 429})
#: How much of a provider's own words is kept.
_LONGEST_REASON = 300
#: Headers that say when to come back, or which request it was; the rest may hold anything.
_KEPT_HEADERS = ("retry-after", "retry-after-ms", "x-should-retry", "x-request-id", "date")
#: What looks like a key, whole or half masked.
_KEY_LIKE = re.compile(r"\b(?:sk|pk|key|lsv2)[-_][\w*.…-]{4,}|\bBearer\s+\S+", re.IGNORECASE)

# The SDKs' errors are told by the names in their family tree: some sit on httpx, some on httpx2, and none of these
# should be imported only to say that it failed.
_TIMEOUTS = frozenset({"TimeoutError", "ModelTimeoutError", "APITimeoutError", "TimeoutException"})
_CONNECTIONS = frozenset({"OSError", "ModelConnectionError", "APIConnectionError", "TransportError"})
_DECLARED = frozenset({"APIError", "DashScopeError"})


@dataclass(frozen=True, slots=True)
class Answered:
    """What is kept of the HTTP response behind an error.

    Attributes:
        headers: Those that say when to come back; the names are in lower case.
    """

    headers: Mapping[str, str] = field(default_factory=dict)


class ProviderError(ModelError):
    """A provider failed.

    Attributes:
        kind: ``status``: it said so; ``connection``, ``timeout``: it could not be heard to the end; ``answer``: what it
            said has not the shape of an answer.
        status_code: HTTP status, or the one that the error in the body stands for; ``None`` without either.
        response: The headers that came with it, if an answer came at all.
        request_id: The provider's name for the request, if it told one.
        is_retryable: Whether the same request may succeed later.
    """

    def __init__(
        self,
        kind: Kind,
        reason: str,
        *,
        status_code: int | None = None,
        headers: Mapping[str, str] | None = None,
        request_id: str | None = None,
    ) -> None:
        self.kind = kind
        self.status_code = status_code
        self.response = None if headers is None else Answered(headers)
        self.request_id = request_id
        self.is_retryable = status_code is None or status_code in _PASSING or status_code >= 500
        status = f" {status_code}" if status_code else ""
        known = f" (request {request_id})" if request_id else ""
        super().__init__(f"{kind}{status}: {reason}{known}")


def provider_error(error: BaseException, secrets: tuple[str, ...] = ()) -> ProviderError:
    """The error of an SDK, of its transport or of its parser as ours.

    Args:
        error: What was raised.
        secrets: Keys that must not be in the text.
    """
    if isinstance(error, ProviderError):
        return error
    kind = _kind(error)
    # A parser's complaint quotes the answer at length and helps nobody; what a provider declares may help.
    reason = _declared(error) if kind == "status" else type(error).__name__
    return ProviderError(
        kind,
        without_keys(reason, secrets)[:_LONGEST_REASON],
        status_code=_status(error),
        headers=_headers(error),
        request_id=getattr(error, "request_id", None),
    )


def without_keys(words: str, secrets: tuple[str, ...] = ()) -> str:
    """The words with keys, and what looks like one, replaced by stars."""
    for secret in secrets:
        words = words.replace(secret, "***") if secret else words
    return _KEY_LIKE.sub("***", words)


def _kind(error: BaseException) -> Kind:
    family = {member.__name__ for member in type(error).__mro__}
    if family & _TIMEOUTS:
        return "timeout"
    if family & _CONNECTIONS:
        return "connection"
    return "status" if family & _DECLARED else "answer"


def _declared(error: BaseException) -> str:
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    told = inner.get("message") if isinstance(inner, dict) else None
    return str(told or getattr(error, "code", None) or type(error).__name__)


def _status(error: BaseException) -> int | None:
    """The HTTP status; of an error inside a good answer, the status that its code stands for."""
    for said in (getattr(error, "status_code", None), getattr(type(error), "status_code", None), _code(error)):
        if isinstance(said, int) and said >= 400:
            return said
    return None


def _code(error: BaseException) -> int | None:
    """The status that some gateways write as the error's code."""
    code: Any = getattr(error, "code", None)
    return int(code) if isinstance(code, int) or (isinstance(code, str) and code.isdecimal()) else None


def _headers(error: BaseException) -> dict[str, str] | None:
    found = getattr(getattr(error, "response", None), "headers", None) or getattr(error, "headers", None)
    if not found:
        return None
    return {name: found[name] for name in _KEPT_HEADERS if name in found}
