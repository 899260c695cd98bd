import type { DeliveryReference, DocumentReference } from "./caller";
import { runSql } from "./db";
import { log } from "./log";

/**
 * The channel on which the embedded worker listens. Notifications carry no data: the tables say
 * what is due.
 */
export const wakeChannel = "parlance_wake";

/** The payload of a notification about documents. One about deliveries has no payload. */
export const documentsPayload = "documents";

/**
 * Notifies whatever sends deliveries or processes documents that there is work. Best effort:
 * polling catches what is missed.
 */
export type JobClock = {
  wake: (deliveries: DeliveryReference[]) => Promise<void>;
  wakeDocuments: (documents: DocumentReference[]) => Promise<void>;
};

let isNotifying = false;
let isAgain = false;

/** At most one NOTIFY is in progress. Calls in the meantime share the next one. */
async function notify(): Promise<void> {
  if (isNotifying) {
    isAgain = true;
    return;
  }
  isNotifying = true;
  try {
    do {
      isAgain = false;
      await runSql({ text: `NOTIFY ${wakeChannel}`, values: [] });
    } while (isAgain);
  } finally {
    isNotifying = false;
  }
}

async function notifyOfDocuments(): Promise<void> {
  await runSql({ text: `NOTIFY ${wakeChannel}, '${documentsPayload}'`, values: [] });
}

export const embeddedJobClock: JobClock = { wake: notify, wakeDocuments: notifyOfDocuments };

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
