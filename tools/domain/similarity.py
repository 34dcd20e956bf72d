"""Whether two titles name the same task (X1, P4, A39).

No measure on characters alone can tell 取快递/拿快递 (the same errand) from 取快递/寄快递 (its opposite), so titles are
first brought to a canonical form by the word lists in ``titles.toml``. Then dice decides: over pairs of characters for
Chinese, over words for English. Two titles that each say something which the other does not are never the same.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

#: From this similarity on two titles count as the same (A39).
SAME_TITLE = 0.75
#: The most that two titles get which say different things, however long the rest that they share.
_UNLIKE = 0.7
#: An English title may have a word more than the other only when they share at least this many.
_ENOUGH_WORDS = 3

_CHARACTERS = "々〇぀-ヿ㐀-鿿가-힯\U00020000-\U0003ffff"
_CHARACTER = re.compile(rf"[{_CHARACTERS}]")
#: What titles are made of: a Chinese, Japanese or Korean character, a number, or a word of another script.
_UNIT = re.compile(rf"[{_CHARACTERS}]|\d+(?:\.\d+)*|[^\s\d{_CHARACTERS}]+")
_SPACE_AT_CHARACTER = re.compile(rf"(?<=[{_CHARACTERS}]) | (?=[{_CHARACTERS}])")
_ORDINAL = re.compile("(?<=第)[一二三四五六七八九](?![一二三四五六七八九十百])")
_PLURAL = re.compile(r"(?<=[a-z]{2})(?:(?<=ch)es|(?<=sh)es|(?<=ss)es|(?<=x)es|(?<=[^siau])s)\b")

_Rewrite = tuple[re.Pattern[str], str]


@dataclass(frozen=True, slots=True)
class _Rules:
    """The word lists of one language: how to rewrite a title, and how to compare two."""

    rewrites: tuple[_Rewrite, ...]
    verb: re.Pattern[str]
    verbs: dict[str, str]
    noun: re.Pattern[str]
    nouns: dict[str, str]
    drop: re.Pattern[str]
    light: re.Pattern[str]
    either: dict[str, list[str]]
    decisive: re.Pattern[str]
    directions: frozenset[str]
    function_words: frozenset[str]
    spaced: bool


def are_same_title(a: str, b: str) -> bool:
    """Whether two titles name the same task: a similarity of :data:`SAME_TITLE` or more."""
    return title_similarity(a, b) >= SAME_TITLE


def title_similarity(a: str, b: str) -> float:
    """How alike two titles are, 0.0 to 1.0, the same both ways round; 0.0 when either is empty.

    Titles of one character are compared directly: 1.0 or 0.0, for they have no pairs.
    """
    first, second = canonical_title(a), canonical_title(b)
    if not (first and second):
        return 0.0
    rules = _rules_for(first + second)
    one, other = _aligned(first, second, rules)
    if one == other or (rules.spaced and "".join(one) == "".join(other)):
        return 1.0
    if rules.spaced:
        score = _dice(_without(one, rules.function_words), _without(other, rules.function_words))
    else:
        score = _dice(pairwise(one), pairwise(other))
    return min(score, _UNLIKE) if _say_different_things(one, other, rules) else score


def own_words(a: str, b: str) -> tuple[list[str], list[str]]:
    """What each of two titles says that the other does not, as units of their canonical forms.

    Words without content are left out, and so is a place or the like that only one of the two names. When both lists
    hold something the titles contradict each other: 取/寄, 买/卖, 北京/南京.
    """
    first, second = canonical_title(a), canonical_title(b)
    rules = _rules_for(first + second)
    return _own_words(*_aligned(first, second, rules), rules)


def decisive_words(title: str) -> frozenset[str]:
    """The words of a title that turn it into something else, such as 不, 取消 or "cancel"."""
    canonical = canonical_title(title)
    return _decisive(title_units(canonical), _rules_for(canonical))


def title_units(canonical: str) -> list[str]:
    """The units of a canonical title: characters, numbers, and words of scripts that write spaces."""
    return _UNIT.findall(canonical)


@lru_cache(maxsize=8192)
def canonical_title(title: str) -> str:
    """The title reduced to what it means: 去拿包裹 and 取快递 are both 取快递; "" for a title of punctuation alone.

    Case, width, punctuation, leading fillers, measure words and articles go; the leading verb and a few nouns become
    the word that stands for them in ``titles.toml``. A title of one character stays as it is.
    """
    units = title_units(_plain(title))
    if len("".join(units)) < 2:
        return "".join(units)
    return _canonical_english(units) if _rules_for("".join(units)).spaced else _canonical_chinese(units)


def _plain(title: str) -> str:
    """Lower case, half width, letters and digits and pictures only; all else becomes a space."""
    kept = []
    for char in unicodedata.normalize("NFKC", title).lower():
        kind = unicodedata.category(char)
        if char in "'’\ufe0f\u200d":
            continue
        if kind[0] in "LMN" or char in "+#.":
            kept.append(char)
        else:
            kept.append(f" {char} " if kind == "So" else " ")
    return re.sub(r"\.(?!\d)|(?<!\d)\.", " ", "".join(kept))


def _canonical_chinese(units: Sequence[str]) -> str:
    rules = _all_rules()["zh"]
    text = _SPACE_AT_CHARACTER.sub("", " ".join(units))
    text = _ORDINAL.sub(lambda match: str("一二三四五六七八九".index(match[0]) + 1), text)
    text = _rewritten(rules.drop.sub("", text) or text, rules)
    return rules.noun.sub(lambda match: rules.nouns[match[0]], text)


def _canonical_english(units: Sequence[str]) -> str:
    rules = _all_rules()["en"]
    text = _rewritten(" ".join(units), rules)
    text = " ".join(rules.drop.sub(" ", text).split()) or text
    text = _PLURAL.sub("", re.sub(r"(?<=\w{2})ies\b", "y", text))
    return rules.noun.sub(lambda match: rules.nouns[match[0]], text)


def _rewritten(text: str, rules: _Rules) -> str:
    """The text after all rewrites in their order, with the word that stands for its leading verb."""
    for pattern, replacement in rules.rewrites:
        text = pattern.sub(replacement, text)
    return rules.verb.sub(lambda match: (match["place"] or "") + rules.verbs[match["verb"]], text)


def _aligned(first: str, second: str, rules: _Rules) -> tuple[list[str], list[str]]:
    """The units of two canonical titles, with vague verbs settled and with one-sided light words left out."""
    first, second = _settled(first, second, rules), _settled(second, first, rules)
    texts = [first, second]
    light = [set(rules.light.findall(text)) for text in texts]
    for index, text in enumerate(texts):
        if light[index] and not light[1 - index]:
            texts[index] = rules.light.sub("", text).strip() or text
    return title_units(texts[0]), title_units(texts[1])


def _settled(text: str, partner: str, rules: _Rules) -> str:
    """The text with a vague leading verb replaced by the partner's, when it may stand for that one."""
    gap = " " if rules.spaced else ""
    for vague, meanings in rules.either.items():
        if text.startswith(vague + gap):
            for meaning in meanings:
                if partner.startswith(meaning + gap):
                    return meaning + text[len(vague) :]
    return text


