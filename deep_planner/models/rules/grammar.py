"""From a sentence to what is wanted: clauses, acts and slots, by the tables of each language.

Time phrases are found first and stand as ``⟦n⟧`` while the tables are matched, so that a pattern can say where a
time belongs: 把⟦0⟧的开会改到⟦1⟧ moves what stands on ⟦0⟧ to ⟦1⟧.
"""

from __future__ import annotations

import re
from dataclasses import replace

from deep_planner.models.rules.clauses import EMOJI, LEVELS, SLOT, SMALL_TALK, joined
from deep_planner.models.rules.frames import ENDS, Frame
from deep_planner.models.rules.marking import apart, mark, with_impossible
from deep_planner.models.rules.reading import Situation
from deep_planner.models.rules.tables import Act, Tables
from tools.core.text import Language, language_of, text
from tools.domain.cities import find_city
from tools.domain.times import Kind, When, find_whens, parse_when
from tools.services.resolving import EARLIER

#: A longer clause is no request but pasted text; patterns are not tried on it.
LONGEST_CLAUSE = 300
#: Clauses of one request that are read.
MOST_CLAUSES = 40
LONGEST_REQUEST = 20_000
ENGLISH_WORD = re.compile(r"[A-Za-z']+")
REMIND_WORDS = re.compile("提醒|remind", re.IGNORECASE)
PLAIN_BRACKETS = str.maketrans("⟦⟧⟪⟫", "[][]")
#: What stands in quotation marks is a name, whatever it says (P13).
QUOTED = re.compile(r"「([^」]{1,200})」|“([^”]{1,200})”|\"([^\"]{1,200})\"|(?<![\w])'([^']{2,200})'(?!\w)")
QUOTE = re.compile(r"⟪(\d+)⟫")
#: The letter that says "…" is a task about a letter.
DESCRIBED = re.compile(r"⟪\d+⟫的(?!任务|待办|日程|安排|提醒|事|分组|组)[一-鿿]")
BLANKS = re.compile(r"[^\S\n]+")


AHEAD = re.compile(r"^(?:之前|以前|前|提前)的?(.{1,12})$")
#: 两点开始面试，一个小时 is no open end.
BEGINS = re.compile(r"(?<=[点半分刻\d])开始(?= )")
#: "Which reminders are there now" asks for all.
NOW = frozenset({"现在", "目前", "now", "right now", "currently"})
WAKE = re.compile(r"\bwake\b|叫醒|起床|叫我起|闹钟|闹铃", re.IGNORECASE)
#: "Bring it forward an hour", "push it up an hour".
FORWARD = ("forward", "up", "earlier")
#: A time at the head of a clause.
LED = re.compile(r"^(⟦\d+⟧)[\s,]*([A-Za-z].*)$")
CHANGES = frozenset({Act.MODIFY, Act.FINISH, Act.REMOVE})


def read_frames(words: str, situation: Situation, rules: Tables) -> list[Frame]:
    """What each clause of a request wants, in order; see ``understanding`` for what they come to together."""
    reader = _Reader(words, situation, rules)
    return [frame for clause in reader.clauses() if (frame := reader.frame(clause))]


def spoken_in(words: str) -> Language:
    """Whose grammar a request follows: English with a Chinese name in it (move 开会 to Monday) is English."""
    chinese = sum("一" <= letter <= "鿿" for letter in words)
    return "zh" if chinese and chinese >= len(ENGLISH_WORD.findall(words)) else "en"


