import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300


def is_genuine(body: bytes, header: str, secret: str, now: float | None = None) -> bool:
    """body: the bytes as they arrived, before any parsing. header: the value of X-Service-Signature."""
    pairs = [pair.partition("=")[::2] for pair in header.split(",")]
    timestamp = next((value for name, value in pairs if name == "t"), "")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        return False
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        return False

    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(name == "v1" and hmac.compare_digest(value.encode(), expected.encode()) for name, value in pairs)
