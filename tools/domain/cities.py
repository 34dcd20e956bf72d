"""Which city a text names, in Chinese or English (P20): a small gazetteer and the words that only look like cities."""

from __future__ import annotations

import csv
import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

from tools.core.text import Language

#: How names are read.
_RULES = Path(__file__).with_name("cities.toml")
#: What the cities are: data by GeoNames, CC BY 4.0; the file says so itself, and how it is made.
_CITIES = Path(__file__).with_name("cities.tsv")
#: Characters before a name in which a word such as 在 or "forecast for" is looked for.
_NEAR = 20
_APOSTROPHES = "'‘’ʼ`´"
#: 市 that belongs to the city's name, not to the next word (市场).
_CITY_SUFFIX = re.compile("市(?![场值面价])")
_ADMINISTRATIVE = re.compile(
    r"(?:市|地区|盟|州|特别行政区|\s+city|\s+municipality"
    r"|(?:(?:朝鲜|土家|苗|藏|羌|彝|布依|侗|白|傣|景颇|傈僳|哈尼|壮|回|蒙古|哈萨克|柯尔克孜)族?)*自治州)$"
)
#: The suffixes of names outside the gazetteer; 州 stays, being part of most of them, and so does the 市 of 津市.
_PLAIN_SUFFIX = re.compile(r"(?:(?<=..)市|\s+city|\s+municipality)$")
_COUNTRY = re.compile(r"^中国|,?\s*(?:p\.?\s?r\.?\s?)?\bchina$")


@dataclass(frozen=True, slots=True)
class City:
    """A city of the gazetteer under its usual names, by which it is the same as another.

    Degrees north and east; both ``None`` where the data have none, as for a prefecture without a city of its name.
    """

    name_zh: str
    name_en: str
    latitude: float | None = field(default=None, compare=False)
    longitude: float | None = field(default=None, compare=False)

    @property
    def coordinates(self) -> tuple[float, float] | None:
        """Degrees north and east, where known."""
        return None if self.latitude is None or self.longitude is None else (self.latitude, self.longitude)

    def name(self, language: Language) -> str:
        """The name in the user's language."""
        return self.name_zh if language == "zh" else self.name_en


@dataclass(frozen=True, slots=True)
class CityMention:
    """A city named in a text; ``text[start:end]`` is the name as written, with its 市."""

    city: City
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Gazetteer:
    """Both data files, ready for look-ups; names are folded as ``_fold`` does."""

    #: Every city of a name, the one that is meant first: five pairs of Chinese cities share their English name.
    named: dict[str, tuple[City, ...]]
    #: Names of cities that nobody has listed: they yield to any other reading.
    unlisted: frozenset[str]
    #: Words read as a whole that are no city: provinces, dishes, everyday words.
    others: frozenset[str]
    #: Names that need a place or the weather beside them; all unlisted ones do.
    ordinary: frozenset[str]
    province: re.Pattern[str]
    after: re.Pattern[str]
    place_before: re.Pattern[str]
    place_after: re.Pattern[str]
    longest: int


def find_city(text: str) -> CityMention | None:
    """The first city named in ``text``, by its longest name; English names only as whole words.

    A name that is part of another thing (北京烤鸭, 三明治, 南京路) is not a mention. Of cities with one English name,
    the larger is meant.
    """
    return next(find_cities(text), None)


def find_cities(text: str) -> Iterator[CityMention]:
    """Every city named in ``text``, in order, as ``find_city`` reads it."""
    gazetteer = _gazetteer()
    folded = _fold(text)
    position = 0
    while position < len(folded):
        word = _word_at(folded, position)
        if word is None:
            position += 1
            continue
        end = position + len(word)
        if word in gazetteer.named and word not in gazetteer.others and _is_place(folded, position, end):
            suffix = _CITY_SUFFIX.match(folded, end)
            yield CityMention(gazetteer.named[word][0], position, suffix.end() if suffix else end)
        position = end


def lookup_city(name: str) -> City | None:
    """The city whose name ``name`` is as a whole: Shanghai, 上海, 上海市, 江苏省南京市; ``None`` when not known."""
    found = _cities_named(name)
    return found[0] if found else None


def same_city(a: str, b: str) -> bool:
    """Whether two names mean one city, across languages (Shanghai = 上海) and suffixes (北京市 = 北京).

    A shared English name equals either city (Suzhou = 苏州, Suzhou = 宿州, yet 苏州 is not 宿州). Names outside the
    gazetteer are compared as written, without their suffix.
    """
    known_a, known_b = _cities_named(a), _cities_named(b)
    if known_a or known_b:
        return bool(set(known_a) & set(known_b))
    bare_a, bare_b = (_fold(bare_name(name)) for name in (a, b))
    return bool(bare_a) and bare_a == bare_b


