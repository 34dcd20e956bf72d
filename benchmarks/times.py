"""How well time phrases are understood, and how fast.

    python benchmarks/times.py [DIR]        (in a checkout that is not installed: python -m benchmarks.times [DIR])

Without DIR: the everyday phrases of the tests, and the time per phrase. With DIR, a copy of the ``Specs/DateTime`` data
of microsoft/Recognizers-Text that holds ``Chinese/DateTimeModel.json`` and ``English/DateTimeModel.json``: that data as
well.

How its cases are scored: the gold span is parsed with the case's reference time; any of the ``values`` is accepted.

- Points (date, time, datetime): the same date, or the same start to the second. A gold value that does not resolve
  ("30 February") wants no answer.
- Ranges, strict: exact start and end. An open gold range has one bound: a limit ("before X", "until X") is right when
  it is a deadline at X or ending at X; "after X", X being a day, when it starts on X or the day after. Ranges are
  parsed with the purpose ``query``, since they name a weekend as two days.
- Ranges, by date and overlap: the same start date, and half of the union of both is common, or both lie within one
  date. This forgives hour conventions (上午 is 08-12 there, 09-12 here) and whether the last day of "from A to B" is
  inside.
- Durations: the same number of seconds. Sets: an RRULE of the same frequency, interval and weekday, hour and day.

Speed is the median over all phrases once everything is loaded.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from tools.domain.times import Kind, When, find_whens, occurrences, parse_when

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 2, 11, 10, tzinfo=ZONE)
PHRASES = Path(__file__).parent.parent / "tests/unit/tools/data/when_phrases.jsonl"
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
GROUPS = {
    "date": "point",
    "time": "point",
    "datetime": "point",
    "daterange": "range",
    "timerange": "range",
    "datetimerange": "range",
    "duration": "duration",
    "set": "set",
}


class Case(NamedTuple):
    """One gold span."""

    language: str
    text: str
    kind: str
    now: datetime
    values: list[dict[str, str]]


def phrases() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PHRASES.read_text("utf-8").splitlines()]


def understood(when: When | None, want: dict[str, Any] | None) -> bool:
    """Whether an answer is what a phrase of our own set wants."""
    if when is None or want is None:
        return when is None and want is None
    for key, value in want.items():
        got = getattr(when, key)
        if key in ("start", "end"):
            got = got and f"{got:%Y-%m-%dT%H:%M}"
        if got != value:
            return False
    return True


def answer(row: dict[str, Any]) -> When | None:
    now = datetime.fromisoformat(row["now"]).replace(tzinfo=ZONE) if "now" in row else NOW
    return parse_when(row["text"], now, ZONE, purpose=row.get("purpose", "create"))


def cases(folder: Path, language: str) -> Iterator[Case]:
    for item in json.loads((folder / language / "DateTimeModel.json").read_text("utf-8-sig")):
        reference = item.get("Context", {}).get("ReferenceDateTime")
        if not reference:
            continue
        now = datetime.fromisoformat(reference[:19]).replace(tzinfo=ZONE)
        for result in item["Results"]:
            kind = result.get("TypeName", "").removeprefix("datetimeV2.")
            values = (result.get("Resolution") or {}).get("values")
            if kind in GROUPS and values:
                yield Case(language, result["Text"], kind, now, values)


def moment(text: str, now: datetime) -> datetime:
    if re.fullmatch(r"\d\d:\d\d:\d\d", text):
        text = f"{now:%Y-%m-%d}T{text}"
    return datetime.fromisoformat(text).replace(tzinfo=ZONE)


def right_point(case: Case, when: When | None) -> bool:
    golds = [value["value"] for value in case.values if "value" in value]
    if all(gold == "not resolved" for gold in golds):
        return when is None
    if when is None or when.start is None:
        return False
    if case.kind == "date":
        return any(gold == f"{when.date}" for gold in golds) and when.kind is Kind.DATE
    if case.kind == "time":
        return any(gold == f"{when.start:%H:%M:%S}" for gold in golds) and when.kind is Kind.DATETIME
    return any(gold[:16] == f"{when.start:%Y-%m-%d %H:%M}" for gold in golds)


def bounds(value: dict[str, str], now: datetime) -> tuple[datetime | None, datetime | None]:
    start = moment(value["start"], now) if "start" in value else None
    end = moment(value["end"], now) if "end" in value else None
    if start and end and end <= start:
        end += timedelta(days=1)
    return start, end


def right_range(case: Case, when: When | None) -> tuple[bool, bool]:
    """Strictly right, and right by date and overlap."""
    if all("start" not in value and "end" not in value for value in case.values):
        return when is None, when is None
    if when is None or when.start is None:
        return False, False
    found = [one_range(value, case, when) for value in case.values]
    return any(strict for strict, _ in found), any(strict or loose for strict, loose in found)


def one_range(value: dict[str, str], case: Case, when: When) -> tuple[bool, bool]:
    start, end = bounds(value, case.now)
    ours_start, ours_end = when.start, when.end
    if ours_start is None:
        return False, False
    if case.kind == "timerange":
        # Only the times of day count: the answer has a date, the gold value has none.
        shift = case.now.date() - ours_start.date()
        ours_start, ours_end = ours_start + shift, ours_end + shift if ours_end else None
    if start is None and end is not None:
        return when.deadline and end in (ours_start, ours_end), False
    if start is not None and end is None:
        after = value.get("Mod") == "after" and start.time() == datetime.min.time()
        exact = ours_start == start or (after and ours_start == start + timedelta(days=1))
        return exact and not when.deadline, False
    if start is None or end is None or ours_end is None:
        return False, False
    common = (min(end, ours_end) - max(start, ours_start)).total_seconds()
    union = (max(end, ours_end) - min(start, ours_start)).total_seconds()
    one_date = start.date() == end.date() == ours_start.date() and ours_end - ours_start <= timedelta(days=1)
    loose = start.date() == ours_start.date() and common > 0 and (common / union >= 0.5 or one_date)
    return (ours_start, ours_end) == (start, end), loose


def right_duration(case: Case, when: When | None) -> bool:
    return when is not None and any(float(value["value"]) == when.seconds for value in case.values)


def right_set(case: Case, when: When | None) -> bool:
    """Whether the rule says what the TIMEX says: ``P2D``, ``XXXX-WXX-5T10``, ``XXXX-XX-19``."""
    if when is None or when.rrule is None or when.start is None:
        return False
    rule, timex = dict(part.split("=") for part in when.rrule.split(";")), case.values[0]["timex"]
    period, _, clock = timex.partition("T") if not timex.startswith("PT") else (timex, "", "")
    if re.match(r"\d", clock) and f"{when.start:%H:%M}" != (clock if ":" in clock else f"{clock}:00"):
        return False
    if clock in ("MO", "AF", "EV", "NI") and when.segment is None:
        return False
    if weekly := re.fullmatch(r"XXXX-WXX-(\d)", period):
        return rule["FREQ"] == "WEEKLY" and rule.get("BYDAY") == WEEKDAYS[int(weekly[1]) - 1]
    if period in ("XXXX-WXX-WE", "P1WE"):
        return rule.get("BYDAY") == "SA,SU"
    if period == "P2WE":
        return rule.get("BYDAY") == "SA,SU" and rule.get("INTERVAL") == "2"
    if period == "P1WD":
        return rule.get("BYDAY") == "MO,TU,WE,TH,FR"
    if monthly := re.fullmatch(r"XXXX-XX-(\d\d)", period):
        return rule["FREQ"] == "MONTHLY" and rule.get("BYMONTHDAY") == str(int(monthly[1]))
    if period == "P0.5Y":
        return rule["FREQ"] == "MONTHLY" and rule.get("INTERVAL") == "6"
    every = re.fullmatch(r"PT?(\d+)([DWMYH])", period)
    if not every:
        return not period and rule["FREQ"] == "DAILY"
    frequency = {"D": "DAILY", "W": "WEEKLY", "M": "MONTHLY", "Y": "YEARLY", "H": "HOURLY"}[every[2]]
    return rule["FREQ"] == frequency and rule.get("INTERVAL", "1") == every[1]


def score(case: Case) -> dict[str, bool]:
    when = parse_when(case.text, case.now, ZONE, purpose="query" if GROUPS[case.kind] == "range" else "create")
    group = GROUPS[case.kind]
    if group == "range":
        strict, loose = right_range(case, when)
        return {"range strict": strict, "range by overlap": loose}
    if group == "point":
        return {"point": right_point(case, when)}
    return {group: right_duration(case, when) if group == "duration" else right_set(case, when)}


def spec_report(folder: Path, *, show: str | None) -> None:
    for language in ("Chinese", "English"):
        right: Counter[str] = Counter()
        seen: Counter[str] = Counter()
        for case in cases(folder, language):
            for name, good in score(case).items():
                seen[name] += 1
                right[name] += good
                if show == f"{language} {name}" and not good:
                    print("   missed:", case.now, case.text, case.values, parse_when(case.text, case.now, ZONE))
        for name in seen:
            print(f"{language} {name}: {right[name]}/{seen[name]} = {right[name] / seen[name]:.0%}")


def safety_report(folder: Path) -> None:
    inputs = crashes = inverted = 0
    for language in ("Chinese", "English"):
        for item in json.loads((folder / language / "DateTimeModel.json").read_text("utf-8-sig")):
            inputs += 1
            try:
                found = find_whens(item["Input"], NOW, ZONE)
                inverted += sum(1 for when in found if when.start and when.end and when.start >= when.end)
                for when in found:
                    occurrences(when, 3)
            except Exception as error:  # noqa: BLE001  (the point is to count whatever goes wrong)
                crashes += 1
                print("   crashed:", repr(item["Input"]), repr(error))
    print(f"inputs: {inputs}, crashes: {crashes}, start not before end: {inverted}")


def phrase_report(*, show: bool) -> None:
    rows = phrases()
    right = wrong = silent = 0
    for row in rows:
        got = answer(row)
        if understood(got, row["want"]):
            right += 1
        elif got is None:
            silent += 1
        else:
            wrong += 1
        if show and not understood(got, row["want"]):
            print("   missed:", row, got)
    total = len(rows)
    print(f"everyday phrases: {right}/{total} = {right / total:.1%}; wrong {wrong / total:.1%}; no answer {silent}")


def speed_report() -> None:
    rows = phrases()
    for row in rows:
        answer(row)
    taken = []
    for row in rows:
        begun = time.perf_counter()
        answer(row)
        taken.append((time.perf_counter() - begun) * 1000)
    taken.sort()
    print(f"per phrase: median {statistics.median(taken):.3f} ms, p95 {taken[int(len(taken) * 0.95)]:.3f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="a copy of the Recognizers date-time specs")
    parser.add_argument("--show", help='print what is missed: "phrases", or a group such as "English point"')
    options = parser.parse_args()
    phrase_report(show=options.show == "phrases")
    speed_report()
    if options.folder:
        spec_report(options.folder, show=options.show)
        safety_report(options.folder)


if __name__ == "__main__":
    main()
