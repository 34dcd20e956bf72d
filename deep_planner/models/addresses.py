"""Which addresses are this machine's own."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_local(address: str | None) -> bool:
    """Whether an address is this machine, which no proxy of the environment could reach for us."""
    host = urlsplit(address or "").hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")
