"""What all generated models share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, Generic, Literal, Mapping, Optional, TypeVar, Union

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from ._errors import ParlanceError

Data = TypeVar("Data")


@dataclass(frozen=True)
class ApiResponse(Generic[Data]):
    """A response: its data, and what came with it."""

    data: Data
    status: int
    headers: Mapping[str, str]

    @property
    def request_id(self) -> str | None:
        """Include it when you ask for help."""
        return self.headers.get("x-request-id")

    @property
    def etag(self) -> str | None:
        """The version of a resource that was read or updated, for `if_match`. Otherwise None."""
        return self.headers.get("etag")

    @property
    def is_replay(self) -> bool:
        """Whether the response was stored for this idempotency key."""
        return self.headers.get("idempotent-replayed") == "true"


def to_camel_case(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found.group(1).upper(), name.rstrip("_"))


class Model(BaseModel):
    """An object of the API. Fields that are newer than this package are in `model_extra`."""

    model_config = ConfigDict(
        alias_generator=to_camel_case,
        populate_by_name=True,
        extra="allow",
        protected_namespaces=(),
    )

    _api_response: Optional[ApiResponse[Any]] = PrivateAttr(default=None)

    def __eq__(self, other: object) -> bool:
        """Two objects with the same fields are equal, whichever response they came in."""
        if not isinstance(other, Model) or type(self) is not type(other):
            return NotImplemented
        return self.__dict__ == other.__dict__ and self.model_extra == other.model_extra

    @property
    def api_response(self) -> ApiResponse[Any]:
        """Status, headers, request id and `etag` of the response that this object came in."""
        if self._api_response is None:
            raise ParlanceError("This object did not come in a response of its own.")
        return self._api_response


class UnknownEvent(Model):
    """An event that is newer than this package: its type, or what its fields contain.

    Its `type` is always `"unknown"`, so that comparing `type` leaves one class of event.
    """

    id: str
    received_type: str = Field(alias="type")
    """The type as it arrived."""
    timestamp: datetime
    data: Any = None
    request: Optional[Dict[str, Any]] = None
    environment: Union[str, None] = None

    @property
    def type(self) -> Literal["unknown"]:
        return "unknown"