class _Reader:
    """Reads one request."""

    def __init__(self, words: str, situation: Situation, rules: Tables) -> None:
        self._rules, self._situation = rules, situation
        self._quotes: list[str] = [next(filter(None, found.groups())) for found in QUOTED.finditer(words)]
        numbers = iter(range(len(self._quotes)))
        words = QUOTED.sub(lambda _: f"⟪{next(numbers)}⟫", words)
        whens = apart(words, find_whens(words, situation.now, situation.zone), situation)
        self._whens = with_impossible(words, whens)
        self._marked = rules.corrections.sub(self._corrected, mark(words, self._whens))
        self._day = ""

    def _corrected(self, found: re.Match[str]) -> str:
        """The second of two times, on the date of the first when it names none."""
        first, second = (self._whens[int(number)] for number in found.groups())
        if first.date_given and not second.date_given and first.date:
            text = f"{first.date.isoformat()} {second.text}"
            self._whens[int(found[2])] = replace(second, text=text, date_given=True)
        return f"⟦{found[2]}⟧"

    def clauses(self) -> list[str]:
        parts = [part.strip(" 　") for part in self._rules.splits.split(self._marked)]
        return joined([part for part in parts if part], self._rules)[:MOST_CLAUSES]

    def frame(self, clause: str) -> Frame | None:
        if len(clause) > LONGEST_CLAUSE:
            return Frame(Act.UNKNOWN, self._said(clause[:LONGEST_CLAUSE]), sure=0.1)
        if found := self._rules.group.search(clause):
            return self._grouped(clause, found)
        core, said = self._trimmed(clause) or clause, self._said(clause)
        # 了 tells what is done (蛋糕买了) from what is to be done, but is politeness elsewhere.
        whole = self._rules.front.sub("", clause.strip()).strip(" 　,，:：。") or core
        if any(pattern.search(core) for pattern in self._rules.ignored):
            return None
        if note := self._rules.note.search(core):
            return Frame(Act.UNKNOWN, said, description=self._said(core[note.end() :]))
        timed = any(self._whens[int(number)].text.lower() not in NOW for number in SLOT.findall(core))
        arranged = bool(timed or self._rules.markers.search(core) or REMIND_WORDS.search(core))
        frame = self._of_series(clause, core)
        for act, patterns, unless_timed in () if frame else self._rules.acts:
            for pattern in () if unless_timed and arranged else patterns:
                # Small talk is whole as it is said: 早上好 holds a time, 你能做什么 what is taken off other requests.
                found = pattern.search(said if act in SMALL_TALK else whole) or pattern.search(core)
                if found is None and act in ENDS:
                    found = pattern.search(LED.sub(r"\2 \1", core))  # tomorrow cancel the gym
                if found and self._fits(found):
                    return self._inherit(self._matched(act, found, clause, core), clause)
        return self._inherit(frame or self._created(clause, core), clause)

    def _grouped(self, clause: str, found: re.Match[str]) -> Frame | None:
        """What a clause wants, put into a group; a task that is only named (the report) is one that is there."""
        rest = f"{clause[: found.start()]} {found.groupdict().get('keep') or ''} {clause[found.end() :]}".strip()
        frame = self.frame(rest) if rest else None
        if frame is None or frame.act not in (Act.CREATE, Act.MODIFY, Act.UNKNOWN, Act.REMIND):
            return frame
        name = next(value for key, value in found.groupdict().items() if key.startswith("group") and value)
        if frame.act is Act.UNKNOWN:
            frame = replace(frame, act=Act.MODIFY, title=self._title(self._rules.into.sub("", rest)), opens=False)
        return replace(frame, group=name.strip(), text=self._said(clause), sure=0.95)

    def _of_series(self, clause: str, core: str) -> Frame | None:
        """A change of all of a task that comes back: 以后的站会都取消."""
        bare = self._trimmed(self._rules.whole.sub("", core))
        for act, patterns, _ in self._rules.acts if bare != core else ():
            found = next((found for pattern in patterns if (found := pattern.search(bare))), None)
            if act in CHANGES and found and self._fits(found):
                frame = self._matched(act, found, clause, bare)
                return replace(frame, whole=True) if frame.title else None
        return None

    def _fits(self, found: re.Match[str]) -> bool:
        """What moves a task by a length of time is a length; what it moves to is none."""
        number = found.groupdict().get("shift") or found.groupdict().get("stretch")
        if number is None:
            target = found.groupdict().get("to")
            return target is None or self._whens[int(target)].kind is not Kind.DURATION
        return self._whens[int(number)].kind is Kind.DURATION

    def _trimmed(self, clause: str) -> str:
        clause = EMOJI.sub(" ", clause)
        core = self._rules.end.sub("", self._rules.front.sub("", clause.strip()))
        return core.strip(" 　,，:：-")

    def _matched(self, act: Act, found: re.Match[str], clause: str, core: str) -> Frame:
        groups = {name: value for name, value in found.groupdict().items() if value}
        if self._rules.placeholders.search(groups.get("title", "")):
            del groups["title"]  # 删个任务 names none
        if len(groups.get("title", "")) == 1 and "v" in groups:
            groups["title"] = groups["v"] + groups["title"]  # 药取了 has finished 取药
        slots = [int(number) for number in SLOT.findall(core)]
        on = groups.get("on") or groups.get("on2")
        to = groups.get("to")
        rest = [n for n in slots if str(n) not in (on, to)]
        about = groups.get("about", "")
        split = "".join(groups.get(part, "") for part in "pvo")  # 刚健完身 has finished 健身
        title = self._title(about or groups.get("title") or groups.get("title2") or split)
        frame = Frame(act, self._said(clause), title, priority=self._level(clause, groups), about=bool(about))
        # A place that the gazetteer does not know is named to the weather all the same, which then says so.
        city = self._city(clause) or self._title(groups.get("city", ""))
        frame = replace(frame, new_title=self._title(groups.get("new_title", "")), city=city)
        # A clock time names one: 三点的事 is not all of them.
        if (groups.get("all") or groups.get("all2")) and not (on and self._whens[int(on)].clock_given):
            frame = replace(frame, everything=True, title="")
        if act is Act.REMIND:
            return replace(self._reminding(frame, rest), on=self._words([int(on)] if on else []))
        if length := groups.get("stretch"):
            direction = "shorter" if groups.get("shorter") else "longer"
            stands = [int(on)] if on else [n for n in rest if n != int(length)]
            return replace(frame, longer=f"{self._words([int(length)])} {direction}", on=self._words(stands))
        if length := groups.get("shift"):
            said = self._words([int(length)])
            word = groups.get("later") or groups.get("later2") or ""
            earlier = groups.get("earlier") or word in FORWARD or (not word and EARLIER.search(said))
            direction = "earlier" if earlier else "later"
            stands = [int(on)] if on else [n for n in rest if n != int(length)]
            if groups.get("longer") or groups.get("shorter"):
                words = f"{said} {'shorter' if groups.get('shorter') else 'longer'}"
                return replace(frame, longer=words, on=self._words(stands))
            return replace(frame, shift=f"{direction} {said}".strip(), on=self._words(stands))
        if end := groups.get("until"):
            return replace(frame, longer=self._words([int(end)]), on=self._words([int(on)] if on else []))
        if act is Act.MODIFY:
            return replace(frame, when=self._words([int(to)] if to else []), on=self._words([int(on)] if on else rest))
        if act is Act.LIST_REMINDERS:
            rest = [n for n in rest if self._whens[n].text not in NOW]
        if act in (Act.FINISH, Act.REMOVE, Act.CANCEL_REMINDER):
            return replace(frame, on=self._words([int(on)] if on else rest))
        return replace(frame, when=self._words(rest))

    def _reminding(self, frame: Frame, slots: list[int]) -> Frame:
        """An offset is the reminder's time; any other time is that of the task."""
        for n in slots:
            self._whens[n] = self._ahead(self._whens[n])
        if not frame.title and WAKE.search(frame.text):
            frame = replace(frame, title=text(language_of(frame.text), "offline.wake"))
        offsets = [n for n in slots if self._whens[n].kind is Kind.DURATION]
        times = [n for n in slots if n not in offsets]
        trip = bool(self._rules.trip.search(frame.title))
        return replace(frame, when=self._words(times), remind=self._words(offsets), trip=trip)

    def _ahead(self, when: When) -> When:
        """例会之前十五分钟 is a length before the meeting, not the last quarter of an hour."""
        found = AHEAD.match(when.text)
        length = parse_when(found[1], self._situation.now, self._situation.zone) if found else None
        return length if length and length.kind is Kind.DURATION else when

    def _created(self, clause: str, core: str) -> Frame:
        """No act was named: a time and something to do make a task; so does a verb."""
        bare = self._trimmed(SLOT.sub(" ", core))
        marked = bool(self._rules.markers.search(bare))
        bare = self._rules.markers.sub("", bare, count=1) if marked else bare
        all_day = bool(self._rules.all_day.search(bare))
        title = self._title(self._rules.all_day.sub(" ", bare))
        title = "" if self._rules.placeholders.search(title) else title
        slots = [int(number) for number in SLOT.findall(core)]
        for n in slots:
            self._whens[n] = replace(self._whens[n], text=BEGINS.sub("", self._whens[n].text))
        act = Act.CREATE if title and (slots or marked or self._rules.verbs.search(title)) else Act.UNKNOWN
        if not marked and self._rules.question.search(self._rules.end.sub("", clause.strip())):
            act = Act.QUERY if self._rules.asks_when.search(bare) else Act.SCHEDULE if slots else Act.UNKNOWN
            title = ""
        return Frame(
            act,
            self._said(clause),
            title,
            when=self._words(slots),
            city=self._city(clause),
            priority=self._level(clause, {}),
            all_day=all_day,
            trip=bool(self._rules.trip.search(title)),
            opens=not title and marked,
            sure=0.3 if act is Act.UNKNOWN else 0.95 if slots or marked else 0.8,
        )

    def _title(self, words: str) -> str:
        if DESCRIBED.search(words):
            words = QUOTE.sub(lambda found: f"「{self._quotes[int(found[1])]}」", words)
        elif quoted := QUOTE.search(words):
            return str(self._quotes[int(quoted[1])])
        words = EMOJI.sub(" ", SLOT.sub(" ", words)).strip()
        for pattern in self._rules.levels.values():
            words = pattern.sub("", words)
        words = self._rules.end.sub("", self._rules.front.sub("", words.strip())).strip()
        words = re.sub(r"^(?:的|在|于|the|on|at|to|a|an)\s+|^[的：:]|[的：:,，、]$", "", words, flags=re.IGNORECASE)
        words = re.sub(r"\s+", " ", re.sub(r"(?<=[一-鿿])\s+(?=[一-鿿])", "", words)).strip(" -「」“”\"'")
        return "" if self._rules.pronouns.search(words) else words

    def _level(self, clause: str, groups: dict[str, str]) -> str:
        if said := groups.get("level", "").lower():
            return LEVELS.get(said, said)
        return next((level for level, pattern in self._rules.levels.items() if pattern.search(clause)), "")

    def _city(self, clause: str) -> str:
        mention = find_city(self._said(clause))
        return mention.city.name(language_of(clause)) if mention else ""

    def _inherit(self, frame: Frame, clause: str) -> Frame:
        """A clock time without a date is on the date that the clause before named: 明天9点交周报，3点去银行."""
        slots = [self._whens[int(number)] for number in SLOT.findall(clause)]
        dated = [when for when in slots if when.date_given]
        if dated:
            self._day = dated[0].date.isoformat() if dated[0].date else ""
        elif self._day and frame.act in (Act.CREATE, Act.WEATHER, Act.FREE, Act.SCHEDULE) and not frame.on:
            return replace(frame, when=f"{self._day} {frame.when}".strip())
        return frame

    def _words(self, slots: list[int]) -> str:
        said = [self._whens[number].text for number in slots]
        # "Now add ..., tomorrow at ten" is no time beside another.
        return " ".join([words for words in said if words.lower() not in NOW] or said[:1])

    def _said(self, clause: str) -> str:
        said = SLOT.sub(lambda found: self._whens[int(found[1])].text, clause)
        return QUOTE.sub(lambda found: f"「{self._quotes[int(found[1])]}」", said)
