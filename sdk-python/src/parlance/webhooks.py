"""Verifying webhooks, and signing them for tests."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import math
import re
import time
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Callable, Literal, Mapping, Sequence, Union

from ._errors import ParlanceError
from ._events import parse_event
from ._generated.models import Event

VerificationCode = Literal[
    "missing-secret",
    "payload-not-raw",
    "missing-header",
    "malformed-header",
    "signature-mismatch",
    "timestamp-too-old",
    "timestamp-in-future",
    "malformed-payload",
]
Payload = Union[bytes, bytearray, str]
Headers = Union[str, Mapping[str, str], Mapping[str, Sequence[str]]]

_SIGNATURE_HEADER = "X-Service-Signature"
_MAXIMUM_ASYMMETRIC = 4


class WebhookVerificationError(ParlanceError):
    """The receiver should respond with 400. Each `code` needs a different fix."""

    def __init__(self, code: VerificationCode, message: str) -> None:
        super().__init__(message)
        self.code: VerificationCode = code


def verify_webhook(
    *,
    payload: Payload,
    headers: Headers,
    secret: str | None = None,
    secrets: Sequence[str | None] | None = None,
    public_key: str | None = None,
    public_keys: Sequence[str | None] | None = None,
    tolerance_seconds: int = 300,
    now: float | None = None,
) -> Event:
    """Returns the event if one of the secrets or keys signed it within the last five minutes.

    The same event can arrive more than once, with the same `id`.

    Args:
        payload: The body as it arrived, before it is parsed.
        headers: All headers of the request, or the value of `X-Service-Signature` alone.
        secret: The signing secret, with `whsec_`.
        secrets: All valid secrets: during a rotation, the new and the old one.
        public_key: In place of a secret, the public key (`whpk_…`) of a webhook with asymmetric
            signatures. Needs `pip install "parlance[ed25519]"`.
        public_keys: All valid public keys.
        tolerance_seconds: The maximum difference between the signature's time and now.
        now: The time to compare with, in Unix seconds. Default: the current time.

    Raises:
        WebhookVerificationError: with a `code` that says why.
        ParlanceError: if `tolerance_seconds` or `now` is not a valid number.
    """
    # Every comparison with NaN is false, so any age would be accepted.
    if not tolerance_seconds >= 0:
        raise ParlanceError("tolerance_seconds must be a number of at least 0.")
    if now is not None and not math.isfinite(now):
        raise ParlanceError("now must be a time in Unix seconds.")
    has_public_key = public_key is not None or public_keys is not None
    is_asymmetric = secret is None and secrets is None and has_public_key
    keys = _given(
        [public_key, *(public_keys or [])] if is_asymmetric else [secret, *(secrets or [])]
    )
    body = _to_bytes(payload)
    check = _check_asymmetric if is_asymmetric else _check_symmetric
    timestamp, is_genuine = check(keys, headers, body)
    if not is_genuine:
        raise WebhookVerificationError(
            "signature-mismatch",
            f"No signature matches: the {'key' if is_asymmetric else 'secret'} differs, "
            "or the body is not exactly the one that was sent.",
        )
    age = int(time.time() if now is None else now) - int(timestamp)
    if age > tolerance_seconds:
        raise WebhookVerificationError("timestamp-too-old", f"Signed {age} s ago.")
    if -age > tolerance_seconds:
        raise WebhookVerificationError("timestamp-in-future", f"Signed {-age} s in the future.")
    try:
        value = json.loads(body.decode("utf-8"))
        if isinstance(value.get("id"), str) and isinstance(value.get("type"), str):
            return parse_event(value)
    except (ValueError, AttributeError, RecursionError):
        pass
    raise WebhookVerificationError(
        "malformed-payload", "The signature matches, but the payload is not an event."
    )


@dataclass(frozen=True)
class SignedWebhook:
    """A signed request: its body as text, and its headers."""

    payload: str
    headers: Mapping[str, str]


def sign_test_webhook(
    *,
    payload: str | Mapping[str, Any],
    secret: str | None = None,
    secrets: Sequence[str | None] | None = None,
    private_key: str | None = None,
    timestamp: float | None = None,
) -> SignedWebhook:
    """Signs as the service does, to test a receiver.

    Args:
        payload: An event, or a body as it is.
        secret: The signing secret, with `whsec_`.
        secrets: All secrets that sign: during a rotation, the new and the old one.
        private_key: A private key of `create_test_key_pair`. It adds an asymmetric signature
            (`v1a`), which `verify_webhook` accepts with the public key of the pair.
        timestamp: When it was signed, in Unix seconds. Default: now.
    """
    keys = _given([secret, *(secrets or [])])
    text = payload if isinstance(payload, str) else json.dumps(payload)
    seconds = str(int(time.time() if timestamp is None else timestamp))
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        event = {}
    event = event if isinstance(event, dict) else {}
    event_id, body = str(event.get("id", "evt_test")), text.encode()
    signatures = [f"v1={_signature_of(key, seconds, body)}" for key in keys]
    standard = [f"v1,{_standard_signature_of(key, event_id, seconds, body)}" for key in keys]
    if private_key:
        standard.append(f"v1a,{_asymmetric_signature_of(private_key, event_id, seconds, body)}")
    return SignedWebhook(
        text,
        {
            "Content-Type": "application/json",
            _SIGNATURE_HEADER: ",".join([f"t={seconds}", *signatures]),
            "X-Service-Event-Id": event_id,
            "X-Service-Event-Type": str(event.get("type", "webhook.test")),
            "webhook-id": event_id,
            "webhook-timestamp": seconds,
            "webhook-signature": " ".join(standard),
        },
    )


@dataclass(frozen=True)
class KeyPair:
    """Keys of asymmetric signatures, to test a receiver."""

    private_key: str
    public_key: str


def create_test_key_pair() -> KeyPair:
    """Returns a new pair of keys, to test a receiver that verifies with a public key.

    Needs `pip install "parlance[ed25519]"`.
    """
    ed25519 = _ed25519()
    private = ed25519.Ed25519PrivateKey.generate()
    seed, public = private.private_bytes_raw(), private.public_key().public_bytes_raw()
    return KeyPair(
        private_key="whsk_" + base64.b64encode(seed + public).decode(),
        public_key="whpk_" + base64.b64encode(public).decode(),
    )


def _signature_of(secret: str, timestamp: str, body: bytes) -> str:
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def _standard_signature_of(secret: str, event_id: str, timestamp: str, body: bytes) -> str:
    key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret)
    signed = f"{event_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def _asymmetric_signature_of(private_key: str, event_id: str, timestamp: str, body: bytes) -> str:
    key = base64.b64decode(private_key[5:] if private_key.startswith("whsk_") else private_key)
    private = _ed25519().Ed25519PrivateKey.from_private_bytes(key[:32])
    return base64.b64encode(private.sign(f"{event_id}.{timestamp}.".encode() + body)).decode()


def _given(candidates: Sequence[str | None]) -> list[str]:
    found = [candidate for candidate in candidates if candidate]
    if not found:
        raise WebhookVerificationError(
            "missing-secret", "Give the webhook's signing secret, whsec_…, or its public key."
        )
    return found


def _to_bytes(payload: object) -> bytes:
    if isinstance(payload, str):
        return payload.encode("utf-8", "surrogatepass")
    if isinstance(payload, (bytes, bytearray, memoryview)):
        return bytes(payload)
    raise WebhookVerificationError(
        "payload-not-raw", "The payload must be the body as it arrived, before it is parsed."
    )


def _check_symmetric(secrets: list[str], headers: Headers, body: bytes) -> tuple[str, bool]:
    text = headers if isinstance(headers, str) else _header(headers, _SIGNATURE_HEADER)
    if not text:
        raise WebhookVerificationError(
            "missing-header", f"The {_SIGNATURE_HEADER} header is missing."
        )
    pairs = [part.strip().partition("=") for part in text.split(",")]
    times = [value for name, _, value in pairs if name == "t"]
    signatures = [value for name, _, value in pairs if name == "v1" and value]
    if len(times) != 1 or not re.fullmatch(r"[0-9]{1,12}", times[0]) or not signatures:
        raise WebhookVerificationError(
            "malformed-header", f"{_SIGNATURE_HEADER} has the form t=<unix seconds>,v1=<hex>."
        )
    is_genuine = False
    for secret in secrets:
        expected = _signature_of(secret, times[0], body).encode()
        # All signatures are compared, so that the duration does not reveal which one matched.
        for signature in signatures:
            given = signature.encode("utf-8", "surrogatepass")
            is_genuine = hmac.compare_digest(given, expected) or is_genuine
    return times[0], is_genuine


def _check_asymmetric(keys: list[str], headers: Headers, body: bytes) -> tuple[str, bool]:
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    values = [_header(headers, name) for name in names]
    if not all(values):
        raise WebhookVerificationError(
            "missing-header", f"Give all headers of the request: {', '.join(names)}."
        )
    event_id, timestamp, header = values
    signatures = [part[4:] for part in header.split(" ") if part.startswith("v1a,")]
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or not signatures:
        raise WebhookVerificationError(
            "malformed-header",
            "webhook-signature has no v1a signature: set the webhook's signatureScheme to ed25519 "
            "or both.",
        )
    verify = _verifier()
    signed = f"{event_id}.{timestamp}.".encode() + body
    return timestamp, any(
        verify(key, signature, signed)
        for key in keys
        for signature in signatures[:_MAXIMUM_ASYMMETRIC]
    )


def _ed25519() -> ModuleType:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise ParlanceError(
            'Asymmetric keys need the package cryptography: pip install "parlance[ed25519]".'
        ) from error
    return ed25519


def _verifier() -> Callable[[str, str, bytes], bool]:
    ed25519 = _ed25519()
    from cryptography.exceptions import InvalidSignature

    def verify(key: str, signature: str, signed: bytes) -> bool:
        try:
            raw = base64.b64decode(key[5:] if key.startswith("whpk_") else key, validate=True)
            given = base64.b64decode(signature, validate=True)
            ed25519.Ed25519PublicKey.from_public_bytes(raw).verify(given, signed)
            return True
        # What is not base64 of a key or a signature matches nothing.
        except (InvalidSignature, binascii.Error, ValueError):
            return False

    return verify


def _header(headers: Headers, wanted: str) -> str:
    if isinstance(headers, str) or not hasattr(headers, "items"):
        return ""
    for name, value in headers.items():
        if str(name).lower() == wanted.lower():
            return value if isinstance(value, str) else ",".join(value)
    return ""
