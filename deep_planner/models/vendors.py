"""Who speaks OpenAI's wire, where, with which key, and what is peculiar about each (A47).

From the vendors' public pages and their users' issue threads; a line here is all that a further vendor takes. Where two
addresses or two keys stand, the service has a Chinese and an international site: name the other one with
``--base-url``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

#: Fields of a request that switch thinking on, and those that switch it off.
Switch = tuple[Mapping[str, Any], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Quirks:
    """How a service differs from OpenAI's.

    Attributes:
        echo: Name under which the reasoning of the current tool loop must be sent back; ``None``: it must not.
        tool_choices: What may be asked for. Thinking models of most vendors refuse to be forced to a tool.
        thinking: How to switch thinking on and off; ``None``: there is no way, or it is not known.
    """

    echo: str | None = None
    tool_choices: frozenset[str] = frozenset({"auto", "none"})
    thinking: Switch | None = None


@dataclass(frozen=True, slots=True)
class Vendor:
    """A service that speaks OpenAI's wire.

    Attributes:
        base_url: Where it is, up to but without ``/chat/completions``; ``None``: the user must say.
        keys: Environment variables that may hold its key, the usual one first; none for a service that needs no key.
        quirks: How it differs.
    """

    base_url: str | None
    keys: tuple[str, ...] = ()
    quirks: Quirks = Quirks()


#: OpenAI's own choices; a server of one's own under ``openai:`` is taken to know them all.
ANY_CHOICE = frozenset({"auto", "none", "required"})
_SWITCH: Switch = ({"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}})
_FLAG: Switch = ({"enable_thinking": True}, {"enable_thinking": False})
_TEMPLATE: Switch = ({"chat_template_kwargs": _FLAG[0]}, {"chat_template_kwargs": _FLAG[1]})

VENDORS: Mapping[str, Vendor] = MappingProxyType(
    {
        "openai": Vendor(None, ("OPENAI_API_KEY",), Quirks(tool_choices=ANY_CHOICE)),
        # Thinking answers 400 when the reasoning of the running tool loop is not passed back.
        "deepseek": Vendor(
            "https://api.deepseek.com", ("DEEPSEEK_API_KEY",), Quirks(echo="reasoning_content", thinking=_SWITCH)
        ),
        # The path ends in v4, and the choice of tools is the model's alone. International: https://api.z.ai/api/paas/v4
        "zhipu": Vendor(
            "https://open.bigmodel.cn/api/paas/v4",
            ("ZHIPUAI_API_KEY", "ZAI_API_KEY"),
            Quirks(tool_choices=frozenset({"auto"}), thinking=_SWITCH),
        ),
        # International: https://api.moonshot.ai/v1, with a key of its own.
        "moonshot": Vendor(
            "https://api.moonshot.cn/v1", ("MOONSHOT_API_KEY",), Quirks(echo="reasoning_content", thinking=_SWITCH)
        ),
        "openrouter": Vendor(
            "https://openrouter.ai/api/v1",
            ("OPENROUTER_API_KEY",),
            Quirks(echo="reasoning", thinking=({"reasoning": {"enabled": True}}, {"reasoning": {"enabled": False}})),
        ),
        "aihubmix": Vendor("https://aihubmix.com/v1", ("AIHUBMIX_API_KEY",)),
        # International: https://dashscope-intl.aliyuncs.com/compatible-mode/v1
        "dashscope-compat": Vendor(
            "https://dashscope.aliyuncs.com/compatible-mode/v1", ("DASHSCOPE_API_KEY",), Quirks(thinking=_FLAG)
        ),
        "ollama": Vendor("http://localhost:11434/v1"),
        # Start it with --enable-auto-tool-choice and the model's --tool-call-parser.
        "vllm": Vendor("http://localhost:8000/v1", quirks=Quirks(thinking=_TEMPLATE)),
    }
)
