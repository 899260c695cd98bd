import {
  findWakeableDeliveries,
  type WakeableDelivery,
} from "@/lib/deliveries/engine/find-wakeable-deliveries";
import type { DeliveryReference, DocumentReference } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import { type JobClock, setJobClock } from "@/lib/platform/wake-ups";
import { deliveryDue, documentDue, sendEvents } from "./client";

const maximumEventsPerSend = 500;
/** Gathered while Inngest is slow or away, so that neither memory nor connections run out. */
const maximumGathered = 10_000;

/**
 * One sending at a time; what comes meanwhile shares the next one. Where one fails, all that was
 * gathered goes with it: the worker takes it over when it is overdue.
 */
function gather<Item>(send: (items: Item[]) => Promise<void>): (items: Item[]) => Promise<void> {
  let gathered: Item[] = [];
  let isSending = false;

  return async (items) => {
    if (gathered.length < maximumGathered) gathered.push(...items);
    if (isSending) return;
    isSending = true;
    try {
      while (gathered.length > 0) await send(gathered.splice(0, maximumEventsPerSend));
    } finally {
      gathered = [];
      isSending = false;
    }
  };
}

/**
 * Inngest drops an id that it has seen within 24 hours. The number of the attempt alone would not
 * do: a delivery that is held and resumed twice waits twice for the same attempt.
 */
function toDeliveryEvent({
  tenantId,
  environment,
  id,
  webhookId,
  attemptNumber,
  updatedAt,
}: WakeableDelivery) {
  const data = { tenantId, environment, deliveryId: id, webhookId };
  return { id: `${id}:${attemptNumber}:${updatedAt.getTime()}`, name: deliveryDue.name, data };
}

/**
 * Without an id of its own, which Inngest would drop within a day of the first one: a document may
 * be tried again.
 */
function toDocumentEvent({ tenantId, environment, id }: DocumentReference) {
  return { name: documentDue.name, data: { tenantId, environment, documentId: id } };
}

export const inngestJobClock: JobClock = {
  wake: gather<DeliveryReference>(async (deliveries) => {
    const events = (await findWakeableDeliveries(deliveries)).map(toDeliveryEvent);
    if (events.length > 0) await sendEvents(events);
  }),
  wakeDocuments: gather<DocumentReference>((documents) =>
    sendEvents(documents.map(toDocumentEvent)),
  ),
};

/**
 * Called by a process before it serves: with JOBS=inngest, a commit then wakes Inngest instead of
 * the worker.
 */
export function registerInngestClock(): void {
  if (env().JOBS === "inngest") setJobClock(inngestJobClock);
}
