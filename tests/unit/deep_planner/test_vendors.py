"""Which string makes which model, at which address, with whose key (A47)."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from deep_planner.models.addresses import is_local
from deep_planner.models.compat import CompatChat, OpenAIChat
from deep_planner.models.dashscope import GATEWAY, ChatDashScope
from deep_planner.models.factory import make_model
from deep_planner.models.vendors import VENDORS
from tools.core.errors import UsageError

pytestmark = pytest.mark.unit

KEYED = [(name, vendor) for name, vendor in VENDORS.items() if vendor.keys]


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for vendor in VENDORS.values():
        for variable in vendor.keys:
            monkeypatch.delenv(variable, raising=False)
    for variable in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "DASHSCOPE_BASE_URL", "DASHSCOPE_HTTP_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("DASHSCOPE_WORKSPACE", "DASHSCOPE_REGION"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize("name", [name for name in VENDORS if name != "openai"])
def test_every_vendor_has_its_address(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    vendor = VENDORS[name]
    for variable in vendor.keys[-1:]:
        monkeypatch.setenv(variable, "sk-mine")
    model, closers = make_model(f"{name}:some-model:8b")
    assert isinstance(model, CompatChat)
    assert (model.model_name, model.openai_api_base, len(closers)) == ("some-model:8b", vendor.base_url, 1)
    assert model.openai_api_key.get_secret_value() == ("sk-mine" if vendor.keys else "-")


@pytest.mark.parametrize(("name", "vendor"), KEYED, ids=[name for name, _ in KEYED])
def test_a_missing_key_is_named(name: str, vendor: Any) -> None:
    with pytest.raises(UsageError) as refused:
        make_model(f"{name}:m")
    for language in ("zh", "en"):
        assert vendor.keys[0] in refused.value.message(language)  # type: ignore[arg-type]


def test_a_service_of_ones_own_needs_no_key() -> None:
    model = make_model("zhipu:m", "http://10.0.0.7/v1")[0]
    assert isinstance(model, CompatChat)
    assert model.openai_api_base == "http://10.0.0.7/v1"


def test_openai_itself_is_langchains_own_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    model = make_model("openai:gpt-5-mini")[0]
    assert isinstance(model, OpenAIChat)
    assert (model.max_retries, model.request_timeout, model.stream_usage) == (0, 60.0, True)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://10.0.0.7/v1")
    assert isinstance(make_model("openai:gpt-5-mini")[0], CompatChat)


@pytest.mark.parametrize(
    ("environment", "address"),
    [
        ({}, GATEWAY),
        ({"DASHSCOPE_BASE_URL": "https://my.gate/api/v1"}, "https://my.gate/api/v1"),
        ({"DASHSCOPE_REGION": "ap-southeast-1"}, "https://dashscope-intl.aliyuncs.com/api/v1"),
        ({"DASHSCOPE_WORKSPACE": "ws-1"}, "https://ws-1.cn-beijing.maas.aliyuncs.com/api/v1"),
    ],
)
def test_dashscope_is_where_the_environment_says(
    environment: dict[str, str], address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"DASHSCOPE_API_KEY": "sk-mine", "DASHSCOPE_MAX_RETRIES": "5", **environment}.items():
        monkeypatch.setenv(name, value)
    model = make_model("dashscope:qwen-plus")[0]
    assert isinstance(model, ChatDashScope)
    config = model.client.config
    assert (config.base_url, config.protocol, config.max_retries, config.timeout) == (address, "native", 0, 60.0)


def test_an_unknown_provider_hears_of_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deep_planner.models.factory.find_spec", lambda name: None)
    with pytest.raises(UsageError) as refused:
        make_model("nobody:x")
    for language in ("zh", "en"):
        for name in ("offline:rules", "dashscope", *VENDORS):
            assert name in refused.value.message(language)  # type: ignore[arg-type]


@pytest.mark.parametrize("fault", [None, ValueError("unsupported"), ImportError("no package")])
def test_langchain_is_asked_for_what_only_it_knows(fault: Exception | None, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("langchain.chat_models")

    def init_chat_model(name: str, **options: Any) -> tuple[str, dict[str, Any]]:
        if fault:
            raise fault
        return name, options

    module.init_chat_model = init_chat_model  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "langchain", ModuleType("langchain"))
    monkeypatch.setitem(sys.modules, "langchain.chat_models", module)
    monkeypatch.setattr("deep_planner.models.factory.find_spec", lambda name: object())
    if fault is None:
        assert make_model("mistralai:m", "http://x")[0] == ("mistralai:m", {"base_url": "http://x"})
    else:
        with pytest.raises(UsageError, match="nobody:m"):
            make_model("nobody:m")


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1:8000/v1", True),
        ("http://[::1]:8000/v1", True),
        ("https://api.deepseek.com", False),
        ("https://127.example.com", False),
        (None, False),
    ],
)
def test_which_addresses_are_this_machine(address: str | None, local: bool) -> None:
    assert is_local(address) is local
