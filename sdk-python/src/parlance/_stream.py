"""The event stream: reading server-sent events, and where to continue after a break."""

from __future__ import annotations

import json
from typing import Any, Callable, Iterator

from ._errors import ApiError, ParlanceConnectionError, ParlanceError
from ._events import parse_event

LONGEST_SILENCE_SECONDS = 45.0
_MAXIMUM_BYTES = 2**24

Delay = Callable[[Exception, int], "float | None"]


class Position:
    """How far a stream has been read, over all of its connections."""

    def __init__(self, max_retries: int) -> None:
        self.last_id: str | None = None
        self.failures = 0
        self._max_retries = max_retries

    def delay_after(self, failure: Exception, delay_before_retry: Delay) -> float:
        """Seconds until the next connection.

        Once it was connected, a stream reconnects until it is refused.
        """
        was_connected = self.last_id is not None
        # The server may not have noticed yet that an earlier connection of this stream is gone.
        is_temporary = (
            was_connected and isinstance(failure, ApiError) and failure.kind == "limit-reached"
        )
        error = ParlanceConnectionError() if is_temporary else failure
        delay = delay_before_retry(error, self.failures)
        if delay is None or (not was_connected and self.failures >= self._max_retries):
            raise failure
        self.failures += 1
        return delay


class EventReader:
    """Turns the bytes of one connection into events."""

    def __init__(self, position: Position) -> None:
        self._position = position
        self._rest = b""

    def feed(self, part: bytes) -> Iterator[Any]:
        # What follows the last empty line is incomplete.
        *messages, self._rest = (self._rest + part).split(b"\n\n")
        if len(self._rest) > _MAXIMUM_BYTES:
            raise ParlanceError("An event is too long.")
        for message in messages:
            fields = dict(
                line.split(": ", 1)
                for line in message.decode("utf-8").split("\n")
                if ": " in line and not line.startswith(":")
            )
            self._position.failures = 0
            event = None
            if "data" in fields:
                try:
                    event = parse_event(json.loads(fields["data"]))
                except (ValueError, AttributeError) as error:
                    raise ParlanceConnectionError("An event is not JSON.") from error
            self._position.last_id = fields.get("id", self._position.last_id)
            if event is not None:
                yield event
