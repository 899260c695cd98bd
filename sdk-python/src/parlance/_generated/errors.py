# Generated from the OpenAPI document by `npm run sdk:types`. Change the API's route declarations instead.

from __future__ import annotations

from typing import Dict, Type

from .._errors import ApiError

__all__ = [
    "MalformedRequestError",
    "InvalidIdempotencyKeyError",
    "UnauthorizedError",
    "InsufficientScopeError",
    "IpNotAllowedError",
    "InvalidLinkError",
    "NotFoundError",
    "MethodNotAllowedError",
    "RequestTimeoutError",
    "ConflictError",
    "IdempotencyInProgressError",
    "InvalidTransitionError",
    "ConversationClosedError",
    "AgentArchivedError",
    "RotationInProgressError",
    "LimitReachedError",
    "InUseError",
    "GoneError",
    "PreconditionFailedError",
    "PayloadTooLargeError",
    "UnsupportedMediaTypeError",
    "ExpectationFailedError",
    "ValidationError",
    "InvalidCursorError",
    "IdempotencyKeyReusedError",
    "RateLimitedError",
    "InternalError",
    "UnavailableError",
]


class MalformedRequestError(ApiError):
    """The kind `malformed-request`."""


class InvalidIdempotencyKeyError(ApiError):
    """The kind `invalid-idempotency-key`."""


class UnauthorizedError(ApiError):
    """The kind `unauthorized`."""


class InsufficientScopeError(ApiError):
    """The kind `insufficient-scope`."""


class IpNotAllowedError(ApiError):
    """The kind `ip-not-allowed`."""


class InvalidLinkError(ApiError):
    """The kind `invalid-link`."""


class NotFoundError(ApiError):
    """The kind `not-found`."""


class MethodNotAllowedError(ApiError):
    """The kind `method-not-allowed`."""


class RequestTimeoutError(ApiError):
    """The kind `request-timeout`."""


class ConflictError(ApiError):
    """The kind `conflict`."""


class IdempotencyInProgressError(ApiError):
    """The kind `idempotency-in-progress`."""


class InvalidTransitionError(ApiError):
    """The kind `invalid-transition`."""


class ConversationClosedError(ApiError):
    """The kind `conversation-closed`."""


class AgentArchivedError(ApiError):
    """The kind `agent-archived`."""


class RotationInProgressError(ApiError):
    """The kind `rotation-in-progress`."""


class LimitReachedError(ApiError):
    """The kind `limit-reached`."""


class InUseError(ApiError):
    """The kind `in-use`."""


class GoneError(ApiError):
    """The kind `gone`."""


class PreconditionFailedError(ApiError):
    """The kind `precondition-failed`."""


class PayloadTooLargeError(ApiError):
    """The kind `payload-too-large`."""


class UnsupportedMediaTypeError(ApiError):
    """The kind `unsupported-media-type`."""


class ExpectationFailedError(ApiError):
    """The kind `expectation-failed`."""


class ValidationError(ApiError):
    """The kind `validation`."""


class InvalidCursorError(ApiError):
    """The kind `invalid-cursor`."""


class IdempotencyKeyReusedError(ApiError):
    """The kind `idempotency-key-reused`."""


class RateLimitedError(ApiError):
    """The kind `rate-limited`."""


class InternalError(ApiError):
    """The kind `internal`."""


class UnavailableError(ApiError):
    """The kind `unavailable`."""


ERROR_CLASSES: Dict[str, Type[ApiError]] = {
    "malformed-request": MalformedRequestError,
    "invalid-idempotency-key": InvalidIdempotencyKeyError,
    "unauthorized": UnauthorizedError,
    "insufficient-scope": InsufficientScopeError,
    "ip-not-allowed": IpNotAllowedError,
    "invalid-link": InvalidLinkError,
    "not-found": NotFoundError,
    "method-not-allowed": MethodNotAllowedError,
    "request-timeout": RequestTimeoutError,
    "conflict": ConflictError,
    "idempotency-in-progress": IdempotencyInProgressError,
    "invalid-transition": InvalidTransitionError,
    "conversation-closed": ConversationClosedError,
    "agent-archived": AgentArchivedError,
    "rotation-in-progress": RotationInProgressError,
    "limit-reached": LimitReachedError,
    "in-use": InUseError,
    "gone": GoneError,
    "precondition-failed": PreconditionFailedError,
    "payload-too-large": PayloadTooLargeError,
    "unsupported-media-type": UnsupportedMediaTypeError,
    "expectation-failed": ExpectationFailedError,
    "validation": ValidationError,
    "invalid-cursor": InvalidCursorError,
    "idempotency-key-reused": IdempotencyKeyReusedError,
    "rate-limited": RateLimitedError,
    "internal": InternalError,
    "unavailable": UnavailableError,
}
