"""Sends requests, with retries. `Transport` and `AsyncTransport` differ only in how they wait."""

from __future__ import annotations

import json
import logging
import os
import random
import re
import time
import uuid
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import (
    IO,
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Literal,
    Mapping,
    Optional,
    Tuple,
    TypeVar,
    Union,
)
from urllib.parse import quote, urlsplit

import httpx
import pydantic

from ._errors import (
    ApiError,
    ParlanceConnectionError,
    ParlanceError,
    ParlanceTimeoutError,
    ResponseHead,
    mismatching,
    to_api_error,
    unexpected,
)
from ._generated.params import OPEN_FIELDS
from ._model import ApiResponse, Model, to_camel_case
from ._pages import AsyncPages, Page, Pages
from ._stream import LONGEST_SILENCE_SECONDS, EventReader, Position
from ._version import __version__

logger = logging.getLogger("parlance")

Result = TypeVar("Result")
Self = TypeVar("Self")
Item = TypeVar("Item")
Bytes = Union[bytes, bytearray, IO[bytes]]
FileSource = Union[Bytes, Tuple[str, Bytes]]
Fields = Mapping[str, object]


class NotGiven:
    """The default of arguments for which None has a meaning: an omitted field is not sent."""

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven()

_LONGEST_RETRY_AFTER_SECONDS = 60
_FIRST_DELAY_SECONDS = 0.5
_LONGEST_DELAY_SECONDS = 8.0
_MAXIMUM_FILE_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True)
class _Call:
    """A complete call. All of its attempts send the same bytes and the same idempotency key."""

    request: httpx.Request
    timeout: float
    max_retries: int


class _Base:
    """What does not depend on how requests are sent."""

    environment: Literal["live", "test"]
    """The key's environment. `test` is never billed and has no access to `live` data."""

    def __init__(
        self,
        api_key: str | None,
        base_url: str | None,
        timeout: float,
        max_retries: int,
        default_headers: Mapping[str, str] | None,
    ) -> None:
        key = os.environ.get("PARLANCE_API_KEY") if api_key is None else api_key
        found = re.fullmatch(r"\w+_(live|test)_\w+", key or "", re.ASCII)
        if not key or not found:
            raise ParlanceError(
                "The API key is missing or malformed. API keys look like prl_test_… or prl_live_…."
            )
        self.environment = "live" if found.group(1) == "live" else "test"
        self._api_key = key
        given = os.environ.get("PARLANCE_BASE_URL") if base_url is None else base_url
        self._origin = _origin_of("http://localhost:3000" if given is None else given)
        self._timeout = timeout
        self._max_retries = max_retries
        self._default_headers = dict(default_headers or {})

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.environment} {self._origin}>"

    def _prepare(
        self,
        method: str,
        path: str,
        *,
        path_values: Mapping[str, str],
        query: Fields,
        body: Fields | None,
        file: FileSource | NotGiven,
        idempotency_key: str | None,
        if_match: str | NotGiven | None,
        timeout: float | None,
        max_retries: int | None,
    ) -> _Call:
        # Its names ignore case, so a default header cannot be sent next to one of the client.
        headers = httpx.Headers(self._default_headers)
        headers["Accept"] = "application/json"
        headers["Authorization"] = f"Bearer {self._api_key}"
        headers["User-Agent"] = f"parlance-python/{__version__}"
        # That of a form has a boundary, which httpx adds.
        headers.pop("Content-Type", None)
        if method != "GET":
            key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
            headers["Idempotency-Key"] = _header_value("idempotency_key", key)
        # The `etag` of a response without one. Without a header, any version would be changed.
        if if_match is None:
            raise ParlanceError(
                "if_match must be an ETag, and not None: that response had none. "
                "Read the resource with `get`, and pass the `etag` of that response."
            )
        if not isinstance(if_match, NotGiven):
            headers["If-Match"] = _header_value("if_match", if_match)
        sent = None if body is None else _to_wire(body)
        content: dict[str, Any] = {}
        if not isinstance(file, NotGiven):
            content = _form(file, sent or {})
        elif sent is not None:
            content = {"content": json.dumps(sent, ensure_ascii=False, allow_nan=False).encode()}
            headers["Content-Type"] = "application/json"
        url = f"{self._origin}/v1/public{_fill(path, path_values)}{_to_search(query)}"
        request = httpx.Request(method, url, headers=headers, **content)
        request.read()
        return _Call(
            request,
            self._timeout if timeout is None else timeout,
            self._max_retries if max_retries is None else max_retries,
        )

    def _prepare_stream(self, query: Fields, position: Position) -> httpx.Request:
        call = self._prepare("GET", "/events/stream", **_no_options(query))
        call.request.headers["Accept"] = "text/event-stream"
        if position.last_id is not None:
            call.request.headers["Last-Event-ID"] = position.last_id
        return call.request


