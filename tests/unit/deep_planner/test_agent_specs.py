"""Sub-agents from outside: what a spec may be, what is installed, and what lies in a folder (D11, D12)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from deep_planner import Settings, SubagentSpec, register_subagent, unregister_subagent
from deep_planner.agent_files import SubagentFileError, read_folder
from deep_planner.agents import RESERVED, OwnAgents, checked, installed, own_agents
from deep_planner.graph.state import PlannerState
from subagents.registry import Registry
from tests.unit.deep_planner.brain import AGENTS
from tools.core.errors import UsageError
from tools.core.text import LANGUAGES

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]


async def convert(amount: float) -> str:
    """Convert an amount."""
    return str(amount)


async def undescribed(amount: float) -> str:
    return str(amount)


def dial(call: str) -> str:
    """An argument that is called like ours."""
    return call


def broken(_language: str) -> list[Any]:
    raise RuntimeError("no rates")


class Strange:
    """No schema of JSON."""


def stranger(thing: Strange) -> str:
    """Take something that no model can write."""
    return str(thing)


GOOD = SubagentSpec("currency", [convert], description="converts", prompt="You convert.")

SPECS: dict[str, tuple[Any, str]] = {
    "no spec": ({"name": "currency"}, "this is a dict"),
    "no identifier": (replace(GOOD, name="my agent"), "“my agent” cannot be"),
    "a name that LangGraph keeps": (replace(GOOD, name="__start__"), "cannot be"),
    "a long name": (replace(GOOD, name="a" * 65), "at most 64"),
    "a node of the main graph": (replace(GOOD, name="respond"), "uses the name “respond” itself"),
    "a key of the state": (replace(GOOD, name="todos"), "uses the name “todos” itself"),
    "one of the house": (replace(GOOD, name="weather"), "called “weather” already"),
    "one that is there only with MCP": (replace(GOOD, name="general"), "called “general” already"),
    "a taken name": (replace(GOOD, name="stocks"), "called “stocks” already"),
    "no description": (replace(GOOD, description=None), "needs a description"),
    "a blank prompt": (replace(GOOD, prompt=" \n"), "needs a prompt"),
    "another language": (replace(GOOD, prompt={"fr": "Bonjour"}), "needs a prompt"),
    "capabilities in one text": (replace(GOOD, capabilities="rates"), "capabilities of the sub-agent"),
    "no tools": (replace(GOOD, tools=[]), "has no tools"),
    "a function in place of a list": (replace(GOOD, tools=convert), "has no tools"),
    "tools that cannot be made": (replace(GOOD, tools=broken), "cannot be made: RuntimeError: no rates"),
    "no docstring": (replace(GOOD, tools=[undescribed]), "“undescribed” cannot be a tool"),
    "a tool without a name": (replace(GOOD, tools=[partial(convert, 1)]), "“partial” cannot be a tool"),
    "an argument that no model can write": (replace(GOOD, tools=[stranger]), "“stranger” cannot be a tool"),
    "an argument named call": (replace(GOOD, tools=[dial]), "an argument “call”"),
    "one tool twice": (replace(GOOD, tools=[convert, convert]), "two tools called “convert”"),
}


@pytest.mark.parametrize("case", SPECS)
def test_a_spec_that_cannot_be_is_refused_in_a_sentence(case: str) -> None:
    spec, words = SPECS[case]
    with pytest.raises(UsageError) as refused:
        checked(spec, ["stocks"])
    assert words in refused.value.message("en")
    assert refused.value.message("zh") != refused.value.message("en")


def test_names_of_the_main_graph_are_reserved() -> None:
    """The nodes from the picture of the graph, which another test holds level with the code."""
    drawn = (ROOT / "assets/graph.mmd").read_text("utf-8")
    nodes = {line.strip().partition("(")[0] for line in drawn.splitlines() if line.strip().endswith(")")}
    nodes = {node for node in nodes if node.isidentifier()} - {*AGENTS, "__start__", "__end__"}
    assert {"triage", "dispatch"} <= nodes
    assert nodes | set(PlannerState.__annotations__) == RESERVED


def test_the_line_in_prompts() -> None:
    spec = replace(GOOD, description={"zh": "换算\n货币", "en": "converts"}, capabilities=("rates", "fx"))
    registry = Registry([GOOD]).added(replace(spec, name="money"))
    assert registry.described("zh") == "- currency: converts\n- money: 换算 货币\n  能力：rates, fx"
    assert registry.described("en").endswith("- money: converts\n  Capabilities: rates, fx")
    assert registry.without("money").described("en") == "- currency: converts"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_prompt_is_taken_as_it_stands(language: Any) -> None:
    role = replace(GOOD, prompt="It costs $5, $prompt and $context.").role(language).substitute(context="{}")
    assert role.startswith("It costs $5, $prompt and $context.\n\n- ")
    assert role.endswith("\n{}")


def test_registered_twice_is_refused_and_taken_back_it_is_free() -> None:
    register_subagent(GOOD)
    try:
        with pytest.raises(UsageError, match="already"):
            register_subagent(GOOD)
    finally:
        unregister_subagent("currency")
    with pytest.raises(UsageError, match="No sub-agent called “currency”"):
        unregister_subagent("currency")


MODULE = '''
from deep_planner import SubagentSpec


async def convert(amount: float) -> str:
    """Convert an amount."""
    return str(amount)


spec = SubagentSpec("currency", [convert], description="converts", prompt="You convert.")
make = lambda: SubagentSpec("made", [convert], description="made", prompt="You make.")
taken = SubagentSpec("task", [convert], description="converts", prompt="You convert.")
number = 5
def fail(): raise ValueError("no\\x1b[31m rates")
'''
POINTS = """[deep_planner.subagents]
a = own_currency:spec
b = own_currency:make
c = own_currency:taken
d = own_currency:number
e = own_currency:fail
f = own_currency:nothing
g = no_such_module_at_all:spec
"""


@pytest.fixture
def distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A distribution as pip leaves it: a module, and its entry points beside it."""
    (tmp_path / "own_currency.py").write_text(MODULE, encoding="utf-8")
    info = tmp_path / "own_currency-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own-currency\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(POINTS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    installed.cache_clear()
    yield
    installed.cache_clear()


