"""The errors of this package. `_generated/errors.py` has one class for each kind of problem."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from math import ceil
from typing import Any, Mapping


class ParlanceError(Exception):
    """The base class of every error of this package."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies and unpickled errors get their fields back. The initializer has other arguments.
        return _restore, (type(self), self.args), self.__dict__


def _restore(kind: type[ParlanceError], args: tuple[Any, ...]) -> ParlanceError:
    return kind.__new__(kind, *args)


class ParlanceConnectionError(ParlanceError):
    """No complete response: DNS, the connection or TLS failed, or the response was cut off."""


class ParlanceTimeoutError(ParlanceConnectionError):
    """No complete response arrived in time."""


@dataclass(frozen=True)
class ValidationIssue:
    """One thing that is wrong with a request. `pointer` is a JSON Pointer into `location`."""

    pointer: str
    location: str
    code: str
    message: str


class ApiError(ParlanceError):
    """The API responded with an error. A kind that is newer than this package has this class."""

    def __init__(self, kind: str, problem: Mapping[str, Any], response: ResponseHead) -> None:
        self.kind = kind
        """The last part of `type`, for example `not-found`."""
        self.status = response.status
        self.headers = response.headers
        self.type = str(problem.get("type", "about:blank"))
        """The URL of a page that explains this kind of error."""
        self.title = str(problem.get("title", ""))
        self.detail = str(problem.get("detail", ""))
        self.errors = _issues(problem.get("errors"))
        """Everything that is wrong with the request. Empty unless the kind is `validation`."""
        self.request_id: str | None = response.headers.get("x-request-id") or problem.get(
            "requestId"
        )
        """Include it when you ask for help."""
        self.required_scope: str | None = problem.get("requiredScope")
        self.existing_id: str | None = problem.get("existingId")
        self.conversation_count: int | None = problem.get("conversationCount")
        self.limit: int | None = problem.get("limit")
        self.current: int | None = problem.get("current")
        self.from_: str | None = problem.get("from")
        self.to: str | None = problem.get("to")
        self.allowed: list[str] = problem.get("allowed") or []
        """With `invalid-transition`: the statuses that the conversation can change to."""
        seconds = _retry_after(response.headers.get("retry-after"))
        self.retry_after: int | None = problem.get("retryAfter") if seconds is None else seconds
        """Whole seconds to wait before the next attempt."""
        self.body = response.text
        """The body of the response as text."""
        identified = f" ({self.request_id})" if self.request_id else ""
        found = "".join(f"\n  {e.location} {e.pointer} {e.message}" for e in self.errors)
        super().__init__(f"{self.status} {kind}: {self.detail}{identified}{found}")


class UnexpectedResponseError(ApiError):
    """The response does not come from the API, but for example from a proxy."""


@dataclass(frozen=True)
class ResponseHead:
    status: int
    headers: Mapping[str, str]
    text: str


def to_api_error(response: ResponseHead, body: object) -> ApiError:
    """The error that a response reports. `body` is its JSON, or None if it has none."""
    from ._generated.errors import ERROR_CLASSES

    problem: Mapping[str, Any] = body if isinstance(body, dict) else {}
    found = re.search(r"/errors/([\w-]+)$", str(problem.get("type")))
    if not found or not isinstance(problem.get("detail"), str):
        return unexpected(response)
    kind = found.group(1)
    return ERROR_CLASSES.get(kind, ApiError)(kind, problem, response)


def mismatching(response: ResponseHead, reason: str) -> UnexpectedResponseError:
    detail = f"The response does not match this version of the client: {reason}"
    return UnexpectedResponseError("unexpected-response", {"detail": detail}, response)


def unexpected(response: ResponseHead) -> UnexpectedResponseError:
    media_type = response.headers.get("content-type", "unknown")
    detail = f"The response does not come from the API. Its media type is {media_type}."
    return UnexpectedResponseError("unexpected-response", {"detail": detail}, response)


def _issues(found: object) -> list[ValidationIssue]:
    names = ("pointer", "location", "code", "message")
    items = found if isinstance(found, list) else []
    return [
        ValidationIssue(*(str(item.get(name, "")) for name in names))
        for item in items
        if isinstance(item, dict)
    ]


def _retry_after(value: str | None) -> int | None:
    """`Retry-After` is a number of seconds or a date. None if it is neither."""
    if not value:
        return None
    if re.fullmatch(r"[0-9]+", value):
        return int(value[:9])
    try:
        at = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return max(0, ceil((at - datetime.now(timezone.utc)).total_seconds()))