def _say_different_things(one: Sequence[str], other: Sequence[str], rules: _Rules) -> bool:
    """Whether two titles are about different things in spite of all that they share."""
    own, others_own = _own_words(one, other, rules)
    if (own and others_own) or _turned_round(one, other, rules):
        return True
    extra = own or others_own
    return bool(extra) and (
        _decisive(one, rules) != _decisive(other, rules)
        or any(unit[0].isdigit() for unit in extra)
        or one[-1] != other[-1]
        or (rules.spaced and min(len(one), len(other)) < _ENOUGH_WORDS)
    )


def _decisive(units: Sequence[str], rules: _Rules) -> frozenset[str]:
    return frozenset(rules.decisive.findall((" " if rules.spaced else "").join(units)))


def _own_words(one: Sequence[str], other: Sequence[str], rules: _Rules) -> tuple[list[str], list[str]]:
    mine, theirs = Counter(one), Counter(other)
    return (
        _without((mine - theirs).elements(), rules.function_words),
        _without((theirs - mine).elements(), rules.function_words),
    )


def _turned_round(one: Sequence[str], other: Sequence[str], rules: _Rules) -> bool:
    """Whether the same things go another way: from A to B and from B to A, to Ben and from Ben."""
    here, there = rules.directions.intersection(one), rules.directions.intersection(other)
    if here - there and there - here:
        return True
    for word in here & there:
        before = _own_words(one[: one.index(word)], other[: other.index(word)], rules)
        after = _own_words(one[one.index(word) :], other[other.index(word) :], rules)
        if all(before) or all(after):
            return True
    return False


def _without(units: Iterable[str], words: frozenset[str]) -> list[str]:
    return [unit for unit in units if unit not in words]


def _dice(first: Iterable[Hashable], second: Iterable[Hashable]) -> float:
    """Twice the shared elements over all elements, with repetitions; 0.0 when there are none."""
    one, other = Counter(first), Counter(second)
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def _rules_for(text: str) -> _Rules:
    return _all_rules()["zh" if _CHARACTER.search(text) else "en"]


