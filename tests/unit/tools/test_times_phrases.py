"""Everyday phrases, Chinese and English, and titles that name no time."""

import json
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tools.domain.times import find_whens, parse_when

pytestmark = pytest.mark.unit

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 2, 11, 10, tzinfo=ZONE)
PHRASES = [
    json.loads(line) for line in (Path(__file__).parent / "data" / "when_phrases.jsonl").read_text("utf-8").splitlines()
]

TITLES = (Path(__file__).parent / "data" / "timeless_titles.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("row", PHRASES, ids=lambda row: row["text"])
def test_phrase(row):
    now = datetime.fromisoformat(row["now"]).replace(tzinfo=ZONE) if "now" in row else NOW
    when = parse_when(row["text"], now, ZONE, purpose=row.get("purpose", "create"))
    if row["want"] is None:
        assert when is None
        return
    assert when is not None
    got = {key: getattr(when, key) for key in row["want"]}
    for edge in {"start", "end"} & got.keys():
        got[edge] = got[edge] and f"{got[edge]:%Y-%m-%dT%H:%M}"
    assert got == row["want"]


@pytest.mark.parametrize("title", TITLES)
def test_title_names_no_time(title):
    assert find_whens(title, NOW, ZONE) == []
