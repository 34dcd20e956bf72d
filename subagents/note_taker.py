"""The note agent: a light model turns an item's result into ``{note, summary}`` in one call (E16, X20)."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field

from subagents.spec import prompt
from subagents.thinking import Asking
from tools.core.errors import LimitError, ModelError
from tools.core.result import ResultStatus, ToolResult
from tools.core.text import Language

log = logging.getLogger(__name__)


class WrittenNote(BaseModel):
    """A note for the other agents and a sentence for the user."""

    note: str = Field(min_length=1)
    summary: str = Field(min_length=1)


WRITE_NOTE = convert_to_openai_tool(WrittenNote)
WRITE_NOTE["function"]["name"] = "write_note"


async def take_note(
    asking: Asking, language: Language, content: str, results: Sequence[ToolResult]
) -> tuple[WrittenNote, list[AnyMessage]]:
    """Write the note of an item that has ended.

    Args:
        asking: The light model is asked.
        language: The run's language.
        content: The item.
        results: What its tools answered, in order.

    Returns:
        The note, and the dialogue of the call (``write_note_messages``). When the light model fails, the tools' own
        messages are the note: a result is never lost for want of a summary. So they are for an item that failed: why
        it failed is not to be put more kindly than it is.
    """
    words = " ".join(result.message for result in results)
    if results[-1].status is ResultStatus.ERROR:
        return WrittenNote(note=words, summary=words), []
    facts = [json.loads(result.for_model()) for result in results]
    messages: list[AnyMessage] = [
        SystemMessage(prompt("subagents", language, "note").substitute()),
        HumanMessage(json.dumps({"item": content, "results": facts}, ensure_ascii=False)),
    ]
    try:
        written, answer = await asking.shaped(messages, WrittenNote, WRITE_NOTE, language, tags=["note"])
    except (ModelError, LimitError) as error:
        log.warning("note of %r written without a model: %s", content, error)
        return WrittenNote(note=words, summary=words), messages[1:]
    return written, [*messages[1:], answer]
