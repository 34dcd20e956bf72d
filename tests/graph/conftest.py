"""Fixtures of the graph tests."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.graph.world import World, opened


@pytest.fixture(scope="session", autouse=True)
def imported_modules_are_not_collected() -> Iterator[None]:
    """Leave what was imported out of the garbage collector's walks, which take a fifth of the time here."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


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
