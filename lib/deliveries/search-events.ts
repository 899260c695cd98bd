import { listEventsOfObject } from "@/lib/events/of-object";
import type { Event, SearchEvents } from "@/lib/events/schema";
import { listEvents, toEvent } from "@/lib/events/service";
import type { Caller } from "@/lib/platform/caller";
import { readRows } from "@/lib/platform/db";
import { idTimeMs } from "@/lib/resources/ids";
import { toPage } from "@/lib/resources/pages";
import { type UndeliveredRow, undeliveredEventsStatement } from "./undelivered-events.sql";

type EventPage = { data: Event[]; nextCursor?: string; lookedBackTo?: Date };

/**
 * For the dashboard: events, with more filters than the API has. If the search ended before the page
 * was full, `lookedBackTo` says how far it got, and `nextCursor` continues from there.
 */
export async function searchEvents(
  caller: Caller,
  { objectId, undelivered, ...query }: SearchEvents,
): Promise<EventPage> {
  const { type, limit, order } = query;
  if (objectId) {
    const types = type && [type];
    return listEventsOfObject(caller, { ...query, objectId, types });
  }
  if (!undelivered) return listEvents(caller, query);
  const statement = undeliveredEventsStatement(caller.partition, query);
  const rows = await readRows<UndeliveredRow>(statement, caller);
  const found = rows.flatMap(({ id, payload }) => (id === null ? [] : [{ id, payload }]));
  const page = toPage(found, limit, toEvent);
  const searchedTo = rows[0]?.searchedTo;
  if (page.nextCursor || !searchedTo) return page;

  // The last id of that time in this order: every event before it was found.
  const nextCursor = `evt_${searchedTo.slice(4)}${(order === "asc" ? "Z" : "0").repeat(16)}`;
  return { ...page, nextCursor, lookedBackTo: new Date(idTimeMs(nextCursor)) };
}
