import type { DeliveryReference, DocumentReference } from "./caller";
import { runSql } from "./db";
import { log } from "./log";

/**
 * The channel on which the embedded worker listens. It carries no content: what is due stands in
 * the table.
 */
export const wakeChannel = "parlance_wake";

/**
 * What a notification on it says where it is about documents; about deliveries, it says nothing.
 */
export const documentsPayload = "documents";

/**
 * Tells whatever sends deliveries or processes documents that there is work. Best effort: polling
 * is what makes it right.
 */
export type JobClock = {
  wake: (deliveries: DeliveryReference[]) => Promise<void>;
  wakeDocuments: (documents: DocumentReference[]) => Promise<void>;
};

let isNotifying = false;
let isAgain = false;

/** At most one NOTIFY is under way; all that is asked for in the meantime shares the next one. */
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

/** Called once by a process that has another clock, before it serves. */
export function setJobClock(clock: JobClock): void {
  shared.parlanceClock = clock;
}

/**
 * Never waited for by a request, and never throws: a lost wake-up costs a second, not a delivery.
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
