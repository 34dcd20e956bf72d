"""What holds for all tests."""

from __future__ import annotations

import gc
import ssl
from collections.abc import Iterator
from functools import cache

import pytest


@pytest.fixture(scope="session", autouse=True)
def certificates_are_read_once() -> Iterator[None]:
    """Each HTTP client reads all authorities of the world (30 ms): hundreds are made here, and none speaks TLS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def imported_modules_are_not_collected() -> Iterator[None]:
    """Leave what was imported out of the garbage collector's walks, which take a fifth of the time here."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
