import type { Caller } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { invalidCursor } from "@/lib/platform/errors";
import { joinLookups } from "@/lib/platform/join-lookups";
import { now } from "@/lib/platform/time";
import { firstIdAt, isFromDroppedWeek } from "@/lib/resources/ids";
import { notFound } from "@/lib/resources/not-found";
import { toPage } from "@/lib/resources/pages";
import type { Event, ListEvents } from "./schema";
import { getPayloadStatement, isEventStatement, listEventsStatement } from "./service.sql";

/**
 * Events of the last 30 days, whether a webhook received them or not. In ascending order the feed
 * is gap-free for a client that follows it: no event ever appears before one that was listed.
 * @throws AppError `invalid-cursor` for an id that is not one of this tenant's events
 */
export async function listEvents({ partition }: Caller, query: ListEvents) {
  const rows = await runSql<{ id: string; payload: string }>(listEventsStatement(partition, query));
  const { cursor } = query;
  if (rows.length === 0 && cursor !== undefined && !isFromDroppedWeek("event", cursor, now())) {
    const [found] = await runSql<{ isEvent: boolean }>(
      isEventStatement({ ...partition, id: cursor }),
    );
    if (!found?.isEvent) throw invalidCursor();
  }
  return toPage(rows, query.limit, toEvent);
}

export async function getEvent(caller: Caller, id: string) {
  return toEvent({ payload: await getPayload(caller, id) });
}

const findPayload = joinLookups(getPayloadStatement);

/** An event as it is signed and sent, byte for byte. */
export async function getPayload(caller: Caller, id: string): Promise<string> {
  const found = await findPayload<{ payload: string }>({ ...caller.partition, id }, caller);
  if (!found) throw notFound("event", id);
  return found.payload;
}

/** The longest time between a request and its event: an upload can take this long. */
const longestRequestMs = 125_000;

/** The events that one request caused, oldest first. Its time limits the search. */
export async function listEventsOfRequest(
  { db, partition }: Caller,
  request: { id: string; createdAt: string; durationMs: number },
) {
  const since = new Date(request.createdAt);
  const until = new Date(since.getTime() + Math.min(request.durationMs + 1_000, longestRequestMs));
  const rows = await db.event.findMany({
    where: {
      ...partition,
      id: { gte: firstIdAt("event", since), lt: firstIdAt("event", until) },
      // As written in the envelope: inside a text of the tenant, the quotes would be escaped.
      payload: { contains: `"request":{"id":"${request.id}"` },
    },
    orderBy: { id: "asc" },
    take: 20,
  });
  return rows.map(toEvent);
}

/** The API returns what was signed and sent. */
export const toEvent = ({ payload }: { payload: string }) => JSON.parse(payload) as Event;
