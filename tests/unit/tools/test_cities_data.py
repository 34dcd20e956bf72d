"""The gazetteer's data: well formed, where they should be, and read with care (P20)."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tools.domain import cities as module
from tools.domain.cities import City, find_cities, find_city, lookup_city, same_city

pytestmark = pytest.mark.unit

DOMAIN = Path(module.__file__).parent
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with (DOMAIN / "cities.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))


def listed() -> Iterator[str]:
    data = tomllib.loads((DOMAIN / "cities.toml").read_text(encoding="utf-8"))
    for province in data["province"]:
        yield from province["cities"]


def test_the_data_are_well_formed(rows: list[dict[str, str]]) -> None:
    assert len(rows) > 700
    assert len({row["id"] for row in rows}) == len({row["zh"] for row in rows}) == len(rows)
    for row in rows:
        assert row["id"].isdigit(), row
        assert all("一" <= letter <= "鿿" for letter in row["zh"]), row
        assert len(row["zh"]) > 1, row
        assert row["en"] == row["en"].strip() != "", row
        assert not any("一" <= letter <= "鿿" for letter in row["en"]), row
        assert -90 <= float(row["latitude"]) <= 90, row
        assert -180 <= float(row["longitude"]) <= 180, row
        assert ZoneInfo(row["zone"]), row
        assert len(row["country"]) == 2, row


def test_the_larger_come_first(rows: list[dict[str, str]]) -> None:
    order = [(-int(row["population"]), int(row["id"])) for row in rows]
    assert order == sorted(order)


def test_the_data_are_small() -> None:
    assert (DOMAIN / "cities.tsv").stat().st_size < 150_000


@pytest.mark.parametrize("file", ["tools/domain/cities.tsv", "README.md", "README.zh-CN.md", "assets/build_cities.py"])
def test_geonames_is_credited(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert "GeoNames" in text
    assert "CC BY 4.0" in text


def test_who_is_listed_is_in_the_data_or_has_an_english_name(rows: list[dict[str, str]]) -> None:
    known = {row["zh"] for row in rows}
    entries = list(listed())
    assert len(entries) == len(set(entries))
    assert [entry for entry in entries if " " not in entry and entry not in known] == []
    assert [entry for entry in entries if " " in entry and entry.partition(" ")[0] in known] == []


def test_listed_cities_lie_in_china_where_a_province_lists_them(rows: list[dict[str, str]]) -> None:
    country = {row["zh"]: row["country"] for row in rows}
    data = tomllib.loads((DOMAIN / "cities.toml").read_text(encoding="utf-8"))
    inside = [entry for province in data["province"] if province["names"] for entry in province["cities"]]
    assert {country[entry] for entry in inside if " " not in entry} == {"CN"}


@pytest.mark.parametrize(
    ("name", "latitude", "longitude"),
    [
        ("北京", 39.90, 116.40),
        ("上海", 31.23, 121.47),
        ("广州", 23.13, 113.26),
        ("成都", 30.67, 104.07),
        ("乌鲁木齐", 43.83, 87.62),
        ("哈尔滨", 45.75, 126.65),
        ("拉萨", 29.65, 91.14),
        ("三亚", 18.25, 109.51),
        ("朝阳", 41.57, 120.45),
        ("昆山", 31.38, 120.98),
        ("常熟", 31.65, 120.75),
        ("敦煌", 40.14, 94.66),
        ("香港", 22.32, 114.17),
        ("澳门", 22.20, 113.55),
        ("台北", 25.04, 121.56),
        ("Tokyo", 35.69, 139.69),
        ("London", 51.51, -0.13),
        ("New York", 40.71, -74.01),
        ("Washington", 38.90, -77.04),
        ("São Paulo", -23.55, -46.63),
        ("Sydney", -33.87, 151.21),
        ("奥克兰", -36.85, 174.76),
        ("开普敦", -33.92, 18.42),
        ("Delhi", 28.65, 77.23),
    ],
)
def test_where_a_city_is(name: str, latitude: float, longitude: float) -> None:
    city = lookup_city(name)
    assert city is not None
    assert city.coordinates == pytest.approx((latitude, longitude), abs=0.3)
    assert city.coordinates == (city.latitude, city.longitude)


def test_a_prefecture_without_a_city_of_its_name_has_no_coordinates() -> None:
    city = lookup_city("湘西土家族苗族自治州")
    assert city == City("湘西", "Xiangxi")
    assert city.coordinates is None


@pytest.mark.parametrize(
    ("name", "meant", "latitude"),
    [
        ("Suzhou", "苏州", 31.3),
        ("Fuzhou", "福州", 26.1),
        ("Taizhou", "台州", 28.7),
        ("Yulin", "榆林", 38.3),
        ("Yichun", "宜春", 27.8),
        ("Hyderabad", "海得拉巴", 17.4),
        ("海得拉巴", "海得拉巴", 17.4),
        ("马鞍山", "马鞍山", 31.7),
        ("London", "伦敦", 51.5),
    ],
)
def test_of_two_cities_the_first_listed_or_the_larger_is_meant(name: str, meant: str, latitude: float) -> None:
    city = lookup_city(name)
    assert city is not None
    assert (city.name_zh, city.latitude) == (meant, pytest.approx(latitude, abs=0.3))


@pytest.mark.parametrize(
    ("text", "name_zh"),
    [
        ("明天昆山开会", "昆山"),
        ("下周去常熟出差", "常熟"),
        ("查一下阳朔的天气", "阳朔"),
        ("常熟明天下雨吗", "常熟"),
        ("飞卡拉奇", "卡拉奇"),
        ("Weather in Havana tomorrow", "哈瓦那"),
        ("Phoenix weather", "凤凰城"),
        ("fly to Kyiv", "基辅"),
        ("a trip to Dallas", "达拉斯"),
        ("东阳", "东阳"),
        ("非常熟悉，去常熟", "常熟"),
        ("振兴义乌", "义乌"),
        ("去大连续住三天，再去海城", "海城"),
    ],
)
def test_more_cities_are_seen(text: str, name_zh: str) -> None:
    assert [mention.city.name_zh for mention in find_cities(text)] == [name_zh]


@pytest.mark.parametrize(
    "text",
    [
        "非常熟悉这份资料",
        "经常熟悉一下流程",
        "密码要高密度一点",
        "在东阳台晒被子",
        "看到个旧手机",
        "到达卡点打卡",
        "在东方明珠见",
        "明天海伦来家里",
        "去安宁病房探望",
        "去同仁医院复查",
        "在新泰国餐厅吃饭",
        "沿海城市天气",
        "买小麦加热一下",
        "往北流去",
        "办理工地基辅助",
        "长江阴雨",
        "参加达沃斯论坛",
        "和凤凰城的同事通话",
        "meet Austin and Phoenix",
        "call Dallas",
        "a man of many cities",
        "read about Alexandria",
        "pest control at home",
    ],
)
def test_words_that_are_still_no_city(text: str) -> None:
    assert find_city(text) is None


def test_a_name_that_a_trap_hides_is_still_looked_up() -> None:
    assert same_city("东方", "Dongfang")
    assert same_city("个旧市", "Gejiu")


def sentences() -> Iterator[str]:
    """What users say in the evaluation cases, and the titles and phrases that other tests read."""
    for file in (ROOT / "tests/eval/cases").glob("*.jsonl"):
        for case in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            yield from (turn["user"] for turn in case["turns"] if isinstance(turn.get("user"), str))
    data = Path(__file__).parent / "data"
    yield from (data / "timeless_titles.txt").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, (data / "title_pairs.jsonl").read_text(encoding="utf-8").splitlines()):
        yield from (row["a"], row["b"])
    for row in map(json.loads, (data / "when_phrases.jsonl").read_text(encoding="utf-8").splitlines()):
        yield row["text"]


def test_everyday_sentences_name_listed_cities_only() -> None:
    known = {entry.partition(" ")[0] for entry in listed()}
    texts = list(sentences())
    assert len(texts) > 500
    seen = [(text, mention.city.name_zh) for text in texts for mention in find_cities(text)]
    assert len(seen) > 40
    assert [found for found in seen if found[1] not in known] == []
