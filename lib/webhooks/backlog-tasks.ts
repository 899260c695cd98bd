import type { Caller } from "@/lib/platform/caller";
import { now } from "@/lib/platform/time";
import { firstIdAt, newId } from "@/lib/resources/ids";
import type { BacklogAction } from "@/prisma/generated/enums";

/** Another process's clock can be ahead by up to this much. Its events and deliveries are included. */
export const clockToleranceMs = 60_000;

/** Deliveries or events of a period, by their ids. Both bounds are exclusive. */
export type IdRange = { afterId: string; beforeId: string };

/** @param until inclusive, to the millisecond; defaults to now */
export function deliveryIdsBetween(since: Date, until?: Date): IdRange {
  const before = new Date(until ? until.getTime() + 1 : Date.now() + clockToleranceMs);
  return { afterId: firstIdAt("delivery", since), beforeId: firstIdAt("delivery", before) };
}

/** What a replay sends: events of these types whose deliveries have one of the statuses. */
export type ReplaySelection = { eventTypes: string[]; deliveryStatuses: string[] };

/** Queues an action on a webhook's deliveries for a job, on all of them unless a range is given. */
export async function addBacklogTask(
  { db, partition }: Caller,
  webhookId: string,
  action: BacklogAction,
  range = deliveryIdsBetween(new Date(0)),
  selection?: ReplaySelection,
): Promise<void> {
  await db.backlogTask.create({
    data: {
      ...partition,
      id: newId("backlogTask"),
      webhookId,
      action,
      ...range,
      ...selection,
      // Now, by the database's clock.
      nextDueAt: new Date(0),
      createdAt: now(),
    },
  });
}
