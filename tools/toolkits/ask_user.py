"""``ask_user``: the special call that pauses a run and asks (B02, seed 001)."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import Field

from tools.core.text import Language
from tools.toolkits.making import Arguments, state_tool

ASK_USER = "ask_user"


class AskUser(Arguments):
    """A question, and the likely answers if there are some."""

    question: str = Field(min_length=1)
    choices: list[str] | None = None


@cache
def ask_user_tool(language: Language) -> dict[str, Any]:
    """The schema; the graph asks."""
    return state_tool(ASK_USER, AskUser, language)
