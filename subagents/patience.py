"""When a model does not answer: ask again, wait how long, or give up. The only retry layer there is.

SDKs and HTTP clients are told not to retry: layers multiply (three times three), and only here is known what the run
may still spend. Providers' errors are read by what they carry, not by their classes, so that no SDK need be known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: HTTP statuses that may pass: time-outs, conflicts, too many requests, and a service's own troubles.
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
#: What the names of exceptions hold when a connection broke or nobody answered.
BROKEN_CONNECTION = ("Connection", "Timeout", "Protocol", "ReadError", "WriteError", "Disconnected", "StreamCut")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to go on asking.

    Attributes:
        attempts: How often one model is asked for one answer.
        first_wait: Seconds before the second attempt; they double each time.
        longest_wait: Seconds; a provider that wants more (Retry-After) is given up on at once.
        silence: Seconds without a word after which an answer counts as lost.
    """

    attempts: int = 3
    first_wait: float = 0.5
    longest_wait: float = 20.0
    silence: float = 60.0

    def wait(self, error: BaseException, attempt: int, jitter: float) -> float | None:
        """Seconds to wait after an attempt failed; ``None``: give up.

        Args:
            error: What the attempt failed with.
            attempt: Which one it was, from 1.
            jitter: Between 0 and 1; spreads those who were refused at the same moment.
        """
        if attempt >= self.attempts or not may_pass(error):
            return None
        asked = retry_after(error)
        if asked is None:
            return min(self.first_wait * 2.0 ** (attempt - 1) * (1 + jitter), self.longest_wait)
        return asked if asked <= self.longest_wait else None


def may_pass(error: BaseException) -> bool:
    """Whether the same call may succeed later."""
    known = getattr(error, "is_retryable", None)
    if isinstance(known, bool):
        return known
    status = status_of(error)
    if status is not None:
        return status in PASSING
    if isinstance(error, TimeoutError | ConnectionError):
        return True
    return any(part in kind.__name__ for kind in type(error).__mro__ for part in BROKEN_CONNECTION)


def is_about_the_prompt(error: BaseException) -> bool:
    """Whether another prompt may well be answered: this one is malformed, too long or refused."""
    return status_of(error) in (400, 413, 422)


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an error carries."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) and status > 0 else None


def retry_after(error: BaseException) -> float | None:
    """Seconds that the provider asked to wait for; a date, which some send, is left to our own waiting."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    if not isinstance(headers, Mapping):
        return None
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * scale)
        except (KeyError, ValueError):
            continue
    return None


def reason_of(error: BaseException) -> str:
    """The kind of failure and its status; never the provider's words, which may echo a key."""
    status, kind = status_of(error), getattr(error, "kind", None)
    name = kind if isinstance(kind, str) else type(error).__name__
    return f"{name} {status}" if status else name
