"""Settings and models by name: who beats whom, and what is refused (A47, D20)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from deep_planner.models.factory import make_model, make_models
from deep_planner.models.rules import OfflineRules
from deep_planner.settings import FILE, Settings
from tools.core.clock import FALLBACK_ZONE
from tools.core.errors import UsageError

pytestmark = pytest.mark.unit


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to start from, and no settings in the environment."""
    for name in list(os.environ):
        if name.startswith(("DEEP_PLANNER_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_defaults() -> None:
    settings = Settings.load()
    assert (settings.model, settings.light_model, settings.user_id) == ("offline:rules", None, 1)
    assert (settings.supervision, settings.intent_threshold) == ("on_attention", 0.7)
    assert settings.database.endswith("planner.db")
    assert settings.url == f"sqlite+aiosqlite:///{settings.database}"


def test_an_argument_beats_the_environment_and_that_the_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / FILE).write_text('city = "北京"\nuser_id = 5\nintent_threshold = 0.5\n', encoding="utf-8")
    assert (Settings.load().city, Settings.load().user_id) == ("北京", 5)
    monkeypatch.setenv("DEEP_PLANNER_CITY", "上海")
    assert (Settings.load().city, Settings.load().user_id) == ("上海", 5)
    given = Settings.load(city="广州", user_id=None)
    assert (given.city, given.user_id, given.intent_threshold) == ("广州", 5, 0.5)


def test_what_the_graph_is_told(home: Path) -> None:
    context = Settings.load(city="北京", timezone="Europe/Berlin", user_id=3, supervision="every_wave").context()
    assert (context.city, context.timezone, context.user_id, context.supervision) == (
        "北京",
        "Europe/Berlin",
        3,
        "every_wave",
    )


@pytest.mark.parametrize(
    ("zone", "expected"), [("Europe/Berlin", "Europe/Berlin"), ("", FALLBACK_ZONE), ("Nowhere/Land", FALLBACK_ZONE)]
)
def test_the_machines_zone_is_used_when_it_is_one(zone: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    monkeypatch.setattr(Path, "resolve", lambda self, strict=False: self)  # no /etc/localtime
    assert Settings.load().zone == expected
    assert Settings.load(timezone="America/New_York").zone == "America/New_York"


BAD: dict[str, tuple[dict[str, Any], str, str]] = {
    "a threshold above one": ({"intent_threshold": 1.5}, "bad_setting", "intent_threshold"),
    "a threshold in words": ({"intent_threshold": "much"}, "bad_setting", "intent_threshold"),
    "a language we do not speak": ({"language": "fr"}, "bad_setting", "language"),
    "another rhythm": ({"supervision": "sometimes"}, "bad_setting", "supervision"),
    "a user in words": ({"user_id": "me"}, "bad_setting", "user_id"),
    "a setting that is none": ({"colour": "blue"}, "bad_setting", "colour"),
    "no such zone": ({"timezone": "Mars/Olympus"}, "unknown_timezone", "Mars/Olympus"),
    "a zone that is a path": ({"timezone": "../../etc/passwd"}, "unknown_timezone", "passwd"),
}


@pytest.mark.parametrize(("given", "key", "named"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("source", ["argument", "file"])
def test_bad_values_are_refused_by_name(given: dict[str, Any], key: str, named: str, source: str, home: Path) -> None:
    if source == "file":
        lines = [f"{name} = {value!r}" for name, value in given.items()]
        (home / FILE).write_text("\n".join(lines), encoding="utf-8")
        given = {}
    with pytest.raises(UsageError) as refused:
        Settings.load(**given)
    assert refused.value.key == key
    assert named in refused.value.message("zh")
    assert named in refused.value.message("en")


@pytest.mark.parametrize(("name", "value"), [("INTENT_THRESHOLD", "2"), ("USER_ID", "x"), ("TIMEZONE", "Mars/Olympus")])
def test_bad_values_of_the_environment_are_refused(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"DEEP_PLANNER_{name}", value)
    with pytest.raises(UsageError, match=value):
        Settings.load()


@pytest.mark.parametrize("content", [b"city = ", b"\xff\xfe", b"[[["], ids=["half a line", "not UTF-8", "not TOML"])
def test_a_broken_file_is_named(content: bytes, home: Path) -> None:
    (home / FILE).write_bytes(content)
    with pytest.raises(UsageError) as refused:
        Settings.load()
    assert FILE in refused.value.message("zh")


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("planner.db", "sqlite+aiosqlite:///planner.db"),
        ("/tmp/a b.db", "sqlite+aiosqlite:////tmp/a b.db"),
        ("postgresql+asyncpg://me@host/db", "postgresql+asyncpg://me@host/db"),
    ],
)
def test_a_database_is_a_file_or_a_url(given: str, url: str) -> None:
    assert Settings.load(database=given).url == url


def test_a_home_folder_is_found(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("HOME", str(home))
    assert Settings.load(database="~/mine.db").url == f"sqlite+aiosqlite:///{home}/mine.db"


@pytest.mark.parametrize("name", ["", "offline", "offline:", "offline:rule", "openai", "openai:", "gpt-5", "nobody:x"])
def test_a_model_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as refused:
        make_model(name)
    assert (refused.value.key, refused.value.facts["value"]) == ("unknown_model", name)
    assert "offline:rules" in refused.value.message("en")


def test_a_missing_key_is_named_and_the_way_without_one() -> None:
    with pytest.raises(UsageError) as refused:
        make_model("openai:gpt-5-mini")
    assert refused.value.key == "missing_key"
    for language in ("zh", "en"):
        assert "OPENAI_API_KEY" in refused.value.message(language)  # type: ignore[arg-type]
        assert "offline:rules" in refused.value.message(language)  # type: ignore[arg-type]


def test_the_light_model_falls_back_to_the_strong_one() -> None:
    models = make_models("offline:rules", None, None)
    assert isinstance(models.strong, OfflineRules)
    assert models.light is models.strong
    assert make_models("offline:rules", "offline:rules", None).light is not None
    with pytest.raises(UsageError):
        make_models("offline:rules", "nobody:x", None)
