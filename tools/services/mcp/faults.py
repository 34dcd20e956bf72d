"""What can go wrong with servers and their file; the sentences are in ``text/<language>/mcp.toml``."""

from __future__ import annotations

from tools.core.errors import PlannerError, UsageError
from tools.core.harmless import harmless
from tools.core.text import Language, text

#: Longest piece of a server's own words in a sentence of ours, in characters.
LONGEST_DETAIL = 300


class McpServerError(PlannerError):
    """A server that cannot be reached or used, or one of its tools; ``retryable`` like its base."""

    def message(self, language: Language) -> str:
        """The sentence, from the topic of its own."""
        return text(language, f"mcp.{self.key}", **self.facts)


class McpUsageError(UsageError):
    """A file or a name that the caller must correct. Exit code 2."""

    def message(self, language: Language) -> str:
        """The sentence, from the topic of its own."""
        return text(language, f"mcp.{self.key}", **self.facts)


class McpFileError(McpUsageError):
    """A fault in ``mcp.json``.

    Attributes:
        path: The file.
        place: Where in it, such as ``mcpServers.time.args``, or a line; empty for the file as a whole.
        reason: Name of the sentence under ``mcp.fault``.
    """

    def __init__(self, path: object, place: str, reason: str, **details: object) -> None:
        self.path, self.place, self.reason, self.details = path, place, reason, details
        super().__init__("file")

    def message(self, language: Language) -> str:
        """File, place, reason."""
        reason = text(language, f"mcp.fault.{self.reason}", **self.details)
        place = f" ({harmless(self.place)})" if self.place else ""
        return text(language, "mcp.file", path=self.path, place=place, reason=reason)


def detail(words: str) -> str:
    """A server's own words, safe to show and not too long."""
    safe = harmless(words.strip())
    return safe if len(safe) <= LONGEST_DETAIL else f"{safe[:LONGEST_DETAIL]}…"


def reason_of(error: BaseException) -> str:
    """What an exception says, inside of the groups that task groups wrap it into."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return detail(str(error) or type(error).__name__)