@cache
def _all_rules() -> dict[str, _Rules]:
    table = tomllib.loads(files(__package__).joinpath("titles.toml").read_text(encoding="utf-8"))
    return {"zh": _compiled(table["zh"], spaced=False), "en": _compiled(table["en"], spaced=True)}


def _compiled(words: dict[str, Any], *, spaced: bool) -> _Rules:
    verbs = _inverted(words["verbs"]) | {verb: verb for verb in words["plain_verbs"]}
    if spaced:
        verbs |= {form: verb for base, verb in verbs.items() if " " not in base for form in _ing_forms(base)}
    nouns = _inverted(words["nouns"])
    edge = r"\b" if spaced else ""
    light = "|".join(words["light"])
    return _Rules(
        rewrites=tuple(_rewrites(words, verbs, spaced=spaced)),
        verb=re.compile(_leading_verb(words, verbs, spaced=spaced)),
        verbs=verbs,
        noun=re.compile(f"{edge}(?:{_any_of(nouns)}){edge}"),
        nouns=nouns,
        drop=re.compile("|".join(words["drop"])),
        light=re.compile(f"^(?:{light}){edge}(?=.)|(?<=.){edge}(?:{light})$"),
        either=words["either"],
        decisive=re.compile(f"{edge}(?:{_any_of(words['decisive'])}){edge}"),
        directions=frozenset(words["directions"]),
        function_words=frozenset(words["function_words"]),
        spaced=spaced,
    )


def _rewrites(words: dict[str, Any], verbs: dict[str, str], *, spaced: bool) -> Iterable[_Rewrite]:
    """The rewrites of a whole title: fillers go, a verb that stands behind its object comes to the front."""
    gap, rest = (" ", r"(?=\S)") if spaced else ("", "(?=..)")
    fillers, not_fillers = _any_of(words["fillers"]), _any_of(words["not_fillers"])
    yield re.compile(f"^(?:(?!(?:{not_fillers}))(?:{fillers}){gap})+{rest}"), ""
    yield re.compile(f"^(?:{_any_of(words['fillers_before_verb'])}){gap}(?={_any_of(verbs)})"), ""
    if spaced:
        pairs = (verb.split(" ", 1) for verb in verbs if " " in verb)
        end = "(?= (?:from|at|by|for|before)|$)"
        split = "|".join(f"{verb}(?=.* {particle}{end})" for verb, particle in pairs)
        particles = _any_of({verb.split(" ", 1)[1] for verb in verbs if " " in verb})
        yield re.compile(rf"^({split}) (.+?) ({particles}){end}"), r"\1 \3 \2"
    else:
        long_verbs = _any_of(verb for verb in verbs if len(verb) > 1)
        tails = "|".join(words["verb_tails"])
        yield re.compile(f"^把(.+?)({_any_of(verbs)})([给到去进].+)$"), r"\2\1\3"
        yield re.compile(f"^把(.+?)({_any_of(verbs)})(?:{tails})?$"), r"\2\1"
        yield re.compile(f"^(?!(?:{_any_of(verbs)}))(..+)({long_verbs})$"), r"\2\1"
    for pattern, replacement in words["phrases"]:
        yield re.compile(pattern), replacement


def _leading_verb(words: dict[str, Any], verbs: dict[str, str], *, spaced: bool) -> str:
    """A pattern for the verb at the head of a title, or right after the place of the errand."""
    place = rf"(?P<place>(?:{'|'.join(words['light'])}))?"
    if spaced:
        return rf"^(?P<place>)(?!(?:{'|'.join(words['not_verbs'])})\b)(?P<verb>{_any_of(verbs)})(?= \S)"
    tails = "|".join(words["verb_tails"])
    return f"^{place}(?!{'|'.join(words['not_verbs'])})(?P<verb>{_any_of(verbs)})(?:{tails})?(?=.)"


def _ing_forms(verb: str) -> list[str]:
    """The forms in -ing of an English verb, right and wrong ones: "writeing" does no harm."""
    return [verb + "ing", verb + verb[-1] + "ing"] + ([verb[:-1] + "ing"] if verb.endswith("e") else [])


def _inverted(groups: dict[str, list[str]]) -> dict[str, str]:
    """Each variant, and the word itself, with the word that stands for it."""
    return {variant: word for word, variants in groups.items() for variant in (word, *variants)}


def _any_of(words: Iterable[str]) -> str:
    """A pattern of alternatives, the longest first, so that none is cut short by its own beginning."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
