"""Errors, sorted by who must act on them.

Each carries the key of its sentence and the facts in it, so that the face can say it in the user's language and
callers read attributes instead of parsing text.
"""

from __future__ import annotations

from tools.core.text import Language, text


class PlannerError(Exception):
    """Something the product foresaw: ``message(language)`` says what happened, the value, and what to do next.

    Attributes:
        key: Name of the sentence in ``text/<language>/errors.toml``.
        facts: The values in it.
        retryable: Whether the same call may succeed later.
    """

    retryable = False

    def __init__(self, key: str, **facts: object) -> None:
        self.key = key
        self.facts = facts
        super().__init__(self.message("en"))

    def message(self, language: Language) -> str:
        """The sentence for the user."""
        return text(language, f"errors.{self.key}", **self.facts)


class UsageError(PlannerError):
    """The caller asked for something that cannot be: a blank request, an unknown model string. Exit code 2."""


class ThreadError(PlannerError):
    """A thread is unknown, busy, somebody else's, or has no open question. Exit code 2."""


class StoreError(PlannerError):
    """The database cannot be used: unwritable, broken, or written by a newer version. Exit code 2."""


class ModelError(PlannerError):
    """A model's provider failed or answered nonsense. Exit code 1."""

    retryable = True


class LimitError(PlannerError):
    """A run or an item may spend no more: model calls, tool calls or seconds (A46)."""


class ToolArgumentError(PlannerError):
    """A model's arguments cannot be used; it is told why and may call again (one more turn of its own window)."""

    retryable = True
