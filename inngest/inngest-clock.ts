import {
  findWakeableDeliveries,
  type WakeableDelivery,
} from "@/lib/deliveries/engine/find-wakeable-deliveries";
import type { DeliveryReference, DocumentReference } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import { type JobClock, setJobClock } from "@/lib/platform/wake-ups";
import { deliveryDue, documentDue, sendEvents } from "./client";

const maximumEventsPerSend = 500;
/**
 * The limit of items that wait while Inngest is slow or unreachable, so that neither memory nor
 * connections run out.
 */
const maximumGathered = 10_000;

/**
 * Sends one request at a time. Items that arrive meanwhile share the next one. If a request fails,
 * everything that waits is dropped: the worker takes it over when it is overdue.
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
 * Inngest drops an event id that it has seen within 24 hours. The attempt number alone is not
 * enough: a delivery that is held and resumed twice waits twice for the same attempt.
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
 * Has no id, because Inngest would drop a second event with the same id within a day, and a
 * document may be retried.
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
 * Called by a process before it serves. With JOBS=inngest, a commit then wakes Inngest instead of
 * the worker.
 */
export function registerInngestClock(): void {
  if (env().JOBS === "inngest") setJobClock(inngestJobClock);
}
