"""Embeddings on both wires: texts that share characters point the same way."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from typing import Any

Embed = Callable[[str], list[float]]

SIZE = 64
PATHS = ("/embeddings", "/services/embeddings/text-embedding/text-embedding")


def by_characters(words: str) -> list[float]:
    """A unit vector that counts the characters."""
    counts = [0.0] * SIZE
    for character in words or " ":
        counts[zlib.crc32(character.encode()) % SIZE] += 1.0
    length = math.hypot(*counts)
    return [count / length for count in counts]


def answer(path: str, body: dict[str, Any], embed: Embed) -> dict[str, Any]:
    """The answer to a request for embeddings."""
    if path.endswith(PATHS[1]):
        rows = [{"text_index": i, "embedding": embed(words)} for i, words in enumerate(body["input"]["texts"])]
        return {"output": {"embeddings": rows}, "usage": {"total_tokens": len(rows)}, "request_id": "req-e"}
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    data = [{"object": "embedding", "index": i, "embedding": embed(words)} for i, words in enumerate(texts)]
    usage = {"prompt_tokens": len(data), "total_tokens": len(data)}
    return {"object": "list", "data": data, "model": body["model"], "usage": usage}
