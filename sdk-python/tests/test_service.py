"""The client against the running service. `npm run test:python` starts one."""

from __future__ import annotations

import asyncio
import io
import os
from datetime import datetime, timedelta, timezone
from typing import Iterator

import pytest

import parlance
from parlance import AsyncParlance, Parlance, models

pytestmark = pytest.mark.skipif("PARLANCE_API_KEY" not in os.environ, reason="needs the service")


@pytest.fixture
def client() -> Iterator[Parlance]:
    with Parlance() as client:
        yield client


def test_objects_have_typed_fields_and_say_which_response_they_came_in(client: Parlance) -> None:
    created = client.conversations.create(
        channel_id="web",
        customer={"external_id": "user_1", "name": "Ada", "metadata": {"someKey": 1}},
        message={"text": "Hello", "author": {"type": "CUSTOMER", "name": None}},
        metadata={"snake_case": True, "camelCase": "kept", "number": 5},
        tags=["a", "b"],
    )
    assert created.channel_id == "web"
    assert created.metadata == {"snake_case": True, "camelCase": "kept", "number": 5}
    assert created.created_at.tzinfo is not None
    assert created.api_response.status == 201
    request_id = created.api_response.request_id
    assert request_id is not None and request_id.startswith("req_")
    found = client.conversations.get(created.id)
    assert found == created
    etag = found.api_response.etag
    updated = client.conversations.update(created.id, subject="Order", if_match=etag)
    assert updated.subject == "Order"
    assert client.conversations.update(created.id, subject=None).subject is None
    with pytest.raises(parlance.PreconditionFailedError):
        client.conversations.update(created.id, subject="Late", if_match=etag)
    [message] = client.conversations.messages.list(created.id)
    assert isinstance(message, models.Message)
    assert message.text == "Hello"


def test_one_idempotency_key_makes_one_change(client: Parlance) -> None:
    first = client.customers.create(name="Ada", idempotency_key="one")
    second = client.customers.create(name="Ada", idempotency_key="one")
    assert second.id == first.id
    assert second.api_response.is_replay
    assert not first.api_response.is_replay
    with pytest.raises(parlance.IdempotencyKeyReusedError):
        client.customers.create(name="Eve", idempotency_key="one")


def test_lists_continue_over_their_pages(client: Parlance) -> None:
    for number in range(5):
        client.customers.upsert(f"page/{number}", email=f"page{number}@example.com")
    pages = list(client.customers.list(limit=2, order="asc").pages())
    assert [len(page.data) for page in pages[:-1]] == [2] * (len(pages) - 1)
    everyone = [customer.id for customer in client.customers.list(limit=2, order="asc")]
    assert everyone == [customer.id for page in pages for customer in page.data]
    assert len(set(everyone)) == len(everyone) >= 5
    some = client.customers.list(order="asc").to_list(limit=3)
    assert [customer.id for customer in some] == everyone[:3]
    assert client.customers.list(external_id="page/3").first_page().data[0].email is not None
    recent = datetime.now(timezone.utc) + timedelta(days=1)
    assert client.conversations.list(status=["OPEN"], updated_since=recent).to_list(limit=5) == []


def test_errors_have_a_class_for_their_kind(client: Parlance) -> None:
    with pytest.raises(parlance.NotFoundError) as missing:
        client.customers.get("cus_01KA5V0V7W3Y5Z8J4QX2N6M9TC")
    assert missing.value.status == 404
    assert missing.value.request_id
    with pytest.raises(parlance.ValidationError) as invalid:
        client.customers.create(email="nobody", locale="?")
    assert {issue.pointer for issue in invalid.value.errors} == {"/email", "/locale"}
    client.customers.create(external_id="twice")
    with pytest.raises(parlance.ConflictError) as taken:
        client.customers.create(external_id="twice")
    assert taken.value.existing_id


@pytest.mark.parametrize("name", ["returns.txt", 'Grüße "1".txt'])
def test_files_are_uploaded_from_bytes_and_open_files(client: Parlance, name: str) -> None:
    base = client.knowledge_bases.create(name=f"Base {name}")
    file = io.BytesIO(f"Returns take 30 days. {name}".encode())
    document = client.knowledge_bases.documents.upload(
        base.id, file=(name, file), metadata={"source": "crm"}
    )
    assert (document.name, document.metadata) == (name, {"source": "crm"})
    text = client.knowledge_bases.documents.upload(base.id, name="Text", text="Hello")
    assert text.size_bytes == 5
    assert client.files.create(file=b"photo", name="photo.bin").size_bytes == 5
    with pytest.raises(parlance.ParlanceError, match="has no name"):
        client.files.create(file=b"photo")


def test_the_stream_has_the_events_that_happen(client: Parlance) -> None:
    start = client.events.list(limit=1).first_page().data[0]
    created = client.customers.create(name="Streamed")
    for event in client.events.stream(cursor=start.id):
        if isinstance(event, models.CustomerCreatedEvent) and event.data.object.id == created.id:
            break


def test_any_path_can_be_requested(client: Parlance) -> None:
    response = client.request("get", "/customers", query={"limit": 1})
    assert response.status == 200
    assert "data" in response.data
    made = client.request("POST", "/customers", body={"external_id": "by-hand"})
    assert made.data["externalId"] == "by-hand"


def test_the_same_without_blocking() -> None:
    async def work() -> None:
        async with AsyncParlance() as client:
            created = await client.customers.create(name="Async")
            found = await client.customers.get(created.id)
            assert found == created
            listed = [customer async for customer in client.customers.list(limit=2)]
            assert created.id in {customer.id for customer in listed}
            assert len(await client.customers.list().to_list(limit=2)) == 2
            start = (await client.events.list(limit=1).first_page()).data[0]
            other = await client.customers.create(name="Streamed")
            async for event in client.events.stream(cursor=start.id):
                if event.type == "customer.created" and event.data.object.id == other.id:
                    break

    asyncio.run(work())
