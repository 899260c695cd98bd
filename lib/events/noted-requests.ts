import type { Caller } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { now } from "@/lib/platform/time";
import { firstIdAt, idTimeMs } from "@/lib/resources/ids";
import { recordLifetimeMs } from "./idempotency-record";
import { forgetResponses } from "./redact";
import { notedRequestsStatement, noteRequestStatement } from "./redact.sql";

// A change that changes nothing and an upload raise no event, but the log and the idempotency key
// store their responses. These notes lead a redaction to them.

/** At least as long as the request log. */
const lifetimeMs = 40 * 86_400_000;
/** A request can wait this long for other changes of the resource. */
const longestRequestMs = 5 * 60_000;

/** Not ASCII, so it is no client's key. The ids before it alone decide the order of the keys. */
const mark = "·";

/**
 * Call it where a service returns a resource that a request did not change, or that it created
 * without an event.
 */
export async function noteRequest(caller: Caller, id: string): Promise<void> {
  const { request, partition, actor } = caller;
  // Only what an API key receives is logged and stored.
  if (!request || actor.type !== "API_KEY") return;
  const key = `${id}_${request.id}${mark}`;
  const idempotencyKey = request.idempotencyKey ?? "";
  const expiresAt = new Date(now().getTime() + lifetimeMs);
  await runSql(noteRequestStatement({ ...partition, key, idempotencyKey, expiresAt }), caller);
}

export type NotedRequest = { id: string; key: string | null; at: Date };

/** Before the notes of a resource's requests from that time on, by the clocks of those who wrote them. */
export const placeOfNotes = (id: string, since: Date): string =>
  `${id}_${firstIdAt("request", new Date(Math.max(0, since.getTime() - longestRequestMs)))}`;

/** When a message can first have been shown. Its own time is ahead if its conversation's was. */
export const firstShown = (id: string, createdAt: Date): Date =>
  new Date(Math.min(idTimeMs(id), createdAt.getTime()));

export type PageOfNotes = {
  requests: NotedRequest[];
  /** Where the next page starts, or null if this is the last one. */
  nextPlace: string | null;
};

/** The next requests that were noted for a resource. `place` is one of its notes. */
export async function notedRequests(
  caller: Caller,
  place: string,
  limit: number,
): Promise<PageOfNotes> {
  const id = idOfPlace(place);
  const found = await runSql<{ key: string; idempotencyKey: string; createdAt: Date }>(
    notedRequestsStatement({
      ...caller.partition,
      afterKey: place,
      beforeKey: `${id}_${firstIdAt("request", farFuture)}`,
      limit,
    }),
    caller,
  );
  const requests = found.map(({ key, idempotencyKey, createdAt }) => ({
    id: key.slice(id.length + 1, -mark.length),
    key: idempotencyKey || null,
    at: createdAt,
  }));
  return { requests, nextPlace: found.length < limit ? null : (found.at(-1)?.key ?? null) };
}

const farFuture = new Date("9999-01-01");

const separator = "_req_";

const idOfPlace = (place: string): string => place.slice(0, place.indexOf(separator));

export const isPlaceOfNotes = (text: string): boolean => text.includes(separator);

/** How many stored responses one statement removes. */
const responsesAStatement = 1_000;

/** Removes what is stored of the responses to a resource's noted requests from that time on. */
export async function forgetNotedResponses(caller: Caller, id: string, since: Date): Promise<void> {
  // Older responses have expired. A resource can have many notes.
  const stored = new Date(Math.max(since.getTime(), now().getTime() - recordLifetimeMs));
  let place: string | null = placeOfNotes(id, stored);
  while (place !== null) {
    const page: PageOfNotes = await notedRequests(caller, place, responsesAStatement);
    await forgetResponses(
      caller,
      page.requests.flatMap(({ key, at }) => (key === null ? [] : [{ key, at }])),
    );
    place = page.nextPlace;
  }
}
