"""Fixtures of the graph tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.graph.wires import KEY, KEYS
from tests.graph.world import World, opened

#: What a vendor's own library reads of the environment.
VENDOR_SETTINGS = (
    *("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_ORG_ID", "OPENAI_PROXY"),
    *("DASHSCOPE_BASE_URL", "DASHSCOPE_WORKSPACE"),
)


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings from the folder or the environment of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in ("MODEL", "LIGHT_MODEL", "BASE_URL", "DATABASE", "LANGUAGE", "SUPERVISION", "CITY", "TIMEZONE"):
        monkeypatch.delenv(f"DEEP_PLANNER_{name}", raising=False)


@pytest.fixture
def canary_keys(loopback_only: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The canary as every vendor's key, and nothing of the machine's own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in VENDOR_SETTINGS:
        monkeypatch.delenv(name, raising=False)
    for name in KEYS:
        monkeypatch.setenv(name, KEY)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as world:
        yield world
