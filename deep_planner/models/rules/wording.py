"""The roles that write: the note agent, and the reply to the user."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date
from typing import Any

from langchain_core.messages import BaseMessage

from deep_planner.models.rules.reading import Said, call, last_human, last_json, prompt_language, request_situation
from deep_planner.models.rules.tables import Act
from deep_planner.models.rules.understanding import understand
from tools.core.text import Language, language_of, text

ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


def write_note(messages: Sequence[BaseMessage]) -> Said:
    """A note of all facts, and the tools' own messages, said as people say dates, as the summary."""
    given = json.loads(messages[1].text)
    language = prompt_language(messages)
    results: list[dict[str, Any]] = given["results"]
    told = results[-1:] if results[-1]["status"] != "success" else results
    summary = sentences([spoken(result["message"], language) for result in told], language)
    facts = [result["message"] for result in results]
    facts += [json.dumps(result["data"], ensure_ascii=False) for result in results if result.get("data")]
    facts += [json.dumps(result["task"], ensure_ascii=False) for result in results if result.get("task")]
    return call("write_note", note="\n".join(facts), summary=summary)


def reply(messages: Sequence[BaseMessage]) -> Said:
    """The reply from the facts of the request: what each item came to, in order."""
    facts = last_json(messages[-1].text)
    language = prompt_language(messages)
    summaries = [item["summary"] for item in facts["items"] if item["summary"]]
    if summaries:
        return Said(sentences(list(dict.fromkeys(summaries)), language))
    return small_talk(messages)


def small_talk(messages: Sequence[BaseMessage]) -> Said:
    """A line for a greeting, a polite word for what is out of domain (X8)."""
    words = last_human(messages)
    language = language_of(words)
    frames = understand(words, request_situation(messages))
    acts = {frame.act for frame in frames}
    name = "refuse"
    for act in (Act.HELP, Act.THANKS, Act.GREET):
        if act in acts and Act.OUT_OF_DOMAIN not in acts:
            name = act.value
    return Said(text(language, f"offline.{name}"))


def spoken(words: str, language: Language) -> str:
    """ISO dates said as people say them: 2026-02-14 is 周六（2月14日）(P21)."""
    said = ISO_DATE.sub(lambda found: _day(found, language), words)
    return re.sub(r"）\s+", "）", said) if language == "zh" else said


def _day(found: re.Match[str], language: Language) -> str:
    try:
        day = date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return found[0]
    weekday = text(language, f"when.weekday_{day.weekday()}")
    month = day.month if language == "zh" else text(language, f"when.month_{day.month}")
    return text(language, "when.day", weekday=weekday, month=month, day=day.day)


def sentences(parts: Sequence[str], language: Language) -> str:
    """Parts one after another, each with a stop at its end."""
    stop, gap = ("。", "") if language == "zh" else (".", " ")
    ended = [part if part.rstrip().endswith(("。", "！", "？", ".", "!", "?")) else part + stop for part in parts]
    return gap.join(ended)
