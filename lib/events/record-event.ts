import type { Caller, Identity } from "@/lib/platform/caller";
import { newId } from "@/lib/resources/ids";
import type { EventType } from "./event-types";
import { claimValues } from "./idempotency-record";
import { eventAndDeliveries } from "./outbox.sql";

export type NewEvent = { id: string; type: EventType; payload: string };

type Options = {
  /** The changed fields as they were before. */
  previousAttributes?: Record<string, unknown> | undefined;
  /** When the change happened, where that is stored with it; now unless given. */
  at?: Date;
  /** This webhook gets no delivery: it is what the event tells of. */
  exceptWebhookId?: string;
};

/**
 * The envelope, as text: these bytes are stored, signed and sent. `object` is exactly what the API
 * would answer.
 */
export function newEvent(
  identity: Identity,
  type: EventType,
  object: object,
  at: Date,
  options: Options = {},
): NewEvent {
  const id = newId("event", at);
  const payload = JSON.stringify({
    id,
    type,
    apiVersion: "v1",
    environment: identity.partition.environment,
    timestamp: at.toISOString(),
    data: options.previousAttributes
      ? { object, previousAttributes: options.previousAttributes }
      : { object },
    request: identity.request,
  });
  return { id, type, payload };
}

const recordEventSql = `
  WITH go AS (SELECT $4::text, $5::bytea, $6::int, $7::text, $8::timestamptz),
  ${eventAndDeliveries({ where: "w.id IS DISTINCT FROM $12::text" })}
  SELECT id FROM delivery`;

/**
 * Writes an event and its deliveries, in the caller's transaction. They are sent once it has
 * committed.
 */
export async function recordEvent(
  caller: Caller,
  type: EventType,
  object: object,
  options: Options = {},
): Promise<void> {
  const { at = new Date() } = options;
  const { tenantId, environment } = caller.partition;
  const event = newEvent(caller, type, object, at, options);
  const values = [
    tenantId,
    environment,
    at,
    ...claimValues(null, ""),
    [event.id],
    [type],
    [event.payload],
    options.exceptWebhookId ?? null,
  ];
  const deliveries = await caller.db.$queryRawUnsafe<{ id: string }[]>(recordEventSql, ...values);
  caller.outbox.push(...deliveries.map(({ id }) => ({ ...caller.partition, id })));
}
