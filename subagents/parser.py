"""The parser agent: a light model that makes the exact arguments of one tool call (seed 001, B05-B07).

The one who decides names the tool; making its arguments is another duty with another prompt (B16). Here it is the way
to mend: a call whose arguments cannot be used is read again, from the user's words, with one tool in view. What comes
back is validated like any other call, and a value that the words do not give is never made up.
"""

from __future__ import annotations

import json
from typing import Any, NotRequired

from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool
from pydantic import ValidationError
from typing_extensions import TypedDict

from subagents.spec import prompt
from tools.core.text import Language
from tools.toolkits.making import arguments_of, schema_of


class ParserInput(TypedDict):
    """What the parser reads the arguments from."""

    words: str
    """The user's words, or the item."""
    raw: NotRequired[str]
    """Arguments as a model wrote them, whole JSON or not."""
    reason: NotRequired[str]
    """Why these cannot be used."""


def create_parser_agent(
    model: Runnable[Any, Any], tool: BaseTool, language: Language = "zh"
) -> Runnable[ParserInput, dict[str, Any]]:
    """The parser of one tool: prompt, model and strict reading as one Runnable (B06).

    LangChain idea: ``|`` chains Runnables; the chain has ``invoke``, ``ainvoke``, ``batch`` like each of its parts.

    Args:
        model: A chat model, or anything that answers messages with a message; it needs no tool calling.
        tool: Whose arguments are made.
        language: Language of the prompt.

    Returns:
        From ``ParserInput`` to arguments that the tool accepts.

    Raises:
        OutputParserException: When invoked: the answer holds no arguments that the tool accepts.
    """
    system = SystemMessage(
        prompt("subagents", language, "parser").substitute(tool=json.dumps(schema_of(tool), ensure_ascii=False))
    )
    shape = arguments_of(tool)

    def asked(given: ParserInput) -> list[AnyMessage]:
        return [system, HumanMessage(json.dumps(given, ensure_ascii=False))]

    def read(answer: AIMessage) -> dict[str, Any]:
        words = answer.text.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
        try:
            arguments = json.loads(words)
            shape.model_validate(arguments)
        except ValidationError as error:
            raise OutputParserException(f"not the arguments of {tool.name}: {error}", llm_output=words) from error
        except ValueError as error:
            raise OutputParserException(f"not JSON: {error}", llm_output=words) from error
        return dict(arguments)

    return RunnableLambda(asked) | model | RunnableLambda(read)