class Transport(_Base):
    """Sends requests and waits for their responses."""

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        default_headers: Mapping[str, str] | None = None,
        http_client: httpx.Client | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(api_key, base_url, timeout, max_retries, default_headers)
        self._http = http_client or httpx.Client()
        self._owns_http = http_client is None
        self._wait = wait
        self._add_resources()

    def _add_resources(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Closes idle connections. An `http_client` of your own stays open."""
        if self._owns_http:
            self._http.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Fields | None = None,
        body: Fields | None = None,
        idempotency_key: str | None = None,
        if_match: str | NotGiven | None = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ApiResponse[Any]:
        """Calls an operation that has no method here. `path` is the part after `/v1/public`."""
        return self._send(
            self._prepare(
                method.upper(),
                path,
                path_values={},
                query=query or {},
                body=body,
                file=NOT_GIVEN,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
                max_retries=max_retries,
            )
        )

    def _call(
        self,
        method: str,
        route: str,
        parse: Callable[[Any], Result],
        *,
        path: Mapping[str, str] | None = None,
        query: Fields | None = None,
        body: Fields | None = None,
        file: FileSource | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        if_match: str | NotGiven | None = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Result:
        call = self._prepare(
            method,
            route,
            path_values=path or {},
            query=query or {},
            body=body,
            file=file,
            idempotency_key=idempotency_key,
            if_match=if_match,
            timeout=timeout,
            max_retries=max_retries,
        )
        return _parsed(self._send(call), parse)

    def _list(
        self,
        method: str,
        route: str,
        parse: Callable[[Any], Item],
        *,
        path: Mapping[str, str] | None = None,
        query: Fields | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Pages[Item]:
        def load(extra: Fields) -> Page[Item]:
            options = _no_options(_merged(query, extra), path, timeout, max_retries)
            return _to_page(self._send(self._prepare(method, route, **options)), parse)

        return Pages(load)

    def _send(self, call: _Call) -> ApiResponse[Any]:
        for retries in range(call.max_retries + 1):
            try:
                return self._attempt(call)
            except (ApiError, ParlanceConnectionError) as error:
                delay = None if retries == call.max_retries else delay_before_retry(error, retries)
                if delay is None:
                    raise
                self._wait(delay)
        raise ParlanceError("max_retries must be at least 0.")

    def _attempt(self, call: _Call) -> ApiResponse[Any]:
        request, deadline = call.request, time.monotonic() + call.timeout
        request.extensions["timeout"] = httpx.Timeout(call.timeout).as_dict()
        try:
            response = self._http.send(request, stream=True, follow_redirects=False)
            try:
                parts = []
                for part in response.iter_bytes():
                    parts.append(part)
                    _require_time(deadline, call.timeout)
            finally:
                response.close()
        except httpx.TimeoutException as error:
            raise _too_late(call.timeout) from error
        except httpx.HTTPError as error:
            raise _not_connected(request, error) from error
        return _read(request, response, b"".join(parts))

    def _stream(
        self, *, query: Fields, timeout: float | None = None, max_retries: int | None = None
    ) -> Iterator[Any]:
        position = Position(self._max_retries if max_retries is None else max_retries)
        while True:
            try:
                yield from self._connection(query, position, timeout)
                failure: Exception = ParlanceConnectionError("The stream ended.")
            except (ApiError, ParlanceConnectionError) as error:
                failure = error
            self._wait(position.delay_after(failure, delay_before_retry))

    def _connection(
        self, query: Fields, position: Position, timeout: float | None
    ) -> Iterator[Any]:
        request = self._prepare_stream(query, position)
        seconds = self._timeout if timeout is None else timeout
        request.extensions["timeout"] = _stream_timeout(seconds)
        try:
            response = self._http.send(request, stream=True, follow_redirects=False)
            try:
                if not _is_stream(response):
                    response.read()
                    _read(request, response, response.content)
                    raise unexpected(_head(response, ""))
                reader = EventReader(position)
                for part in response.iter_bytes():
                    yield from reader.feed(part)
            finally:
                response.close()
        except httpx.TimeoutException as error:
            raise _too_late(seconds) from error
        except httpx.HTTPError as error:
            raise _not_connected(request, error) from error


class AsyncTransport(_Base):
    """The same without blocking the event loop."""

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        default_headers: Mapping[str, str] | None = None,
        http_client: httpx.AsyncClient | None = None,
        wait: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        super().__init__(api_key, base_url, timeout, max_retries, default_headers)
        self._http = http_client or httpx.AsyncClient()
        self._owns_http = http_client is None
        self._wait = wait or _sleep
        self._add_resources()

    def _add_resources(self) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        """Closes idle connections. An `http_client` of your own stays open."""
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Fields | None = None,
        body: Fields | None = None,
        idempotency_key: str | None = None,
        if_match: str | NotGiven | None = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ApiResponse[Any]:
        """Calls an operation that has no method here. `path` is the part after `/v1/public`."""
        return await self._send(
            self._prepare(
                method.upper(),
                path,
                path_values={},
                query=query or {},
                body=body,
                file=NOT_GIVEN,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
                max_retries=max_retries,
            )
        )

    async def _call(
        self,
        method: str,
        route: str,
        parse: Callable[[Any], Result],
        *,
        path: Mapping[str, str] | None = None,
        query: Fields | None = None,
        body: Fields | None = None,
        file: FileSource | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        if_match: str | NotGiven | None = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Result:
        call = self._prepare(
            method,
            route,
            path_values=path or {},
            query=query or {},
            body=body,
            file=file,
            idempotency_key=idempotency_key,
            if_match=if_match,
            timeout=timeout,
            max_retries=max_retries,
        )
        return _parsed(await self._send(call), parse)

    def _list(
        self,
        method: str,
        route: str,
        parse: Callable[[Any], Item],
        *,
        path: Mapping[str, str] | None = None,
        query: Fields | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Item]:
        async def load(extra: Fields) -> Page[Item]:
            options = _no_options(_merged(query, extra), path, timeout, max_retries)
            return _to_page(await self._send(self._prepare(method, route, **options)), parse)

        return AsyncPages(load)

    async def _send(self, call: _Call) -> ApiResponse[Any]:
        for retries in range(call.max_retries + 1):
            try:
                return await self._attempt(call)
            except (ApiError, ParlanceConnectionError) as error:
                delay = None if retries == call.max_retries else delay_before_retry(error, retries)
                if delay is None:
                    raise
                await self._wait(delay)
        raise ParlanceError("max_retries must be at least 0.")

    async def _attempt(self, call: _Call) -> ApiResponse[Any]:
        request, deadline = call.request, time.monotonic() + call.timeout
        request.extensions["timeout"] = httpx.Timeout(call.timeout).as_dict()
        try:
            response = await self._http.send(request, stream=True, follow_redirects=False)
            try:
                parts = []
                async for part in response.aiter_bytes():
                    parts.append(part)
                    _require_time(deadline, call.timeout)
            finally:
                await response.aclose()
        except httpx.TimeoutException as error:
            raise _too_late(call.timeout) from error
        except httpx.HTTPError as error:
            raise _not_connected(request, error) from error
        return _read(request, response, b"".join(parts))

    async def _stream(
        self, *, query: Fields, timeout: float | None = None, max_retries: int | None = None
    ) -> AsyncIterator[Any]:
        position = Position(self._max_retries if max_retries is None else max_retries)
        while True:
            try:
                async for event in self._connection(query, position, timeout):
                    yield event
                failure: Exception = ParlanceConnectionError("The stream ended.")
            except (ApiError, ParlanceConnectionError) as error:
                failure = error
            await self._wait(position.delay_after(failure, delay_before_retry))

    async def _connection(
        self, query: Fields, position: Position, timeout: float | None
    ) -> AsyncIterator[Any]:
        request = self._prepare_stream(query, position)
        seconds = self._timeout if timeout is None else timeout
        request.extensions["timeout"] = _stream_timeout(seconds)
        try:
            response = await self._http.send(request, stream=True, follow_redirects=False)
            try:
                if not _is_stream(response):
                    await response.aread()
                    _read(request, response, response.content)
                    raise unexpected(_head(response, ""))
                reader = EventReader(position)
                async for part in response.aiter_bytes():
                    for event in reader.feed(part):
                        yield event
            finally:
                await response.aclose()
        except httpx.TimeoutException as error:
            raise _too_late(seconds) from error
        except httpx.HTTPError as error:
            raise _not_connected(request, error) from error


async def _sleep(seconds: float) -> None:
    # A dependency of httpx, which works with asyncio and trio.
    import anyio

    await anyio.sleep(seconds)


def delay_before_retry(error: Exception, retries: int) -> float | None:
    """Seconds, or None if another attempt would be useless or would have to wait over a minute."""
    jitter = random.random()
    # A stream reconnects for as long as the outage lasts, and 2.0**1024 is an OverflowError.
    longest = min(_FIRST_DELAY_SECONDS * 2.0 ** min(retries, 10), _LONGEST_DELAY_SECONDS)
    backoff = longest * (0.5 + jitter / 2)
    if isinstance(error, ParlanceConnectionError):
        return backoff
    if not isinstance(error, ApiError):
        return None
    is_temporary = error.status in (408, 429) or error.status >= 500
    if not is_temporary and error.kind != "idempotency-in-progress":
        return None
    if error.retry_after is None:
        return backoff
    # Never before the given time, and not all clients in the same moment.
    if error.retry_after > _LONGEST_RETRY_AFTER_SECONDS:
        return None
    return error.retry_after + _FIRST_DELAY_SECONDS * jitter


def _read(request: httpx.Request, response: httpx.Response, content: bytes) -> ApiResponse[Any]:
    text = content.decode("utf-8", "replace")
    logger.debug("%s %s: %s", request.method, request.url.path, response.status_code)
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        body = None
    if response.is_success and body is None and _is_json(response):
        # The API knows what the request did, and the retry has the same idempotency key.
        raise ParlanceConnectionError(
            f"{request.method} {_address(request)} got an incomplete response: its JSON ends early."
        )
    if not response.is_success or body is None:
        raise to_api_error(_head(response, text), body)
    return ApiResponse(body, response.status_code, response.headers)


def _parsed(response: ApiResponse[Any], parse: Callable[[Any], Result]) -> Result:
    result = _validated(response, parse)
    if isinstance(result, Model):
        result._api_response = response
    return result


def _validated(response: ApiResponse[Any], parse: Callable[[Any], Result]) -> Result:
    try:
        return parse(response.data)
    except (pydantic.ValidationError, AttributeError, KeyError, TypeError) as error:
        head = ResponseHead(response.status, response.headers, json.dumps(response.data))
        raise mismatching(head, str(error)) from error


def _to_page(response: ApiResponse[Any], parse: Callable[[Any], Item]) -> Page[Item]:
    def to_page(body: Any) -> Page[Item]:
        return Page([parse(item) for item in body["data"]], body.get("nextCursor"), response)

    return _validated(response, to_page)


def _head(response: httpx.Response, text: str) -> ResponseHead:
    return ResponseHead(response.status_code, response.headers, text)


def _address(request: httpx.Request) -> str:
    return str(request.url.copy_with(query=None))


def _is_json(response: httpx.Response) -> bool:
    media_type = response.headers.get("content-type", "")
    return re.match(r"application/([\w.+-]+\+)?json\b", media_type, re.IGNORECASE) is not None


def _is_stream(response: httpx.Response) -> bool:
    media_type: str = response.headers.get("content-type", "")
    return response.is_success and media_type.lower().startswith("text/event-stream")


def _stream_timeout(seconds: float) -> dict[str, float | None]:
    # The server sends something every 15 s, so a connection that is silent for longer is broken.
    return httpx.Timeout(seconds, read=max(seconds, LONGEST_SILENCE_SECONDS)).as_dict()


def _require_time(deadline: float, timeout: float) -> None:
    if time.monotonic() > deadline:
        raise _too_late(timeout)


def _too_late(timeout: float) -> ParlanceTimeoutError:
    return ParlanceTimeoutError(f"No complete response within {timeout:g} s.")


def _not_connected(request: httpx.Request, error: Exception) -> ParlanceConnectionError:
    return ParlanceConnectionError(
        f"{request.method} {_address(request)} got no response: {error or type(error).__name__}"
    )


def _no_options(
    query: Fields,
    path: Mapping[str, str] | None = None,
    timeout: float | None = None,
    max_retries: int | None = None,
) -> dict[str, Any]:
    return {
        "path_values": path or {},
        "query": query,
        "body": None,
        "file": NOT_GIVEN,
        "idempotency_key": None,
        "if_match": NOT_GIVEN,
        "timeout": timeout,
        "max_retries": max_retries,
    }


def _merged(query: Optional[Fields], extra: Fields) -> Fields:
    given = {name: value for name, value in (query or {}).items() if value is not NOT_GIVEN}
    # A limit that the caller chose is kept.
    return {**extra, **given, **{name: value for name, value in extra.items() if name == "cursor"}}


def _to_wire(fields: Fields) -> dict[str, object]:
    return {
        to_camel_case(name): value if name in OPEN_FIELDS else _value_to_wire(value)
        for name, value in fields.items()
        if value is not NOT_GIVEN
    }


def _value_to_wire(value: object) -> object:
    if isinstance(value, datetime):
        return _time(value)
    if isinstance(value, Mapping):
        return _to_wire(value)
    if isinstance(value, (list, tuple)):
        return [_value_to_wire(item) for item in value]
    return value


def _time(value: datetime) -> str:
    if value.tzinfo is None:
        raise ParlanceError(f"{value!r} has no time zone. Pass an aware datetime.")
    return value.isoformat()


def _to_search(query: Fields) -> str:
    parts: list[tuple[str, str]] = []
    for name, value in query.items():
        if value is None or value is NOT_GIVEN:
            continue
        if isinstance(value, Mapping):
            parts += [(f"{name}[{key}]", _text(part)) for key, part in value.items()]
        else:
            parts.append((name, _text(value)))
    text = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in parts)
    return f"?{text}" if text else ""


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return _time(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(_text(item) for item in value)
    return str(value)


def _fill(path: str, values: Mapping[str, str]) -> str:
    """A value that would lead to another path is refused."""

    def value_of(found: re.Match[str]) -> str:
        name = found.group(1)
        value = values.get(name)
        is_any = name == "externalId"
        allowed = r"(?!\.{0,2}\Z).+" if is_any else r"[A-Za-z0-9_-]+"
        if not isinstance(value, str) or not re.fullmatch(allowed, value, re.DOTALL):
            what = "a text other than . and .." if is_any else "an id"
            raise ParlanceError(f"{name} must be {what}, and not {value!r}.")
        return quote(value, safe="")

    return re.sub(r"\{(\w+)\}", value_of, path)


def _header_value(name: str, value: str) -> str:
    if not re.fullmatch(r"[\x20-\x7e]*", value):
        raise ParlanceError(f"{name} must consist of printable ASCII characters.")
    return value


def _form(file: FileSource, fields: Mapping[str, object]) -> dict[str, Any]:
    given = file[1] if isinstance(file, tuple) else file
    own_name = file[0] if isinstance(file, tuple) else getattr(file, "name", None)
    content = given if isinstance(given, (bytes, bytearray)) else _read_file(given)
    name = fields.get("name") or (os.path.basename(own_name) if isinstance(own_name, str) else None)
    if not isinstance(name, str) or not name:
        raise ParlanceError('The file has no name. Pass one, for example name="returns.pdf".')
    if len(content) > _MAXIMUM_FILE_BYTES:
        raise ParlanceError("The file is larger than 20 MiB, the limit of the API.")
    others = {key: value for key, value in fields.items() if key not in ("name", "text")}
    data = {key: json.dumps(value) for key, value in others.items()}
    return {"data": {"name": name, **data}, "files": {"file": (name, bytes(content))}}


def _read_file(file: object) -> bytes:
    read = getattr(file, "read", None)
    content = read(_MAXIMUM_FILE_BYTES + 1) if callable(read) else None
    if not isinstance(content, bytes):
        raise ParlanceError(
            "file must be bytes or a file that is open in binary mode, and not "
            f"{type(file).__name__}. To upload text, pass name and text."
        )
    return content


def _origin_of(base_url: str) -> str:
    """The part before `/v1/public`, which may be included and is then dropped."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise ParlanceError(
            "base_url must be an http or https URL such as https://parlance.example.com, "
            f"and not {base_url!r}."
        )
    path = re.sub(r"/v1(/public)?$", "", parts.path.rstrip("/"))
    return f"{parts.scheme}://{parts.netloc}{path}"
