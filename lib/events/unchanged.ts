import type { Caller } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { now } from "@/lib/platform/time";
import { firstIdAt } from "@/lib/resources/ids";
import { noteUnchangedStatement, unchangedRequestsStatement } from "./redact.sql";

// A change that changes nothing raises no event, but the log and its idempotency key store its
// response. These notes lead a redaction to it.

/** At least as long as the request log. */
const lifetimeMs = 40 * 86_400_000;
/** A request can wait this long for other changes of the resource. */
const longestRequestMs = 5 * 60_000;
/** Another process's clock can be ahead by this much. */
const clockToleranceMs = 5_000;

/** Not ASCII, so it is no client's key. The ids before it alone decide the order of the keys. */
const mark = "·";

/** Call it where a service returns a resource that a request did not change. */
export async function noteUnchanged(caller: Caller, id: string): Promise<void> {
  const { request, partition, actor } = caller;
  // Only what an API key receives is logged and stored.
  if (!request || actor.type !== "API_KEY") return;
  const key = `${id}_${request.id}${mark}`;
  const idempotencyKey = request.idempotencyKey ?? "";
  const expiresAt = new Date(now().getTime() + lifetimeMs);
  await runSql(noteUnchangedStatement({ ...partition, key, idempotencyKey, expiresAt }), caller);
}

type UnchangedRequest = { id: string; key: string | null; at: Date };

/** The requests that returned this resource unchanged between the two times. */
export async function unchangedRequests(
  caller: Caller,
  id: string,
  { since, until }: { since: Date; until: Date },
): Promise<UnchangedRequest[]> {
  const keyAt = (atMs: number) => `${id}_${firstIdAt("request", new Date(atMs))}`;
  const found = await runSql<{ key: string; idempotencyKey: string; createdAt: Date }>(
    unchangedRequestsStatement({
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
