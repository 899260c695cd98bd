import type { Caller, Identity } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { sql } from "@/lib/platform/sql";
import { newId } from "@/lib/resources/ids";
import type { EventType } from "./event-types";
import { changeParameters, type EventValues, eventParameters, writeEvents } from "./outbox.sql";

export type NewEvent = { id: string; type: EventType; payload: string };

type Options = {
  /** The changed fields, with their previous values. */
  previousAttributes?: Record<string, unknown> | undefined;
  /** When the change happened, if the change stores it; defaults to now. */
  at?: Date;
  /** The webhook that the event is about, which gets no delivery of it. */
  exceptWebhookId?: string;
};

/**
 * The envelope, as text: these bytes are stored, signed and sent. `object` is exactly what the API
 * returns.
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

/** The events' parameters of a one-statement change. */
export const eventValues = (events: NewEvent[]): EventValues => ({
  eventIds: events.map(({ id }) => id),
  eventTypes: events.map(({ type }) => type),
  eventPayloads: events.map(({ payload }) => payload),
});

const recordEventStatement = sql(
  "record_event",
  { ...changeParameters, ...eventParameters, exceptWebhookId: "text?" },
  (p) => `
  WITH go AS (SELECT 1),
  ${writeEvents(p, { where: `w.id IS DISTINCT FROM ${p.exceptWebhookId}` })}
  SELECT id FROM delivery`,
);

/**
 * Writes an event and its deliveries in the caller's transaction. They are sent once it has
 * committed.
 */
export async function recordEvent(
  caller: Caller,
  type: EventType,
  object: object,
  options: Options = {},
): Promise<void> {
  const { at = new Date(), exceptWebhookId } = options;
  const event = newEvent(caller, type, object, at, options);
  const deliveries = await runSql<{ id: string }>(
    recordEventStatement({ ...caller.partition, at, ...eventValues([event]), exceptWebhookId }),
    caller,
  );
  caller.outbox.push(...deliveries.map(({ id }) => ({ ...caller.partition, id })));
}
