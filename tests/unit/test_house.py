"""The house in order: documents level with each other and with the code, packages that find each other."""

from __future__ import annotations

import ast
import asyncio
import importlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.unit


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_both_readmes_have_the_same_headings() -> None:
    headings = [re.findall(r"(?m)^(#+) ", read(name)) for name in ("README.md", "README.zh-CN.md")]
    assert headings[0] == headings[1]
    assert len(headings[0]) > 5


def test_both_readmes_have_the_same_code() -> None:
    blocks = [re.findall(r"(?s)```(\w+)\n(.*?)```", read(name)) for name in ("README.md", "README.zh-CN.md")]
    bare = [[(kind, re.sub(r"#.*", "", code)) for kind, code in found] for found in blocks]
    assert [re.sub(r" +", " ", str(block)) for block in bare[0]] == [
        re.sub(r" +", " ", str(block)) for block in bare[1]
    ]


def test_the_readmes_name_all_settings() -> None:
    from deep_planner.settings import Settings

    for name in ("README.md", "README.zh-CN.md"):
        missing = [field for field in Settings.model_fields if f"`{field}`" not in read(name) and field != "user_id"]
        assert missing == []


def test_the_example_of_an_environment_has_all_settings_with_values_that_are_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The READMEs say that it lists the variables; what shows a default shows the real one."""
    from deep_planner.settings import Settings

    shown = dict(re.findall(r"(?m)^# (DEEP_PLANNER_\w+)=(.*)$", read(".env.example")))
    assert sorted(shown) == sorted(f"DEEP_PLANNER_{name.upper()}" for name in Settings.model_fields)
    for name, value in shown.items():
        monkeypatch.setenv(name, value)
    taken, defaults = Settings(), Settings.model_construct()
    told = ("supervision", "plan_first", "intent_threshold", "reflection", "context_memory", "instructions")
    for name in (*told, *(name for name in Settings.model_fields if name.startswith(("max_", "deliberation_")))):
        assert getattr(taken, name) == getattr(defaults, name), name


def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    requests, agent = re.findall(r"(?s)```python\n(.*?)```", read("README.md"))
    code = f"{agent}\n{requests}"
    weather = tmp_path / "weather.json"
    weather.write_text("[]", encoding="utf-8")
    env = {"DEEP_PLANNER_DATABASE": str(tmp_path / "p.db"), "DEEP_PLANNER_WEATHER_FILE": str(weather)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PATH": "", **env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().startswith("completed ")


def test_the_picture_is_that_of_the_code() -> None:
    sys.path.insert(0, str(ROOT / "assets"))
    try:
        import draw_graph
    finally:
        sys.path.pop(0)
    assert asyncio.run(draw_graph.drawn()).draw_mermaid() == read("assets/graph.mmd")
    assert (ROOT / "assets/graph.png").read_bytes().startswith(b"\x89PNG")


def test_langgraph_json_names_a_graph_that_is_there() -> None:
    for target in json.loads(read("langgraph.json"))["graphs"].values():
        path, _, name = target["path"].partition(":")
        assert re.search(rf"(?m)^async def {name}\(", read(path.removeprefix("./")))


def test_public_names_are_where_type_checkers_see_them() -> None:
    import deep_planner

    imports = [
        node for node in ast.walk(ast.parse(read("deep_planner/__init__.py"))) if isinstance(node, ast.ImportFrom)
    ]
    seen = {alias.name: node.module or "" for node in imports for alias in node.names}
    homes = {name: module for name, module in seen.items() if module.startswith("deep_planner.")}
    assert sorted(homes) == sorted(deep_planner.__all__)
    for name, module in homes.items():
        assert getattr(deep_planner, name) is getattr(importlib.import_module(module), name)
    with pytest.raises(AttributeError, match="has no attribute 'aplan'"):
        _ = deep_planner.aplan  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["tools", "subagents"])
def test_a_callers_own_package_in_the_way_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(1, {str(ROOT)!r}); import deep_planner"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    [message] = [line for line in done.stderr.splitlines() if line.startswith("ImportError")]
    assert str(tmp_path / name) in message
    assert "Rename" in message


def test_importing_the_package_imports_no_framework() -> None:
    heavy = ("langgraph", "sqlalchemy", "langchain_core")
    code = f"import sys, deep_planner; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_dependency_has_both_bounds() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    assert [line for line in project["dependencies"] if ">=" not in line] == []
    assert [line for line in project["dependencies"] if "<" not in line and not line.startswith("tzdata")] == []
