import { AsyncLocalStorage } from "node:async_hooks";
import { type EventPayload, eventType, Inngest, type Logger, staticSchema } from "inngest";
import type { Partition } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import { log } from "@/lib/platform/log";

const requestTimeoutMs = 2_000;

// Events have only ids and times: the data stays in the database, and so do secrets.

export type DeliveriesDue = Partition & {
  webhookId: string;
  deliveryIds: string[];
  /** Whether no other event came shortly before, so that waiting for a batch only causes delay. */
  isAlone: boolean;
  /** How often the deliveries were due since the last event from outside Inngest. */
  wakeUps: number;
};

export type DeliveryWaiting = Partition & {
  webhookId: string;
  deliveryId: string;
  /** RFC 3339 */
  until: string;
  /**
   * The same if the step that sends it runs twice, and another one after each wake-up: a run that
   * woke too early, by a clock that is ahead of the database's, sleeps until the same time again.
   */
  key: string;
  wakeUps: number;
};

export type DocumentDue = Partition & { documentId: string };

export type WebhookDeleted = Partition & { webhookId: string };

export const deliveriesDue = eventType("deliveries/due", {
  schema: staticSchema<DeliveriesDue>(),
});
export const deliveryWaiting = eventType("delivery/waiting", {
  schema: staticSchema<DeliveryWaiting>(),
});
export const documentDue = eventType("document/due", { schema: staticSchema<DocumentDue>() });
export const webhookDeleted = eventType("webhook/deleted", {
  schema: staticSchema<WebhookDeleted>(),
});

/**
 * Most errors that the SDK logs are requests that it rejected, and anyone can send those. Each is
 * therefore logged as one line at the level `warn`.
 */
const sdkLog: Logger = {
  debug: (...facts) => log.debug({ facts }, "Inngest's SDK"),
  info: (...facts) => log.info({ facts }, "Inngest's SDK"),
  warn: (...facts) => log.warn({ facts: facts.map(withoutStack) }, "Inngest's SDK"),
  error: (...facts) => log.warn({ facts: facts.map(withoutStack) }, "Inngest's SDK"),
};

/** Reduces the error in the SDK's `{ err, … }` to its message. */
function withoutStack(fact: unknown): unknown {
  if (typeof fact !== "object" || fact === null || !("err" in fact)) return fact;
  return { ...fact, err: fact.err instanceof Error ? fact.err.message : String(fact.err) };
}

let client: Inngest | undefined;

/**
 * Created at the first call, because Next loads the modules of all routes at build time, when
 * nothing is configured.
 */
export function inngest(): Inngest {
  const { INNGEST_DEV, INNGEST_EVENT_KEY, INNGEST_SIGNING_KEY, INNGEST_BASE_URL } = env();
  client ??= new Inngest({
    id: "parlance",
    isDev: INNGEST_DEV !== undefined,
    logger: log,
    internalLogger: sdkLog,
    fetch: boundedFetch,
    ...(INNGEST_EVENT_KEY && { eventKey: INNGEST_EVENT_KEY }),
    ...(INNGEST_SIGNING_KEY && { signingKey: INNGEST_SIGNING_KEY }),
    ...(INNGEST_BASE_URL && { baseUrl: INNGEST_BASE_URL }),
  });
  return client;
}

const sending = new AsyncLocalStorage<AbortSignal>();

/** The SDK itself has no timeout. */
const boundedFetch: typeof fetch = (input, init) => {
  const deadline = sending.getStore() ?? AbortSignal.timeout(requestTimeoutMs);
  return fetch(input, {
    ...init,
    signal: init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline,
  });
};

let isAccepting = true;

/** Whether Inngest accepted the last events of this process. */
export const acceptsEvents = (): boolean => isAccepting;

/** Sends events to Inngest. The SDK tries up to five times, within two seconds in total. */
export async function sendEvents(events: EventPayload[]): Promise<void> {
  const deadline = AbortSignal.timeout(requestTimeoutMs);
  isAccepting = await sending
    .run(deadline, () => inngest().send(events))
    .then(
      () => true,
      (error: Error) => {
        isAccepting = false;
        throw error;
      },
    );
}
