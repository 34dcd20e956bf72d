"""Cities in text and across languages (P20)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.domain.cities import City, bare_name, find_cities, find_city, lookup_city, same_city

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "name_zh", "written"),
    [
        ("明天杭州天气怎么样", "杭州", "杭州"),
        ("北京市明天冷吗", "北京", "北京市"),
        ("上海市场调研", "上海", "上海"),
        ("吉林省长春市开会", "长春", "长春市"),
        ("weather in shanghai tomorrow", "上海", "shanghai"),
        ("明天Shanghai见", "上海", "Shanghai"),
        ("SHANGHAI上海", "上海", "SHANGHAI"),
        ("a trip to Xi’an", "西安", "Xi’an"),
        ("Xian's weather", "西安", "Xian"),
        ("fly to Zürich", "苏黎世", "Zürich"),
        ("fly to Zurich", "苏黎世", "Zurich"),
        ("new york city break", "纽约", "new york city"),
        ("Washington D.C. now", "华盛顿", "Washington D.C."),
        ("Suzhou tomorrow", "苏州", "Suzhou"),
        ("江苏泰州周末下雨吗", "泰州", "泰州"),
        ("呼和浩特市区", "呼和浩特", "呼和浩特市"),
        ("去北京路上带伞", "北京", "北京"),
        ("京东快递到上海", "上海", "上海"),
        ("去三明出差", "三明", "三明"),
        ("白银明天天气", "白银", "白银"),
        ("大庆", "大庆", "大庆"),
        ("fly to Sydney", "悉尼", "Sydney"),
        ("飞东京", "东京", "东京"),
        ("我要去臺北", "台北", "臺北"),
        ("北海道之后去北海玩", "北海", "北海"),
        ("晚上上海见", "上海", "上海"),
        ("今晚上海见", "上海", "上海"),
        ("明天天水下雨吗", "天水", "天水"),
        ("周六六安见", "六安", "六安"),
        ("改成成都", "成都", "成都"),
        ("云南大理的天气", "大理", "大理"),
    ],
)
def test_mentions(text: str, name_zh: str, written: str) -> None:
    mention = find_city(text)
    assert mention is not None
    assert (mention.city.name_zh, text[mention.start : mention.end]) == (name_zh, written)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "明天天气怎么样",
        "想吃北京烤鸭",
        "北京时间八点",
        "买三明治",
        "铺大理石",
        "喝普洱茶",
        "河南京东仓库",
        "去南京路逛街",
        "朝阳区开会",
        "买白银",
        "周六安排一下",
        "星期三明天天气",
        "晚上海底捞聚餐",
        "今晚上海底捞",
        "今天水果打折",
        "买东西安排好",
        "改成都行",
        "周日照常上班",
        "生日照片",
        "发展经济南下",
        "混合肥料",
        "朝南阳台",
        "往东南通行",
        "平安顺利",
        "便宜春装",
        "换长沙发",
        "重大理由",
        "苏州街",
        "海南",
        "罗马尼亚",
        "nice to have",
        "a pile of oranges, an orange",
        "reading in the bath",
        "Beijing duck for dinner",
        "Shanghainese lessons",
        "xshanghai",
        "meet Sydney tomorrow",
        "call Florence",
        "Jilin Province",
    ],
)
def test_words_that_are_no_city(text: str) -> None:
    assert find_city(text) is None


def test_every_city_of_a_text_in_order() -> None:
    found = [mention.city.name_en for mention in find_cities("从北京去济南、上海，再飞 London")]
    assert found == ["Beijing", "Jinan", "Shanghai", "London"]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Shanghai", "上海"),
        ("上海市", "shanghai"),
        ("Xi'an", "西安"),
        ("XIAN", "西安市"),
        ("江苏省南京市", "Nanjing"),
        ("江苏南京", "南京"),
        ("广西壮族自治区南宁市", "南宁"),
        ("延边朝鲜族自治州", "延边"),
        ("香港特别行政区", "Hong Kong"),
        ("Beijing, China", "北京"),
        ("中国北京", "Beijing City"),
        ("Suzhou", "苏州"),
        ("Suzhou", "宿州"),
        ("义乌市", "Yiwu"),
        ("桐乡市", "桐乡"),
        ("Springfield", "springfield city"),
    ],
)
def test_the_same_city(a: str, b: str) -> None:
    assert same_city(a, b)
    assert same_city(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [("苏州", "宿州"), ("北京", "上海"), ("", ""), ("", "北京"), ("桐乡", "崇州"), ("吉林省", "吉林"), ("津市", "津")],
)
def test_different_cities(a: str, b: str) -> None:
    assert not same_city(a, b)


def test_lookup_is_of_the_whole_name() -> None:
    assert lookup_city("江苏省南京市") == City("南京", "Nanjing")
    assert lookup_city("南京的天气") is None
    assert lookup_city("江苏省") is None


@pytest.mark.parametrize(
    ("name", "bare"), [("桐乡市", "桐乡"), (" Yiwu City ", "Yiwu"), ("崇州", "崇州"), ("津市", "津市"), ("", "")]
)
def test_bare_names(name: str, bare: str) -> None:
    assert bare_name(name) == bare


@given(st.text())
def test_spans_lie_in_the_text(text: str) -> None:
    for mention in find_cities(text):
        assert same_city(text[mention.start : mention.end], mention.city.name_zh)


@given(st.text(), st.sampled_from(["杭州", "Hangzhou", "青岛", "London"]), st.text(alphabet="，。 ,."))
def test_a_city_between_stops_is_found(before: str, name: str, stop: str) -> None:
    text = f"{before}。{name}，{stop}"
    assert name in [text[mention.start : mention.end] for mention in find_cities(text)]
