from __future__ import annotations

import base64
import json
import os
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from parlance import (
    ParlanceError,
    UnknownEvent,
    WebhookVerificationError,
    create_test_key_pair,
    sign_test_webhook,
    verify_webhook,
)

SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()
OLD_SECRET = "whsec_" + base64.b64encode(b"o" * 32).decode()
NOW = 1_769_851_800
EVENT = {"id": "evt_1", "type": "thing.happened", "timestamp": "2026-01-31T09:30:00Z", "data": {}}


def verify(**changes: Any) -> Any:
    signed = sign_test_webhook(payload=EVENT, secret=SECRET, timestamp=NOW)
    given = {"payload": signed.payload, "headers": signed.headers, "secret": SECRET, "now": NOW}
    return verify_webhook(**{**given, **changes})


def code_of(**changes: Any) -> str:
    with pytest.raises(WebhookVerificationError) as caught:
        verify(**changes)
    return caught.value.code


def test_a_signed_event_is_accepted_and_a_type_that_is_newer_than_the_client_is_unknown() -> None:
    event = verify()
    assert isinstance(event, UnknownEvent)
    assert (event.id, event.type, event.received_type) == ("evt_1", "unknown", "thing.happened")
    assert event.model_dump(by_alias=True)["type"] == "thing.happened"


def test_an_event_of_a_known_type_that_does_not_fit_its_model_is_unknown_and_not_refused() -> None:
    event = {**EVENT, "type": "message.received", "data": {"object": "of tomorrow"}}
    signed = sign_test_webhook(payload=event, secret=SECRET, timestamp=NOW)
    found = verify(payload=signed.payload, headers=signed.headers)
    assert isinstance(found, UnknownEvent)
    assert (found.type, found.received_type) == ("unknown", "message.received")
    assert found.data == {"object": "of tomorrow"}


def test_the_payload_may_be_bytes_and_the_headers_in_any_case_or_the_signature_alone() -> None:
    signed = sign_test_webhook(payload=EVENT, secret=SECRET, timestamp=NOW)
    signature = signed.headers["X-Service-Signature"]
    for headers in (signature, {"x-service-signature": signature}, {"x": "", **signed.headers}):
        assert verify(payload=signed.payload.encode(), headers=headers).id == "evt_1"


def test_any_signature_and_any_secret_is_accepted_during_a_rotation() -> None:
    both = sign_test_webhook(payload=EVENT, secrets=[SECRET, OLD_SECRET], timestamp=NOW)
    for secret in (SECRET, OLD_SECRET):
        assert verify(headers=both.headers, secret=secret).id == "evt_1"
    assert verify(secret=None, secrets=[None, OLD_SECRET, SECRET]).id == "evt_1"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"secret": OLD_SECRET}, "signature-mismatch"),
        ({"payload": json.dumps(EVENT) + " "}, "signature-mismatch"),
        ({"secret": None}, "missing-secret"),
        ({"secret": ""}, "missing-secret"),
        ({"payload": EVENT}, "payload-not-raw"),
        ({"headers": {}}, "missing-header"),
        ({"headers": ""}, "missing-header"),
        ({"headers": "v1=00"}, "malformed-header"),
        ({"headers": "t=1,t=2,v1=00"}, "malformed-header"),
        ({"headers": "t=one,v1=00"}, "malformed-header"),
        ({"headers": f"t={NOW}"}, "malformed-header"),
        ({"headers": f"t={NOW},v1=é"}, "signature-mismatch"),
        ({"now": NOW + 301}, "timestamp-too-old"),
        ({"now": NOW - 301}, "timestamp-in-future"),
    ],
)
def test_each_reason_has_its_code(changes: dict[str, Any], code: str) -> None:
    assert code_of(**changes) == code


@pytest.mark.parametrize("payload", ["[]", "null", "7", '{"id":1}', "not JSON", "[" * 100_000])
def test_a_signed_payload_that_is_not_an_event_is_malformed(payload: str) -> None:
    signed = sign_test_webhook(payload=payload, secret=SECRET, timestamp=NOW)
    assert code_of(payload=payload, headers=signed.headers) == "malformed-payload"


def test_a_public_key_verifies_an_asymmetric_signature() -> None:
    private = Ed25519PrivateKey.generate()
    public = "whpk_" + base64.b64encode(private.public_key().public_bytes_raw()).decode()
    payload = json.dumps(EVENT)
    signature = private.sign(f"evt_1.{NOW}.{payload}".encode())
    headers = {
        "Webhook-Id": "evt_1",
        "Webhook-Timestamp": str(NOW),
        "Webhook-Signature": f"v1,AAAA v1a,{base64.b64encode(signature).decode()}",
    }
    given = {"payload": payload, "headers": headers, "secret": None}
    assert verify(**given, public_keys=["whpk_nonsense", public]).id == "evt_1"
    assert code_of(**{**given, "payload": payload + " "}, public_key=public) == "signature-mismatch"
    assert code_of(**given, public_key="") == "missing-secret"
    without = {**headers, "Webhook-Signature": "v1,AAAA"}
    assert code_of(**{**given, "headers": without}, public_key=public) == "malformed-header"


def test_a_test_webhook_with_a_private_key_has_an_asymmetric_signature() -> None:
    pair, other = create_test_key_pair(), create_test_key_pair()
    signed = sign_test_webhook(
        payload=EVENT, secret=SECRET, private_key=pair.private_key, timestamp=NOW
    )
    given = {"payload": signed.payload, "headers": signed.headers}
    assert verify(**given).id == "evt_1"
    assert verify(**given, secret=None, public_key=pair.public_key).id == "evt_1"
    wrong = code_of(**given, secret=None, public_key=other.public_key)
    assert wrong == "signature-mismatch"
    assert (
        "v1a," not in sign_test_webhook(payload=EVENT, secret=SECRET).headers["webhook-signature"]
    )
    # As TypeScript's `createTestKeyPair` does: the seed, and the public key.
    raw = base64.b64decode(pair.private_key.replace("whsk_", "", 1))
    assert (len(raw), base64.b64encode(raw[32:]).decode()) == (64, pair.public_key[5:])


@pytest.mark.skipif("PARLANCE_TEST_WEBHOOK" not in os.environ, reason="needs the service")
def test_what_the_service_signs_is_accepted_with_the_secret_and_with_the_public_key() -> None:
    given = json.loads(os.environ["PARLANCE_TEST_WEBHOOK"])
    for key in ({"secret": given["secret"]}, {"public_key": given["publicKey"]}):
        event: Any = verify_webhook(
            payload=given["payload"], headers=given["headers"], now=given["now"], **key
        )
        assert event.type == "message.received"
        assert event.data.object.text == "Hello"


def test_the_errors_have_one_base_class() -> None:
    assert issubclass(WebhookVerificationError, ParlanceError)


@pytest.mark.parametrize("tolerance", [float("nan"), -1, float("-inf")])
def test_a_tolerance_that_is_not_a_number_of_seconds_is_refused(tolerance: float) -> None:
    with pytest.raises(ParlanceError, match="tolerance_seconds must be"):
        verify(tolerance_seconds=tolerance, now=NOW + 10**9)


@pytest.mark.parametrize("now", [float("nan"), float("inf"), float("-inf")])
def test_a_time_that_is_not_a_number_is_refused(now: float) -> None:
    with pytest.raises(ParlanceError, match="now must be"):
        verify(now=now)
