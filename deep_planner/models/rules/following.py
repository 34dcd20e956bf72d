"""Requests that go on from the last turn (P7): 那上海呢, "and on Friday?", a task put into the time asked about."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from deep_planner.models.rules.frames import ENDS, Frame
from deep_planner.models.rules.grammar import read_frames
from deep_planner.models.rules.reading import Situation
from deep_planner.models.rules.spelling import mended
from deep_planner.models.rules.tables import Act, Tables, tables
from tools.core.text import language_of
from tools.domain.cities import find_city
from tools.domain.times import When, find_whens

#: What can be asked for without a name.
LACKING = frozenset({Act.REMIND, *ENDS})
#: What only asks can be asked again with one thing changed.
ASKED = frozenset({Act.QUERY, Act.SCHEDULE, Act.FREE, Act.WEATHER})
#: After these a task without a date is on the date that they were about.
LOOKED = frozenset({Act.FREE, Act.SCHEDULE})
#: A longer one says what it wants itself.
LONGEST = 40
#: How our answers quote the name of a task.
TITLE = re.compile(r"[「“]([^」”]{1,200})[」”]")
#: What our own answers begin with, for a question that was itself a follow-up.
ANSWERS: tuple[tuple[Act, re.Pattern[str]], ...] = (
    (Act.WEATHER, re.compile(r"^.{0,40}天气|^Weather in |^.{0,60}°C")),
    (Act.FREE, re.compile(r"^.{0,40}空闲|^.{0,60}\bfree\b", re.IGNORECASE)),
    (Act.SCHEDULE, re.compile(r"^.{0,30}(?:安排|任务)|^.{0,60}(?:\bholds\b|\bnothing\b)", re.IGNORECASE)),
)


def followed(words: str, frames: list[Frame], situation: Situation, rules: Tables) -> list[Frame] | None:
    """The frames as the last turn makes them, or ``None`` when it makes no difference."""
    if not situation.before:
        return None
    if len(words) <= LONGEST and (again := _swapped(words, situation, rules) or _again(words, situation, rules)):
        return again
    if opened := _opened(words, frames, situation, rules):
        return opened
    if ended := _completed(frames, situation, rules) or _marked(frames):
        return ended
    if _last_asked(situation, rules) is Act.LIST_REMINDERS:
        return [replace(f, act=Act.CANCEL_REMINDER) if f.act is Act.REMOVE and _points(f) else f for f in frames]
    return _dated(words, frames, situation, rules)


def _opened(words: str, frames: list[Frame], situation: Situation, rules: Tables) -> list[Frame] | None:
    """What a request that was only begun ("remind me") is about: the two are one."""
    begun = _begun(situation.before, situation, rules)
    if begun is None or len(frames) != 1 or frames[0].act is not Act.CREATE or frames[0].text != words:
        return None
    return [replace(frame, text=words) for frame in read_frames(f"{situation.before} {words}", situation, rules)]


def _begun(words: str, situation: Situation, rules: Tables) -> Frame | None:
    """The reminder of a request that says neither of what nor when."""
    frames = read_frames(words, situation, rules) if len(words) <= LONGEST else []
    bare = len(frames) == 1 and frames[0].act is Act.REMIND
    return frames[0] if bare and not (frames[0].title or frames[0].when or frames[0].remind) else None


def _swapped(words: str, situation: Situation, rules: Tables) -> list[Frame] | None:
    """A wrong word in the title that our last answer named is changed: 不是王总，是黄总."""
    found = rules.swap.search(words)
    title = next((t for t in TITLE.findall(situation.told) if found and found["old"] in t), None)
    if found is None or title is None:
        return None
    return [Frame(Act.MODIFY, words, new_title=title.replace(found["old"], found["new"].strip()))]


def _completed(frames: list[Frame], situation: Situation, rules: Tables) -> list[Frame] | None:
    """What the last turn left without a name (删个任务, 提醒我一下) with the name that this one gives."""
    named = frames[0] if len(frames) == 1 else None
    begun = read_frames(mended(situation.before, language_of(situation.before)), situation, rules)
    last = begun[0] if len(begun) == 1 else None
    if named is None or last is None or last.act not in LACKING or last.title or last.everything or last.shift:
        return None
    if named.act not in (Act.CREATE, Act.UNKNOWN) or not named.title or last.when or last.on or last.new_title:
        return None
    if last.act is Act.REMIND:
        return [replace(named, act=Act.REMIND, about=not named.when, sure=0.95)] if not last.remind else None
    title = rules.optional("that_one").sub("", named.title) or named.title
    return [replace(last, text=named.text, title=title, on=named.when, sure=0.95)] if last.act in ENDS else None


def _marked(frames: list[Frame]) -> list[Frame] | None:
    """这个很重要 of the task of the last turn."""
    only = frames[0] if len(frames) == 1 else None
    if only is None or only.act is not Act.UNKNOWN or only.title or only.when or not only.priority:
        return None
    return [replace(only, act=Act.MODIFY, sure=0.95)]


def _last_asked(situation: Situation, rules: Tables) -> Act | None:
    frames = read_frames(mended(situation.before, language_of(situation.before)), situation, rules)
    return frames[-1].act if frames else None


def _points(frame: Frame) -> bool:
    return not frame.title or any(p.search(frame.title) for p in tables("zh").answers["ordinals"])


def _again(words: str, situation: Situation, rules: Tables) -> list[Frame] | None:
    """The last question with another city or time."""
    if after := rules.day_after.search(words):
        return _next_day(words, after, situation, rules)
    whens = find_whens(words, situation.now, situation.zone)
    rest = words
    for start, end in sorted((span for when in whens for span in when.spans), reverse=True):
        rest = f"{rest[:start]} {rest[end:]}"
    mention = find_city(words)
    city = mention.city.name(language_of(words)) if mention else ""
    if mention:
        rest = rest.replace(words[mention.start : mention.end], " ")
    if not (whens or city) or not rules.follow.search(rest):
        return None
    last = _last(situation, rules)
    if last is None or (city and last.act is not Act.WEATHER):
        return None
    when = _when(whens[0], last, situation) if whens else last.when
    return [replace(last, text=words, city=city or last.city, when=when)]


def _next_day(words: str, after: re.Match[str], situation: Situation, rules: Tables) -> list[Frame] | None:
    """The last question about the day after the one it asked about."""
    if not rules.follow.search(f"{words[: after.start()]} {words[after.end() :]}"):
        return None
    last = _last(situation, rules)
    asked = find_whens(last.when, situation.now, situation.zone, purpose="query") if last else []
    day = next((when.date for when in asked if when.date), situation.now.date())
    return [replace(last, text=words, when=(day + timedelta(days=1)).isoformat())] if last else None


def _when(new: When, last: Frame, situation: Situation) -> str:
    """Another date keeps the part of the day that was asked about; another part of the day keeps the date."""
    old = next(iter(find_whens(last.when, situation.now, situation.zone)), None)
    if old is None:
        return new.text
    if not new.date_given and old.date_given and old.date:
        return f"{old.date.isoformat()} {new.text}"
    if new.date_given and not new.clock_given and not new.segment and old.segment and not old.clock_given and new.date:
        part = next((word for word in old.text.split() if word), "")
        parts = [w for w in find_whens(part, situation.now, situation.zone) if w.segment]
        spoken = _part(parts[0].text if parts else old.text, situation)
        return f"{new.date.isoformat()} {spoken}".strip()
    return new.text


def _part(words: str, situation: Situation) -> str:
    """The words of the part of the day alone: the shortest end of the phrase that still names one."""
    for start in range(len(words) - 1, -1, -1):
        found = find_whens(words[start:], situation.now, situation.zone)
        if found and found[0].segment and not found[0].date_given:
            return words[start:].strip()
    return ""


def _last(situation: Situation, rules: Tables) -> Frame | None:
    """What was asked last; when that was a follow-up itself, as our own answer tells it."""
    read = mended(situation.before, "zh" if language_of(situation.before) == "zh" else "en")
    asked = [frame for frame in read_frames(read, situation, rules) if frame.act in ASKED]
    if asked:
        return asked[-1]
    told = situation.told[:80]
    act = next((act for act, pattern in ANSWERS if pattern.search(told)), None)
    if act is None:
        return None
    mention = find_city(told) if act is Act.WEATHER else None
    when = next(iter(find_whens(told, situation.now, situation.zone)), None)
    city = mention.city.name(language_of(told)) if mention else ""
    return Frame(act, "", city=city, when=when.date.isoformat() if when and when.date else "")


def _dated(words: str, frames: list[Frame], situation: Situation, rules: Tables) -> list[Frame] | None:
    """A task without a date, after a look at a day, is on that day; after other answers only when it says "then"."""
    new = [frame for frame in frames if frame.act is Act.CREATE]
    if not new or any(_has_date(frame.when, situation) for frame in new):
        return None
    last = _last(situation, rules)
    if last is None or not (last.act in LOOKED or rules.onward.search(words)):
        return None
    days = {w.date for w in find_whens(last.when, situation.now, situation.zone, purpose="query") if w.date_given}
    day = days.pop() if len(days) == 1 else None
    if day is None:
        return None
    return [
        replace(frame, when=f"{day.isoformat()} {frame.when}".strip()) if frame.act is Act.CREATE else frame
        for frame in frames
    ]


def _has_date(words: str, situation: Situation) -> bool:
    return any(when.date_given for when in find_whens(words, situation.now, situation.zone))
