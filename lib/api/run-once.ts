import { createHash } from "node:crypto";
import type { Caller } from "@/lib/platform/caller";
import { findStoredResponse, insertRecord, storeResponse } from "./idempotency";

const windowMs = 24 * 3_600_000;

/**
 * Part of a server action: makes a change once for the key that its form carries, as the API does
 * for an `Idempotency-Key`. A second click, or a form that is sent again because its response was
 * lost, gets the result of the first one.
 * @param key created by the form for each submission.
 */
export async function runOnce<Value>(
  caller: Caller,
  key: string,
  sent: unknown,
  work: () => Promise<Value>,
): Promise<Value> {
  const at = new Date();
  const record = {
    // Includes the user, so that no API request or other user can have the same key by accident.
    key: `dashboard ${caller.actor.id} ${key}`,
    fingerprint: createHash("sha256").update(JSON.stringify(sent)).digest(),
    status: 200,
    expiresAt: new Date(at.getTime() + windowMs),
  };
  if (await insertRecord(caller, caller.partition, record, "", at)) {
    const value = await work();
    const response = { status: record.status, body: JSON.stringify(value) };
    await storeResponse(caller.db, caller.partition, record, response, false);
    return value;
  }
  const stored = await findStoredResponse(caller.partition, record, caller);
  // It has just expired.
  if (!stored) return runOnce(caller, key, sent, work);
  return JSON.parse(stored.body) as Value;
}
