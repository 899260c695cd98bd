import { eventType, Inngest, staticSchema } from "inngest";
import type { DeliveryReference, DocumentReference, Partition } from "@/lib/caller";
import { env } from "@/lib/env";
import { type Clock, setClock } from "@/lib/jobs/clock";
import { log } from "@/lib/log";
import { findWebhooksOfDeliveries } from "@/lib/webhooks/find-webhooks-of-deliveries";

const sendTimeoutMs = 2_000;
const maximumEventsPerSend = 500;

/** Ids and nothing else: what is sent stands in the database, and secrets stay there. */
export type DeliveryDue = { tenantId: string; environment: Partition["environment"]; deliveryId: string; webhookId: string };

export type DocumentDue = { tenantId: string; environment: Partition["environment"]; documentId: string };

export const deliveryDue = eventType("delivery/due", { schema: staticSchema<DeliveryDue>() });
export const documentDue = eventType("document/due", { schema: staticSchema<DocumentDue>() });

let client: Inngest | undefined;

/** Made at the first call, because Next loads the modules of all routes at build time, when nothing is configured. */
export function inngest(): Inngest {
  const { INNGEST_DEV, INNGEST_EVENT_KEY, INNGEST_SIGNING_KEY, INNGEST_BASE_URL } = env();
  client ??= new Inngest({
    id: "parlance",
    isDev: INNGEST_DEV !== undefined,
    logger: log,
    // The SDK waits for ever on its own.
    fetch: (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(sendTimeoutMs) }),
    ...(INNGEST_EVENT_KEY && { eventKey: INNGEST_EVENT_KEY }),
    ...(INNGEST_SIGNING_KEY && { signingKey: INNGEST_SIGNING_KEY }),
    ...(INNGEST_BASE_URL && { baseUrl: INNGEST_BASE_URL }),
  });
  return client;
}

/** Inngest drops an id that it has seen within 24 hours, so each further wake-up of a delivery needs the number of its attempt. */
function dueEvent({ tenantId, environment, id }: DeliveryReference, webhookId: string, attemptNumber = 1) {
  return { id: `${id}:${attemptNumber}`, name: deliveryDue.name, data: { tenantId, environment, deliveryId: id, webhookId } };
}

function documentEvent({ tenantId, environment, id }: DocumentReference) {
  return { name: documentDue.name, data: { tenantId, environment, documentId: id } };
}

const inngestClock: Clock = {
  wake: async (deliveries) => {
    for (let start = 0; start < deliveries.length; start += maximumEventsPerSend) {
      const batch = deliveries.slice(start, start + maximumEventsPerSend);
      const webhookIds = await findWebhooksOfDeliveries(batch);
      const events = batch.flatMap((delivery) => {
        const webhookId = webhookIds.get(delivery.id);
        return webhookId ? [dueEvent(delivery, webhookId, delivery.attemptNumber)] : [];
      });
      if (events.length > 0) await inngest().send(events);
    }
  },
  // Without an id of its own, which Inngest would drop within a day of the first one: a document may be tried again.
  wakeDocuments: async (documents) => {
    for (let start = 0; start < documents.length; start += maximumEventsPerSend) {
      await inngest().send(documents.slice(start, start + maximumEventsPerSend).map(documentEvent));
    }
  },
};

/** Called by a process before it serves: with JOBS=inngest, a commit then wakes Inngest instead of the worker. */
export function registerClock(): void {
  if (env().JOBS === "inngest") setClock(inngestClock);
}
