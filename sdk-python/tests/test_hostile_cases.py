"""The cases that every client of the API must pass, from the TypeScript client's tests."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from pathlib import Path
from typing import Any, Iterator

import pytest

import parlance
from parlance import AsyncParlance, Parlance

REPOSITORY = Path(__file__).parent.parent.parent
CASES = json.loads((REPOSITORY / "tests/sdk/hostile-cases.json").read_text("utf-8"))
CUSTOMER: dict[str, Any] = {
    "id": "cus_1",
    "environment": "test",
    "externalId": None,
    "name": "Ada",
    "email": None,
    "phone": None,
    "locale": None,
    "metadata": {},
    "conversationCount": 0,
    "createdAt": "2026-01-31T12:00:00.000Z",
    "updatedAt": "2026-01-31T12:00:00.000Z",
}
CLASSES = {"ConnectionError": "ParlanceConnectionError", "TimeoutError": "ParlanceTimeoutError"}
MEMBERS = {
    "retryAfter": "retry_after",
    "existingId": "existing_id",
    "requestId": "request_id",
}


class HostileServer:
    """Sends scripted responses, one for each connection, the last one forever."""

    def __init__(self, responses: list[dict[str, Any]]) -> None:
        self.responses = list(responses)
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.is_open = True
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while self.is_open:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                self.requests.append(read_request(connection))
                script = self.responses.pop(0) if len(self.responses) > 1 else self.responses[0]
                connection.sendall(to_bytes(script))
                while self.is_open and script.get("drips"):
                    time.sleep(0.02)
                    connection.sendall(b" ")
                while script.get("hangs") and connection.recv(1):
                    pass
            except OSError:
                pass

    def close(self) -> None:
        self.is_open = False
        self.listener.close()


def read_request(connection: socket.socket) -> tuple[dict[str, str], bytes]:
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(65_536)
        if not part:
            raise OSError("closed")
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    lines = [line.split(": ", 1) for line in head.decode().split("\r\n")[1:]]
    headers = {name.lower(): value for name, value in lines}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65_536)
    return headers, body


def to_bytes(script: dict[str, Any]) -> bytes:
    if "raw" in script or "hangs" in script:
        raw: str = script.get("raw", "")
        return raw.encode()
    status = script.get("status", 200)
    body = script.get("text")
    if body is None and "kind" in script:
        problem = {"title": "A title", "status": status, "detail": "A detail."}
        kind = f"https://docs.example/errors/{script['kind']}"
        body = json.dumps({"type": kind, **problem, **script.get("members", {})})
    elif body is None:
        body = json.dumps(CUSTOMER)
    headers = {
        "Content-Type": "application/json",
        "X-Request-Id": "req_1",
        **script.get("headers", {}),
        "Content-Length": str(len(body.encode())),
        "Connection": "close",
    }
    lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
    return f"HTTP/1.1 {status} Status\r\n{''.join(lines)}\r\n{body}".encode()


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[HostileServer]:
    server = HostileServer(request.param["responses"])
    yield server
    server.close()


def call_sync(case: dict[str, Any], url: str, waited: list[float]) -> Any:
    timeout = case.get("timeoutMs", 30_000) / 1000
    with Parlance("prl_test_abc", base_url=url, timeout=timeout, wait=waited.append) as client:
        if case.get("creates"):
            return client.customers.create(name="Ada")
        return client.customers.get("cus_1")


def call_async(case: dict[str, Any], url: str, waited: list[float]) -> Any:
    timeout = case.get("timeoutMs", 30_000) / 1000

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    async def call() -> Any:
        async with AsyncParlance(
            "prl_test_abc", base_url=url, timeout=timeout, wait=wait
        ) as client:
            if case.get("creates"):
                return await client.customers.create(name="Ada")
            return await client.customers.get("cus_1")

    return asyncio.run(call())


@pytest.mark.parametrize("call", [call_sync, call_async])
@pytest.mark.parametrize(
    ("server", "case"),
    [pytest.param(case, case, id=case["title"]) for case in CASES],
    indirect=["server"],
)
def test_hostile_case(server: HostileServer, case: dict[str, Any], call: Any) -> None:
    waited: list[float] = []
    error = case.get("error")
    if error is None:
        assert call(case, server.url, waited).name == "Ada"
    else:
        name = CLASSES.get(error["class"], error["class"])
        with pytest.raises(getattr(parlance, name)) as caught:
            call(case, server.url, waited)
        assert type(caught.value).__name__ == name
        for member, value in error.items():
            if member != "class":
                assert getattr(caught.value, MEMBERS.get(member, member)) == value

    assert len(waited) == case["attempts"] - 1
    if "timeoutMs" in case:
        return  # A timeout may end an attempt before its request has arrived.
    assert len(server.requests) == case["attempts"]
    sent = [(headers.get("idempotency-key"), body) for headers, body in server.requests]
    assert set(sent) == {sent[0]}
    assert (sent[0][0] is not None) == case.get("creates", False)
    if "waits" in case:
        assert len(waited) == len(case["waits"])
        for seconds, (least, most) in zip(waited, case["waits"]):
            assert least <= seconds <= most
