"""The text catalogue: every sentence a user or a model reads, Chinese and English with the same keys.

Sentences live in ``tools/text/<language>/<topic>.toml``; ``text("zh", "results.task_created", title="开会")`` reads
the key ``task_created`` of ``results.toml`` and fills its holes. A missing key or hole is a ``KeyError`` in a test,
never a half-filled sentence before a user.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Literal, cast

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")


@cache
def catalogue(language: Language, topic: str) -> dict[str, Any]:
    """One topic's table, read once."""
    source = files("tools").joinpath("text", language, f"{topic}.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


def load_texts() -> None:
    """Read every topic of every language now, for those who may not touch the disk later."""
    for language in LANGUAGES:
        for source in files("tools").joinpath("text", language).iterdir():
            catalogue(language, source.name.removesuffix(".toml"))


def text(language: Language, key: str, /, **facts: object) -> str:
    """The sentence under ``topic.name`` or ``topic.table.name``, its ``{holes}`` filled with ``facts``.

    Raises:
        KeyError: The key does not exist, or a hole has no fact.
    """
    return phrase(language, key).format(**facts) if facts else phrase(language, key)


def phrase(language: Language, key: str) -> str:
    """The sentence under a key as it stands, holes and all."""
    topic, *path = key.split(".")
    value: Any = catalogue(language, topic)
    for name in path:
        value = value[name]
    return cast(str, value)


def language_of(words: str) -> Language:
    """The language of a request: Chinese as soon as it holds a Chinese character (P21), else English."""
    return "zh" if any("一" <= letter <= "鿿" for letter in words) else "en"
