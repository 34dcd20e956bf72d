"""What holds for all tests."""

from __future__ import annotations

import dis
import gc
import ssl
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, get_type_hints
from weakref import WeakKeyDictionary

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


@pytest.fixture(scope="session", autouse=True)
def what_is_known_of_code_is_known() -> Iterator[None]:
    """Compiling a graph looks at types and byte code: 60 ms for each of a thousand planners."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dis, "get_instructions", cache(dis.get_instructions))
        for name in ("langgraph.graph.state", "langgraph.graph._branch"):
            if name in sys.modules:  # a test of it has been collected
                patch.setattr(sys.modules[name], "get_type_hints", _remembering(get_type_hints))
        yield


def _remembering(hints: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """The same answers as ``get_type_hints``; nothing is kept alive for it."""
    known: WeakKeyDictionary[Any, dict[bool, dict[str, Any]]] = WeakKeyDictionary()

    def get(thing: Any, *, include_extras: bool = False) -> dict[str, Any]:
        try:
            made = known.setdefault(getattr(thing, "__func__", thing), {})
        except TypeError:  # such as the ``__call__`` of a function, which nothing can refer to weakly
            return hints(thing, include_extras=include_extras)
        if include_extras not in made:
            made[include_extras] = hints(thing, include_extras=include_extras)
        return dict(made[include_extras])

    return get
