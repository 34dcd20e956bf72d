"""Trust on first use: what a tool says of itself is pinned when it is first used, and a change turns it off.

A server can say one thing while it is looked at and another later. What a model reads (name, description, schema) and
what spares the user a question (the read-only mark) is therefore hashed and kept beside ``mcp.json``, as a lock file
is: the pins belong to the servers that the file names, whatever database is in use.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import unicodedata
from pathlib import Path
from typing import Any

from tools.services.mcp.faults import McpServerError, McpUsageError

#: Letters by their category, and yet nothing to see.
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
#: Marks that choose among shapes of the letter before them; hundreds of them in a row have carried whole messages.
_SELECTORS = (("\ufe00", "\ufe0f"), ("\u180b", "\u180f"), ("\U000e0100", "\U000e01ef"))
_PLAIN_CONTROLS = frozenset("\n\r\t")
_JOINER, _EMOJI_STYLE = "\u200d", "\ufe0f"


def fingerprint(name: str, description: str, schema: Any, *, read_only: bool) -> str:
    """A digest of all that makes the tool what it was when it was looked at."""
    told = {"name": name, "description": description, "schema": schema, "read_only": read_only}
    canonical = json.dumps(told, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def is_hidden(value: Any) -> bool:
    """Whether any text in a JSON value holds what a person would not see and a model would read.

    That is controls, direction marks, invisible letters, tags and variation selectors; of these only what emoji need
    may stand between emoji.
    """
    if isinstance(value, dict):
        return any(is_hidden(part) for pair in value.items() for part in pair)
    if isinstance(value, list | tuple):
        return any(is_hidden(part) for part in value)
    if not isinstance(value, str):
        return False
    return any(_is_unseen(letter, value[max(0, n - 1) : n]) for n, letter in enumerate(value))


def _is_unseen(letter: str, before: str) -> bool:
    if letter.isascii():
        return not letter.isprintable() and letter not in _PLAIN_CONTROLS
    if letter == _JOINER:
        return not before or (unicodedata.category(before) not in ("So", "Sk") and before != _EMOJI_STYLE)
    if letter == _EMOJI_STYLE:
        return before in ("", _EMOJI_STYLE) or before.isspace()
    if letter in _BLANK_LETTERS or any(first <= letter <= last for first, last in _SELECTORS):
        return True
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn")


class Pins:
    """The fingerprints of a file's servers: ``{server: {tool: fingerprint}}``.

    Attributes:
        path: Where they are kept.
    """

    def __init__(self, path: Path, known: dict[str, dict[str, str]]) -> None:
        self.path = path
        self._known = known

    @classmethod
    def beside(cls, file: Path) -> Pins:
        """Those of an ``mcp.json``; none yet if nothing was pinned.

        Raises:
            McpUsageError: The file with the pins is broken. To start anew would trust whatever there is now.
        """
        path = file.with_name(f"{file.stem}.lock.json")
        return cls(path, _read(path))

    def pinned(self, server: str, tool: str) -> str | None:
        """The fingerprint that is trusted."""
        return self._known.get(server, {}).get(tool)

    def pin(self, prints: dict[tuple[str, str], str]) -> None:
        """Trust these from now on, over what was trusted before.

        What another process has pinned in the meantime is kept.

        Raises:
            McpServerError: The file cannot be written.
            McpUsageError: It has become broken.
        """
        known = _read(self.path)
        for (server, tool), print_ in prints.items():
            known.setdefault(server, {})[tool] = print_
        try:
            _write(self.path, known)
        except OSError as error:
            raise McpServerError("pins_unwritable", path=self.path, reason=error.strerror or str(error)) from error
        self._known = known


def _read(path: Path) -> dict[str, dict[str, str]]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        tables = found["pins"]
        return {str(server): {str(t): str(p) for t, p in tools.items()} for server, tools in tables.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise McpUsageError("pins_broken", path=path) from error


def _write(path: Path, known: dict[str, dict[str, str]]) -> None:
    """All or nothing: written beside, then moved over."""
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"pins": known}, file, ensure_ascii=False, indent=2, sort_keys=True)
            file.write("\n")
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
