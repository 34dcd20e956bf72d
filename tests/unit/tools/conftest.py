"""A database, and the task agent's tools on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from langchain_core.tools import BaseTool

from tests.support.builders import opened
from tools.services.tasks import TaskService
from tools.store.database import Database
from tools.toolkits.task import task_tools


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with opened(tmp_path) as database:
        yield database


@pytest.fixture
def tools(database: Database) -> Sequence[BaseTool]:
    return task_tools(TaskService(database), "zh")
