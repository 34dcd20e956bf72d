"""The word tables ``zh.toml`` and ``en.toml``, compiled once at first use.

A table holds decoys (words that only look like times), word lists, macros and rules. A rule names the maker that turns
its match into a piece, and a pattern in which ``<d:day>`` is the macro or word list ``day`` caught as ``d``, ``<day>``
the same uncaught, a space one or two blanks, and `` ?`` up to two blanks. Rules are tried in the order of the file:
the first that fits at a place wins.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any

LANGUAGES = ("zh", "en")
_HOLE = re.compile(r"(?<!\?P)<(?:([a-z0-9]+):)?([a-z_0-9]+)>")
#: A blank, but not inside [...].
_BLANK = re.compile(r"\[[^\]]*\]| \??")
_GROUP = re.compile(r"\(\?P<[a-z0-9]+>")


@dataclass(frozen=True)
class Rule:
    """One line of a rule table."""

    make: str
    language: str
    pattern: str

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The rule by itself, with its names; compiled when it first fits."""
        return re.compile(self.pattern)


@dataclass(frozen=True, slots=True)
class Grammar:
    """The rules of a language behind one regular expression, a group for each, so that ``lastindex`` names the rule."""

    master: re.Pattern[str]
    rules: tuple[Rule, ...]


@cache
def tables(language: str) -> Mapping[str, Any]:
    """The parsed table file of a language."""
    return tomllib.loads(resources.files(__package__).joinpath(f"{language}.toml").read_text("utf-8"))


@cache
def words(language: str, name: str) -> dict[str, Any]:
    """A word list: word to value."""
    return dict(tables(language)["words"][name])


def choice(options: Mapping[str, Any] | list[str]) -> str:
    """A pattern for any of these words, longest first so that none hides behind its own beginning."""
    return "|".join(re.escape(word).replace("\\ ", " ") for word in sorted(options, key=len, reverse=True))


@cache
def grammar(language: str) -> Grammar:
    """The rules of a language, compiled."""
    macros = _macros(language)
    rules: list[Rule] = []
    branches: list[str] = []
    for line in tables(language)["rules"]:
        pattern = _bounded(_blanks(line["pattern"]), language)
        rules.append(Rule(line["make"], language, _fill(pattern, macros, catch=True)))
        branches.append(f"({_fill(pattern, macros, catch=False)})")
    return Grammar(re.compile("|".join(branches)), tuple(rules))


@cache
def decoys() -> re.Pattern[str]:
    """Words that only look like times, of both languages."""
    found = []
    for language in LANGUAGES:
        table = tables(language)["decoys"]
        found.append(_bounded(_blanks("|".join([*table["patterns"], choice(table["words"])])), language))
    return re.compile("|".join(found))


@cache
def starts() -> re.Pattern[str]:
    """Where a piece may begin: at a word, a number, a sign, or a Chinese character that occurs in the tables."""
    chinese = "".join(sorted(set(re.findall(r"[\u3007\u4e00-\u9fff]", str(tables("zh"))))))
    return re.compile(rf"[{chinese}]|(?<![a-z0-9_])[a-z]|(?<![0-9])[0-9]|[-~@½]")


def _macros(language: str) -> Mapping[str, str]:
    table = tables(language)
    macros = {name: choice(options) for name, options in table["words"].items()} | table["macros"]
    # A macro may use others; three rounds are deeper than any of them goes.
    for _ in range(4):
        macros = {name: _fill(pattern, macros, catch=False) for name, pattern in macros.items()}
    return {name: _blanks(pattern) for name, pattern in macros.items()}


def _fill(pattern: str, macros: Mapping[str, str], *, catch: bool) -> str:
    def one(hole: re.Match[str]) -> str:
        name, macro = hole.groups()
        return f"(?P<{name}>{macros[macro]})" if name and catch else f"(?:{macros[macro]})"

    return _HOLE.sub(one, pattern if catch else _GROUP.sub("(?:", pattern))


def _blanks(pattern: str) -> str:
    spelled = {" ?": r"\s{0,2}", " ": r"\s{1,2}"}
    return _BLANK.sub(lambda hit: spelled.get(hit.group(), hit.group()), pattern)


def _bounded(pattern: str, language: str) -> str:
    """English words end where letters and digits end; Chinese ones do not care, but a number must be whole."""
    if language == "zh":
        return rf"(?<![0-9](?=[0-9]))(?:{pattern})"
    return rf"(?<![a-z0-9_](?=[a-z0-9_]))(?:{pattern})(?!(?<=[a-z0-9_])[a-z0-9_])"
