"""The name under which a model sees a server's tool: ``server__tool``.

Vendors take letters, digits, ``_`` and ``-``, at most 64. None of our own tools has two underscores in a row, and the
server's part never has: the first ``__`` of a name is where it ends, so two tools never share a name.
"""

from __future__ import annotations

import hashlib
import re

LONGEST = 64
_SERVER = re.compile(r"[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*")
_TOOL = re.compile(r"[A-Za-z0-9_-]+")
#: Characters of the digest that a name gets which had to be bent.
_DIGITS = 8


def tool_name(server: str, tool: str) -> str:
    """The tool's full name; one that cannot stand as it is gets a digest of what it was."""
    if _SERVER.fullmatch(server) and _TOOL.fullmatch(tool) and len(server) + len(tool) + 2 <= LONGEST:
        return f"{server}__{tool}"
    mark = hashlib.sha256(f"{server}\0{tool}".encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    first = "_".join(re.findall(r"[A-Za-z0-9-]+", server))[:20].strip("_") or "server"
    second = "_".join(re.findall(r"[A-Za-z0-9_-]+", tool))[: LONGEST - len(first) - _DIGITS - 3] or "tool"
    return f"{first}__{second}_{mark}"
