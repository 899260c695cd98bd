"""The Python client of Parlance."""

from ._client import AsyncParlance, Parlance
from ._errors import (
    ApiError,
    ParlanceConnectionError,
    ParlanceError,
    ParlanceTimeoutError,
    UnexpectedResponseError,
    ValidationIssue,
)
from ._generated import errors, models
from ._generated.errors import *  # noqa: F403
from ._model import ApiResponse, Model, UnknownEvent
from ._pages import AsyncPages, Page, Pages
from ._transport import NOT_GIVEN, FileSource, NotGiven
from ._version import __version__
from .webhooks import (
    KeyPair,
    SignedWebhook,
    WebhookVerificationError,
    create_test_key_pair,
    sign_test_webhook,
    verify_webhook,
)

__all__ = [
    "NOT_GIVEN",
    "ApiError",
    "ApiResponse",
    "AsyncPages",
    "AsyncParlance",
    "FileSource",
    "KeyPair",
    "Model",
    "NotGiven",
    "Page",
    "Pages",
    "Parlance",
    "ParlanceConnectionError",
    "ParlanceError",
    "ParlanceTimeoutError",
    "SignedWebhook",
    "UnexpectedResponseError",
    "UnknownEvent",
    "ValidationIssue",
    "WebhookVerificationError",
    "__version__",
    "create_test_key_pair",
    "models",
    "sign_test_webhook",
    "verify_webhook",
]
__all__ += errors.__all__
