"""``ls`` and ``query_note`` over the shared notes (E09, E14, E15)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from tools.core.text import Language, text
from tools.toolkits.making import Arguments, state_tool

LS = "ls"
QUERY_NOTE = "query_note"


class Ls(Arguments):
    """Nothing to say."""


class QueryNote(Arguments):
    """The name of a note, as ``ls`` gives it."""

    name: str


@cache
def ls_tool(language: Language) -> dict[str, Any]:
    """The schema of ``ls``."""
    return state_tool(LS, Ls, language)


@cache
def query_note_tool(language: Language) -> dict[str, Any]:
    """The schema of ``query_note``."""
    return state_tool(QUERY_NOTE, QueryNote, language)


def list_notes(notes: Mapping[str, str]) -> str:
    """The names, as a JSON list."""
    return json.dumps(list(notes), ensure_ascii=False)


def read_note(notes: Mapping[str, str], name: str, language: Language) -> str:
    """The note, or 未找到笔记名称 (E09)."""
    return notes.get(name) or text(language, "plan.no_such_note")
