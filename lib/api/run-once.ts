import { createHash } from "node:crypto";
import type { Caller } from "@/lib/platform/caller";
import { claimKey, findStoredAnswer, storeAnswer } from "./idempotency";

const windowMs = 24 * 3_600_000;

/**
 * Part of an action: makes a change once for the key that its form carries, as the API does for an
 * `Idempotency-Key`. A second click, and a form that is sent again because its answer got lost, get
 * what the first one got.
 * @param key made by the form, new for each thing that is sent.
 */
export async function once<Value>(
  caller: Caller,
  key: string,
  sent: unknown,
  work: () => Promise<Value>,
): Promise<Value> {
  const now = new Date();
  const claim = {
    // No request of the API has such a key by accident, and none of another person.
    key: `dashboard ${caller.actor.id} ${key}`,
    fingerprint: createHash("sha256").update(JSON.stringify(sent)).digest(),
    status: 200,
    expiresAt: new Date(now.getTime() + windowMs),
  };
  if (await claimKey(caller.db, caller.partition, claim, "", now)) {
    const value = await work();
    await storeAnswer(caller.db, caller.partition, claim, JSON.stringify(value), false);
    return value;
  }
  const stored = await findStoredAnswer(caller.partition, claim, caller.db);
  if (!stored) throw new Error("an idempotency record was there to be found and is not");
  return JSON.parse(stored.body) as Value;
}
