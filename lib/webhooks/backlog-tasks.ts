import type { Caller } from "@/lib/platform/caller";
import { now } from "@/lib/platform/time";
import { firstIdAt, newId } from "@/lib/resources/ids";
import type { BacklogAction } from "@/prisma/generated/enums";

/** Another process's clock may be ahead by so much, and what it wrote is meant too. */
const clockToleranceMs = 60_000;

/** Deliveries made from one time to another: the ids above the first, and below the second. */
export type IdRange = { afterId: string; beforeId: string };

/** @param until inclusive, to the millisecond; unless given, everything there is by now */
export function deliveriesOf(since: Date, until?: Date): IdRange {
  const before = new Date(until ? until.getTime() + 1 : Date.now() + clockToleranceMs);
  return { afterId: firstIdAt("delivery", since), beforeId: firstIdAt("delivery", before) };
}

/**
 * Leaves it to a job to do something with a webhook's deliveries, of all times unless a range is
 * given.
 */
export async function addBacklogTask(
  { db, partition }: Caller,
  webhookId: string,
  action: BacklogAction,
  range = deliveriesOf(new Date(0)),
): Promise<void> {
  const at = now();
  await db.backlogTask.create({
    data: {
      ...partition,
      id: newId("backlogTask"),
      webhookId,
      action,
      ...range,
      nextDueAt: at,
      createdAt: at,
    },
  });
}