def bare_name(name: str) -> str:
    """The name without 市 or City, otherwise as written: 义乌 of 义乌市, Yiwu of Yiwu City."""
    name = name.strip()
    suffix = _PLAIN_SUFFIX.search(_fold(name))
    return name[: suffix.start()] if suffix else name


def _word_at(folded: str, position: int) -> str | None:
    """The longest known word that starts here; a Latin word only between word boundaries."""
    if position and _is_latin(folded[position]) and _is_latin(folded[position - 1]):
        return None
    gazetteer = _gazetteer()
    for end in range(min(position + gazetteer.longest, len(folded)), position + 1, -1):
        word = folded[position:end]
        if word not in gazetteer.named and word not in gazetteer.others:
            continue
        if end < len(folded) and _is_latin(word[-1]) and _is_latin(folded[end]):
            continue
        # Nobody has looked for what else an unlisted name may be part of: unless it is a place, it hides no other word.
        if word not in gazetteer.unlisted or word in gazetteer.others or _is_place(folded, position, end):
            return word
    return None


def _is_place(folded: str, start: int, end: int) -> bool:
    gazetteer = _gazetteer()
    if gazetteer.after.match(folded, end):
        return False
    if folded[start:end] not in gazetteer.ordinary:
        return True
    if folded.strip() == folded[start:end] or gazetteer.place_after.match(folded, end):
        return True
    return bool(gazetteer.place_before.search(folded, max(0, start - _NEAR), start))


def _cities_named(name: str) -> tuple[City, ...]:
    named = _gazetteer().named
    folded = " ".join(_fold(name).split())
    local = _COUNTRY.sub("", folded).strip()
    city = _gazetteer().province.sub("", local)
    for spelling in (folded, local, city, _ADMINISTRATIVE.sub("", local), _ADMINISTRATIVE.sub("", city)):
        if spelling in named:
            return named[spelling]
    return ()


def _is_latin(letter: str) -> bool:
    return letter.isascii() and letter.isalnum()


def _fold(text: str) -> str:
    """Case, width, accents and apostrophes made equal, letter by letter, so that offsets stay those of ``text``."""
    return "".join(_fold_letter(letter) for letter in text)


@lru_cache(maxsize=4096)
def _fold_letter(letter: str) -> str:
    if letter in _APOSTROPHES:
        return "'"
    plain = unicodedata.normalize("NFKD", letter).casefold() or letter
    return plain[0] if all(unicodedata.combining(mark) for mark in plain[1:]) else letter


@cache
def _gazetteer() -> _Gazetteer:
    data = tomllib.loads(_RULES.read_text(encoding="utf-8"))
    cities = _cities()
    named = _listed_names(data["province"], data["alias"], cities)
    listed = frozenset(named)
    for city in cities.values():
        _add(named, city)
    unlisted = frozenset(named) - listed
    provinces = [_fold(name) for province in data["province"] for name in province["names"]]
    rules = data["not_a_city"]
    others = {_fold(word) for word in (*rules["words"], *rules["everyday"], *provinces)} - listed
    return _Gazetteer(
        named=named,
        unlisted=unlisted,
        others=frozenset(others),
        ordinary=frozenset(_fold(name) for name in rules["ordinary"]) | unlisted,
        province=re.compile(rf"^(?:{_either(provinces)})(?:省|(?:[一-鿿]{{1,3}}族?)?自治区)?(?=[一-鿿]{{2}})"),
        after=re.compile(rf"{_either(rules['after_zh'])}|\s+(?:{_either(rules['after_en'])})\b"),
        place_before=re.compile(
            rf"(?:{_either(rules['place_before_zh'])})$|\b(?:{_either(rules['place_before_en'])})(?: the)?\s+$"
        ),
        place_after=re.compile(
            rf"{_either(rules['place_after_zh'])}|(?:'s)?\s+(?:{_either(rules['place_after_en'])})\b"
        ),
        longest=max(map(len, named.keys() | others)),
    )


def _cities() -> dict[str, City]:
    """The cities of the data by their Chinese names, the larger first."""
    with _CITIES.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t")
        return {row["zh"]: City(row["zh"], row["en"], float(row["latitude"]), float(row["longitude"])) for row in table}


def _listed_names(
    provinces: list[dict[str, list[str]]], aliases: dict[str, str], cities: dict[str, City]
) -> dict[str, tuple[City, ...]]:
    named: dict[str, tuple[City, ...]] = {}
    for entry in (entry for province in provinces for entry in province["cities"]):
        name_zh, _, name_en = entry.partition(" ")
        _add(named, City(name_zh, name_en) if name_en else cities[name_zh])
    return named | {_fold(alias): named[_fold(target)] for alias, target in aliases.items()}


def _add(named: dict[str, tuple[City, ...]], city: City) -> None:
    for name in (_fold(city.name_zh), _fold(city.name_en)):
        known = named.get(name, ())
        if city not in known:
            named[name] = (*known, city)


def _either(rules: list[str]) -> str:
    return "|".join(rules)
