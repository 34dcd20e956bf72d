"""What callers may ask for: requests that are not blank, names of threads that every store and screen takes."""

from __future__ import annotations

import uuid

from tools.core.errors import UsageError

#: Longest request, in characters.
LONGEST_REQUEST = 100_000
#: Longest name of a thread; it is part of operation keys.
LONGEST_THREAD = 100


def new_thread_id() -> str:
    """A short random name."""
    return uuid.uuid4().hex[:8]


def checked_request(request: str) -> str:
    """Refuse what cannot be a request.

    Raises:
        UsageError: Blank, or longer than ``LONGEST_REQUEST``.
    """
    if not request.strip():
        raise UsageError("blank_request")
    if len(request) > LONGEST_REQUEST:
        raise UsageError("long_request", length=len(request), limit=LONGEST_REQUEST)
    return request


def checked_thread(name: str) -> str:
    """Refuse what cannot be a thread's name.

    Raises:
        UsageError: Longer than ``LONGEST_THREAD``, or with characters that no database and no screen takes.
    """
    if len(name) > LONGEST_THREAD:
        raise UsageError("long_thread", limit=LONGEST_THREAD)
    if not name.isprintable():
        raise UsageError("unprintable_thread")
    return name
