"""Fixtures of all tests."""

from __future__ import annotations

import pytest
from hypothesis import settings

# An example may take as long as it likes: how fast a busy machine is, is no property of the code.
settings.register_profile("house", deadline=None)
settings.load_profile("house")


@pytest.fixture
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy of the environment between a test and its server on this machine."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
