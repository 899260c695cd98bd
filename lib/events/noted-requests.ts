import type { Caller } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { now } from "@/lib/platform/time";
import { firstIdAt } from "@/lib/resources/ids";
import { notedRequestsStatement, noteRequestStatement } from "./redact.sql";

// A change that changes nothing and an upload raise no event, but the log and the idempotency key
// store their responses. These notes lead a redaction to them.

/** At least as long as the request log. */
const lifetimeMs = 40 * 86_400_000;
/** A request can wait this long for other changes of the resource. */
const longestRequestMs = 5 * 60_000;
/** Another process's clock can be ahead by this much. */
const clockToleranceMs = 5_000;

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

const always = { since: new Date(0), until: new Date("9999-01-01") };

export type NotedRequest = { id: string; key: string | null; at: Date };

/** The requests that were noted for this resource, at any time or between the two times. */
export async function notedRequests(
  caller: Caller,
  id: string,
  { since, until } = always,
): Promise<NotedRequest[]> {
  const keyAt = (atMs: number) => `${id}_${firstIdAt("request", new Date(atMs))}`;
  const found = await runSql<{ key: string; idempotencyKey: string; createdAt: Date }>(
    notedRequestsStatement({
      ...caller.partition,
      afterKey: keyAt(since.getTime() - longestRequestMs),
      beforeKey: keyAt(until.getTime() + clockToleranceMs),
    }),
    caller,
  );
  return found.map(({ key, idempotencyKey, createdAt }) => ({
    id: key.slice(id.length + 1, -mark.length),
    key: idempotencyKey || null,
    at: createdAt,
  }));
}
