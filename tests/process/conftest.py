"""Fixtures of the tests of the program as it is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import Line


@pytest.fixture
def line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Line:
    return Line(tmp_path, capsys, monkeypatch)
