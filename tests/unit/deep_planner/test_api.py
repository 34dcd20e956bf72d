"""The Python face: what is async has a twin that is not."""

from __future__ import annotations

import inspect

import pytest

from deep_planner import api

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "name", ["analyze_intent", "create_workflow", "deliberate", "execute_workflow", "resume", "run", "stream"]
)
def test_twins_take_the_same_arguments(name: str) -> None:
    twin, work = getattr(api, name), getattr(api, f"a{name}")
    assert (twin.__name__, twin.__module__) == (name, "deep_planner.api")
    assert inspect.signature(twin).parameters == inspect.signature(work).parameters
    assert not inspect.iscoroutinefunction(twin)
    assert (inspect.getdoc(twin) or "").startswith(f"``a{name}`` for code that is not async.")


def test_errors_reach_whoever_is_not_async() -> None:
    from deep_planner.settings import Settings
    from tools.core.errors import UsageError

    with pytest.raises(UsageError):
        api.run("明天买菜", settings=Settings(model="nobody:nothing", timezone="Asia/Shanghai"))
