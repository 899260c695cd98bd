import type { References, ValuesOf } from "@/lib/platform/sql";
import { passesFilter } from "./filter.sql";

// The parts that one-statement changes have in common. Each refers to a common table expression
// `go`, which has a row if and only if the change is to happen.

/** Where and when a change happens. */
export const changeParameters = {
  tenantId: "text",
  environment: "Environment",
  at: "timestamptz",
} as const;

/** The idempotency record that a change writes with its effect; all null without a key. */
export const recordParameters = {
  idempotencyKey: "text?",
  fingerprint: "bytea?",
  responseStatus: "int?",
  responseBody: "text?",
  recordExpiresAt: "timestamptz?",
} as const;

/** The events that a change raises. */
export const eventParameters = {
  eventIds: "text[]",
  eventTypes: "text[]",
  eventPayloads: "text[]",
  eventConversationIds: "text?[]",
  /** The trace that their deliveries continue, if the request is traced. */
  traceparent: "text?",
} as const;

export type RecordValues = ValuesOf<typeof recordParameters>;
export type EventValues = ValuesOf<typeof eventParameters>;

type ChangeReferences = References<typeof changeParameters>;
type RecordReferences = References<typeof recordParameters>;
type EventReferences = References<typeof eventParameters>;

/**
 * `record`: the idempotency record, written by the request that comes first. A second transaction
 * with the same key waits here until the first one ends, and then finds the record. An expired
 * record is replaced.
 */
export const writeRecord = (
  p: ChangeReferences & RecordReferences,
  { from, body = p.responseBody }: { from: string; body?: string },
) => `
  record AS (
    INSERT INTO idempotency_records AS existing (tenant_id, environment, key, fingerprint, status, body, created_at, expires_at)
    SELECT ${p.tenantId}, ${p.environment}, ${p.idempotencyKey}, ${p.fingerprint}, ${p.responseStatus}, ${body}, ${p.at}, ${p.recordExpiresAt}
    FROM ${from} WHERE ${p.idempotencyKey} IS NOT NULL
    ON CONFLICT (tenant_id, environment, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, is_encrypted = false,
          created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE existing.expires_at <= excluded.created_at
    RETURNING 1
  )`;

/** Whether the change is to happen: there is no key, or `record` was written. */
export const isFirst = (p: RecordReferences) =>
  `(${p.idempotencyKey} IS NULL OR EXISTS (SELECT 1 FROM record))`;

/**
 * Another transaction may be enabling a webhook that looks disabled here. Locking its row either
 * waits for that transaction and reads the status again, or makes that transaction wait until the
 * deliveries held here are visible. An enabled webhook is not locked.
 */
const isEnabled = `(w.status = 'ENABLED' OR 'ENABLED' = (
        SELECT s.status FROM webhooks s
        WHERE s.tenant_id = w.tenant_id AND s.environment = w.environment AND s.id = w.id FOR SHARE))`;

/**
 * The id of the one delivery of an event to a webhook: the event's time, and a digest of both. The
 * parameters are the columns with their ids.
 */
export const deliveryIdOf = (eventId: string, webhookId: string): string =>
  `'dlv_' || substr(${eventId}, 5, 10) || upper(substr(md5(${eventId} || ${webhookId}), 1, 16))`;

type WriteEvents = {
  /** The conversation that the events are about, as JSON, or a list of its states (filter.sql.ts). */
  conversations: string;
  payload?: string;
  at?: string;
  where?: string;
};

/**
 * `event` and `delivery`: the events, and one delivery for each webhook that subscribes to one of
 * them and whose filter it passes. A disabled webhook's deliveries are held. Deliveries of a webhook
 * with ordering get a place in the lane of their conversation, whose row the transaction has locked.
 * Without such a webhook, no position is taken. The events of one statement share it, and follow the
 * order of their ids.
 */
export const writeEvents = (
  p: ChangeReferences & EventReferences,
  { conversations, payload = "e.payload", at = p.at, where = "true" }: WriteEvents,
) => `
  event AS (
    INSERT INTO events (tenant_id, environment, id, type, payload, created_at)
    SELECT ${p.tenantId}, ${p.environment}, e.id, e.type, ${payload}, ${at}
    FROM go, unnest(${p.eventIds}, ${p.eventTypes}, ${p.eventPayloads}) AS e (id, type, payload)
    RETURNING id
  ),
  delivery AS (
    INSERT INTO deliveries (tenant_id, environment, id, webhook_id, event_id, event_type, status, next_attempt_at, conversation_id, position,
      traceparent, created_at, updated_at)
    SELECT ${p.tenantId}, ${p.environment}, ${deliveryIdOf("e.id", "w.id")}, w.id, e.id, e.type,
      CASE WHEN ${isEnabled} THEN 'PENDING' ELSE 'HELD' END::"DeliveryStatus",
      CASE WHEN ${isEnabled} THEN least(${p.at}, clock_timestamp()) END,
      CASE WHEN w.ordering = 'conversation' THEN e.conversation_id END,
      CASE WHEN w.ordering = 'conversation' AND e.conversation_id IS NOT NULL THEN (SELECT nextval('delivery_positions')) END,
      ${p.traceparent}, ${p.at}, ${p.at}
    FROM go, unnest(${p.eventIds}, ${p.eventTypes}, ${p.eventConversationIds}) AS e (id, type, conversation_id)
    JOIN webhooks w ON w.tenant_id = ${p.tenantId} AND w.environment = ${p.environment} AND w.deleted_at IS NULL
      AND w.events && ARRAY['*', split_part(e.type, '.', 1) || '.*', e.type]
    WHERE ${where} AND ${passesFilter("w.filter", conversations)}
    RETURNING id
  )`;
