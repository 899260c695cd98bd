import type { DeliveryReference, DocumentReference, WebhookReference } from "./caller";
import { runSql } from "./db";
import { logOf } from "./log";
import { sql } from "./sql";

const log = logOf("deliveries");

/**
 * The channel on which the embedded worker listens. Notifications only wake it; the tables say what
 * is due.
 */
export const wakeChannel = "parlance_wake";

/** The payload of a notification about documents. */
export const documentsPayload = "documents";

/** About 4 KB. PostgreSQL accepts payloads of up to 8,000 bytes. */
const maximumNamed = 64;

/** A notification names its deliveries, unless there are too many. */
const payloadOf = (deliveries: DeliveryReference[]): string =>
  deliveries.length > maximumNamed
    ? ""
    : deliveries
        .map(({ tenantId, environment, id }) => `${tenantId} ${environment} ${id}`)
        .join("\n");

/** The deliveries that a payload names. */
export function deliveriesOfPayload(payload = ""): DeliveryReference[] {
  return payload.split("\n").flatMap((line) => {
    const [tenantId, environment, id] = line.split(" ");
    if (!tenantId || !id || (environment !== "live" && environment !== "test")) return [];
    return [{ tenantId, environment, id }];
  });
}

/**
 * Notifies whatever sends deliveries or processes documents that there is work. Best effort:
 * polling catches what is missed.
 */
export type JobClock = {
  wake: (deliveries: DeliveryReference[]) => Promise<void>;
  wakeDocuments: (documents: DocumentReference[]) => Promise<void>;
  /** Cancels what the clock still plans for a deleted webhook. May be called several times. */
  endWebhook: (webhook: WebhookReference) => Promise<void>;
};

let isNotifying = false;
let unannounced: DeliveryReference[] = [];

/** At most one NOTIFY is in progress. Calls in the meantime share the next one. */
async function notify(deliveries: DeliveryReference[]): Promise<void> {
  unannounced.push(...deliveries);
  if (isNotifying) return;
  isNotifying = true;
  try {
    while (unannounced.length > 0) {
      const payload = payloadOf(unannounced);
      unannounced = [];
      await runSql(notifyStatement({ payload }));
    }
  } finally {
    isNotifying = false;
  }
}

const notifyStatement = sql(
  "notify_worker",
  { payload: "text" },
  (p) => `SELECT pg_notify('${wakeChannel}', ${p.payload})`,
);

async function notifyOfDocuments(): Promise<void> {
  await runSql(notifyStatement({ payload: documentsPayload }));
}

export const embeddedJobClock: JobClock = {
  wake: notify,
  wakeDocuments: notifyOfDocuments,
  // Its plan is the deliveries' rows, which are deleted.
  endWebhook: async () => {},
};

const shared = globalThis as { parlanceClock?: JobClock };

/** Called once by a process that uses another job clock, before it serves. */
export function setJobClock(clock: JobClock): void {
  shared.parlanceClock = clock;
}

/**
 * Requests do not wait for it, and it never throws: a lost wake-up costs a second, not a delivery.
 */
export function wakeDeliveries(deliveries: DeliveryReference[]): void {
  if (deliveries.length === 0) return;
  const clock = shared.parlanceClock ?? embeddedJobClock;
  clock
    .wake(deliveries)
    .catch((error: Error) =>
      log.warn({ error: error.message }, "the delivery clock could not be woken"),
    );
}

/** Likewise: a lost wake-up costs a second. */
export function wakeDocuments(documents: DocumentReference[]): void {
  if (documents.length === 0) return;
  const clock = shared.parlanceClock ?? embeddedJobClock;
  clock
    .wakeDocuments(documents)
    .catch((error: Error) =>
      log.warn({ error: error.message }, "the document clock could not be woken"),
    );
}

/** Likewise: a wake-up that is not canceled finds nothing to do. */
export function endWebhook(webhook: WebhookReference): void {
  const clock = shared.parlanceClock ?? embeddedJobClock;
  clock
    .endWebhook(webhook)
    .catch((error: Error) =>
      log.warn({ error: error.message }, "wake-ups for a deleted webhook could not be canceled"),
    );
}
