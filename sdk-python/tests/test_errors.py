from __future__ import annotations

import copy
import pickle
from typing import Any, Callable

import httpx
import pytest

from parlance import (
    ApiError,
    ParlanceConnectionError,
    ParlanceError,
    ParlanceTimeoutError,
    UnexpectedResponseError,
    WebhookVerificationError,
)
from parlance._errors import ResponseHead
from parlance._generated.errors import ERROR_CLASSES

PROBLEM = {
    "type": "https://docs.example/errors/validation",
    "title": "A title",
    "detail": "A detail.",
    "existingId": "cus_1",
    "errors": [{"pointer": "/name", "location": "body", "code": "required", "message": "missing"}],
}
HEAD = ResponseHead(422, httpx.Headers({"X-Request-Id": "req_1", "Retry-After": "7"}), "{}")

ERRORS = [
    ParlanceError("An error."),
    ParlanceConnectionError("No response."),
    ParlanceTimeoutError("No complete response."),
    WebhookVerificationError("signature-mismatch", "No signature matches."),
    *(kind(name, PROBLEM, HEAD) for name, kind in ERROR_CLASSES.items()),
    ApiError("of-tomorrow", PROBLEM, HEAD),
    UnexpectedResponseError("unexpected-response", {"detail": "A detail."}, HEAD),
]


@pytest.mark.parametrize(
    "duplicate", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy]
)
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_stays_the_same_when_it_is_pickled_or_copied(
    error: ParlanceError, duplicate: Callable[[Any], Any]
) -> None:
    found = duplicate(error)
    assert type(found) is type(error)
    assert str(found) == str(error)
    assert found.__dict__ == error.__dict__
