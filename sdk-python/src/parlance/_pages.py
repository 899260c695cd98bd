"""Lists that continue over several pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import AsyncIterator, Awaitable, Callable, Generic, Iterator, Mapping, TypeVar

from ._errors import ParlanceError
from ._model import ApiResponse

Item = TypeVar("Item")

_LONGEST_PAGE = 100


@dataclass(frozen=True)
class Page(Generic[Item]):
    data: list[Item]
    next_cursor: str | None
    """None on the last page."""
    api_response: ApiResponse[object]


Load = Callable[[Mapping[str, object]], Page[Item]]
LoadAsync = Callable[[Mapping[str, object]], Awaitable[Page[Item]]]


class Pages(Generic[Item]):
    """A list. Requests nothing until you iterate, then one page after the other."""

    def __init__(self, load: Load[Item]) -> None:
        self._load = load

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page.data

    def first_page(self) -> Page[Item]:
        return self._load({})

    def pages(self) -> Iterator[Page[Item]]:
        """Iterates over the pages instead of the items."""
        page = self._load({})
        yield page
        while page.next_cursor is not None:
            page = _continued(page, self._load({"cursor": page.next_cursor}))
            yield page

    def to_list(self, *, limit: int) -> list[Item]:
        """The first items, at most `limit`."""
        found: list[Item] = []
        cursor: dict[str, object] = {}
        while len(found) < limit:
            page = self._load({"limit": min(_LONGEST_PAGE, limit - len(found)), **cursor})
            found += page.data
            if page.next_cursor is None or cursor.get("cursor") == page.next_cursor:
                break
            cursor = {"cursor": page.next_cursor}
        return found[:limit]


class AsyncPages(Generic[Item]):
    """A list. Requests nothing until you iterate, then one page after the other."""

    def __init__(self, load: LoadAsync[Item]) -> None:
        self._load = load

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page.data:
                yield item

    async def first_page(self) -> Page[Item]:
        return await self._load({})

    async def pages(self) -> AsyncIterator[Page[Item]]:
        """Iterates over the pages instead of the items."""
        page = await self._load({})
        yield page
        while page.next_cursor is not None:
            page = _continued(page, await self._load({"cursor": page.next_cursor}))
            yield page

    async def to_list(self, *, limit: int) -> list[Item]:
        """The first items, at most `limit`."""
        found: list[Item] = []
        cursor: dict[str, object] = {}
        while len(found) < limit:
            page = await self._load({"limit": min(_LONGEST_PAGE, limit - len(found)), **cursor})
            found += page.data
            if page.next_cursor is None or cursor.get("cursor") == page.next_cursor:
                break
            cursor = {"cursor": page.next_cursor}
        return found[:limit]


def _continued(page: Page[Item], following: Page[Item]) -> Page[Item]:
    # Otherwise, a broken server could cause an endless loop.
    if following.next_cursor is not None and following.next_cursor == page.next_cursor:
        raise ParlanceError(f"The page at {page.next_cursor} leads to itself.")
    return following
