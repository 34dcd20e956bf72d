"""One error for whatever SDKs raise: its kind, its status, whether to come back, and no key in it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from deep_planner.models.errors import ProviderError, provider_error, without_keys

pytestmark = pytest.mark.unit


class APIError(Exception):
    """As SDKs have them: a body, a status, a response."""

    def __init__(self, **facts: Any) -> None:
        self.__dict__ |= facts
        super().__init__(str(facts))


@pytest.mark.parametrize(
    ("error", "kind", "status", "retryable"),
    [
        (httpx.ReadTimeout("x"), "timeout", None, True),
        (httpx.RemoteProtocolError("x"), "connection", None, True),
        (TimeoutError(), "timeout", None, True),
        (ConnectionResetError(), "connection", None, True),
        (IndexError(), "answer", None, True),
        (APIError(status_code=429), "status", 429, True),
        (APIError(status_code=401), "status", 401, False),
        (APIError(status_code=404), "status", 404, False),
        (APIError(status_code=529), "status", 529, True),
        (APIError(status_code=200, code="503"), "status", 503, True),
        (APIError(code=402), "status", 402, False),
        (APIError(code="Throttling.Unknown"), "status", None, True),
    ],
)
def test_kind_status_and_whether_to_come_back(error: Exception, kind: str, status: int | None, retryable: bool) -> None:
    found = provider_error(error)
    assert (found.kind, found.status_code, found.is_retryable) == (kind, status, retryable)


def test_what_the_provider_says_is_kept_short_and_without_keys() -> None:
    said = "No such model. Key Zx81-plain-secret, sk-ca****3f9c, Authorization: Bearer abc. " + "x" * 9000
    found = provider_error(APIError(status_code=404, body={"error": {"message": said}}), ("Zx81-plain-secret",))
    assert str(found).startswith("status 404: No such model. Key ***, ***, Authorization: ***")
    assert len(str(found)) < 400


def test_only_harmless_headers_are_kept() -> None:
    response = httpx.Response(429, headers={"Retry-After": "7", "X-Echo": "Bearer secret", "x-request-id": "r"})
    found = provider_error(APIError(status_code=429, response=response))
    assert found.response is not None
    assert found.response.headers == {"retry-after": "7", "x-request-id": "r"}


def test_ours_stays_as_it_is() -> None:
    error = ProviderError("answer", "no choices")
    assert provider_error(error) is error


def test_an_empty_secret_hides_nothing() -> None:
    assert without_keys("plain words", ("",)) == "plain words"
