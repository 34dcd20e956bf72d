"""What a request wants, all clauses together: the frames of :mod:`frames`, tied to each other and to the last turn."""

from __future__ import annotations

import re
from dataclasses import replace

from deep_planner.models.rules.conditions import FREE, taken_apart
from deep_planner.models.rules.following import followed
from deep_planner.models.rules.frames import ENDS, Frame
from deep_planner.models.rules.grammar import (
    BLANKS,
    LONGEST_CLAUSE,
    LONGEST_REQUEST,
    PLAIN_BRACKETS,
    read_frames,
    spoken_in,
)
from deep_planner.models.rules.journeys import journey_in
from deep_planner.models.rules.reading import Situation
from deep_planner.models.rules.spelling import as_written, mended
from deep_planner.models.rules.tables import AGENTS, Act, Tables, tables
from deep_planner.models.rules.way_out import with_way_out
from tools.domain.times import Kind, find_whens

#: Words that point at a task that is there.
POINTING = ("那个", "这个", "那件", "这件", "that ", "the ", "my ")
#: What may wait for a condition: all that changes something.
DEEDS = frozenset({Act.CREATE, Act.MODIFY, Act.FINISH, Act.REMOVE, Act.REMIND, Act.CANCEL_REMINDER})


def understand(words: str, situation: Situation) -> list[Frame]:
    """What a request wants, one frame a thing, in order; an empty list when nothing is understood."""
    # One blank for many: patterns with \s+ would go over a long gap again and again. Our own marks are no words.
    written = BLANKS.sub(" ", words[:LONGEST_REQUEST]).translate(PLAIN_BRACKETS)
    language = spoken_in(written)
    rules = tables(language)
    read = mended(written, language)
    frames = _named_or_asked(_tied(_understood(read, situation, rules)), situation)
    follow = followed(read, frames, situation, rules)
    return [_as_written(frame, read, written) for frame in (frames if follow is None else follow)]


def _understood(read: str, situation: Situation, rules: Tables) -> list[Frame]:
    if wish := rules.optional("deliberate").search(read[:LONGEST_CLAUSE]):
        # The whole sentence is the question; what stands beside it is read as ever (X16).
        rest = f"{read[: wish.start()]} {read[wish.end() :]}".strip(" ，,。；;！!？?.")
        beside = [frame for frame in _understood(rest, situation, rules) if frame.act in AGENTS] if rest else []
        return [Frame(Act.DELIBERATE, wish[0].strip(" ，,"), sure=0.95), *beside]
    if planned := with_way_out(read, situation, rules, lambda words: _understood(words, situation, rules)):
        return planned
    found = taken_apart(read, rules)
    if found is not None:
        frames = _understood(found.rest, situation, rules)
        under = [replace(frame, condition=found.condition) for frame in frames if frame.act in DEEDS]
        if found.condition != FREE:
            return under or [Frame(Act.UNKNOWN, read, sure=0.3)]
        if any(frame.when or frame.on for frame in under):  # 有空就去洗车 names no time that could be free
            return under
    if journey := journey_in(read, situation, rules):
        frame, rest = journey
        beside = [other for other in _understood(rest, situation, rules) if other.act in AGENTS] if rest else []
        return [frame, *beside]
    if (into := _grouped(read, situation, rules)) is not None:
        return into
    sought = rules.slot.search(read[:LONGEST_CLAUSE])
    if sought is not None:
        length = (sought.groupdict().get("len") or "").replace("-", " ").strip()
        rest = f"{read[: sought.start()]} {read[sought.end() :]}"
        if booked := _booked(
            _carried(read_frames(" ".join(rest.split()), situation, rules), situation, rules), length, situation
        ):
            return [replace(frame, text=read) if frame.slot else frame for frame in booked]
    return _carried(read_frames(read, situation, rules), situation, rules)


def _grouped(read: str, situation: Situation, rules: Tables) -> list[Frame] | None:
    """Frames with the group that a task goes into; its words leave the rest: 明晚给妈妈打电话，放到家庭组."""
    found = rules.optional("group").search(read[:LONGEST_CLAUSE])
    if found is None:
        return None
    group = next(name for name in found.groups() if name)
    rest = f"{read[: found.start()]} {read[found.end() :]}".strip(" ，,。")
    taken = rules.optional("group_of").match(rest)
    rest = rest[taken.end() :] if taken else rest
    frames = _understood(rest, situation, rules) if rest else []
    named = next((frame for frame in frames if frame.act in (Act.CREATE, Act.MODIFY, Act.UNKNOWN)), None)
    if named is None or (taken and named.act is not Act.MODIFY) or (named.act is Act.UNKNOWN and not named.title):
        title, on = (named.title, named.when) if named else ("", "")
        return [Frame(Act.MODIFY, read, title, on=on, group=group)]
    act = Act.CREATE if named.act is Act.UNKNOWN else named.act
    words = f"{named.text}，{found[0].strip(' ，,')}"
    grouped = replace(named, act=act, group=group, text=words, sure=0.95)
    return [grouped if frame is named else frame for frame in frames]


