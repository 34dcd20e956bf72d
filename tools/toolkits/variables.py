"""``val_set``, ``val_get``, ``val_list``: values that the items of a workflow share (D15, D16, D24).

What an item found out is not pushed into the prompts of those after it; it is kept under a key, and who needs it pulls
it. An item's own result is kept under its id by itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import Field

from tools.core.text import Language, text
from tools.toolkits.making import Arguments, state_tool

VAL_SET, VAL_GET, VAL_LIST = "val_set", "val_get", "val_list"
#: Characters of one value as JSON.
LONGEST_VALUE = 20_000


class ValSet(Arguments):
    """A value and its name."""

    key: str = Field(min_length=1, max_length=60)
    value: Any


class ValGet(Arguments):
    """The name of a value."""

    key: str


class ValList(Arguments):
    """Nothing to say."""


VALUE_ARGUMENTS: dict[str, type[Arguments]] = {VAL_SET: ValSet, VAL_GET: ValGet, VAL_LIST: ValList}


@cache
def value_tools(language: Language) -> tuple[dict[str, Any], ...]:
    """The schemas of the three."""
    return tuple(state_tool(name, shape, language) for name, shape in VALUE_ARGUMENTS.items())


def use_values(name: str, arguments: Mapping[str, Any], values: dict[str, str], language: Language) -> str:
    """Carry out a call on the values, which it may change.

    Args:
        name: Which of the three.
        arguments: The call's.
        values: JSON texts by key.
        language: Language of what is said.

    Returns:
        JSON for the model: ``{"key": ..}``, the value, or ``{"keys": [..], "count": n}``.
    """
    if name == VAL_LIST:
        return json.dumps({"keys": list(values), "count": len(values)}, ensure_ascii=False)
    key = str(arguments["key"])
    if name == VAL_GET:
        return values.get(key) or text(language, "plan.no_such_value", key=key, known=", ".join(values) or "-")
    value = json.dumps(arguments["value"], ensure_ascii=False, default=str)
    if len(value) > LONGEST_VALUE:
        return text(language, "plan.long_value", limit=LONGEST_VALUE)
    values[key] = value
    return json.dumps({"key": key}, ensure_ascii=False)
