from __future__ import annotations

import asyncio
import logging
from typing import Any

import httpx
import pytest

from parlance import AsyncParlance, Parlance, ParlanceConnectionError, ParlanceError
from parlance._transport import delay_before_retry

KEY = "prl_test_" + "k" * 40


def recording_client(**options: Any) -> tuple[Parlance, list[httpx.Request]]:
    sent: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json={"data": []})

    http = httpx.Client(transport=httpx.MockTransport(respond))
    return Parlance(KEY, http_client=http, **options), sent


@pytest.mark.parametrize("key", ["", "prl_test_", "sk_something", "prl_prod_abc", "Bearer x"])
def test_what_is_not_an_api_key_is_refused(key: str) -> None:
    with pytest.raises(ParlanceError, match="API keys look like"):
        Parlance(key)


@pytest.mark.parametrize("url", ["localhost:1", "ftp://x", "https://x?y=1", "https://x/#y", ""])
def test_what_is_not_a_base_url_is_refused(url: str) -> None:
    with pytest.raises(ParlanceError, match="base_url must be"):
        Parlance(KEY, base_url=url)


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/public", "/v1/public/"])
def test_a_base_url_may_include_the_path_of_the_api(suffix: str) -> None:
    client, sent = recording_client(base_url=f"https://x.example/prefix{suffix}")
    client.request("GET", "/account")
    assert str(sent[0].url) == "https://x.example/prefix/v1/public/account"


@pytest.mark.parametrize("value", ["", "..", ".", "cnv_1/messages", "cnv_1?x", "cnv%2f", None])
def test_an_id_that_would_change_the_path_is_refused_before_anything_is_sent(value: Any) -> None:
    client, sent = recording_client()
    with pytest.raises(ParlanceError, match="must be an id"):
        client.conversations.get(value)
    assert sent == []


def test_an_external_id_may_be_any_text() -> None:
    client, sent = recording_client()
    with pytest.raises(ParlanceError):
        client.customers.upsert("a/b ü?", name="Ada")
    assert sent[0].url.raw_path == b"/v1/public/customers/by-external-id/a%2Fb%20%C3%BC%3F"


def test_a_query_is_sent_as_the_api_reads_it() -> None:
    client, sent = recording_client()
    client.conversations.list(
        status=["OPEN", "PENDING"], tag="a&b=c d", metadata={"plan": "gold"}, limit=5
    ).first_page()
    assert dict(sent[0].url.params) == {
        "status": "OPEN,PENDING",
        "tag": "a&b=c d",
        "metadata[plan]": "gold",
        "limit": "5",
    }


@pytest.mark.parametrize("name", ["Authorization", "authorization"])
def test_default_headers_are_sent_and_cannot_replace_the_key(name: str) -> None:
    headers = {"X-Team": "support", name: "Bearer other", "content-type": "text/plain"}
    client, sent = recording_client(default_headers=headers)
    client.request("POST", "/things", body={})
    assert sent[0].headers["x-team"] == "support"
    assert sent[0].headers.get_list("authorization") == [f"Bearer {KEY}"]
    assert sent[0].headers.get_list("content-type") == ["application/json"]


def test_an_idempotency_key_that_cannot_be_a_header_is_refused() -> None:
    client, sent = recording_client()
    with pytest.raises(ParlanceError, match="printable ASCII"):
        client.customers.create(name="Ada", idempotency_key="a\nb")
    assert sent == []


def test_an_if_match_of_none_is_refused_before_anything_is_sent() -> None:
    client, sent = recording_client()
    with pytest.raises(ParlanceError, match="if_match must be an ETag, and not None"):
        client.customers.update("cus_1", name="Ada", if_match=None)
    with pytest.raises(ParlanceError, match="if_match must be an ETag, and not None"):
        client.request("PATCH", "/customers/cus_1", body={"name": "Ada"}, if_match=None)
    assert sent == []


def test_the_asynchronous_client_refuses_an_if_match_of_none() -> None:
    def respond(_request: httpx.Request) -> httpx.Response:
        raise AssertionError("a request was sent")

    async def change() -> None:
        http = httpx.AsyncClient(transport=httpx.MockTransport(respond))
        client = AsyncParlance(KEY, http_client=http)
        with pytest.raises(ParlanceError, match="if_match must be an ETag, and not None"):
            await client.customers.update("cus_1", name="Ada", if_match=None)
        with pytest.raises(ParlanceError, match="if_match must be an ETag, and not None"):
            await client.request("PATCH", "/customers/cus_1", body={}, if_match=None)

    asyncio.run(change())


def test_an_if_match_is_sent_only_if_it_is_given() -> None:
    client, sent = recording_client()
    client.request("PATCH", "/things/1", body={}, if_match='"1"')
    client.request("PATCH", "/things/1", body={})
    assert [request.headers.get("if-match") for request in sent] == ['"1"', None]


def test_the_api_key_is_neither_in_the_client_nor_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    client, _ = recording_client()
    with caplog.at_level(logging.DEBUG, logger="parlance"):
        client.request("GET", "/account")
    assert "GET /v1/public/account: 200" in caplog.text
    assert "kkkk" not in caplog.text + repr(client)


def test_the_delay_of_a_stream_that_reconnects_for_days_stays_short() -> None:
    delay = delay_before_retry(ParlanceConnectionError(), 5_000)
    assert delay is not None
    assert 4 <= delay <= 8


def test_a_page_that_leads_to_itself_ends_the_iteration() -> None:
    def respond(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"data": [], "nextCursor": "cus_1"})

    http = httpx.Client(transport=httpx.MockTransport(respond))
    with pytest.raises(ParlanceError, match="leads to itself"):
        list(Parlance(KEY, http_client=http).customers.list())
