import { listEventsOfObject } from "@/lib/events/of-object";
import type { Event, SearchEvents } from "@/lib/events/schema";
import { listEvents, toEvent } from "@/lib/events/service";
import type { Caller } from "@/lib/platform/caller";
import { readRows } from "@/lib/platform/db";
import { toPage } from "@/lib/resources/pages";
import { undeliveredEventsStatement } from "./undelivered-events.sql";

/** For the dashboard: events, with more filters than the API has. */
export async function searchEvents(
  caller: Caller,
  { objectId, undelivered, ...query }: SearchEvents,
): Promise<{ data: Event[]; nextCursor?: string }> {
  const { type, limit } = query;
  if (objectId) {
    const types = type && [type];
    return listEventsOfObject(caller, { ...query, objectId, types });
  }
  if (!undelivered) return listEvents(caller, query);
  const statement = undeliveredEventsStatement(caller.partition, query);
  return toPage(await readRows<{ id: string; payload: string }>(statement, caller), limit, toEvent);
}