def test_what_is_installed_is_there_and_what_is_broken_costs_only_itself(distribution: None) -> None:
    lines: list[str] = []
    own = own_agents(Settings(language="en"), lines.append)
    assert [spec.name for spec in own.specs] == ["currency", "made"]
    assert [line.partition(": ")[0].rpartition(" is left out")[0].rpartition(" ")[2] for line in lines] == list("cdefg")
    for line, reason in zip(
        lines, ("called “task” already", "a int", "ValueError: no␛[31m rates", "nothing", "no_such_module"), strict=True
    ):
        assert reason in line
        assert "\n" not in line


HEAD = "---\ndescription: sport\ntools: [convert]\n"
FILES: dict[str, tuple[str, str, str]] = {
    "no front matter": ("a.md", "You are.", "a.md (1) cannot be used: expected a first line ---"),
    "an empty file": ("a.md", "", "a.md (1) cannot be used: expected a first line ---"),
    "front matter without an end": ("a.md", HEAD, "a.md (1) cannot be used: the second line ---"),
    "no YAML": ("a.md", "---\ntools: [a\nname: b\n---\nx", "a.md (3:5) cannot be used: it is not YAML"),
    "no YAML either": ("a.yaml", "prompt: 'a", "a.yaml (1:11) cannot be used: it is not YAML"),
    "characters that YAML has not": ("a.yml", "prompt: \x00", "a.yml cannot be used: it is not YAML"),
    "an object of YAML's own": ("a.yml", "!!python/name:os.system", "it is not YAML (could not determine"),
    "no fields": ("a.yaml", "- a", "expected fields"),
    "no description": ("a.yaml", "tools: [convert]\nprompt: x", "(description) cannot be used: this field is missing"),
    "no prompt": ("a.md", HEAD + "---\n \n", "(prompt) cannot be used: it is blank"),
    "two prompts": ("a.md", HEAD + "prompt: a\n---\nb", "(prompt) cannot be used: the prompt of a Markdown file"),
    "half a prompt": ("a.yaml", "description: a\ntools: [convert]\nprompt: {zh: 甲}", "(prompt) cannot be used: "),
    "an unknown field": ("a.md", HEAD + "model: x\n---\nb", "(model) cannot be used: there is no such field"),
    "our own field": ("a.md", HEAD + "path: x\n---\nb", "(path) cannot be used: there is no such field"),
    "a field that is no text": ("a.md", HEAD + "on: x\n---\nb", "(True) cannot be used: there is no such field"),
    "tools as a text": (
        "a.md",
        "---\ndescription: a\ntools: convert\n---\nb",
        "(tools) cannot be used: expected a list",
    ),
    "no tools": ("a.md", "---\ndescription: a\ntools: []\n---\nb", "(tools) cannot be used: expected at least one"),
    "a number for a name": ("a.md", HEAD + "name: 5\n---\nb", "(name) cannot be used: expected a text"),
    "limits as words": ("a.md", HEAD + "limits: {tool_calls: few}\n---\nb", "(limits.tool_calls) cannot be used: "),
    "no limit at all": (
        "a.md",
        HEAD + "limits: {repairs: 9}\n---\nb",
        "(limits.repairs) cannot be used: the number is",
    ),
    "a tool that nobody has": (
        "a.md",
        "---\ndescription: a\ntools: [convert, rm]\n---\nb",
        "(tools) cannot be used: nobody has a tool “rm”. Tools: convert.",
    ),
    "a tool twice": ("a.md", "---\ndescription: a\ntools: [convert, convert]\n---\nb", "two tools called “convert”"),
    "a taken name": ("a.md", HEAD + "name: currency\n---\nb", "called “currency” already"),
    "a file's name that cannot be one": ("my agent.md", HEAD + "---\nb", "“my agent” cannot be a sub-agent's name"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_cannot_be_is_refused_with_its_place(tmp_path: Path, case: str) -> None:
    name, words, fault = FILES[case]
    (tmp_path / name).write_text(words, encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        OwnAgents([GOOD], read_folder(tmp_path)).beside([])
    assert str(tmp_path / name) in refused.value.message("en")
    assert fault in refused.value.message("en")
    assert "无法使用" in refused.value.message("zh")


@pytest.mark.parametrize(("name", "fault"), [("none", "no such folder"), ("file", "no folder")])
def test_a_folder_that_is_none(tmp_path: Path, name: str, fault: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(SubagentFileError, match=fault):
        own_agents(Settings(subagents_folder=tmp_path / name), print)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xff\xfe")
    with pytest.raises(SubagentFileError, match="UTF-8"):
        read_folder(tmp_path)


def test_both_forms_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("\ufeff" + HEAD + "limits: {tool_calls: 2}\n---\n\nYou are.\n", encoding="utf-8")
    (tmp_path / "a.yaml").write_text(
        "name: yoga\ndescription: {zh: 瑜伽, en: yoga}\ntools: [convert]\nprompt: |\n  One.\n  Two.\n", encoding="utf-8"
    )
    (tmp_path / "README.txt").write_text("left alone", encoding="utf-8")
    (tmp_path / ".hidden.md").write_text("left alone", encoding="utf-8")
    _, yoga, sport = OwnAgents([GOOD], read_folder(tmp_path)).beside([])
    assert (yoga.name, yoga.description, yoga.prompt) == ("yoga", {"zh": "瑜伽", "en": "yoga"}, "One.\nTwo.")
    assert (sport.name, sport.prompt, sport.limits.tool_calls, sport.limits.repairs) == ("b", "You are.", 2, 2)
    assert [tool.name for tool in sport.toolbox("zh")] == ["convert"]
