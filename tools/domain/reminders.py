"""When a reminder rings, and which advice the weather adds (A25-A27, P2).

Wall times (20:00 the day before, 08:00) are found in the user's zone; differences (two hours before) are elapsed
time, so they are taken in UTC. Both hold on the days when the clocks change.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from tools.domain.segments import SEGMENT_HOURS, TimeSegment

EVENING_BEFORE = time(20)
MORNING_OF_DAY = time(8)
#: The last full hour at which an untimed task of today may still ring (P2).
LAST_HOUR = 20
#: Degrees Celsius from which on a temperature is extreme (A27).
HOT_FROM = 35.0
COLD_FROM = -10.0


class ReminderRule(StrEnum):
    """Which rule set the time of a reminder: the answer to "why then?"."""

    DAY_BEFORE = "day_before"
    TWO_HOURS = "two_hours"
    MORNING_OF = "morning_of"
    HALF_HOUR = "half_hour"
    AT_START = "at_start"
    SEGMENT_START = "segment_start"
    NEXT_HOUR = "next_hour"
    EXPLICIT = "explicit"


@dataclass(frozen=True, slots=True)
class ReminderTime:
    """When a reminder rings (aware, in the user's zone) and the rule that says so."""

    at: datetime
    rule: ReminderRule


class Advice(StrEnum):
    """What the weather makes worth saying; the words are in the text catalogue."""

    RAIN = "rain"
    SNOW = "snow"
    HOT = "hot"
    COLD = "cold"


def remind_at(
    task_date: date, start_time: time | None, segment: TimeSegment, now: datetime, zone: ZoneInfo
) -> ReminderTime | None:
    """The first time by rule that is still to come; ``None`` when the task is past (A25, P2, A26).

    For a task of a later day that is 20:00 the day before. For a task of today, or when that evening is past: two
    hours before the start, half an hour before, the start; for an untimed task 08:00, the start of its segment, the
    next full hour up to 20:00, as long as the segment is not over.

    Args:
        task_date: The local date of the task.
        start_time: Its local wall time, or ``None``.
        segment: The part of the day of an untimed task.
        now: The present moment, aware, in any zone.
        zone: The user's zone.
    """
    present = now.astimezone(UTC)
    for at, rule in _rules(task_date, start_time, segment, now.astimezone(zone), zone):
        if at > present:
            return ReminderTime(at.astimezone(zone), rule)
    return None


def explicit_remind_at(
    task_date: date,
    start_time: time | None,
    segment: TimeSegment,
    before: timedelta,
    now: datetime,
    zone: ZoneInfo,
) -> ReminderTime | None:
    """The time that lies ``before`` the start, as the user wished; ``None`` when that is past (P2).

    Whole days keep the wall time ("a day before" a task at 09:00 is 09:00), the rest is elapsed time. An untimed task
    counts from the start of its segment; all day counts from 08:00.

    Args:
        task_date: The local date of the task.
        start_time: Its local wall time, or ``None``.
        segment: The part of the day of an untimed task.
        before: How long before the start, zero or more.
        now: The present moment, aware, in any zone.
        zone: The user's zone.

    Raises:
        ValueError: ``before`` is negative: the reminder would ring after the start.
    """
    if before < timedelta(0):
        raise ValueError(f"A reminder {-before} after the start is none: give an offset of zero or more.")
    start = start_time or (MORNING_OF_DAY if segment is TimeSegment.ALL_DAY else time(SEGMENT_HOURS[segment][0]))
    elapsed = before - timedelta(days=before.days)
    at = _instant(task_date - timedelta(days=before.days), start, zone) - elapsed
    return ReminderTime(at.astimezone(zone), ReminderRule.EXPLICIT) if at > now.astimezone(UTC) else None


def _rules(
    task_date: date, start_time: time | None, segment: TimeSegment, local_now: datetime, zone: ZoneInfo
) -> Iterator[tuple[datetime, ReminderRule]]:
    """The instants (UTC) at which the rules would ring, in the order in which they are tried."""
    if task_date > local_now.date():
        yield _instant(task_date - timedelta(days=1), EVENING_BEFORE, zone), ReminderRule.DAY_BEFORE
    if start_time is not None:
        start = _instant(task_date, start_time, zone)
        yield start - timedelta(hours=2), ReminderRule.TWO_HOURS
        yield start - timedelta(minutes=30), ReminderRule.HALF_HOUR
        yield start, ReminderRule.AT_START
        return
    first, end = SEGMENT_HOURS[segment]
    # A ring when the segment is over would come after the task: 08:00 is of no use for the small hours.
    if MORNING_OF_DAY.hour < end:
        yield _instant(task_date, MORNING_OF_DAY, zone), ReminderRule.MORNING_OF
    yield _instant(task_date, time(first), zone), ReminderRule.SEGMENT_START
    next_hour = local_now.hour + 1
    if task_date == local_now.date() and next_hour <= min(end, LAST_HOUR):
        yield _instant(task_date, time(next_hour), zone), ReminderRule.NEXT_HOUR


def _instant(day: date, wall: time, zone: ZoneInfo) -> datetime:
    """The instant (UTC) of a wall time; one that the clocks skip is moved on by the change, of two the earlier."""
    return datetime.combine(day, wall, tzinfo=zone).astimezone(UTC)


def weather_advice(weather_info: str | None) -> Advice | None:
    """What a weather text in Chinese or English gives reason to say; ``None`` for ordinary weather or none (A27).

    Rain comes before snow, snow before heat and cold. "无雨", "no rain" and a chance of rain below one half are no
    rain. Heat and cold are extremes: 35 °C and more, -10 °C and less, or a word such as 寒潮 or "heatwave".
    """
    text = unicodedata.normalize("NFKC", weather_info or "").lower()
    for said_of_something_else in (_NOT_WEATHER, _UNLIKELY, _DENIED):
        text = said_of_something_else.sub(" ", text)
    degrees = list(_degrees_celsius(text))
    if _RAIN.search(text):
        return Advice.RAIN
    if _SNOW.search(text):
        return Advice.SNOW
    if _HEAT.search(text) or any(value >= HOT_FROM for value in degrees):
        return Advice.HOT
    if _FROST.search(text) or any(value <= COLD_FROM for value in degrees):
        return Advice.COLD
    return None


# The weather comes as a sentence from a provider or a model, so words are looked for in it. What is not said of the
# weather to come is taken out first, in three steps: names, chances below one half, denials.
_NOT_WEATHER = re.compile(
    r"谷雨|雨水节气|雨[花山城湖]区|雨过天晴|雨(?:已经?|将|会|要)?停|雪[山乡场莲]|滑雪|沙尘暴"
    r"|(?:rain|snow)bow\w*|stops? (?:raining|snowing)|(?:dust|sand) ?storms?"
)
_LOW = r"(?<![\d.])[0-4]?\d(?:\.\d+)?\s*%"
_UNLIKELY = re.compile(
    rf"(?:降水|降雨|降雪|下雨|下雪|有雨|有雪)的?(?:概率|几率|可能性?)\D{{0,3}}{_LOW}"
    rf"|{_LOW}\s*的?(?:概率|可能性?)?(?:降水|降雨|降雪|下雨|下雪|有雨|有雪)"
    rf"|{_LOW}\s*(?:chance|probability) of \w+"
    rf"|\b(?:chance|probability) of (?:rain|snow|showers|precipitation)\W{{0,3}}(?:is )?{_LOW}"
    rf"|\b(?:rain|snow|precipitation) (?:chance|probability)\W{{0,3}}{_LOW}"
)
_DENIED = re.compile(
    r"(?:无|没有?|未见|不)(?:会|再|需要?|须|用|必|要|是|有|带|携带|备|打|任何|明显|有效|下|降){0,4}"
    r"(?:雨夹雪|雨雪|雨[具伞]|雨|雪|伞|降水)(?:(?:也|和|或|且|、)?(?:不|无|没有?)?(?:下|降)?(?:雨|雪))?"
    r"|\b(?:no|without|not|zero|never|neither|don't|won't|isn't|little)\b"
    r"(?:\s+(?:chance|risk|signs?|threat|need|any|more|heavy|expected|likely|going|be|to|of|for|an|a|it|will|bring))*"
    r"\s+(?:rain|snow|shower|drizzle|thunderstorm|storm|precipitation|umbrella)\w*"
    r"(?:\s+(?:or|and|nor)\s+(?:rain|snow|shower|storm|thunderstorm)\w*)?"
    r"|\b(?:rain|snow|showers)\s+(?:is\s+|are\s+)?(?:not\s+expected|unlikely)\b"
)
_RAIN = re.compile(r"雨|带伞|雷暴|冰雹|降水|\b(?:rain\w*|drizzl\w+|showers?|sleet|(?:thunder)?storms?|hail|umbrella)\b")
_SNOW = re.compile(r"雪|\b(?:snow\w*|blizzards?)\b")
_HEAT = re.compile(
    r"(?<!最)高温(?:天气|预警|[黄橙红]色|酷暑|闷热)|酷热|酷暑|炎热"
    r"|\b(?:heat ?waves?|extreme heat|scorching|sweltering)\b"
)
_FROST = re.compile(r"严寒|极寒|酷寒|寒潮|\b(?:extreme(?:ly)? cold|bitter(?:ly)? cold|severe cold|cold wave|frigid)\b")

_NUMBER = r"(?:(?:零下|minus )\s*|(?<![\d.])[-−–])?\d+(?:\.\d+)?"
_UNIT = r"(?:°\s*[cf]?|度(?![角])|摄氏度|华氏度|degrees?(?: (?:celsius|fahrenheit))?|[cf]\b)"
_TEMPERATURE = re.compile(
    rf"(?P<low>{_NUMBER})\s*{_UNIT}?\s*(?:-|−|–|—|~|至|到|to|/|,)\s*(?P<high>{_NUMBER})\s*(?P<unit>{_UNIT})"
    rf"|(?P<only>{_NUMBER})\s*(?P<only_unit>{_UNIT})"
    rf"|(?:气温|温度|最高|最低|体感|\b(?:high|low|max|min|temperature))[温气度为约达是到可of:\s]*(?P<bare>{_NUMBER})"
)


def _degrees_celsius(text: str) -> Iterator[float]:
    """The temperatures named in a text, Fahrenheit converted."""
    for match in _TEMPERATURE.finditer(text):
        unit = match["unit"] or match["only_unit"] or ""
        for part in (match["low"], match["high"], match["only"], match["bare"]):
            if part is not None:
                value = float(re.sub(r"(?:零下|minus |[-−–])\s*", "-", part))
                yield (value - 32) / 1.8 if "f" in unit or "华" in unit else value
