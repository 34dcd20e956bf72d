"""The clauses of a request that say something by themselves."""

from __future__ import annotations

import re

from deep_planner.models.rules.tables import Act, Tables

#: A time phrase, as it stands in a clause while the tables are matched.
SLOT = re.compile(r"⟦(\d+)⟧")
#: Small pictures are no part of a name.
EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]")
#: Words for a priority in a change.
LEVELS = {
    **dict.fromkeys(("高", "重要", "紧急", "urgent", "important", "top"), "high"),
    **dict.fromkeys(("中", "普通", "一般", "normal"), "medium"),
    **dict.fromkeys(("低", "不急", "不重要"), "low"),
}
#: Where a clause ends, whatever the language.
CLAUSE_END = re.compile(r"[，,。；;！!？?\n]|\.(?=\s|$)")
SMALL_TALK = frozenset({Act.GREET, Act.THANKS, Act.HELP})


def joined(parts: list[str], rules: Tables) -> list[str]:
    """A part that is a time or a priority alone belongs to its neighbour: 明天，去买菜; go swimming, tomorrow.

    One that is politeness alone is left out, unless there is nothing else.
    """
    found: list[str] = []
    for part in parts:
        rest = SLOT.sub("", part)
        timed = rest != part
        for level in rules.levels.values():
            rest = level.sub("", rest)
        alone = not _bare(rest, rules)
        if alone and not timed and not _bare(part, rules) and not _is_small_talk(part, rules):
            continue
        if found and (alone or not _bare(SLOT.sub("", found[-1]), rules)):
            # "时间 ⟦1⟧" is the time alone.
            found[-1] = f"{found[-1]} {rules.front.sub('', part) if alone else part}"
        else:
            found.append(part)
    return found or parts


def _bare(words: str, rules: Tables) -> str:
    """What is left without politeness."""
    return rules.end.sub("", rules.front.sub("", words.strip())).strip(" ,，:：")


def _is_small_talk(part: str, rules: Tables) -> bool:
    return any(pattern.search(part) for act, patterns, _ in rules.acts if act in SMALL_TALK for pattern in patterns)
