"""Which addresses are this machine's own."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit


def is_local(address: str | None) -> bool:
    """Whether an address is this machine, which no proxy of the environment could reach for us."""
    host = urlsplit(address or "").hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
