import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  findWakeableDeliveries,
  type WakeableDelivery,
} from "@/lib/deliveries/engine/find-wakeable-deliveries";
import type { DeliveryReference, DocumentReference } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import { type JobClock, setJobClock } from "@/lib/platform/wake-ups";
import { deliveriesDue, documentDue, sendEvents, webhookDeleted } from "./client";
import { groupBy } from "./group-by";

const maximumItemsPerSend = 500;
/**
 * The limit of items that wait while Inngest is slow or unreachable, so that neither memory nor
 * connections run out.
 */
const maximumGathered = 10_000;
/**
 * The shortest time between two requests, in which items gather. Inngest needs about as long for an
 * event with one delivery as for one with a hundred.
 */
const pauseMs = 100;

/**
 * Sends one request at a time, and the first one immediately. Items that arrive meanwhile share the
 * next one. If a request fails, everything that waits is dropped: the worker takes it over when it
 * is overdue.
 * @param send is called with whether this is the first request after a pause
 */
function gather<Item>(
  send: (items: Item[], isFirst: boolean) => Promise<void>,
): (items: Item[]) => Promise<void> {
  let gathered: Item[] = [];
  let isSending = false;
  let lastSentAtMs = Number.NEGATIVE_INFINITY;

  return async (items) => {
    if (gathered.length < maximumGathered) gathered.push(...items);
    if (isSending) return;
    isSending = true;
    try {
      while (gathered.length > 0) {
        const waitMs = lastSentAtMs + pauseMs - performance.now();
        if (waitMs > 0 && gathered.length < maximumItemsPerSend) await sleep(waitMs);
        lastSentAtMs = performance.now();
        await send(gathered.splice(0, maximumItemsPerSend), waitMs <= 0);
      }
    } finally {
      gathered = [];
      isSending = false;
    }
  };
}

/**
 * Inngest drops an event id that it has seen within 24 hours. The attempt number alone is not
 * enough: a delivery that is held and resumed twice waits twice for the same attempt.
 */
const keyOf = ({ id, attemptNumber, updatedAt }: WakeableDelivery) =>
  `${id}:${attemptNumber}:${updatedAt.getTime()}`;

/** So that one event stays small. */
const deliveriesPerEvent = 100;

/**
 * One event for up to a hundred deliveries of a webhook.
 * @param suffix distinguishes events for the same attempts
 */
export function toDeliveryEvents(
  deliveries: WakeableDelivery[],
  { isAlone = false, suffix = "" } = {},
) {
  const byWebhook = groupBy(deliveries, ({ webhookId }) => webhookId);
  return [...byWebhook.values()].flatMap((all) => {
    const events = [];
    for (let start = 0; start < all.length; start += deliveriesPerEvent)
      events.push(toEvent(all.slice(start, start + deliveriesPerEvent)));
    return events;
  });

  function toEvent(some: WakeableDelivery[]) {
    const [first] = some;
    if (!first) throw new Error("an event needs a delivery");
    const { tenantId, environment, webhookId } = first;
    const keys = some.map(keyOf).join(" ");
    return deliveriesDue.create(
      {
        ...{ tenantId, environment, webhookId, deliveryIds: some.map(({ id }) => id) },
        ...{ isAlone, wakeUps: 0 },
      },
      { id: createHash("sha256").update(keys).update(suffix).digest("base64url") },
    );
  }
}

/**
 * Has no id, because Inngest would drop a second event with the same id within a day, and a
 * document may be retried.
 */
function toDocumentEvent({ tenantId, environment, id }: DocumentReference) {
  return { name: documentDue.name, data: { tenantId, environment, documentId: id } };
}

export const inngestJobClock: JobClock = {
  wake: gather<DeliveryReference>(async (references, isFirst) => {
    const deliveries = await findWakeableDeliveries(references);
    const isAlone = isFirst && deliveries.length === 1;
    if (deliveries.length > 0) await sendEvents(toDeliveryEvents(deliveries, { isAlone }));
  }),
  wakeDocuments: gather<DocumentReference>((documents) =>
    sendEvents(documents.map(toDocumentEvent)),
  ),
  // The id is the same for each batch of its deliveries that is deleted.
  endWebhook: ({ tenantId, environment, webhookId }) =>
    sendEvents([
      {
        id: `${webhookId}:deleted`,
        name: webhookDeleted.name,
        data: { tenantId, environment, webhookId },
      },
    ]),
};

/**
 * Called by a process before it serves. With JOBS=inngest, a commit then wakes Inngest instead of
 * the worker.
 */
export function registerInngestClock(): void {
  if (env().JOBS === "inngest") setJobClock(inngestJobClock);
}