def _booked(frames: list[Frame], length: str, situation: Situation) -> list[Frame]:
    """Frames of which one is a task without a clock time: it goes into a free slot. Empty when none is."""
    for place, frame in enumerate(frames):
        if frame.act is not Act.CREATE or not frame.title:
            continue
        whens = find_whens(frame.text, situation.now, situation.zone)
        if any(when.clock_given for when in whens):
            return []
        lengths = [when.text for when in whens if when.kind is Kind.DURATION]
        when = " ".join(word for word in frame.when.split() if word not in lengths)
        slot = (lengths or [length or "60 minutes"])[0]
        return [*frames[:place], replace(frame, when=when, slot=slot), *frames[place + 1 :]]
    return []


def _carried(frames: list[Frame], situation: Situation, rules: Tables) -> list[Frame]:
    """What belongs to the clause before: a description; a second reminder (at nine the pill, at five a call)."""
    carried: list[Frame] = []
    for frame in frames:
        before = carried[-1] if carried else None
        if before and frame.description:
            carried[-1] = replace(before, description=frame.description, text=f"{before.text}，{frame.text}")
            continue
        if before and before.act is Act.CREATE and before.title and (more := rules.completes.search(frame.text)):
            carried[-1] = _completed(before, frame, more)
            continue
        if before and before.opens and frame.act in (Act.CREATE, Act.UNKNOWN) and frame.title:
            carried[-1] = _named(before, frame)
            continue
        if before and before.act is Act.REMIND and frame.act is Act.MODIFY and frame.shift and not frame.title:
            carried[-1] = replace(before, remind=frame.text, text=f"{before.text}，{frame.text}")
            continue
        if before and before.act is Act.CREATE and (whole := _more(before, frame, situation, rules)):
            carried[-1] = whole
            continue
        if before and _is_topic(before, frame):
            text = f"{before.text}，{frame.text}"
            about = frame.act is Act.REMIND
            carried[-1] = replace(frame, text=text, title=before.title, on=before.when, about=about)
            continue
        follows = before is not None and before.act is Act.REMIND and bool(before.title and before.when)
        reminding = follows and frame.act is Act.CREATE and bool(frame.when)
        carried.append(replace(frame, act=Act.REMIND) if reminding else frame)
    return carried


def _more(before: Frame, frame: Frame, situation: Situation, rules: Tables) -> Frame | None:
    """A task with what the next clause only adds to it: when it sets out (八点出发), or with whom (跟小周)."""
    if frame.act not in (Act.CREATE, Act.UNKNOWN) or not frame.title or not before.title:
        return None
    whens = find_whens(frame.text, situation.now, situation.zone)
    timed = any(when.clock_given for when in find_whens(before.when, situation.now, situation.zone))
    text = f"{before.text}，{frame.text}"
    starts = len(whens) == 1 and whens[0].clock_given and not whens[0].date_given
    if starts and not timed and rules.optional("starts").fullmatch(frame.title):
        return replace(before, when=frame.when, text=text)
    if not whens and rules.optional("company").fullmatch(frame.title):
        return replace(before, title=f"{frame.title}{before.title}", text=text)
    return None


def _completed(before: Frame, frame: Frame, more: re.Match[str]) -> Frame:
    """A task whose length, hour or priority the next clause tells: it will run for two hours; it's urgent."""
    when = (more.groupdict().get("when") or "").strip()
    when = f"for {when}" if when else ""
    return replace(
        before,
        text=f"{before.text}, {frame.text}",
        when=f"{before.when} {when}".strip(),
        priority=before.priority or frame.priority,
        group=before.group or frame.group,
    )


def _is_topic(before: Frame, frame: Frame) -> bool:
    """Whether a clause only names what the next one is about: 明天的例会，取消掉."""
    if before.act is not Act.CREATE or not before.title or frame.title or frame.everything:
        return False
    pointed = any(word in before.text for word in POINTING)
    return frame.act in ENDS or (pointed and frame.act in (Act.REMIND, Act.MODIFY, Act.CANCEL_REMINDER))


def _named(opening: Frame, frame: Frame) -> Frame:
    """A task announced in one clause and named in the next: 加一个明天的任务，买蛋糕."""
    return replace(
        frame,
        act=Act.CREATE,
        text=f"{opening.text}，{frame.text}",
        when=" ".join(filter(None, (opening.when, frame.when))),
        priority=frame.priority or opening.priority,
        all_day=frame.all_day or opening.all_day,
        sure=0.95,
    )


def _tied(frames: list[Frame]) -> list[Frame]:
    """Leave out what is not understood beside what is, and small talk beside work (X9)."""
    work = [frame for frame in frames if frame.act in AGENTS]
    ends = [frame for frame in work if frame.act in ENDS and (frame.title or frame.everything)]
    # "... is done, tick it off": the second clause says the first once more.
    work = [frame for frame in work if not ends or frame.act not in ENDS or frame.title or frame.everything]
    return work or frames


def _named_or_asked(frames: list[Frame], situation: Situation) -> list[Frame]:
    """A bare reminder on a new thread names nothing: what of is for the user to say."""
    only = frames[0] if len(frames) == 1 else None
    if only is None or only.act is not Act.REMIND or situation.before:
        return frames
    named = only.title or only.when or only.remind or only.on
    return frames if named else [replace(only, act=Act.UNKNOWN, sure=0.3)]


def _as_written(frame: Frame, read: str, written: str) -> Frame:
    return replace(
        frame,
        text=as_written(frame.text, read, written),
        title=as_written(frame.title, read, written),
        new_title=as_written(frame.new_title, read, written),
    )
