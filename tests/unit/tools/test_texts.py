"""Chinese and English say the same: catalogues and prompts have twins; what code asks for is there (A33, P21)."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tools.core.errors import PlannerError
from tools.core.text import LANGUAGES, Language, catalogue, language_of, phrase, text

pytestmark = pytest.mark.unit

TEXT = Path(str(files("tools"))) / "text"
PACKAGES = {package: Path(str(files(package))) for package in ("tools", "subagents", "deep_planner")}
TOPICS = sorted(path.stem for path in (TEXT / "zh").glob("*.toml"))
PROMPTS = sorted(
    (package, path.name) for package, folder in PACKAGES.items() for path in (folder / "prompts" / "zh").glob("*.md")
)


def flat(table: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def holes(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def prompt(package: str, language: Language, name: str) -> str:
    return (PACKAGES[package] / "prompts" / language / name).read_text(encoding="utf-8")


def code() -> Iterator[tuple[Path, str]]:
    for folder in PACKAGES.values():
        for path in folder.rglob("*.py"):
            yield path, path.read_text(encoding="utf-8")


def test_both_languages_have_the_same_files() -> None:
    assert sorted(path.stem for path in (TEXT / "en").glob("*.toml")) == TOPICS
    assert len(TOPICS) >= 8
    for package, folder in PACKAGES.items():
        names = {language: {p.name for p in (folder / "prompts" / language).glob("*")} for language in LANGUAGES}
        assert names["zh"] == names["en"], package
    assert len(PROMPTS) >= 10


@pytest.mark.parametrize("topic", TOPICS)
def test_twins_have_the_same_keys_and_holes(topic: str) -> None:
    zh, en = (dict(flat(catalogue(language, topic))) for language in LANGUAGES)
    assert sorted(zh) == sorted(en)
    # A conditional hole may be needed in one language only ({year} has its own place); none may be unknown to both.
    assert [key for key in zh if holes(zh[key]) != holes(en[key])] == []
    assert [key for key in zh if not zh[key].strip() or not en[key].strip()] == []


@pytest.mark.parametrize("topic", TOPICS)
def test_each_language_is_written_in_its_own(topic: str) -> None:
    zh, en = (dict(flat(catalogue(language, topic))) for language in LANGUAGES)
    assert [key for key, sentence in en.items() if re.search(r"[一-鿿]", sentence)] == []
    short = {key for key, sentence in zh.items() if not re.sub(r"\{\w*\}|[\W\d_a-zA-Z]", "", sentence)}
    assert [key for key in zh if key not in short and not re.search(r"[一-鿿]", zh[key])] == []


@pytest.mark.parametrize(("package", "name"), PROMPTS)
def test_prompts_have_the_same_holes_and_shape(package: str, name: str) -> None:
    zh, en = (prompt(package, language, name) for language in LANGUAGES)
    for found in (r"\$\w+", r"(?m)^- ", r"\b[a-z]+_[a-z_]+\b"):
        assert sorted(set(re.findall(found, zh))) == sorted(set(re.findall(found, en))), found
    assert len(re.findall(r"(?m)^- ", zh)) == len(re.findall(r"(?m)^- ", en))


#: What would give away one of the four rules that only code may know.
RULES: dict[str, str] = {
    "the time of a reminder": r"\b20:00|20点|\b0?8:00|两小时|two hours|2 h(?:ours)?\b|前一天|day before|evening before",
    "conflicts": r"冲突|重叠|conflict|overlap|collid|clash",
    "past times": r"已过|过去的|过了的|in the past|already over|is over|has passed",
    "fuzzy titles": r"dice|0\.75|bigram|模糊|相似|fuzzy|similar|resembl",
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("package", "name"), PROMPTS)
def test_no_prompt_holds_a_rule(package: str, name: str, rule: str) -> None:
    for language in LANGUAGES:
        assert re.findall(RULES[rule], prompt(package, language, name), re.IGNORECASE) == []


def test_the_tell_tales_would_be_found() -> None:
    told = "跨天任务前一天 20:00 提醒；dice ≥ 0.75 就是冲突；今天已过的时段要确认"
    assert all(re.search(pattern, told) for pattern in RULES.values())


RAISED = re.compile(
    r"\b(?:UsageError|ThreadError|StoreError|ModelError|ToolArgumentError|PlannerError)\(\s*\"(\w+)\"([^()]*(?:\([^()]*\)[^()]*)*)"
)


def test_every_error_that_code_raises_has_its_sentence() -> None:
    known = dict(flat(catalogue("zh", "errors")))
    raised = [(path.name, key, facts) for path, source in code() for key, facts in RAISED.findall(source)]
    assert len({key for _, key, _ in raised}) >= 15
    for name, key, facts in raised:
        assert key in known, f"{name}: errors.{key}"
        if "**" not in facts:
            assert holes(known[key]) <= set(re.findall(r"(\w+)=", facts)), f"{name}: errors.{key}"


OUTSIDE = re.compile(r"\b(?:McpUsageError|McpServerError|_down)\(\s*\"(\w+)\"")


def test_every_fault_of_outside_servers_has_its_sentence() -> None:
    raised = {key for _, source in code() for key in OUTSIDE.findall(source)}
    assert len(raised) >= 10
    assert raised - set(catalogue("zh", "mcp")) == set()


SAID = re.compile(r"text\(\s*[\w.\[\]\"]+,\s*\"(\w+)\.(\w+)\"")
FAULT = re.compile(r"PlanError\(\"(\w+)\"")


def test_every_sentence_that_code_names_is_there() -> None:
    missing = []
    for path, source in code():
        for topic, key in [*SAID.findall(source), *(("plan", key) for key in FAULT.findall(source))]:
            if key not in catalogue("zh", topic):
                missing.append(f"{path.name}: {topic}.{key}")
    assert missing == []


@pytest.mark.parametrize("topic", ["results", "errors", "plan", "offline", "mcp"])
def test_every_sentence_is_used(topic: str) -> None:
    """A sentence that nobody says is a rule that somebody forgot."""
    sources = "\n".join(source for _, source in code())
    starts = tuple(start for start in re.findall(r"[\".](\w{4,})\{", sources))  # built: f"advice_{...}"
    endings = tuple(ending for ending in re.findall(r"\}(_\w+)\"", sources))  # and f"{name}_ask"
    names = {key.split(".")[0] for key, _ in flat(catalogue("zh", topic))}
    said = names & set(re.findall(r"\w+", sources))
    built = {name for name in names - said if name.startswith(starts) or name.endswith(endings)}
    joined = {f"{name}{ending}" for name in said for ending in ("_move", "_done", "_cancelled", "_move_ask")}
    assert names - said - built - joined == set()


def test_messages_show_no_rows_and_no_json() -> None:
    for language in LANGUAGES:
        for key, sentence in flat(catalogue(language, "results")):
            assert not holes(sentence) & {"id", "row", "rows", "task_id"}, key


def test_a_missing_key_or_hole_is_an_error() -> None:
    with pytest.raises(KeyError):
        text("zh", "results.no_such_sentence")
    with pytest.raises(KeyError):
        text("zh", "results.task_created", title="x")
    assert "{title}" in phrase("en", "results.task_created")


@pytest.mark.parametrize("title", ["{title}", "{0}", "{}", "%s", "{when!r}"])
def test_facts_are_never_read_as_sentences(title: str) -> None:
    assert title in text("en", "results.task_created", title=title, when="{x}")
    assert title in PlannerError("bad_time", value=title).message("zh")


@pytest.mark.parametrize(
    ("words", "language"),
    [("明天开会", "zh"), ("meeting 明天", "zh"), ("tomorrow", "en"), ("", "en"), ("12:30 !?", "en"), ("café", "en")],
)
def test_language_of(words: str, language: Language) -> None:
    assert language_of(words) == language
