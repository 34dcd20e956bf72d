"""The one retry layer (issue of N9, reliability 5): what may pass, how long is waited, when it is given up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subagents.patience import Patience, is_about_the_prompt, may_pass, reason_of

pytestmark = pytest.mark.unit

SECRET = "sk-canary-1"


class Response:
    def __init__(self, **headers: str) -> None:
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class VendorError(Exception):
    """As SDKs make them: a status, and the response that it came with."""

    def __init__(self, status: int, **headers: str) -> None:
        super().__init__(SECRET)
        self.status_code = status
        self.response = Response(**headers)


class APIConnectionError(Exception):
    """Named as those of SDKs are."""


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_troubles_of_the_service_may_pass(status: int) -> None:
    assert may_pass(VendorError(status))
    assert not is_about_the_prompt(VendorError(status))


@pytest.mark.parametrize("error", [TimeoutError(), ConnectionResetError(), APIConnectionError()])
def test_broken_connections_may_pass(error: Exception) -> None:
    assert may_pass(error)


@pytest.mark.parametrize("error", [*map(VendorError, (400, 401, 403, 404, 422)), ValueError(), KeyError("choices")])
def test_faults_that_stay_are_not_tried_again(error: Exception) -> None:
    assert Patience().wait(error, 1, 0.0) is None


def test_waits_double_and_are_capped() -> None:
    patience = Patience(attempts=9, first_wait=1, longest_wait=6)
    assert [patience.wait(VendorError(500), n, 0.0) for n in (1, 2, 3, 4)] == [1, 2, 4, 6]


def test_last_attempt_is_the_last() -> None:
    patience = Patience(attempts=3)
    waits = [patience.wait(VendorError(500), n, 0.0) for n in (1, 2, 3)]
    assert [wait is None for wait in waits] == [False, False, True]


def test_provider_says_how_long() -> None:
    assert Patience().wait(VendorError(429, retry_after="7"), 1, 1.0) == 7
    assert Patience().wait(VendorError(429, retry_after_ms="250"), 1, 1.0) == 0.25


def test_provider_that_wants_too_long_is_given_up() -> None:
    assert Patience(longest_wait=20).wait(VendorError(429, retry_after="3600"), 1, 0.0) is None


@pytest.mark.parametrize("value", ["", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_header_that_is_no_number_is_passed_over(value: str) -> None:
    assert Patience(first_wait=1).wait(VendorError(429, retry_after=value), 1, 0.0) == 1


@given(st.integers(1, 20), st.floats(0, 1))
def test_no_wait_is_longer_than_the_longest(attempt: int, jitter: float) -> None:
    wait = Patience(attempts=100).wait(VendorError(503), attempt, jitter)
    assert wait is not None
    assert 0 < wait <= 20


def test_reason_never_holds_the_providers_words() -> None:
    assert reason_of(VendorError(401)) == "VendorError 401"
    assert SECRET not in reason_of(ValueError(SECRET))
