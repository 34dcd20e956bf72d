"""Sub-agents as files of a folder: ``NAME.md`` (YAML between two lines ``---``, then the prompt) or ``NAME.yaml``.

A file says what an agent is for and which of the tools that others have it may call. It brings no code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from subagents.spec import Limits, SubagentSpec
from tools.core.harmless import harmless
from tools.core.text import Language, text
from tools.toolkits.adopted import SubagentError

MARKDOWN, YAML = (".md",), (".yaml", ".yml")
#: The line around the YAML of a Markdown file.
FENCE = "---"

#: Pydantic's words for a fault, and ours (``subagents.file_fault``).
_REASONS = {
    "missing": "missing",
    "string_type": "no_text",
    "string_too_short": "blank",
    "too_short": "empty",
    "list_type": "no_list",
    "dict_type": "no_object",
    "model_type": "no_object",
    "int_type": "no_number",
    "greater_than_equal": "out_of_range",
    "less_than_equal": "out_of_range",
    "extra_forbidden": "unknown_key",
    "invalid_key": "unknown_key",
}

Told = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Count = Annotated[int, Field(ge=1, le=1_000)]


class SubagentFileError(SubagentError):
    """A sub-agent's file that cannot be used.

    Attributes:
        path: The file or the folder.
        place: Where in it, such as ``limits.tool_calls``, or line and column; empty for the file as a whole.
        fault: What is wrong there: the name of a sentence under ``subagents.file_fault``, or an error of its own.
    """

    def __init__(self, path: Path, place: str, fault: str | SubagentError, **details: object) -> None:
        self.path, self.place, self.fault, self.details = path, place, fault, details
        super().__init__("file")

    def message(self, language: Language) -> str:
        """File, place, reason."""
        fault, place = self.fault, f" ({harmless(self.place)})" if self.place else ""
        if isinstance(fault, SubagentError):
            reason = fault.message(language)
        else:
            reason = text(language, f"subagents.file_fault.{fault}", **self.details)
        return text(language, "subagents.file", path=self.path, place=place, reason=reason)


class FileLimits(BaseModel):
    """See ``Limits``; a file can only make them narrower."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    model_calls: Count | None = None
    tool_calls: Count | None = None
    questions: Annotated[int, Field(ge=0, le=1_000)] | None = None
    repairs: Annotated[int, Field(ge=0, le=Limits().repairs)] = Limits().repairs


class ByLanguage(BaseModel):
    """A text in each language."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    zh: Told
    en: Told


class AgentFile(BaseModel):
    """One sub-agent as its file says.

    Attributes:
        path: The file.
        name: Its name; by default that of the file.
        description: A line for the planner; one text for both languages, or ``{zh: ..., en: ...}``.
        capabilities: See ``SubagentSpec``.
        tools: Names of tools that other agents have.
        prompt: What its model is told; the body of a Markdown file.
        limits: See ``Limits``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    path: Path
    name: Told
    description: Told | ByLanguage
    capabilities: list[Told] = []
    tools: list[Told] = Field(min_length=1)
    prompt: Told | ByLanguage
    limits: FileLimits = FileLimits()

    def spec(self, others: Sequence[SubagentSpec]) -> SubagentSpec:
        """The sub-agent, with tools of the others.

        Raises:
            SubagentFileError: None of them has a tool of that name.
        """
        known = [tool.name for spec in others for tool in spec.toolbox("zh")]
        if strange := next((name for name in self.tools if name not in known), None):
            raise SubagentFileError(self.path, "tools", "unknown_tool", tool=harmless(strange), known=", ".join(known))
        return SubagentSpec(
            self.name,
            partial(_picked, self.tools, others),
            Limits(**self.limits.model_dump()),
            description=_words(self.description),
            prompt=_words(self.prompt),
            capabilities=tuple(self.capabilities),
        )


def _words(words: str | ByLanguage) -> str | dict[str, str]:
    return words if isinstance(words, str) else words.model_dump()


def _picked(names: Sequence[str], others: Sequence[SubagentSpec], language: Language) -> list[BaseTool]:
    held = {tool.name: tool for spec in others for tool in spec.toolbox(language)}
    return [held[name] for name in names]


def read_folder(folder: Path) -> list[AgentFile]:
    """The sub-agents of a folder, by file name; files of other kinds and hidden ones are left alone.

    Raises:
        SubagentFileError: The folder or a file cannot be read, or something in it cannot be; names the place.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except FileNotFoundError as error:
        raise SubagentFileError(folder, "", "missing_folder") from error
    except NotADirectoryError as error:
        raise SubagentFileError(folder, "", "no_folder") from error
    except OSError as error:
        raise SubagentFileError(folder, "", "unreadable", detail=error.strerror or str(error)) from error
    return [read_file(path) for path in paths if path.suffix in (*MARKDOWN, *YAML)]


def read_file(path: Path) -> AgentFile:
    """The sub-agent of one file.

    Raises:
        SubagentFileError: As ``read_folder`` says.
    """
    try:
        words = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SubagentFileError(path, "", "unreadable", detail=error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise SubagentFileError(path, "", "not_utf8") from error
    given = _in_markdown(path, words) if path.suffix in MARKDOWN else _in_yaml(path, words)
    if "path" in given:
        raise SubagentFileError(path, "path", "unknown_key")
    try:
        return AgentFile.model_validate({"name": path.stem, **given, "path": path})
    except ValidationError as error:
        fault = error.errors()[0]
        place = [str(part) for part in fault["loc"]]
        place = place[:1] if place[0] in ("description", "prompt") else place  # the rest tells pydantic's tries apart
        raise SubagentFileError(path, ".".join(place), _REASONS.get(fault["type"], "unusable")) from error


def _in_markdown(path: Path, words: str) -> dict[str, Any]:
    """Front matter and body."""
    first, *lines = words.splitlines() or [""]
    if first.rstrip() != FENCE:
        raise SubagentFileError(path, "1", "no_front_matter")
    end = next((number for number, line in enumerate(lines) if line.rstrip() == FENCE), None)
    if end is None:
        raise SubagentFileError(path, "1", "open_front_matter")
    given = _in_yaml(path, "\n".join(lines[:end]), above=1)
    if "prompt" in given:
        raise SubagentFileError(path, "prompt", "prompt_twice")
    return {**given, "prompt": "\n".join(lines[end + 1 :])}


def _in_yaml(path: Path, words: str, above: Literal[0, 1] = 0) -> dict[str, Any]:
    """A mapping; ``above`` counts the file's lines before the YAML."""
    import yaml  # noqa: PLC0415 - only when there is such a file

    try:
        given = yaml.safe_load(words)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{mark.line + 1 + above}:{mark.column + 1}" if mark else ""
        raise SubagentFileError(path, place, "no_yaml", detail=harmless(error.problem or "")) from error
    except yaml.YAMLError as error:
        raise SubagentFileError(path, "", "no_yaml", detail=harmless(str(error))) from error
    except RecursionError as error:
        raise SubagentFileError(path, "", "no_yaml", detail="nesting") from error
    if not isinstance(given, dict):
        raise SubagentFileError(path, "", "no_fields")
    if strange := next((key for key in given if not isinstance(key, str)), None):
        raise SubagentFileError(path, str(strange), "unknown_key")
    return given
