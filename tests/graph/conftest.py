"""Fixtures of the graph tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.graph.world import World, opened


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings from the folder or the environment of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in ("MODEL", "LIGHT_MODEL", "BASE_URL", "DATABASE", "LANGUAGE", "SUPERVISION", "CITY", "TIMEZONE"):
        monkeypatch.delenv(f"DEEP_PLANNER_{name}", raising=False)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as world:
        yield world
